#include "data/source/model_parts.hpp"

#include <algorithm>
#include <utility>

#include "core/model/pattern_changes.hpp"
#include "core/model/preset.hpp"
#include "core/model/scaled.hpp"
#include "data/checkpoint/checkpoint.hpp"
#include "data/source/mechanism_source.hpp"
#include "data/source/parameter_specs.hpp"
#include "data/tokens/token_file.hpp"

namespace lacuna {
namespace {

constexpr Index kWidest = 1024;

ModelDescription model_of_preset(const Parameters& source) {
  const Index d_model = source.integer("d_model");
  if (d_model > kWidest)
    throw UsageError(
        fmt::format("source.d_model = {}: a model is run whole and in double, so published extents are "
                    "refused; the widest is {}",
                    d_model, kWidest));
  ModelDescription model = describe_model(source.text("preset"));
  const std::string name = model.name;
  if (source.integer("layers") > 0) try {
      model = changed(std::move(model), {.layers = source.integer("layers")});
    } catch (const PatternFault& fault) {
      throw UsageError(fmt::format("source.layers: {}", fault.what()));
    }
  model = scaled(std::move(model),
                 {.d_model = d_model, .vocabulary = source.integer("vocabulary"), .window = source.integer("window")});
  model.name = name;
  return model;
}

ModelParts random_model(const Parameters& source, std::uint64_t seed) {
  const ModelDescription model = model_of_preset(source);
  return {.decoder = Decoder(model, ModelWeights::random(model,
                                                         {.score_std = source.real("score_std"),
                                                          .index_quality = source.real("index_quality"),
                                                          .query_similarity = source.real("query_similarity")},
                                                         seed))};
}

ModelParts trained_model(const Parameters& source) {
  Checkpoint checkpoint = read_checkpoint(source.text("checkpoint"));
  ModelParts parts{.decoder = Decoder(std::move(checkpoint.model), std::move(checkpoint.weights)),
                   .files = std::move(checkpoint.files),
                   .notes = std::move(checkpoint.notes)};
  parts.trained_positions = checkpoint.trained_positions;
  return parts;
}

void read_tokens(const Parameters& source, ModelParts& parts) {
  const std::string& file = source.text("tokens");
  parts.tokens = read_token_file(file, source.integer("n"));
  parts.files.push_back(file);
  const Index vocabulary = parts.decoder.model().vocabulary;
  for (std::size_t sequence = 0; sequence < parts.tokens.size(); ++sequence) {
    const std::vector<Index>& row = parts.tokens[sequence];
    const auto bad = std::ranges::find_if(row, [&](Index id) { return id >= vocabulary; });
    if (bad != row.end())
      throw InputError(fmt::format("{}: sequence {}, position {}: token {} is outside the vocabulary of {}", file,
                                   sequence, bad - row.begin(), *bad, vocabulary));
  }
}

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

}  // namespace

ModelParts open_model(const Parameters& source, std::uint64_t seed) {
  const bool is_trained = source.has("checkpoint");
  ModelParts parts = is_trained ? trained_model(source) : random_model(source, seed);
  if (source.has("tokens")) read_tokens(source, parts);
  const ModelDescription& model = parts.decoder.model();
  const Index n = parts.tokens.empty() ? source.integer("n") : static_cast<Index>(parts.tokens.front().size());
  if (model.learned_positions > 0 && n > model.learned_positions)
    throw UsageError(
        fmt::format("source.n: {} tokens; {} has {} learned positions", n, model.name, model.learned_positions));
  if (parts.trained_positions > 0 && n > parts.trained_positions)
    parts.notes.push_back(
        fmt::format("{} tokens; {} was made for sequences of at most {}", n, model.name, parts.trained_positions));
  return parts;
}

std::vector<ParameterFault> check_model(const Parameters& source) {
  std::vector<ParameterFault> faults;
  if (source.has("tokens") && source.integer("sequences") != 1)
    faults.push_back({"sequences", "the rows of the file of tokens are the sequences"});
  if (!source.has("checkpoint")) {
    if (!source.has("preset")) faults.push_back({"kind", "'preset' or 'checkpoint' is missing"});
    return faults;
  }
  if (source.has("preset")) faults.push_back({"preset", "a checkpoint has a model of its own; give one of the two"});
  if (!source.has("tokens"))
    faults.push_back({"checkpoint", "'tokens' is missing: random tokens say nothing about a trained model"});
  for (const ParameterSpec& spec : preset_parameters())
    if (source.at(spec.key) != *spec.default_value)
      faults.push_back({spec.key, fmt::format("'{}' shapes a preset; a checkpoint is taken as it is", spec.key)});
  return faults;
}

std::vector<ParameterSpec> model_parameters() {
  std::vector<ParameterSpec> specs = {
      {.key = "preset",
       .type = ParameterType::text,
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
