#include "data/source/model_parts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "core/model/scaled.hpp"
#include "data/base/file_identity.hpp"
#include "data/checkpoint/checkpoint.hpp"
#include "data/checkpoint/shards.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/parameter_specs.hpp"
#include "data/tokens/token_file.hpp"

namespace lacuna {
namespace {

constexpr Index kWidest = 1024;
constexpr Index kWidthStep = 16;  // of scaled()

ParameterSpec file(std::string key, std::string sentence) {
  return {.key = std::move(key),
          .type = ParameterType::text,
          .sweepable = false,
          .is_path = true,
          .sentence = std::move(sentence)};
}

/// What shapes a preset and its random weights: of no meaning for a checkpoint.
std::vector<ParameterSpec> preset_parameters() {
  ParameterSpec layers = fixed(extent("layers", "1", 0, "The first so many layers of the preset; 0: all of them."));
  layers.minimum = 0;
  return {
      extent("d_model", "channels", 64, "Width of the residual stream, a multiple of 16 up to 1024."),
      layers,
      extent("vocabulary", "tokens", 256, "Tokens of the vocabulary."),
      extent("window", "tokens", 8, "Newest tokens whose own rows are read, in layers that have a window."),
      score_deviation("Factor on the query weights: scores deviate by about as much."),
      share("index_quality", 0.9, "How far indexers agree with the main attention: 0 random, 1 aligned."),
      share("query_similarity", 0.9, "Share of the query weights of shared states that all layers have in common.")};
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const ModelPreset& preset : ModelPresetRegistry::instance().kinds()) names.push_back(preset.name);
  return names;
}

/// The preset scaled down. What does not go is added to the faults, and left out.
ModelDescription model_of_preset(const Parameters& source, std::vector<ParameterFault>& faults) {
  Index d_model = source.integer("d_model");
  if (d_model > kWidest || d_model % kWidthStep != 0) {
    faults.push_back({"d_model", fmt::format("d_model = {}: it must be a multiple of {}, at most {}: a model is run "
                                             "whole and in double, so published extents are refused",
                                             d_model, kWidthStep, kWidest)});
    d_model = kWidthStep;
  }
  ModelDescription model = describe_model(source.text("preset"));
  const std::string name = model.name;
  if (source.integer("layers") > 0)
    collect_faults(faults, "layers", [&] { model = changed(model, {.layers = source.integer("layers")}); });
  model = scaled(std::move(model),
                 {.d_model = d_model, .vocabulary = source.integer("vocabulary"), .window = source.integer("window")});
  model.name = name;
  return model;
}

/// Whether some layer has what a parameter is about.
struct UseOfParameter {
  std::string key;
  std::string what;
  bool (*has)(const LayerDescription&);
};

const UseOfParameter kUses[] = {
    {"window", "a window", [](const LayerDescription& layer) { return layer.local_window() > 0; }},
    {"index_quality", "an indexer", [](const LayerDescription& layer) { return layer.owns_indexer(); }},
    {"query_similarity", "a shared state",
     [](const LayerDescription& layer) { return std::holds_alternative<SharedStateConfig>(layer.attention); }}};

/// Of parameters that are set and change nothing about the preset.
std::vector<std::string> notes_of_unused(const Parameters& source, const ModelDescription& model) {
  std::vector<std::string> notes;
  for (const UseOfParameter& use : kUses) {
    if (std::ranges::any_of(model.layers, use.has)) continue;
    for (const ParameterSpec& spec : preset_parameters())
      if (spec.key == use.key && source.at(use.key) != *spec.default_value)
        notes.push_back(fmt::format("source.{} = {} changes nothing: no layer of {} has {}", use.key,
                                    to_string(source.at(use.key)), model.name, use.what));
  }
  return notes;
}

ModelParts random_model(const Parameters& source, std::uint64_t seed) {
  std::vector<ParameterFault> faults;
  const ModelDescription model = model_of_preset(source, faults);
  require_no_faults(std::move(faults));
  ModelWeights weights = ModelWeights::random(model,
                                              {.score_std = source.real("score_std"),
                                               .index_quality = source.real("index_quality"),
                                               .query_similarity = source.real("query_similarity")},
                                              seed);
  return {.decoder = Decoder(model, std::move(weights)), .notes = notes_of_unused(source, model)};
}

ModelParts trained_model(const Parameters& source) {
  Checkpoint checkpoint = read_checkpoint(source.text("checkpoint"));
  ModelParts parts{.decoder = Decoder(std::move(checkpoint.model), std::move(checkpoint.weights)),
                   .files = std::move(checkpoint.files),
                   .notes = std::move(checkpoint.notes)};
  parts.trained_positions = checkpoint.trained_positions;
  return parts;
}

/// Every id must be one of the vocabulary.
void check_ids(const std::string& file, const std::vector<std::vector<Index>>& tokens, Index vocabulary) {
  for (std::size_t sequence = 0; sequence < tokens.size(); ++sequence) {
    const std::vector<Index>& row = tokens[sequence];
    const auto bad = std::ranges::find_if(row, [&](Index id) { return id >= vocabulary; });
    if (bad != row.end())
      throw InputError(fmt::format("{}: sequence {}, position {}: token {} is outside the vocabulary of {}", file,
                                   sequence, bad - row.begin(), *bad, vocabulary));
  }
}

/// Whether a sequence of so many tokens can be read and judged.
std::vector<ParameterFault> check_length(const Parameters& source, const ModelDescription& model, Index n) {
  std::vector<ParameterFault> faults;
  if (model.learned_positions > 0 && n > model.learned_positions)
    faults.push_back(
        {"n", fmt::format("{} tokens; {} has {} learned positions", n, model.name, model.learned_positions)});
  const Index every = source.integer("judge_every");
  if (every > n)
    faults.push_back(
        {"judge_every", fmt::format("judge_every = {} is more than the {} tokens of a sequence", every, n)});
  return faults;
}

}  // namespace

ModelParts open_model(const Parameters& source, std::uint64_t seed) {
  std::vector<ParameterFault> faults;
  std::vector<std::vector<Index>> tokens;
  if (source.has("tokens"))
    collect_faults(faults, "tokens", [&] { tokens = read_token_file(source.text("tokens"), source.integer("n")); });
  std::optional<ModelParts> opened;
  collect_faults(faults, source.has("checkpoint") ? "checkpoint" : "preset",
                 [&] { opened = source.has("checkpoint") ? trained_model(source) : random_model(source, seed); });
  require_no_faults(faults);

  ModelParts& parts = *opened;
  const ModelDescription& model = parts.decoder.model();
  if (source.has("tokens")) {
    const std::string& file = source.text("tokens");
    collect_faults(faults, "tokens", [&] { check_ids(file, tokens, model.vocabulary); });
    parts.tokens = std::move(tokens);
    parts.files.push_back(file);
  }
  const Index n = parts.tokens.empty() ? source.integer("n") : static_cast<Index>(parts.tokens.front().size());
  for (ParameterFault& fault : check_length(source, model, n)) faults.push_back(std::move(fault));
  require_no_faults(std::move(faults));
  if (parts.trained_positions > 0 && n > parts.trained_positions)
    parts.notes.push_back(
        fmt::format("{} tokens; {} was made for sequences of at most {}", n, model.name, parts.trained_positions));
  return std::move(*opened);
}

namespace {

std::vector<ParameterFault> check_preset(const Parameters& source) {
  if (!source.has("preset")) return {{"kind", "'preset' or 'checkpoint' is missing"}};
  std::vector<ParameterFault> faults;
  const ModelDescription model = model_of_preset(source, faults);
  if (!source.has("tokens"))
    for (ParameterFault& fault : check_length(source, model, source.integer("n"))) faults.push_back(std::move(fault));
  return faults;
}

std::vector<ParameterFault> check_checkpoint(const Parameters& source) {
  std::vector<ParameterFault> faults;
  if (source.has("preset")) faults.push_back({"preset", "a checkpoint has a model of its own; give one of the two"});
  if (!source.has("tokens"))
    faults.push_back({"checkpoint", "'tokens' is missing: random tokens say nothing about a trained model"});
  for (const ParameterSpec& spec : preset_parameters())
    if (source.at(spec.key) != *spec.default_value)
      faults.push_back({spec.key, fmt::format("'{}' shapes a preset; a checkpoint is taken as it is", spec.key)});
  collect_faults(faults, "checkpoint", [&] { find_checkpoint_files(source.text("checkpoint")); });
  return faults;
}

}  // namespace

std::vector<ParameterFault> check_model(const Parameters& source) {
  std::vector<ParameterFault> faults = source.has("checkpoint") ? check_checkpoint(source) : check_preset(source);
  if (!source.has("tokens")) return faults;
  if (source.integer("sequences") != 1)
    faults.push_back({"sequences", "the rows of the file of tokens are the sequences"});
  collect_faults(faults, "tokens", [&] { identify(source.text("tokens")); });
  return faults;
}

std::vector<ParameterSpec> model_parameters() {
  std::vector<ParameterSpec> specs = {
      {.key = "preset",
       .type = ParameterType::text,
       .registered_choices = preset_names,
       .sweepable = false,
       .sentence = "The published model (core/model/presets) whose layers, ratios and sharing are kept; its widths "
                   "are scaled down."},
      file("checkpoint", "In place of a preset: a trained model, a folder with config.json and safetensors files."),
      file("tokens", "Token ids: a text file, one sequence a line, or HDF5 with `tokens [sequence, position]`."),
      fixed(extent("n", "tokens", 512, "Tokens of a sequence: the first so many of a file, or uniform at random.")),
      fixed(extent("sequences", "1", 1, "Independent sequences of random tokens.")),
      fixed(extent("judge_every", "tokens", 16, "The last of every so many tokens is a query that is judged."))};
  for (ParameterSpec& spec : preset_parameters()) specs.push_back(std::move(spec));
  return specs;
}

}  // namespace lacuna
