#include "experiments/bound_audit/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/format/format_kind.hpp"
#include "experiments/attention_error/row_table.hpp"
#include "experiments/harness/default_plot.hpp"

namespace lacuna {
namespace {

using enum VariableType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Values of `kept`.
enum Kept : std::uint8_t { left_out = 0, attended = 1, absent = 2 };

struct CaseNumber {
  const char* name;
  const char* units;
  const char* long_name;
  double (*value)(const WorstCase&);
};

const std::vector<CaseNumber>& case_numbers() {
  using W = const WorstCase&;
  static const std::vector<CaseNumber> numbers = {
      {"ratio", "1",
       "of the worst instance: measured / claimed, or claimed / measured of a lower bound; above 1 is false; NaN where "
       "no "
       "instance of the case says something",
       [](W w) { return w.finding.counts || w.finding.violated ? w.finding.ratio : kNan; }},
      {"measured", "1", "what the claim is about, of the worst instance", [](W w) { return w.finding.measured; }},
      {"claimed", "1", "the bound on it", [](W w) { return w.finding.claimed; }},
      {"omitted_mass", "1", "exact attention mass of the keys that were not attended",
       [](W w) { return w.finding.omitted_mass; }},
      {"sm_scale", "1", "factor of the scores", [](W w) { return w.instance.sm_scale; }},
      {"sink_logit", "nat", "logit of the sink; NaN: none", [](W w) { return w.instance.sink.value_or(kNan); }},
  };
  return numbers;
}

struct CaseCount {
  const char* name;
  const char* units;
  const char* long_name;
  Index (*value)(const WorstCase&);
};

const std::vector<CaseCount>& case_counts() {
  using W = const WorstCase&;
  static const std::vector<CaseCount> counts = {
      {"keys", "1", "keys of the worst instance", [](W w) { return w.instance.keys; }},
      {"d_qk", "1", "channels of its keys", [](W w) { return w.instance.d_qk; }},
      {"d_v", "1", "channels of its values", [](W w) { return w.instance.d_v; }},
      {"block_size", "1", "keys per block of the summaries that certificates read",
       [](W w) { return w.instance.block_size; }},
      {"evaluations", "1", "instances that were tried", [](W w) { return w.evaluations; }},
  };
  return counts;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatKind& kind : FormatRegistry::instance().kinds()) names.push_back(kind.name);
  return names;
}

VariableSpec format_of_case() {
  const std::vector<std::string> names = format_names();
  return {"format",
          u8,
          {"case"},
          "1",
          "format that the cache is kept in",
          {{"flag_values", counting(static_cast<Index>(names.size()))},
           {"flag_meanings", fmt::format("{}", fmt::join(names, " "))}}};
}

std::uint8_t format_code(const AuditInstance& instance) {
  const std::vector<std::string> names = format_names();
  return static_cast<std::uint8_t>(std::ranges::find(names, instance.format) - names.begin());
}

VariableSpec status_of(const std::string& meaning) {
  return {"status",
          u8,
          {"case"},
          "1",
          meaning,
          {{"flag_values", std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}},
           {"flag_meanings", std::string(kRowStatusMeanings)}}};
}

RunGroup search_group(ResultsFile& file, const AuditedClaim& claim, const AuditStudy& study) {
  const InstanceExtents& largest = study.search.largest;
  RunGroup group(file.group("/audit/" + claim.name), {},
                 {{"case", counting(study.cases), "1", "restart of the search"},
                  {"key", counting(largest.keys), "1", "key of an instance"},
                  {"channel", counting(largest.channels), "1", "channel of q and k, and of v"}});
  group.group().attribute("claim", claim.long_name);
  group.group().attribute("seed", static_cast<std::int64_t>(study.seed()));
  for (const CaseNumber& number : case_numbers())
    group.variable({number.name, f64, {"case"}, number.units, number.long_name, {}});
  for (const CaseCount& count : case_counts())
    group.variable({count.name, i64, {"case"}, count.units, count.long_name, {}});
  if (claim.stored) group.variable(format_of_case());
  group.variable({"shared", u8, {"case"}, "1", "whether K = V is one state", {}});
  group.variable(status_of("whether the worst instance violates the claim, which ends its search"));
  group.variable({"q", f64, {"case", "channel"}, "1", "query of the worst instance; NaN where it has none", {}});
  group.variable({"k", f64, {"case", "key", "channel"}, "1", "keys; NaN where it has none", {}});
  group.variable({"v", f64, {"case", "key", "channel"}, "1", "values; NaN where it has none", {}});
  group.variable({"kept",
                  u8,
                  {"case", "key"},
                  "1",
                  "whether the key is attended",
                  {{"flag_values", std::vector<std::int64_t>{left_out, attended, absent}},
                   {"flag_meanings", std::string("left_out attended absent")}}});
  default_signal(group.group(), "ratio", {"case"});
  return group;
}

RunGroup coverage_group(ResultsFile& file, const GuaranteeKind& kind, const AuditStudy& study) {
  std::vector<std::string> names;
  for (const Population& population : populations()) names.push_back(population.name);
  RunGroup group(file.group("/audit/" + kind.name), {}, {{"case", names, "", "scores of the keys left out"}});
  group.group().attribute("claim", kind.long_name);
  group.group().attribute("seed", static_cast<std::int64_t>(study.seed()));
  group.group().attribute("confidence", study.coverage.confidence);
  group.group().attribute("trials", study.coverage.trials);
  group.variable({"omitted_mass", f64, {"case"}, "1", "exact attention mass of the keys left out", {}});
  group.variable({"median_bound", f64, {"case"}, "1", "median over the trials of the bound on it", {}});
  group.variable({"violations", i64, {"case"}, "1", "trials whose bound was below it", {}});
  group.variable({"rate_lower", f64, {"case"}, "1", "lower end of the Clopper-Pearson interval of their rate", {}});
  group.variable({"rate_upper", f64, {"case"}, "1", "upper end of it", {}});
  group.variable({"probability", f64, {"case"}, "1", "rate that the guarantee allows itself", {}});
  group.variable(status_of("whether the interval lies above the probability that the guarantee allows itself"));
  default_signal(group.group(), "violations", {"case"});
  return group;
}

std::uint8_t status(bool violated) {
  return static_cast<std::uint8_t>(violated ? RowStatus::bound_violated : RowStatus::ok);
}

/// rows [n, width] in the corner of [keys, channels] of NaN.
void append_padded(std::vector<double>& padded, const std::vector<double>& rows, Index width, Index keys,
                   Index channels) {
  for (Index j = 0; j < keys; ++j)
    for (Index c = 0; c < channels; ++c) {
      const bool has = c < width && j * width + c < static_cast<Index>(rows.size());
      padded.push_back(has ? rows[j * width + c] : kNan);
    }
}

template <class T>
void write(RunGroup& group, const std::string& name, const std::vector<T>& values) {
  group.write(name, 0, {}, std::span<const T>(values));
}

}  // namespace

AuditRecording::AuditRecording(ResultsFile& file, const AuditStudy& study) : study_(study) {
  for (const AuditedClaim& claim : study.claims) claims_.push_back(search_group(file, claim, study));
  for (const GuaranteeKind* kind : study.guarantees) guarantees_.push_back(coverage_group(file, *kind, study));
  announce_default_plot(file,
                        {"audit", study.claims.empty() ? study.guarantees.front()->name : study.claims.front().name});
}

void AuditRecording::searched(Index claim, const std::vector<WorstCase>& cases) {
  RunGroup& group = claims_[claim];
  for (const CaseNumber& number : case_numbers()) {
    std::vector<double> values;
    for (const WorstCase& one : cases) values.push_back(number.value(one));
    write(group, number.name, values);
  }
  for (const CaseCount& count : case_counts()) {
    std::vector<std::int64_t> values;
    for (const WorstCase& one : cases) values.push_back(count.value(one));
    write(group, count.name, values);
  }
  const auto [keys, channels] = study_.search.largest;
  std::vector<std::uint8_t> shared, violated, kept, format;
  std::vector<double> q, k, v;
  for (const WorstCase& one : cases) {
    const AuditInstance& instance = one.instance;
    shared.push_back(instance.shared ? 1 : 0);
    violated.push_back(status(one.finding.violated));
    format.push_back(format_code(instance));
    append_padded(q, instance.q, instance.d_qk, 1, channels);
    append_padded(k, instance.k, instance.d_qk, keys, channels);
    append_padded(v, instance.v, instance.d_v, keys, channels);
    for (Index j = 0; j < keys; ++j)
      kept.push_back(j >= instance.keys ? absent : instance.kept[j] != 0 ? attended : left_out);
  }
  write(group, "shared", shared);
  if (study_.claims[claim].stored) write(group, "format", format);
  write(group, "status", violated);
  write(group, "q", q);
  write(group, "k", k);
  write(group, "v", v);
  write(group, "kept", kept);
}

void AuditRecording::covered(Index guarantee, const std::vector<Coverage>& cases) {
  RunGroup& group = guarantees_[guarantee];
  std::vector<double> mass, median, lower, upper;
  std::vector<std::int64_t> violations;
  std::vector<std::uint8_t> failed;
  for (const Coverage& one : cases) {
    mass.push_back(one.omitted_mass);
    median.push_back(one.median_bound);
    violations.push_back(one.violations);
    lower.push_back(one.rate.lower);
    upper.push_back(one.rate.upper);
    failed.push_back(status(one.failed));
  }
  write(group, "omitted_mass", mass);
  write(group, "median_bound", median);
  write(group, "violations", violations);
  write(group, "rate_lower", lower);
  write(group, "rate_upper", upper);
  write(group, "probability", std::vector<double>(cases.size(), study_.coverage.probability));
  write(group, "status", failed);
}

}  // namespace lacuna
