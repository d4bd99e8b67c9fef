// What a sequence of N tokens occupies, by kind of tensor, and what decoding one token reads of it. Nothing is
// allocated: bytes follow from the description and from how its rows are stored.
//
//   main, index  sum over layers that own rows:  floor(N / ratio) rows                                   (1)
//   local        sum over layers with a window:  min(N, w) rows                                          (2)
//   state        compressors and retention                                                               (3)
//   routing      of the candidate pool while a token is decoded: ceil(n / R) block maxima in f32 and     (4)
//                a mask of n bytes over the n rows of the layer that builds it
//
// So N L h 2 d b for multi-head attention, N L (c + d_R) b for MLA, N b_g + L_local w b_loc for YOCO, and for V4 and
// V4.1 the sums of ratio-wise shares that bytes_per_token() gives.
#pragma once

#include <array>
#include <string_view>

#include "core/model/cost/storage_policy.hpp"

namespace lacuna {

enum class TensorKind { main, index, local, state, routing };
inline constexpr std::array<std::string_view, 5> kTensorKinds = {"main", "index", "local", "state", "routing"};

struct CacheBytes {
  std::array<RowBytes, kTensorKinds.size()> kinds = {};  ///< [TensorKind]

  RowBytes& operator[](TensorKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
  const RowBytes& operator[](TensorKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  /// Of all kinds but the workspace.
  Rational stored() const;
};

/// The growth of the cache with the context, main and index alone: (1) without its floor, over N.
CacheBytes bytes_per_token(const ModelDescription& model, const StoragePolicy& policy);

/// (1) to (4) at N tokens.
CacheBytes cache_bytes(const ModelDescription& model, const StoragePolicy& policy, Index tokens);

/// Read for the token that is decoded as the last of N: the rows that are scored, at their average bytes where a format
/// encodes them in groups; the whole state; the workspace once. Weights are not counted.
CacheBytes bytes_read(const ModelDescription& model, const StoragePolicy& policy, Index tokens);

}  // namespace lacuna
