// The journal of an unfinished run, FILE.journal beside the results FILE: what it has written so far, unit by unit.
//
// Frame 0 (journal_frame.hpp) is a text: what the run is. The others hold records (journal_record.hpp), appended when a
// unit of work ends or 4 MiB are gathered, and on the disk before the run goes on. Units of less than a tenth of a
// second share a frame, so that short runs never make a journal and tiny units do not wait for the disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/harness/journal_record.hpp"

namespace lacuna {

/// What a run is, as far as its results depend on it, and how its user goes on with it.
struct RunIdentity {
  std::string facts;           ///< a line "key = value" each: parameters, inputs, build
  bool replaces = false;       ///< --force: the results file may exist
  std::string resume_command;  ///< to be shown when the run ends early
};

/// Owns FILE.journal and a lock on it that ends with the process.
class Journal {
 public:
  /// FILE.journal of `file`
  static std::filesystem::path path_of(const std::filesystem::path& file);

  /// A new journal; nothing is on the disk before the first unit ended. What an earlier run left is removed when it
  /// holds no finished unit, or when identity.replaces; otherwise EnvironmentError says how to go on with it.
  static std::unique_ptr<Journal> begin(const std::filesystem::path& file, const RunIdentity& identity);
  /// Takes up the journal that an earlier run left, or begins one where there is none. A torn tail is dropped. Throws
  /// EnvironmentError when it is damaged or another process writes it, UsageError when its facts are others; it is then
  /// as it was.
  static std::unique_ptr<Journal> resume(const std::filesystem::path& file, const RunIdentity& identity);

  /// Keeps the finished units on the disk; without any, a new file goes.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Whether the run was started with --force.
  bool replaces() const { return identity_.replaces; }
  /// data_sha256 of the complete results, "" before.
  const std::string& sealed() const { return sealed_; }
  std::size_t finished_units() const { return units_.size(); }
  /// What there is to say about taking it up.
  const std::vector<std::string>& notes() const { return notes_; }

  bool holds(std::string_view key) const { return units_.find(key) != units_.end(); }
  /// Calls write(slab) for everything that the unit wrote, in order.
  void replay(std::string_view key, const std::function<void(const Slab&)>& write) const;

  /// A unit: begin, slabs, end. Throws EnvironmentError when the disk does not take it; nothing can be written after.
  void begin_unit(std::string_view key);
  void slab(std::string_view path, hdf5::NumberType type, std::span<const std::int64_t> start,
            std::span<const std::int64_t> count, std::string_view values);
  void end_unit();

  /// The results are complete, though not yet under their name.
  void seal(const std::string& data_sha256);
  /// Removes the file: the results are in place.
  void remove();

 private:
  using Clock = std::chrono::steady_clock;
  /// Bytes of the file that hold records of one unit.
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };

  Journal(const std::filesystem::path& file, RunIdentity identity);
  bool open_existing();
  void load();
  void check_identity() const;
  void create();
  void append(std::string_view payload);
  void write_pending();
  void tell_what_is_kept() const;
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;
  std::string output_;  // file name of the results
  RunIdentity identity_;
  int fd_ = -1;
  std::uint64_t frames_ = 0;
  std::uint64_t sound_bytes_ = 0;
  std::string header_;  // as read; empty where there is none
  std::map<std::string, std::vector<Extent>, std::less<>> units_;
  std::string sealed_;
  std::vector<std::string> notes_;

  std::string pending_;       // records
  std::string current_;       // key of the unit that is open
  std::size_t gathered_ = 0;  // units that ended in pending_
  std::size_t kept_ = 0;      // units that ended on the disk
  Clock::time_point written_ = Clock::now();
  bool created_ = false;  // by this process: what another one left is not removed on the way out
  bool failed_ = false;
};

}  // namespace lacuna
