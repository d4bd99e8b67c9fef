#include "experiments/attention_error/recording.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "experiments/harness/default_plot.hpp"
#include "experiments/harness/sweep_dimensions.hpp"

namespace lacuna {
namespace {

VariableType type_of(Quantity quantity) { return quantity == Quantity::real ? VariableType::f64 : VariableType::i64; }

/// The index of a flat row-major number, one per dimension.
std::vector<Index> unravel(Index flat, const std::vector<Index>& sizes) {
  std::vector<Index> index(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    index[i] = flat % sizes[i];
    flat /= sizes[i];
  }
  return index;
}

}  // namespace

Recording::Recording(ResultsFile& file, const Study& study, const std::vector<SourceShape>& shapes,
                     const std::vector<PathPlan>& plans,
                     const std::vector<std::vector<std::int64_t>>& exact_coordinates) {
  const SourceShape& shape = shapes.front();
  source_dimensions_ = sweep_dimensions(study.source);
  source_cells_ = static_cast<Index>(shapes.size());
  kv_head_ = shape.kv_head;

  Dimension query{"query", shape.query_position, "token", "absolute position of the query"};
  if (!source_dimensions_.empty()) {  // positions depend on the source: an index, and query_position beside it
    std::vector<std::int64_t> index(shape.query_position.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i);
    query = {"query", index, "1", "index of the query; see query_position"};
    for (const SourceShape& cell : shapes)
      query_position_.insert(query_position_.end(), cell.query_position.begin(), cell.query_position.end());
  }
  row_dimensions_ = {{"sequence", shape.sequence, "", "name of the sequence"},
                     {"layer", shape.layer, "1", "layer number of the model"},
                     {"head", shape.head, "1", "query head number of the model"},
                     query};

  ResultsGroup root = file.group("/");
  for (const Dimension& dimension : row_dimensions_) root.dimension(dimension);
  root.label(
      {"kv_head", VariableType::i64, {"head"}, "1", "KV head (within the problem) that the query head reads", {}},
      std::span<const std::int64_t>(kv_head_));

  std::vector<Dimension> further;
  const auto& kinds = ExactMetricRegistry::instance().kinds();
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (const auto& dimension = kinds[i].dimension)
      further.push_back({dimension->name, exact_coordinates[i], dimension->units, dimension->long_name});
  ResultsGroup exact = file.group("/exact");
  exact.attribute("reference", "dense attention over the same rows that the paths can reach");
  exact_ = create(exact, exact_variables(exact_coordinates), source_dimensions_, further, false);

  for (const PathPlan& plan : plans) {
    ResultsGroup group = file.group("/path/" + plan.study->name);
    std::vector<Dimension> leading = source_dimensions_;
    for (const Dimension& dimension : sweep_dimensions(plan.study->sweep)) leading.push_back(dimension);
    if (plan.traits.is_random) {
      std::vector<std::int64_t> trials(plan.traits.trials);
      for (Index t = 0; t < plan.traits.trials; ++t) trials[t] = t;
      leading.push_back({"trial", trials, "1", "independent random draw"});
    }
    const bool selected = study.experiment.boolean("record_selected") && !plan.traits.other_support;
    std::vector<Dimension> slot;
    if (selected) {
      std::vector<std::int64_t> slots(plan.slots);
      for (Index i = 0; i < plan.slots; ++i) slots[i] = i;
      slot.push_back({"slot", slots, "1", "place in the list of attended rows"});
    }
    paths_.push_back(create(group, path_variables(plan, selected), leading, slot, true));

    for (const auto& [key, value] : plan.study->sweep.fixed.values()) group.attribute(key, to_string(value));
    group.attribute("oracle", std::int64_t{plan.traits.is_oracle});
    if (plan.traits.other_support)
      group.attribute("reference",
                      "dense attention over the rows; this path attends entries that stand for several rows, so that "
                      "omitted mass, divergences, recall and bounds are not defined");
    std::vector<std::string> axes;
    for (const std::vector<Dimension>* dimensions : {&leading, &row_dimensions_})
      for (const Dimension& dimension : *dimensions) axes.push_back(dimension.name);
    default_signal(group, plan.traits.other_support ? "output_error" : "omitted_mass", axes);
    for (const Axis& axis : plan.study->sweep.axes) write_zipped_coordinates(group, axis);
    for (const Axis& axis : study.source.axes) write_zipped_coordinates(group, axis);
  }
  for (const Axis& axis : study.source.axes) write_zipped_coordinates(exact, axis);
  const auto shown = std::find_if(plans.begin(), plans.end(), [](const PathPlan& plan) { return plan.traits.selects; });
  announce_default_plot(file, {"path", (shown == plans.end() ? plans.begin() : shown)->study->name});
}

Recording::Group Recording::create(ResultsGroup group, const std::vector<RowVariable>& variables,
                                   const std::vector<Dimension>& leading, const std::vector<Dimension>& further,
                                   bool with_status) const {
  Group result;
  std::vector<std::string> names;
  std::vector<std::int64_t> chunk;
  for (const Dimension& dimension : leading) {
    group.dimension(dimension);
    names.push_back(dimension.name);
    result.leading.push_back(dimension.size());
    chunk.push_back(1);
  }
  for (const Dimension& dimension : row_dimensions_) {
    group.dimension(dimension);
    names.push_back(dimension.name);
    const bool inner = dimension.name == "head" || dimension.name == "query";
    chunk.push_back(inner ? std::max<std::int64_t>(std::min<std::int64_t>(dimension.size(), inner ? 4096 : 1), 1) : 1);
  }
  for (const Dimension& dimension : further) group.dimension(dimension);

  group.label(
      {"kv_head", VariableType::i64, {"head"}, "1", "KV head (within the problem) that the query head reads", {}},
      std::span<const std::int64_t>(kv_head_));
  if (!query_position_.empty()) {
    std::vector<std::string> dimensions;
    for (const Dimension& dimension : source_dimensions_) dimensions.push_back(dimension.name);
    dimensions.push_back("query");
    group.label({"query_position", VariableType::i64, dimensions, "token", "absolute position of the query", {}},
                std::span<const std::int64_t>(query_position_));
  }

  for (const RowVariable& variable : variables) {
    VariableSpec spec{variable.name, type_of(variable.quantity), names, variable.units, variable.long_name, {}};
    std::vector<std::int64_t> extent = chunk;
    if (!variable.dimension.empty()) {
      spec.dimensions.push_back(variable.dimension);
      extent.push_back(std::max<Index>(variable.width, 1));
      extent[extent.size() - 2] = std::max<std::int64_t>(1, std::min(chunk.back(), 65536 / extent.back()));
    }
    result.variables.push_back(group.variable(spec, extent));
  }
  if (with_status) {
    VariableSpec spec{"status", VariableType::u8, names, "1", "what became of the row", {}};
    spec.attributes = {{"flag_values", std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}},
                       {"flag_meanings", std::string(kRowStatusMeanings)}};
    result.status.push_back(group.variable(spec, chunk));
  }
  return result;
}

void Recording::write(Index source_cell, Index sequence, Index layer, Index first, Index count,
                      const BlockTables& tables) {
  write_rows(exact_, source_cell, sequence, layer, first, count, tables.exact);
  for (std::size_t p = 0; p < paths_.size(); ++p) {
    const Index runs = static_cast<Index>(tables.paths[p].size());
    for (Index run = 0; run < runs; ++run)
      write_rows(paths_[p], source_cell * runs + run, sequence, layer, first, count, tables.paths[p][run]);
  }
}

void Recording::write_rows(Group& group, Index leading_index, Index sequence, Index layer, Index first, Index count,
                           const RowTable& table) const {
  const Index heads = row_dimensions_[2].size();
  std::vector<std::int64_t> start = unravel(leading_index, group.leading);
  start.insert(start.end(), {sequence, layer, 0, first});
  std::vector<std::int64_t> extent(group.leading.size(), 1);
  extent.insert(extent.end(), {1, 1, heads, count});

  for (std::size_t i = 0; i < group.variables.size(); ++i) {
    const RowVariable& variable = table.variables()[i];
    std::vector<std::int64_t> from = start;
    std::vector<std::int64_t> size = extent;
    if (!variable.dimension.empty()) {
      from.push_back(0);
      size.push_back(variable.width);
    }
    const std::span<const double> values = table.values(i);
    if (variable.quantity == Quantity::real) {
      group.variables[i].write(from, size, values);
    } else {
      std::vector<std::int64_t> counts(values.size());
      for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = static_cast<std::int64_t>(values[k]);
      group.variables[i].write(from, size, std::span<const std::int64_t>(counts));
    }
  }
  for (ResultsVariable& status : group.status) {
    std::vector<std::uint8_t> codes;
    for (const RowStatus code : table.statuses()) codes.push_back(static_cast<std::uint8_t>(code));
    status.write(start, extent, std::span<const std::uint8_t>(codes));
  }
}

}  // namespace lacuna
