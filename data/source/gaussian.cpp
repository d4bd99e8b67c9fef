// gaussian: independent N(0, I) queries, keys and values. Given a query, its scores are normal with standard deviation
// score_std ||q|| / sqrt(d_qk), so its weights are log-normal: the null model against which structure is seen.
#include "data/source/synthetic.hpp"

namespace lacuna {
namespace {

const bool registered = SourceRegistry::instance().add({.name = "gaussian",
                                                        .sentence = "Independent normal queries, keys and values.",
                                                        .parameters = synthetic_parameters(),
                                                        .check = check_synthetic,
                                                        .open = opens<SyntheticSource>()});

}  // namespace
}  // namespace lacuna
