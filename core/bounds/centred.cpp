// bound_centred: a shift of all values, the sink's 0 included, changes no difference of outputs, so the ball may lie
// around any centre c (here the mean of the visible values):
//   ||o - o_S|| <= 2 R delta ,   R = max( max_j ||v_j - c|| , ||c|| if there is a sink ) .
// Leaving the sink out of R makes the bound false. A path that attends nothing, not even a sink, answers 0: then R
// covers that 0 too.
#include <algorithm>

#include "core/bounds/bound.hpp"

namespace lacuna {
namespace {

const bool registered = BoundRegistry::instance().add(
    {.name = "bound_centred",
     .long_name =
         "2 R delta, R the radius of the visible values (and the sink's 0) around their mean, delta the omitted mass",
     .evaluate = [](const PathJudgement& row) {
       const bool attends = row.split.kept.z.value() > 0;
       const double radius =
           attends ? row.exact->centred_radius : std::max(row.exact->centred_radius, row.exact->centre_norm);
       return raised(row, 2 * radius * row.delta_upper());
     }});

}  // namespace
}  // namespace lacuna
