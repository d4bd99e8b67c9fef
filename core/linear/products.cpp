#include "core/linear/products.hpp"

namespace lacuna {
namespace {

const ProductLoops& in_use() {
  static const ProductLoops first = product_loops().front();
  return first;
}

}  // namespace

std::vector<ProductLoops> product_loops() {
  std::vector<ProductLoops> loops;
#ifdef LACUNA_X86_PRODUCTS
  for (const ProductLoops& compiled : {avx512_products, avx2_products})
    if (compiled.runs_here()) loops.push_back(compiled);
#endif
  loops.push_back(portable_products);
  return loops;
}

void dot_rows(const DotRows& task) { in_use().dot_rows(task); }

void weigh_rows(const WeighRows& task) { in_use().weigh_rows(task); }

}  // namespace lacuna
