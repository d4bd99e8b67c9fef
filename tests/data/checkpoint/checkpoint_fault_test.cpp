// Checkpoints that cannot be used: one error that names the file and what in it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "data/checkpoint/small_checkpoint.hpp"

namespace lacuna {
namespace {

void expect_refused(const SmallCheckpoint& checkpoint, const std::string& file, const std::string& rest) {
  EXPECT_EQ(message_of<InputError>([&] { checkpoint.read(); }), checkpoint / file + ": " + rest);
}

void expect_config_refused(const std::string& name, const std::string& from, const std::string& to,
                           const std::string& rest) {
  SmallCheckpoint checkpoint(name);
  expect_refused(checkpoint.config(from, to), "config.json", rest);
}

void expect_tensors_refused(const std::function<void(SmallTensors&)>& change, const std::string& rest) {
  SmallCheckpoint checkpoint("llama");
  expect_refused(checkpoint.tensors(change), "model.safetensors", rest);
}

const std::string kQ = "model.layers.1.self_attn.q_proj.weight";  // [32, 24]

TEST(CheckpointFaults, MissingTensorsAreNamed) {
  expect_tensors_refused([](SmallTensors& t) { t.erase(kQ); }, "tensor '" + kQ + "' is missing");
  expect_tensors_refused([](SmallTensors& t) { t.erase("model.norm.weight"); },
                         "tensor 'model.norm.weight' is missing");
  expect_tensors_refused(
      [](SmallTensors& t) {
        t = {{"x", {"F32", {1}, "abcd"}}};
      },
      "tensor 'model.embed_tokens.weight' is missing");
}

TEST(CheckpointFaults, ShapesAndTypesAreNamed) {
  expect_tensors_refused(
      [](SmallTensors& t) {
        t[kQ].extents = {24, 32};
      },
      "tensor '" + kQ + "' has shape [24, 32]; the configuration needs [32, 24]");
  expect_tensors_refused([](SmallTensors& t) { t[kQ].extents = {768}; },
                         "tensor '" + kQ + "' has shape [768]; the configuration needs [32, 24]");
  expect_tensors_refused(
      [](SmallTensors& t) {
        t[kQ] = {"F32", {0, 24}, ""};
      },
      "tensor '" + kQ + "' has shape [0, 24]; the configuration needs [32, 24]");
  for (const char* dtype : {"I32", "U32", "F8_E4M3", "F4_E2M1"})
    expect_tensors_refused(
        [&](SmallTensors& t) {
          t[kQ].dtype = dtype;
          if (dtype[0] == 'F') t[kQ].bytes.resize(768);
        },
        "tensor '" + kQ + "' has elements of type " + dtype + "; expected F64, F32, F16 or BF16");
}

TEST(CheckpointFaults, NotANumberIsNamedByItsPlace) {
  const auto with = [](double value, const std::string& shown, const char* dtype, const char* element) {
    expect_tensors_refused(
        [&](SmallTensors& t) {
          std::vector<double> values(768, 0.5);
          values[5 * 24 + 7] = value;
          t[kQ] = {dtype, {32, 24}, stored(values, element)};
        },
        "tensor '" + kQ + "' holds " + shown + " at row 5, column 7");
  };
  with(std::nan(""), "nan", "F32", "f32");
  with(HUGE_VAL, "inf", "F16", "f16");
  with(-HUGE_VAL, "-inf", "BF16", "bf16");
  with(1e200, "1e+200", "F64", "f64");
  expect_tensors_refused(
      [](SmallTensors& t) {
        std::vector<double> values(24, 1.0);
        values[23] = std::nan("");
        t["model.norm.weight"] = {"F32", {24}, stored(values, "f32")};
      },
      "tensor 'model.norm.weight' holds nan at row 23");
}

TEST(CheckpointFaults, TensorsThatNobodyReadsGetNotes) {
  SmallCheckpoint checkpoint("llama");
  checkpoint.tensors([](SmallTensors& t) {
    for (int i = 0; i < 20; ++i) t["vision." + std::to_string(i + 10)] = {"I8", {3}, "abc"};
  });
  const std::vector<std::string> notes = checkpoint.read().notes;
  ASSERT_EQ(notes.size(), 9u);
  EXPECT_EQ(notes.front(), checkpoint / "model.safetensors" + ": tensor 'vision.10' is not read");
  EXPECT_EQ(notes.back(), checkpoint / "model.safetensors" + ": 12 more tensors are not read");
}

TEST(CheckpointFaults, WhatIsNotImplementedIsRefusedByItsKey) {
  expect_config_refused("llama", "\"llama\"", "\"qwen2\"",
                        "'model_type' is 'qwen2'; those that can be read are deepseek_v3, gpt2, llama");
  expect_config_refused("llama", "\"rope_type\": \"default\"", "\"rope_type\": \"llama3\", \"factor\": 8.0",
                        "'rope_parameters.rope_type' is 'llama3'; only 'default' is implemented");
  expect_config_refused("llama", "\"rope_type\": \"default\"", "\"rope_type\": \"yarn\", \"factor\": 8.0",
                        "'rope_parameters.rope_type' is 'yarn'; only 'default' is implemented");
  expect_config_refused("llama", "\"rope_type\": \"default\"", "\"partial_rotary_factor\": 0.5",
                        "'rope_parameters.partial_rotary_factor' is not 1; only the rotation of every channel is "
                        "implemented");
  expect_config_refused("llama", "\"attention_bias\": false", "\"attention_bias\": true",
                        "'attention_bias' is true; only false is implemented");
  expect_config_refused("llama", "\"mlp_bias\": false", "\"mlp_bias\": true",
                        "'mlp_bias' is true; only false is implemented");
  expect_config_refused("llama", "\"silu\"", "\"gelu\"", "'hidden_act' is 'gelu'; only 'silu' is implemented");
  expect_config_refused("llama", "\"mlp_bias\": false", "\"quantization_config\": {\"bits\": 4}",
                        "'quantization_config' is there; only weights that are stored as floating numbers are "
                        "implemented");
  expect_config_refused("gpt2", "\"gelu_new\"", "\"relu\"",
                        "'activation_function' is 'relu'; 'gelu_new', 'gelu_pytorch_tanh' and 'gelu' are implemented");
  expect_config_refused("gpt2", "\"scale_attn_by_inverse_layer_idx\": false",
                        "\"scale_attn_by_inverse_layer_idx\": true",
                        "'scale_attn_by_inverse_layer_idx' is true; only false is implemented");
  expect_config_refused("deepseek_v3", "\"first_k_dense_replace\": 2", "\"first_k_dense_replace\": 1",
                        "'first_k_dense_replace' is 1: layers 1 to 1 are mixtures of experts, which are not "
                        "implemented");
  expect_config_refused("deepseek_v3", "\"rope_interleave\": true", "\"rope_interleave\": false",
                        "'rope_interleave' is false; only true is implemented");
  expect_config_refused("deepseek_v3", "\"mscale\": 1.0", "\"mscale\": 0.7",
                        "'rope_parameters.mscale' is not equal to mscale_all_dim; a factor on rotated channels is not "
                        "implemented");
}

TEST(CheckpointFaults, ValuesOfTheConfigurationAreNamed) {
  expect_config_refused("llama", "\"hidden_size\": 24,", "", "'hidden_size' is missing");
  expect_config_refused("llama", "\"hidden_size\": 24", "\"hidden_size\": 0",
                        "'hidden_size' is 0; expected a whole number from 1 to 2^30");
  expect_config_refused("llama", "\"hidden_size\": 24", "\"hidden_size\": 1e99",
                        "'hidden_size' is 1e+99; expected a whole number from 1 to 2^30");
  expect_config_refused("llama", "\"hidden_size\": 24", "\"hidden_size\": 18446744073709551615",
                        "'hidden_size' is 18446744073709551615; expected a whole number from 1 to 2^30");
  expect_config_refused("llama", "\"num_attention_heads\": 4", "\"num_attention_heads\": \"4\"",
                        "'num_attention_heads' is \"4\"; expected a whole number from 1 to 2^30");
  expect_config_refused("llama", "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3",
                        "h_kv is 3; it must divide h_q, which is 4");
  expect_config_refused("llama", "\"head_dim\": 8", "\"head_dim\": 7",
                        "rope channels is 7; RoPE rotates pairs of channels, it must be even");
  expect_config_refused("llama", "\"rope_theta\": 100000.0", "\"rope_theta\": 1.0",
                        "'rope_parameters.rope_theta' is 1; expected a number above 1");
  expect_config_refused("llama", "\"rms_norm_eps\": 1e-05", "\"rms_norm_eps\": -1",
                        "'rms_norm_eps' is -1; expected a number of at least 0");
  expect_config_refused("llama", "\"tie_word_embeddings\": true", "\"tie_word_embeddings\": 1",
                        "'tie_word_embeddings' is 1; expected true or false");
  expect_config_refused("llama", "\"hidden_size\": 24", "\"hidden_size\": 24, \"hidden_size\": 24",
                        "'hidden_size' occurs twice");
  SmallCheckpoint deep("llama");
  write_bytes(deep / "config.json", std::string(300, '['));
  expect_refused(deep, "config.json", "nested too deeply");
  write_bytes(deep / "config.json", "[]");
  expect_refused(deep, "config.json", "not a JSON object");
  std::filesystem::remove(deep / "config.json");
  expect_refused(deep, "config.json", "No such file or directory");
}

TEST(CheckpointFaults, AnIndexMustAgreeWithItsShards) {
  const std::string index = "model.safetensors.index.json", shard = "model-00002-of-00002.safetensors";
  const auto with = [&](const std::string& from, const std::string& to) {
    SmallCheckpoint checkpoint("deepseek_v3");
    std::string text = read_bytes(checkpoint / index);
    text.replace(text.find(from), from.size(), to);
    write_bytes(checkpoint / index, text);
    std::string message = message_of<InputError>([&] { checkpoint.read(); });
    const std::string folder = checkpoint.folder() + "/";
    for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder))
      message.erase(at, folder.size());
    return message;
  };
  EXPECT_EQ(with("\"model.norm.weight\"", "\"model.nrm.weight\""),
            shard + ": tensor 'model.nrm.weight' is missing; " + index + " says that it is there");
  EXPECT_EQ(
      with("\"model.norm.weight\": \"model-00002", "\"model.norm.weight\": \"model-00001"),
      "model-00001-of-00002.safetensors: tensor 'model.norm.weight' is missing; " + index + " says that it is there");
  EXPECT_EQ(with("\"lm_head.weight\": \"", "\"lm_head.weight\": \"../"),
            index +
                ": tensor 'lm_head.weight' is in \"../model-00001-of-00002.safetensors\"; expected the name of a file "
                "beside the index");
  EXPECT_EQ(with(shard, "model-3.safetensors"), "model-3.safetensors: No such file or directory");
  EXPECT_EQ(with("weight_map", "weightmap"), index + ": no object 'weight_map' of tensors and files");

  SmallCheckpoint twice("deepseek_v3");
  SmallTensors tensors = read_small_tensors(twice / shard);
  tensors["model.embed_tokens.weight"] = {"F32", {1}, "abcd"};
  write_small_tensors(twice / shard, tensors);
  expect_refused(twice, shard,
                 "tensor 'model.embed_tokens.weight' is in " + (twice / "model-00001-of-00002.safetensors") + " too");
}

TEST(CheckpointFaults, HeadersThatLieAreRefused) {
  const auto with = [](const std::string& header, const std::string& data, const std::string& rest) {
    SmallCheckpoint checkpoint("llama");
    write_bytes(checkpoint / "model.safetensors", SafetensorsWriter::file_bytes(header, data));
    expect_refused(checkpoint, "model.safetensors", rest);
  };
  const std::string name = R"({"model.embed_tokens.weight":)";
  with(name + R"({"dtype":"F32","shape":[61,24],"data_offsets":[0,5856]}})", "short",
       "safetensors header: tensor 'model.embed_tokens.weight' ends at byte 5856 of 5 bytes of data");
  with(name + R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "",
       "safetensors header: tensor 'model.embed_tokens.weight' has more elements than can be counted");
  with(name + R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd",
       "safetensors header: tensor 'model.embed_tokens.weight' takes 8 bytes by its shape and 4 by its data_offsets");
  SmallCheckpoint text("llama");
  write_bytes(text / "model.safetensors", "no tensors in here");
  expect_refused(text, "model.safetensors", "not safetensors, or truncated");
}

TEST(CheckpointFaults, WhatIsNoCheckpointIsRefused) {
  const TemporaryDirectory directory;
  EXPECT_EQ(message_of<InputError>([&] { read_checkpoint(directory / "none"); }),
            directory / "none" + ": No such file or directory");
  EXPECT_EQ(message_of<InputError>([&] { read_checkpoint(directory.path().string()); }),
            directory.path().string() + ": neither model.safetensors nor model.safetensors.index.json is in it");
  ASSERT_EQ(::mkfifo((directory / "model.safetensors").c_str(), 0600), 0);
  EXPECT_EQ(message_of<InputError>([&] { read_checkpoint(directory.path().string()); }),
            directory / "model.safetensors" + ": not a regular file but a pipe");
}

TEST(CheckpointFaults, WeightsBeyondTheMemoryAreRefusedBeforeTheyAreRead) {
  SmallCheckpoint checkpoint("llama");
  const std::string file = checkpoint / "model.safetensors";
  const std::int64_t bytes = std::int64_t{4} << 40;  // a sparse file of as many zeros
  write_bytes(file, SafetensorsWriter::file_bytes(
                        R"({"model.embed_tokens.weight":{"dtype":"F16","shape":[2199023255552],"data_offsets":[0,)" +
                            std::to_string(bytes) + "]}}",
                        ""));
  std::error_code refused;
  std::filesystem::resize_file(file, std::filesystem::file_size(file) + bytes, refused);
  if (refused) GTEST_SKIP() << "no sparse file of 4 TiB here: " << refused.message();
  const std::string message = message_of<EnvironmentError>([&] { checkpoint.read(); });
  EXPECT_TRUE(message.starts_with(file + ": its weights take 17592.2 GB in double; ")) << message;
}

}  // namespace
}  // namespace lacuna
