// Small checkpoints that transformers wrote (golden/make_checkpoints.py), to read as they are or changed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/checkpoint/checkpoint.hpp"
#include "data/temporary_directory.hpp"
#include "data/trace/safetensors_header.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {

inline std::string golden_checkpoint(const std::string& name) {
  return std::string(LACUNA_SOURCE_DIR) + "/tests/data/checkpoint/golden/" + name;
}

/// A tensor as a safetensors file holds it.
struct SmallTensor {
  std::string dtype;
  std::vector<hsize_t> extents;
  std::string bytes;
};
using SmallTensors = std::map<std::string, SmallTensor>;

inline SmallTensors read_small_tensors(const std::string& file) {
  const std::string content = read_bytes(file);
  const SafetensorsHeader header = read_safetensors_header(ReadableFile(file)).value();
  SmallTensors tensors;
  for (const auto& [name, entry] : header.tensors)
    tensors[name] = {
        entry.dtype,
        {entry.extents.begin(), entry.extents.end()},
        content.substr(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin))};
  return tensors;
}

inline void write_small_tensors(const std::string& file, const SmallTensors& tensors) {
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : tensors) writer.tensor(name, tensor.dtype, tensor.extents, tensor.bytes);
  write_bytes(file, writer.bytes());
}

/// The numbers of an F32 tensor.
inline std::vector<double> numbers_of(const SmallTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return {values.begin(), values.end()};
}

/// A copy of one of the checkpoints, for a test to change.
class SmallCheckpoint {
 public:
  explicit SmallCheckpoint(const std::string& name) : golden_(golden_checkpoint(name)) {
    for (const auto& entry : std::filesystem::directory_iterator(golden_))
      write_bytes(*this / entry.path().filename().string(), read_bytes(entry.path().string()));
  }
  std::string folder() const { return directory_.path().string(); }
  std::string operator/(const std::string& name) const { return directory_ / name; }

  /// Replaces text of config.json that must be there.
  SmallCheckpoint& config(const std::string& from, const std::string& to) {
    std::string text = read_bytes(*this / "config.json");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    write_bytes(*this / "config.json", text);
    return *this;
  }
  SmallCheckpoint& tensors(const std::function<void(SmallTensors&)>& change) {
    SmallTensors tensors = read_small_tensors(*this / "model.safetensors");
    change(tensors);
    write_small_tensors(*this / "model.safetensors", tensors);
    return *this;
  }
  Checkpoint read() const { return read_checkpoint(folder()); }

 private:
  std::string golden_;
  TemporaryDirectory directory_;
};

}  // namespace lacuna
