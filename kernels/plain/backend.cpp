#include "kernels/kernels.hpp"
#include "kernels/plain/loops.hpp"

namespace lacuna::kernels {
namespace {

class PlainBackend final : public Backend {
 public:
  std::string_view name() const override { return "plain"; }

  void score(const ScoreParams<float>& params) const override { plain::score(params); }
  void score(const ScoreParams<double>& params) const override { plain::score(params); }
  void index_score(const IndexScoreParams<float>& params) const override { plain::index_score(params); }
  void index_score(const IndexScoreParams<double>& params) const override { plain::index_score(params); }
  void attend(const AttendParams<float>& params, PartialSoftmax& partial) const override {
    plain::attend(params, partial);
  }
  void attend(const AttendParams<double>& params, PartialSoftmax& partial) const override {
    plain::attend(params, partial);
  }
  TopKResult top_k(const TopKParams& params) const override { return plain::top_k(params); }
  void block_max(const BlockMaxParams& params) const override { plain::block_max(params); }
};

}  // namespace

const Backend& plain_backend() {
  static const PlainBackend backend;
  return backend;
}

}  // namespace lacuna::kernels
