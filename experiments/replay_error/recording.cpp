#include "experiments/replay_error/recording.hpp"

#include <algorithm>
#include <limits>

#include "experiments/harness/sweep_dimensions.hpp"

namespace lacuna {
namespace {

using enum VariableType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Values of state_exact.
enum StateExact : std::uint8_t { differs = 0, equal = 1, not_run = 2 };

template <class Flags>
std::vector<std::pair<std::string, AttributeValue>> flags(Flags count, const std::string& meanings) {
  std::vector<std::int64_t> values;
  for (Flags i = 0; i < count; ++i) values.push_back(i);
  return {{"flag_values", values}, {"flag_meanings", meanings}};
}

struct StepVariable {
  const char* name;
  const char* units;
  const char* long_name;
  double (*value)(const ReplayOutcome&, std::size_t step);
};

const std::vector<StepVariable>& step_variables() {
  using O = const ReplayOutcome&;
  static const std::vector<StepVariable> variables = {
      {"kl_exact_approx", "nat", "KL(p || q), p the exact run's distribution of the step's token, q the replay's",
       [](O o, std::size_t i) { return o.next_token[i].kl_exact_approx; }},
      {"kl_approx_exact", "nat", "KL(q || p)", [](O o, std::size_t i) { return o.next_token[i].kl_approx_exact; }},
      {"jensen_shannon", "nat", "Jensen-Shannon divergence of p and q",
       [](O o, std::size_t i) { return o.next_token[i].jensen_shannon; }},
      {"total_variation", "1", "half of the summed |p - q|",
       [](O o, std::size_t i) { return o.next_token[i].total_variation; }},
      {"loss_approx", "nat", "-log q of the token that came next",
       [](O o, std::size_t i) { return o.next_token[i].loss_approx.value_or(kNan); }},
      {"loss_difference", "nat", "loss_approx minus the exact run's loss",
       [](O o, std::size_t i) {
         return o.next_token[i].loss_approx.value_or(kNan) - o.next_token[i].loss.value_or(kNan);
       }},
      {"step_hidden_error", "1", "norm of h~ - h behind the last layer, h the exact run's",
       [](O o, std::size_t i) { return o.step_hidden[i].norm; }},
      {"step_hidden_error_relative", "1", "step_hidden_error over the norm of h",
       [](O o, std::size_t i) { return o.step_hidden[i].relative; }},
  };
  return variables;
}

/// The most tokens that a layer of a replay runs on.
Index most_offsets(const ReplayStudy& study, const ModelDescription& model) {
  Index most = 0;
  for (const ReplayCell& cell : study.cells())
    for (const LayerReplay& layer : ReplayPlan::of(model, *cell.variant, cell.extents).layers)
      most = std::max(most, study.prefix - layer.first_run);
  return most;
}

std::vector<Dimension> leading_dimensions(const ReplayStudy& study) {
  std::vector<Dimension> leading = sweep_dimensions(study.source);
  if (study.hit_swept) {
    Dimension hit{"hit", {}, "token", "tokens found in the store; a fraction is one of the prefix"};
    std::vector<double> fractions;
    std::vector<std::int64_t> counts;
    for (const ParameterValue& value : study.hits)
      if (const auto* fraction = std::get_if<double>(&value))
        fractions.push_back(*fraction);
      else
        counts.push_back(std::get<std::int64_t>(value));
    if (fractions.empty())
      hit.values = counts;
    else
      hit.values = fractions;
    leading.push_back(hit);
  }
  leading.push_back({"replay_length", study.lengths, "token", "last tokens that are run again"});
  std::vector<std::string> variants;
  for (const ReplayVariant* variant : study.variants) variants.push_back(variant->name);
  leading.push_back({"variant", variants, "", "what is replayed"});
  return leading;
}

}  // namespace

ReplayRecording::ReplayRecording(ResultsFile& file, const ReplayStudy& study, const ModelSource& source)
    : cells_(static_cast<Index>(study.cells().size())), offsets_(most_offsets(study, source.decoder().model())) {
  const ModelDescription& model = source.decoder().model();
  std::vector<std::int64_t> labels;
  for (const LayerDescription& layer : model.layers) labels.push_back(layer.label);
  const Dimension sequence{"sequence", source.shape().sequence, "", "name of the sequence"};
  const Dimension layer{"layer", labels, "1", "layer number of the model"};
  const Dimension position{"position", counting(study.prefix), "token", "absolute position of the token"};
  const Dimension offset{"offset", counting(offsets_), "token", "position of the token minus replay_start"};
  const Dimension step{"step", counting(study.steps), "token", "position of the predicted token minus that of step 0"};

  describe_exact(exact_.emplace_back(file.group("/exact"), sweep_dimensions(study.source),
                                     std::vector<Dimension>{sequence, layer, position, step}));
  describe_replay(replay_.emplace_back(file.group("/replay"), leading_dimensions(study),
                                       std::vector<Dimension>{sequence, layer, offset, step}));
  for (RunGroup* group : {&exact_.front(), &replay_.front()}) {
    for (const Axis& axis : study.source.axes) write_zipped_coordinates(group->group(), axis);
    group->group().attribute("prefix_tokens", study.prefix);
    group->group().attribute("encoder_layers", model.encoder_layers);
  }
  if (!study.hit_swept) replay_.front().group().attribute("hit", to_string(study.hits.front()));
}

void ReplayRecording::describe_exact(RunGroup& group) const {
  group.group().attribute("reference", "the decoder with dense attention in every layer and whole windows");
  group.variable({"hidden_norm", f64, {"sequence", "layer", "position"}, "1", "norm of h behind the layer", {}});
  group.variable({"step_hidden_norm", f64, {"sequence", "step"}, "1", "norm of h behind the last layer", {}});
  group.variable({"loss", f64, {"sequence", "step"}, "nat", "-log p of the token that came next", {}});
  group.variable({"greedy_token", i64, {"sequence", "step"}, "1", "token of the highest p, which is then read", {}});
}

void ReplayRecording::describe_replay(RunGroup& group) const {
  const std::vector<std::string> of_state = {"sequence", "layer", "offset"}, of_step = {"sequence", "step"};
  group.variable({"hidden_error", f64, of_state, "1", "norm of h~ - h behind the layer, h the exact run's", {}});
  group.variable({"hidden_error_relative", f64, of_state, "1", "hidden_error over the norm of h", {}});
  group.variable(
      {"state_exact", u8, of_state, "1", "whether h~ is h, number for number", flags(3, "differs equal not_run")});
  group.variable({"replay_start",
                  i64,
                  {"layer"},
                  "token",
                  "position from which tokens run through the layer again; prefix_tokens where none does",
                  {}});
  group.variable({"window_start", i64, {"layer"}, "token", "position of the first window row that is not absent", {}});
  group.variable({"exact_from_offset",
                  i64,
                  {"layer"},
                  "token",
                  "offset from which states are exact in theory; that of the last token plus 1 where none has to be",
                  {}});
  for (const StepVariable& variable : step_variables())
    group.variable({variable.name, f64, of_step, variable.units, variable.long_name, {}});
  group.variable(
      {"top_1_agrees", u8, of_step, "1", "whether p and q have the same token on top", flags(2, "differs agrees")});
  group.variable({"greedy_token", i64, of_step, "1", "token of the highest q, which is then read", {}});
  group.variable(
      {"greedy_agrees", u8, of_step, "1", "whether greedy_token is that of the exact run", flags(2, "differs agrees")});
  group.variable({"greedy_first_disagreement",
                  i64,
                  {"sequence"},
                  "token",
                  "first step at which greedy_token differs; the number of steps where none does",
                  {}});
  group.variable({"hit_tokens", i64, {}, "token", "tokens found in the store; 0 of variants without one", {}});
  group.variable({"layer_tokens", i64, {"sequence"}, "1", "tokens through layers in this prefill, counted", {}});
  group.variable({"layer_tokens_formula", i64, {}, "1", "tokens through layers in this prefill, by formula", {}});
  group.variable({"layer_tokens_share", f64, {"sequence"}, "1", "layer_tokens over those of the exact run", {}});
  group.variable({"global_rows_unchanged",
                  u8,
                  {"sequence"},
                  "1",
                  "whether the rows over the prefix that the replay found are the same bytes afterwards",
                  flags(2, "changed unchanged")});
}

void ReplayRecording::exact(Index source_cell, Index sequence, const ExactSequence& exact) {
  RunGroup& group = exact_.front();
  for (std::size_t place = 0; place + 1 < exact.run.states.size(); ++place) {
    std::vector<double> norms;
    for (const std::vector<double>& h : exact.run.states[place + 1]) norms.push_back(hidden_norm(h));
    group.write("hidden_norm", source_cell, {sequence, static_cast<Index>(place)}, std::span<const double>(norms));
  }
  std::vector<double> norms, loss;
  for (std::size_t step = 0; step < exact.next.size(); ++step) {
    norms.push_back(hidden_norm(exact.forced.hidden[step]));
    const std::vector<double>& z = exact.forced.logits[step];
    loss.push_back(next_token_error(z, z, exact.next[step]).loss.value_or(kNan));
  }
  group.write("step_hidden_norm", source_cell, {sequence}, std::span<const double>(norms));
  group.write("loss", source_cell, {sequence}, std::span<const double>(loss));
  group.write("greedy_token", source_cell, {sequence}, std::span<const std::int64_t>(exact.greedy));
}

void ReplayRecording::outcome(Index source_cell, Index cell, Index sequence, const ReplayOutcome& outcome,
                              const std::vector<Index>& exact_greedy) {
  const Index leading = source_cell * cells_ + cell;
  hidden(leading, sequence, outcome);
  steps(leading, sequence, outcome, exact_greedy);
  RunGroup& group = replay_.front();
  const auto count = [&](const char* name, const std::vector<Index>& at, Index value) {
    group.write(name, leading, at, std::span<const std::int64_t>(&value, 1));
  };
  const double share = static_cast<double>(outcome.layer_tokens) /
                       static_cast<double>(outcome.plan.tokens * static_cast<Index>(outcome.plan.layers.size()));
  const std::uint8_t unchanged = outcome.global_rows_unchanged ? 1 : 0;
  count("layer_tokens", {sequence}, outcome.layer_tokens);
  group.write("layer_tokens_share", leading, {sequence}, std::span<const double>(&share, 1));
  group.write("global_rows_unchanged", leading, {sequence}, std::span<const std::uint8_t>(&unchanged, 1));
  count("greedy_first_disagreement", {sequence}, outcome.agreeing_steps(exact_greedy));
  if (sequence > 0) return;  // the plan is that of every sequence
  count("hit_tokens", {}, outcome.hit);
  count("layer_tokens_formula", {}, outcome.layer_tokens_formula);
}

void ReplayRecording::hidden(Index leading, Index sequence, const ReplayOutcome& outcome) {
  RunGroup& group = replay_.front();
  std::vector<Index> starts, windows, exact_from;
  for (std::size_t place = 0; place < outcome.hidden.size(); ++place) {
    const std::vector<HiddenError>& errors = outcome.hidden[place];
    std::vector<double> norm(offsets_, kNan), relative(offsets_, kNan);
    std::vector<std::uint8_t> exact(offsets_, StateExact::not_run);
    for (std::size_t t = 0; t < errors.size(); ++t) {
      norm[t] = errors[t].norm;
      relative[t] = errors[t].relative;
      exact[t] = errors[t].is_zero ? StateExact::equal : StateExact::differs;
    }
    const std::vector<Index> at = {sequence, static_cast<Index>(place)};
    group.write("hidden_error", leading, at, std::span<const double>(norm));
    group.write("hidden_error_relative", leading, at, std::span<const double>(relative));
    group.write("state_exact", leading, at, std::span<const std::uint8_t>(exact));
    const LayerReplay& layer = outcome.plan.layers[place];
    starts.push_back(layer.first_run);
    windows.push_back(layer.first_window);
    exact_from.push_back(std::max<Index>(outcome.exact_from[place] - layer.first_run, 0));
  }
  if (sequence > 0) return;  // the plan is that of every sequence
  group.write("replay_start", leading, {}, std::span<const std::int64_t>(starts));
  group.write("window_start", leading, {}, std::span<const std::int64_t>(windows));
  group.write("exact_from_offset", leading, {}, std::span<const std::int64_t>(exact_from));
}

void ReplayRecording::steps(Index leading, Index sequence, const ReplayOutcome& outcome,
                            const std::vector<Index>& exact_greedy) {
  RunGroup& group = replay_.front();
  const std::size_t count = outcome.greedy.size();
  for (const StepVariable& variable : step_variables()) {
    std::vector<double> values;
    for (std::size_t step = 0; step < count; ++step) values.push_back(variable.value(outcome, step));
    group.write(variable.name, leading, {sequence}, std::span<const double>(values));
  }
  std::vector<std::uint8_t> top, greedy;
  for (std::size_t step = 0; step < count; ++step) {
    top.push_back(outcome.next_token[step].top_1_agrees ? 1 : 0);
    greedy.push_back(outcome.greedy[step] == exact_greedy[step] ? 1 : 0);
  }
  group.write("top_1_agrees", leading, {sequence}, std::span<const std::uint8_t>(top));
  group.write("greedy_token", leading, {sequence}, std::span<const std::int64_t>(outcome.greedy));
  group.write("greedy_agrees", leading, {sequence}, std::span<const std::uint8_t>(greedy));
}

}  // namespace lacuna
