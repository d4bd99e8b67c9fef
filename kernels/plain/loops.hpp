// The plain backend's loops; the contract of each stands at its parameters (kernels/params.hpp).
#pragma once

#include "kernels/params.hpp"

namespace lacuna::kernels::plain {

/// T is float or double.
template <class T>
void score(const ScoreParams<T>& params);

/// T is float or double.
template <class T>
void index_score(const IndexScoreParams<T>& params);

/// T is float or double.
template <class T>
void attend(const AttendParams<T>& params, PartialSoftmax& partial);

TopKResult top_k(const TopKParams& params);

void block_max(const BlockMaxParams& params);

}  // namespace lacuna::kernels::plain
