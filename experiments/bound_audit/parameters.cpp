#include "experiments/bound_audit/parameters.hpp"

#include "core/certificates/guarantee.hpp"
#include "experiments/bound_audit/claim.hpp"
#include "experiments/harness/parameter_docs.hpp"
#include "experiments/harness/parameter_schema.hpp"

namespace lacuna {
namespace {

using enum ParameterType;

std::vector<std::string> claim_names() {
  std::vector<std::string> names;
  for (const AuditedClaim& claim : audited_claims()) names.push_back(claim.name);
  for (const GuaranteeKind& kind : GuaranteeRegistry::instance().kinds()) names.push_back(kind.name);
  return names;
}

ParameterSpec count(std::string key, std::string unit, double least, double most, std::int64_t value,
                    std::string sentence) {
  return {.key = std::move(key),
          .type = integer,
          .unit = std::move(unit),
          .minimum = least,
          .maximum = most,
          .default_value = value,
          .sweepable = false,
          .sentence = std::move(sentence)};
}

ParameterSpec share(std::string key, double least, double most, double value, std::string sentence) {
  return {.key = std::move(key),
          .type = real,
          .unit = "1",
          .minimum = least,
          .maximum = most,
          .default_value = value,
          .sweepable = false,
          .sentence = std::move(sentence)};
}

}  // namespace

ParameterTable audit_table() {
  ParameterTable table;
  table.specs = {
      {.key = "claims",
       .type = text_list,
       .choices = claim_names(),
       .sweepable = false,
       .sentence = "Bounds, certificates and guarantees that are audited. Unset: all."},
      count("cases", "1", 1, 1e6, 24, "Restarts of the search for each bound and certificate: each is a case."),
      count("steps", "1", 1, 1e9, 2000,
            "Instances that a restart tries: a third at random, then neighbours of the worst."),
      count("keys", "keys", 2, 4096, 12, "Most keys of an instance."),
      count("channels", "channels", 1, 4096, 3, "Most channels of an instance's keys, and of its values."),
      count("trials", "1", 1, 1e9, 20000, "Independent trials of each case of a probabilistic guarantee."),
      count("sample", "keys", 2, 1e6, 64, "Keys that a trial scores, drawn with replacement."),
      count("left_out", "keys", 1, 1e7, 4096, "Keys of a population from which a trial draws."),
      share("probability", 1e-6, 0.5, 0.05, "Probability with which a guarantee allows itself to be false."),
      share("confidence", 0.5, 0.999999, 0.999, "Confidence of the interval of the rate at which it was.")};
  return table;
}

std::string print_audit_defaults() {
  std::string file = "## Every parameter of a study of bound_audit with its default.\nschema = 1\n\n[experiment]\n";
  print_parameters(file, common_experiment_table().specs, "", {{"kind", std::string("bound_audit")}});
  file += "\n[audit]\n";
  print_parameters(file, audit_table().specs, "");
  return file;
}

std::string audit_json_schema() {
  using schema::Json;
  Json properties;
  properties["schema"] = {{"const", 1}, {"description", "Version of the layout of a parameter file."}};
  properties["experiment"] = schema::table(common_experiment_table().specs, "", "", "");
  properties["audit"] = schema::table(audit_table().specs, "", "", "");
  return schema::parameter_file(properties, {"schema", "experiment"}).dump(2) + "\n";
}

}  // namespace lacuna
