// The results file: HDF5 that is valid netCDF-4, written as FILE.partial, closed, read back, fsynced, renamed.
//
// Every group that holds variables gets its own identical copy of each dimension scale it uses and attaches its
// variables to those: the one layout that xarray (h5netcdf and netcdf4), ncdump and h5dump all read with labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lacuna {

/// A named dimension and its coordinate values.
struct Dimension {
  using Coordinate = std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;
  std::string name;
  Coordinate values;  ///< [size]
  std::string units;
  std::string long_name;
  std::int64_t size() const;
};

using AttributeValue = std::variant<std::string, std::int64_t, double, std::vector<std::int64_t>, std::vector<double>,
                                    std::vector<std::string>>;

enum class VariableType { f64, i64, u8 };

struct VariableSpec {
  std::string name;
  VariableType type = VariableType::f64;
  std::vector<std::string> dimensions;  ///< names of dimensions of the group, outermost first
  std::string units;
  std::string long_name;
  std::vector<std::pair<std::string, AttributeValue>> attributes;  ///< further ones, e.g. flag_values, flag_meanings
};

enum class Compression { none, deflate };

class Journal;
class ResultsFile;

/// A variable being written, a hyperslab at a time. Throws EnvironmentError naming file and variable when writing fails
/// (a full disk); nothing may be written afterwards, and the results file cannot be finished.
class ResultsVariable {
 public:
  /// `values` are dense and row-major, count[0] * count[1] * ... of them, of the variable's type.
  void write(std::span<const std::int64_t> start, std::span<const std::int64_t> count, std::span<const double> values);
  void write(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
             std::span<const std::int64_t> values);
  void write(std::span<const std::int64_t> start, std::span<const std::int64_t> count,
             std::span<const std::uint8_t> values);

 private:
  friend class ResultsGroup;
  friend class ResultsFile;
  struct State;
  std::shared_ptr<State> state_;
};

class ResultsGroup {
 public:
  /// Adds the dimension scale (once per group and name).
  void dimension(const Dimension& dimension);
  /// Creates a chunked variable, attached to the group's scales; fill value NaN for f64, 0 otherwise.
  /// `chunk` = extent of one chunk, one number per dimension; cut to the dimension where it is larger, and halved from
  /// the outermost dimension on until a chunk holds at most 64 MiB. A scalar (no dimensions) has no chunk.
  ResultsVariable variable(const VariableSpec& spec, std::span<const std::int64_t> chunk);
  /// A whole small variable that is not on the data path (labels, positions).
  void label(const VariableSpec& spec, std::span<const std::int64_t> values);
  void label(const VariableSpec& spec, std::span<const double> values);
  void label(const VariableSpec& spec, std::span<const std::string> values);
  /// A scalar variable-length UTF-8 string dataset (texts of any length).
  void text(std::string_view name, std::string_view value);
  /// Replaces one of the same name. At most 64 KiB, a limit of the format: longer texts are for text().
  void attribute(std::string_view name, const AttributeValue& value);

 private:
  friend class ResultsFile;
  struct State;
  std::shared_ptr<State> state_;
};

class ResultsFile {
 public:
  /// Creates FILE.partial. Throws EnvironmentError when FILE exists and !force, when another live process writes it,
  /// or when the directory is missing or read-only. A stale .partial of a dead process is replaced. Of directories only
  /// `results` (in the current one) is created. From here on the process ignores SIGXFSZ: a file size limit then fails
  /// a write instead of ending the process.
  ResultsFile(std::filesystem::path file, bool force, Compression compression);
  /// The same, with a journal that keeps its units of work: see open_results().
  ResultsFile(std::filesystem::path file, bool force, Compression compression, std::unique_ptr<Journal> journal);
  /// Removes the .partial unless finish() ran. What is open in the HDF5 library is then left as it is (closing would
  /// write again what could not be written): the memory and disk space come back when the process ends.
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  /// "/", "/exact", "/path/top_k": creates parents as needed (creation order tracked everywhere).
  ResultsGroup group(std::string_view path);

  /// One unit of the run's work, with a key of its own: `work` writes variables (and creates none). Once it returned,
  /// what it wrote is kept in the journal; where an earlier run finished the unit, `work` is not called and the same is
  /// written from the journal. Returns whether `work` was called. Units do not nest and share nothing but constants:
  /// a later one must not need what `work` leaves in memory. Throws as ResultsVariable does, naming the journal.
  bool unit(std::string_view key, const std::function<void()>& work);

  /// Closes, reopens, reads every dataset back while hashing (fletcher32 checks it), sets `data_sha256` and `complete`
  /// = 1 on the root, closes, verifies again, fsyncs file and directory, renames to FILE. Returns data_sha256.
  /// Throws EnvironmentError when any of it fails; there is then no FILE, or the old one, untouched. Groups and
  /// variables are of no use afterwards. Forks to read the file back: no other thread may be inside HDF5.
  std::string finish();

  const std::filesystem::path& file() const;

 private:
  friend class ResultsGroup;
  friend class ResultsVariable;
  struct State;
  std::shared_ptr<State> state_;
};

/// SHA-256 over the logical content of everything outside /provenance (paths, types, shapes, values with one NaN; not
/// attributes, not how it is stored): what two files must share to be the same result. Reads in a guarded child, a few
/// MiB at a time. Throws InputError naming the file when it is damaged or not a results file.
std::string content_sha256(const std::filesystem::path& file);

}  // namespace lacuna
