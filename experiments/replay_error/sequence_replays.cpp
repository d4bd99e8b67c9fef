#include "experiments/replay_error/sequence_replays.hpp"

#include <algorithm>
#include <map>

#include "experiments/harness/interrupt.hpp"
#include "experiments/harness/workers.hpp"

namespace lacuna {
namespace {

EachIndex each_token(int threads) {
  return [threads](Index count, const std::function<void(Index)>& work) {
    check_for_interrupt();
    parallel_for(count, threads, work);
  };
}

std::vector<HiddenError> hidden_errors(const TokenStates& exact, const TokenStates& approx) {
  std::vector<HiddenError> errors;
  const std::size_t first = exact.size() - approx.size();
  for (std::size_t t = 0; t < approx.size(); ++t) errors.push_back(hidden_error(exact[first + t], approx[t]));
  return errors;
}

/// Layer-tokens of the layers before the first that is replayed, on which the exact run and the replay do the same.
Index encoder_layer_tokens(const ExactRun& exact, const ReplayPlan& plan) {
  Index count = 0;
  for (Index place = 0; place < plan.first_place(); ++place) count += exact.layer_tokens[place];
  return count;
}

void continue_and_compare(const Decoder& decoder, const ExactSequence& exact, const Replay& replayed,
                          ReplayOutcome& outcome) {
  const Prefix prefix{.cache = &replayed.cache, .last_hidden = replayed.states.back().back()};
  const ForcedSteps forced = forced_steps(decoder, prefix, exact.next);
  for (std::size_t step = 0; step < exact.next.size(); ++step) {
    outcome.next_token.push_back(next_token_error(exact.forced.logits[step], forced.logits[step], exact.next[step]));
    outcome.step_hidden.push_back(hidden_error(exact.forced.hidden[step], forced.hidden[step]));
  }
  outcome.greedy = greedy_tokens(decoder, prefix, static_cast<Index>(exact.next.size()));
}

ReplayOutcome replay_cell(const Decoder& decoder, const ReplayCell& cell, const ExactSequence& exact,
                          const ModelCache& found) {
  ReplayOutcome outcome;
  outcome.hit = cell.extents.hit;
  outcome.plan = ReplayPlan::of(decoder.model(), *cell.variant, cell.extents);
  outcome.exact_from = outcome.plan.exact_from(decoder.model());
  const Index first = outcome.plan.first_place();
  const TokenStates& entering = exact.run.states[first];
  const Replay replayed =
      replay(decoder, outcome.plan, found, {entering.begin() + outcome.plan.layers[first].first_run, entering.end()});
  for (std::size_t place = 0; place < replayed.states.size(); ++place)
    outcome.hidden.push_back(hidden_errors(exact.run.states[place + 1], replayed.states[place]));
  outcome.layer_tokens = encoder_layer_tokens(exact.run, outcome.plan) + replayed.layer_tokens;
  outcome.layer_tokens_formula = replay_layer_tokens(decoder.model(), *cell.variant, cell.extents);
  outcome.global_rows_unchanged = same_global_rows(replayed.cache, exact.run.cache, outcome.plan.kept);
  continue_and_compare(decoder, exact, replayed, outcome);
  return outcome;
}

}  // namespace

Index ReplayOutcome::agreeing_steps(const std::vector<Index>& exact) const {
  return std::ranges::mismatch(greedy, exact).in1 - greedy.begin();
}

ExactSequence exact_sequence(const ModelSource& source, Index sequence, const ReplayStudy& study, int threads) {
  const std::vector<Index> tokens = source.tokens(sequence);
  const Decoder& decoder = source.decoder();
  ExactSequence exact;
  exact.run = exact_run(decoder, std::span(tokens).first(study.prefix), each_token(threads));
  exact.next.assign(tokens.begin() + study.prefix, tokens.end());
  const Prefix prefix{.cache = &exact.run.cache, .last_hidden = exact.run.states.back().back()};
  exact.forced = forced_steps(decoder, prefix, exact.next);
  exact.greedy = greedy_tokens(decoder, prefix, study.steps);
  return exact;
}

std::vector<ReplayOutcome> replay_sequence(const ModelSource& source, Index sequence, const ReplayStudy& study,
                                           const ExactSequence& exact, int threads,
                                           const std::function<void()>& measured) {
  const Decoder& decoder = source.decoder();
  const std::vector<Index> tokens = source.tokens(sequence);
  const std::vector<ReplayCell> cells = study.cells();
  std::map<Index, ModelCache> stored;  // what a hit of so many tokens finds
  for (const ReplayCell& cell : cells)
    if (cell.variant->from_hit && stored.count(cell.extents.hit) == 0)
      stored[cell.extents.hit] =
          exact_run(decoder, std::span(tokens).first(cell.extents.hit), each_token(threads)).cache;

  std::vector<ReplayOutcome> outcomes(cells.size());
  parallel_for(static_cast<Index>(cells.size()), threads, [&](Index number) {
    if (cells[number].same_as != number) return;
    check_for_interrupt();
    const bool from_hit = cells[number].variant->from_hit;
    outcomes[number] =
        replay_cell(decoder, cells[number], exact, from_hit ? stored.at(cells[number].extents.hit) : exact.run.cache);
    measured();
  });
  return outcomes;
}

}  // namespace lacuna
