// The CUDA backend's loops: the plain ones (kernels/plain/loops.hpp) on a device. Host pointers in the parameters;
// only the rows that count are copied in, without their padding. Every fault of the device is a std::runtime_error.
#pragma once

#include "kernels/params.hpp"

namespace lacuna::kernels::cuda {

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

}  // namespace lacuna::kernels::cuda
