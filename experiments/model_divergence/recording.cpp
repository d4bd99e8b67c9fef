#include "experiments/model_divergence/recording.hpp"

#include <algorithm>
#include <limits>

#include "experiments/harness/default_plot.hpp"
#include "experiments/harness/sweep_dimensions.hpp"

namespace lacuna {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct TokenVariable {
  const char* name;
  const char* units;
  const char* long_name;
  double (*value)(const NextTokenError&);
};

const std::vector<TokenVariable>& token_variables() {
  using E = NextTokenError;
  static const std::vector<TokenVariable> variables = {
      {"kl_exact_approx", "nat", "KL(p || q), p the exact run's next-token distribution, q the path's",
       [](const E& e) { return e.kl_exact_approx; }},
      {"kl_approx_exact", "nat", "KL(q || p)", [](const E& e) { return e.kl_approx_exact; }},
      {"jensen_shannon", "nat", "Jensen-Shannon divergence of p and q", [](const E& e) { return e.jensen_shannon; }},
      {"total_variation", "1", "half of the summed |p - q|", [](const E& e) { return e.total_variation; }},
      {"logit_oscillation", "nat", "largest minus smallest difference of the logits",
       [](const E& e) { return e.logit_oscillation; }},
      {"bound_kl", "nat", "bound on both KL divergences, from logit_oscillation",
       [](const E& e) { return e.bound_kl; }},
      {"bound_total_variation", "1", "bound on total_variation, from logit_oscillation",
       [](const E& e) { return e.bound_total_variation; }},
      {"logit_error_max", "nat", "largest absolute difference of a logit",
       [](const E& e) { return e.logit_error_max; }},
      {"loss", "nat", "-log p of the token that came next; none behind the last",
       [](const E& e) { return e.loss.value_or(kNan); }},
      {"loss_approx", "nat", "-log q of the token that came next; none behind the last",
       [](const E& e) { return e.loss_approx.value_or(kNan); }},
  };
  return variables;
}

struct RowNumber {
  const char* name;
  const char* long_name;
  double JudgedRow::*value;
};

const std::vector<RowNumber>& row_numbers() {
  static const std::vector<RowNumber> numbers = {
      {"omitted_mass", "attention mass, exact given the path's own inputs, of the keys that were not attended",
       &JudgedRow::omitted_mass},
      {"output_error", "norm of the attended output minus the exact one, given the path's own inputs",
       &JudgedRow::output_error},
      {"bound", "certified bound on output_error given the omitted mass", &JudgedRow::bound},
      {"output_error_accumulated", "norm of the attended output minus the exact run's",
       &JudgedRow::output_error_accumulated},
  };
  return numbers;
}

/// [h_q, judged]
template <class Row>
std::vector<std::uint8_t> status_numbers(const std::vector<std::vector<Row>>& rows) {
  std::vector<std::uint8_t> status;
  for (const std::vector<Row>& head : rows)
    for (const Row& row : head) status.push_back(static_cast<std::uint8_t>(row.status));
  return status;
}

/// [h_q, judged]
template <class Row>
std::vector<double> row_values(const std::vector<std::vector<Row>>& rows, double Row::*value) {
  std::vector<double> values;
  for (const std::vector<Row>& head : rows)
    for (const Row& row : head) values.push_back(row.*value);
  return values;
}

VariableSpec status_of_row(const std::vector<std::string>& of_row) {
  return {"status",
          VariableType::u8,
          of_row,
          "1",
          "what became of the row; not_run in layers without attention",
          {{"flag_values", std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}},
           {"flag_meanings", std::string(kRowStatusMeanings)}}};
}

std::vector<Dimension> own_dimensions(const ModelSource& source, Index compare_from) {
  std::vector<std::int64_t> positions;
  for (Index t = compare_from; t < static_cast<Index>(source.tokens(0).size()); ++t) positions.push_back(t);
  std::vector<std::int64_t> labels;
  for (const LayerDescription& layer : source.decoder().model().layers) labels.push_back(layer.label);
  const SourceShape& shape = source.shape();
  return {{"sequence", shape.sequence, "", "name of the sequence"},
          {"layer", labels, "1", "layer number of the model"},
          {"head", shape.head, "1", "query head number of the model"},
          {"position", positions, "token", "absolute position of the token"},
          {"judged", shape.query_position, "token", "absolute position of the judged query"}};
}

}  // namespace

DivergenceRecording::DivergenceRecording(ResultsFile& file, const Study& study, const ModelSource& source,
                                         const std::vector<PathPlan>& plans, Index compare_from) {
  using enum VariableType;
  const std::vector<Dimension> own = own_dimensions(source, compare_from);
  const std::vector<Dimension> source_dimensions = sweep_dimensions(study.source);
  const std::vector<std::string> of_row = {"sequence", "layer", "head", "judged"};
  RunGroup& exact = exact_.emplace_back(file.group("/exact"), source_dimensions, own);
  exact.group().attribute("reference", "the decoder with dense attention in every layer");
  exact.variable({"hidden_norm", f64, {"sequence", "layer", "position"}, "1", "norm of h behind the layer", {}});
  exact.variable({"loss", f64, {"sequence", "position"}, "nat", "-log p of the token that came next", {}});
  exact.variable({"entropy", f64, {"sequence", "position"}, "nat", "entropy of the next-token distribution p", {}});
  exact.variable({"output_error", f64, of_row, "1", "norm of the run's attended output minus the ruler's", {}});
  exact.variable(
      {"output_error_radius", f64, of_row, "1", "what rounding in both can make of output_error; status 3 beyond", {}});
  exact.variable(status_of_row(of_row));
  for (const Axis& axis : study.source.axes) write_zipped_coordinates(exact.group(), axis);

  const auto shown = std::find_if(plans.begin(), plans.end(), [](const PathPlan& plan) { return plan.traits.selects; });
  announce_default_plot(file, {"path", (shown == plans.end() ? plans.begin() : shown)->study->name});
  for (const PathPlan& plan : plans) {
    std::vector<Dimension> leading = source_dimensions;
    for (const Dimension& dimension : sweep_dimensions(plan.study->sweep)) leading.push_back(dimension);
    if (plan.traits.is_random)
      leading.push_back({"trial", counting(plan.traits.trials), "1", "independent random draw"});
    RunGroup& path = paths_.emplace_back(file.group("/path/" + plan.study->name), leading, own);
    for (const auto& [key, value] : plan.study->sweep.fixed.values()) path.group().attribute(key, to_string(value));
    path.group().attribute("oracle", std::int64_t{plan.traits.is_oracle});
    for (const Axis& axis : plan.study->sweep.axes) write_zipped_coordinates(path.group(), axis);
    for (const Axis& axis : study.source.axes) write_zipped_coordinates(path.group(), axis);

    std::vector<std::string> axes;
    for (const Dimension& dimension : leading) axes.push_back(dimension.name);
    axes.insert(axes.end(), {"sequence", "position"});
    default_signal(path.group(), "kl_exact_approx", axes);
    const std::vector<std::string> of_layer = {"sequence", "layer", "position"};
    path.variable({"hidden_error", f64, of_layer, "1", "norm of h~ - h behind the layer, h the exact run's", {}});
    path.variable({"hidden_error_relative", f64, of_layer, "1", "hidden_error over the norm of h", {}});
    path.variable({"hidden_cosine", f64, of_layer, "1", "cosine of the angle between h~ and h", {}});
    const std::vector<std::string> of_token = {"sequence", "position"};
    for (const TokenVariable& variable : token_variables())
      path.variable({variable.name, f64, of_token, variable.units, variable.long_name, {}});
    path.variable(
        {"rank_of_exact_top", i64, of_token, "1", "rank in q of the token that p has on top; 0: the top", {}});
    path.variable(
        {"top_1_agrees",
         u8,
         of_token,
         "1",
         "whether p and q have the same token on top",
         {{"flag_values", std::vector<std::int64_t>{0, 1}}, {"flag_meanings", std::string("differs agrees")}}});
    for (const RowNumber& number : row_numbers()) path.variable({number.name, f64, of_row, "1", number.long_name, {}});
    path.variable(status_of_row(of_row));
  }
}

void DivergenceRecording::exact_hidden(Index source_cell, Index sequence, Index place, std::span<const double> norm) {
  exact_.front().write("hidden_norm", source_cell, {sequence, place}, norm);
}

void DivergenceRecording::exact_judged(Index source_cell, Index sequence, Index place,
                                       const std::vector<std::vector<ExactRunRow>>& rows) {
  const std::vector<double> error = row_values(rows, &ExactRunRow::output_error);
  const std::vector<double> radius = row_values(rows, &ExactRunRow::output_error_radius);
  exact_.front().write("output_error", source_cell, {sequence, place}, std::span(error));
  exact_.front().write("output_error_radius", source_cell, {sequence, place}, std::span(radius));
  const std::vector<std::uint8_t> status = status_numbers(rows);
  exact_.front().write("status", source_cell, {sequence, place}, std::span<const std::uint8_t>(status));
}

void DivergenceRecording::exact_tokens(Index source_cell, Index sequence, std::span<const double> loss,
                                       std::span<const double> entropy) {
  exact_.front().write("loss", source_cell, {sequence}, loss);
  exact_.front().write("entropy", source_cell, {sequence}, entropy);
}

void DivergenceRecording::hidden(Index path, Index leading, Index sequence, Index place, const HiddenErrors& errors) {
  RunGroup& group = paths_[path];
  group.write("hidden_error", leading, {sequence, place}, std::span<const double>(errors.norm));
  group.write("hidden_error_relative", leading, {sequence, place}, std::span<const double>(errors.relative));
  group.write("hidden_cosine", leading, {sequence, place}, std::span<const double>(errors.cosine));
}

void DivergenceRecording::judged(Index path, Index leading, Index sequence, Index place,
                                 const std::vector<std::vector<JudgedRow>>& rows) {
  for (const RowNumber& number : row_numbers()) {
    const std::vector<double> values = row_values(rows, number.value);
    paths_[path].write(number.name, leading, {sequence, place}, std::span<const double>(values));
  }
  const std::vector<std::uint8_t> status = status_numbers(rows);
  paths_[path].write("status", leading, {sequence, place}, std::span<const std::uint8_t>(status));
}

void DivergenceRecording::tokens(Index path, Index leading, Index sequence, const std::vector<NextTokenError>& errors) {
  for (const TokenVariable& variable : token_variables()) {
    std::vector<double> values;
    for (const NextTokenError& error : errors) values.push_back(variable.value(error));
    paths_[path].write(variable.name, leading, {sequence}, std::span<const double>(values));
  }
  std::vector<std::int64_t> rank;
  std::vector<std::uint8_t> agrees;
  for (const NextTokenError& error : errors) {
    rank.push_back(error.rank_of_exact_top);
    agrees.push_back(error.top_1_agrees ? 1 : 0);
  }
  paths_[path].write("rank_of_exact_top", leading, {sequence}, std::span<const std::int64_t>(rank));
  paths_[path].write("top_1_agrees", leading, {sequence}, std::span<const std::uint8_t>(agrees));
}

}  // namespace lacuna
