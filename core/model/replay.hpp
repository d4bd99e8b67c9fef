// A bounded local replay at work (replay_plan.hpp says which tokens go through which layers, and what comes of it).
//
// The tokens go through the layers one layer at a time, as in a layer pass. A layer takes in every token whose state is
// there: one that its cache holds already gets its window row written anew, at its own absolute position, and nothing
// else; a later one is appended with all its rows. Window rows below the layer's first one are overwritten with NaN, so
// that whoever reads one shows it, and the cache says from where on there are any (LayerCache::first_local): tokens
// that are decoded behind the replay see the shorter window until it has moved past that position.
#pragma once

#include <vector>

#include "core/model/layer_pass.hpp"
#include "core/model/replay_plan.hpp"

namespace lacuna {

using TokenStates = std::vector<std::vector<double>>;  // [tokens][d_model]

/// The exact run of a sequence, with what replays start from and are compared with.
struct ExactRun {
  std::vector<TokenStates> states;  // [layers + 1]: h_0, then behind each layer
  ModelCache cache;                 ///< behind all tokens
  std::vector<Index> layer_tokens;  // [layers] tokens that went through, counted where they ran
};

ExactRun exact_run(const Decoder& decoder, std::span<const Index> tokens, const EachIndex& each_token = in_order);

struct Replay {
  ModelCache cache;                 ///< of all N tokens, from which the sequence goes on
  std::vector<TokenStates> states;  // [layers] behind each layer, of tokens from its first_run on; empty: did not run
  Index layer_tokens = 0;           ///< tokens that went through a layer, counted where they ran
};

/// `cache`: of the exact run behind plan.kept tokens. `entering`: what the exact run has at the first layer that runs,
/// from its first_run on. The same bits for any order of each_token.
Replay replay(const Decoder& decoder, const ReplayPlan& plan, ModelCache cache, TokenStates entering,
              const EachIndex& each_token = in_order);

/// Whether two caches hold the same bytes in the rows over the prefix, index keys among them, that end before position
/// `tokens`; and as many of them.
bool same_global_rows(const ModelCache& a, const ModelCache& b, Index tokens);

}  // namespace lacuna
