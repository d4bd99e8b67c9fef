// What a bounded local replay runs. After a prefix of N tokens the rows that reach over the prefix are kept and the
// window rows are lost; running only the last R tokens again makes the newest of them. In a layer that is replayed from
// position s on, the query at i sees window rows of the tokens
//
//   max(s, i - w + 1) .. i ,   w the window, the query's own token among them,                            (1)
//
// those below s being absent: the window is shorter, no row is zero. Rows over the prefix are read from the cache.
//
// Exactness. Let all states that enter a layer from position e on be exact and earlier ones be inexact or absent, and
// the rows over the prefix exact. The window of the query at i lies within what is exact iff i - w + 1 >= max(e, s), or
// nothing is lost:
//
//   e'  =  max(e, s) + w - 1   behind a layer with a window that lost rows,   e' = e  behind any other     (2)
//
// so that with one s, one w and e = s at the first layer a state behind layer l = 1, 2, ... is exact iff its offset
// from s is at least l (w - 1), for weights that hide nothing; the last token's behind L layers iff R >= L (w - 1) + 1.
// Where the first of them keeps its window whole it is (l - 1) (w - 1).
//
// Variants, with L_enc layers of an encoder (description.hpp) and L_dec others:
//
//   decoder_first         the encoder runs on all tokens; s = N - min(N, R) in every other layer
//   decoder_after_first   the same, and the first layer behind the encoder keeps its window whole: its rows come from
//                         what leaves the encoder, which exists for all tokens
//   prefix_hit            the rows of the first P tokens, of all layers, are found in a store. The encoder replays
//                         tokens P - min(R, P) .. P - 1 to make window rows, and their other rows stay as they are;
//                         then tokens P .. N - 1 make all their rows on these states; then as decoder_first.
//
// In prefix_hit rows are made on inexact states as soon as (2) puts e behind P at a layer that makes rows; from there
// on no state is exact, wherever its window lies. A model without an encoder is all encoder in prefix_hit, and has none
// in the other two. The open group of a compressor at P is part of the store.
//
//   layer-tokens:   N L_enc + min(N, R) L_dec ,   in prefix_hit   (min(R, P) + N - P) L_enc + min(N, R) L_dec    (3)
//
// against N L. A layer without a window has nothing to rebuild: it is run, since later layers need its outputs, reads
// its kept rows and is exact where what enters it is. The state of a retention layer sums over all tokens, so that no
// replay of the last ones makes it again: such a layer is refused among those that would be replayed.
//
// Sources: DeepSeek-V4.1-Flash report, section 3.2.2 (bounded replay of the decoder's windows); vllm-project/vllm, its
// DeepSeek-V4.1 model state (replay after a prefix hit; decoder_replay_layers leaves the first layer's window whole).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/description.hpp"

namespace lacuna {

struct ReplayVariant {
  std::string name;
  std::string sentence;
  bool from_hit = false;            ///< the encoder starts from a stored prefix
  bool keeps_first_window = false;  ///< of the first layer behind the encoder
};

const std::vector<ReplayVariant>& replay_variants();
/// InternalError where there is none of that name.
const ReplayVariant& replay_variant(std::string_view name);

struct ReplayExtents {
  Index tokens = 0;  ///< N, at least 1
  Index length = 0;  ///< R, at least 1
  Index hit = 0;     ///< P, 1 to N; of variants from a hit
};

/// What one layer runs on.
struct LayerReplay {
  Index first_run = 0;     ///< tokens from this position on go through the layer; N: none does
  Index first_window = 0;  ///< window rows of tokens before this position are absent
};

struct ReplayPlan {
  Index tokens = 0;  ///< N
  Index kept = 0;    ///< tokens whose rows are in the cache at the beginning: N, or P
  std::vector<LayerReplay> layers = {};

  /// UsageError naming a retention layer that would be replayed.
  static ReplayPlan of(const ModelDescription& model, const ReplayVariant& variant, const ReplayExtents& extents);

  /// Place of the first layer that runs.
  Index first_place() const;
  /// (2), per layer: the position from which states behind it are exact; N where none has to be. Layers that do not run
  /// are exact from 0 on.
  std::vector<Index> exact_from(const ModelDescription& model) const;
};

/// (3).
Index replay_layer_tokens(const ModelDescription& model, const ReplayVariant& variant, const ReplayExtents& extents);

}  // namespace lacuna
