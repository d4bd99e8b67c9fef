#include "fma_limit.hpp"

namespace lacuna::benchmarks {
namespace {

/// Sums that no result depends on, so that only the multiply-adds limit the loop. The asm statements keep each in a
/// register and the loop from being thought useless.
#if defined(__x86_64__)
[[gnu::target("avx512f")]] void run_avx512(long rounds) {
  for (long i = 0; i < rounds; ++i)
    asm volatile(
        "vfmadd231pd %%zmm0, %%zmm1, %%zmm2\n\tvfmadd231pd %%zmm0, %%zmm1, %%zmm3\n\t"
        "vfmadd231pd %%zmm0, %%zmm1, %%zmm4\n\tvfmadd231pd %%zmm0, %%zmm1, %%zmm5\n\t"
        "vfmadd231pd %%zmm0, %%zmm1, %%zmm6\n\tvfmadd231pd %%zmm0, %%zmm1, %%zmm7\n\t"
        "vfmadd231pd %%zmm0, %%zmm1, %%zmm8\n\tvfmadd231pd %%zmm0, %%zmm1, %%zmm9\n\t"
        "vfmadd231pd %%zmm0, %%zmm1, %%zmm10\n\tvfmadd231pd %%zmm0, %%zmm1, %%zmm11" ::
            : "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11");
}
[[gnu::target("avx2,fma")]] void run_avx2(long rounds) {
  for (long i = 0; i < rounds; ++i)
    asm volatile(
        "vfmadd231pd %%ymm0, %%ymm1, %%ymm2\n\tvfmadd231pd %%ymm0, %%ymm1, %%ymm3\n\t"
        "vfmadd231pd %%ymm0, %%ymm1, %%ymm4\n\tvfmadd231pd %%ymm0, %%ymm1, %%ymm5\n\t"
        "vfmadd231pd %%ymm0, %%ymm1, %%ymm6\n\tvfmadd231pd %%ymm0, %%ymm1, %%ymm7\n\t"
        "vfmadd231pd %%ymm0, %%ymm1, %%ymm8\n\tvfmadd231pd %%ymm0, %%ymm1, %%ymm9\n\t"
        "vfmadd231pd %%ymm0, %%ymm1, %%ymm10\n\tvfmadd231pd %%ymm0, %%ymm1, %%ymm11" ::
            : "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11");
}
#endif

}  // namespace

double fma_limit() {
  constexpr long rounds = 200000;
  double lanes = 0;
  const double begin = thread_seconds();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    run_avx512(rounds);
    lanes = 8;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    run_avx2(rounds);
    lanes = 4;
  }
#endif
  return lanes == 0 ? 0 : 2 * lanes * 10 * static_cast<double>(rounds) / (thread_seconds() - begin);
}

}  // namespace lacuna::benchmarks
