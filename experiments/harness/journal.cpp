#include "experiments/harness/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "experiments/harness/early_end.hpp"
#include "experiments/harness/file_lock.hpp"
#include "experiments/harness/journal_frame.hpp"
#include "experiments/harness/run_difference.hpp"

namespace lacuna {
namespace {

constexpr std::string_view kVersionLine = "lacuna journal 1\n";
constexpr std::size_t kGatheredBytes = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kGatheredTime{100};

/// So that the file is found after a power loss.
void sync_directory_of(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

std::string units_text(std::size_t units) { return fmt::format("{} finished unit{}", units, units == 1 ? "" : "s"); }

}  // namespace

std::filesystem::path Journal::path_of(const std::filesystem::path& file) { return file.string() + ".journal"; }

Journal::Journal(const std::filesystem::path& file, RunIdentity identity)
    : path_(path_of(file)), output_(file.filename().string()), identity_(std::move(identity)) {}

void Journal::fail(const std::string& what) const {
  throw EnvironmentError(fmt::format("{}: {}", path_.string(), what));
}

bool Journal::open_existing() {
  while (true) {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd_ < 0 && errno == ENOENT) return false;
    if (fd_ < 0) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd_, &opened) != 0 || !S_ISREG(opened.st_mode)) fail("is not a regular file");
    if (!lock_file(fd_)) fail("another process writes it");
    // its last owner may have removed it before it gave up the lock
    if (::stat(path_.c_str(), &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino)
      return true;
    ::close(std::exchange(fd_, -1));
  }
}

void Journal::load() {
  std::string key;
  std::vector<Extent> extents;
  const ScannedFrames scanned = scan_frames(fd_, path_, [&](std::uint64_t offset, std::string_view payload) {
    if (header_.empty()) {
      header_ = payload;
      return;
    }
    std::size_t begin = 0;
    const bool sound = visit_records(payload, {.unit_begin =
                                                   [&](std::string_view unit, std::size_t end) {
                                                     key = unit;
                                                     extents.clear();
                                                     begin = end;
                                                   },
                                               .slab = {},
                                               .unit_end =
                                                   [&](std::size_t end) {
                                                     extents.push_back({offset + begin, end - begin});
                                                     units_[key] = std::move(extents);
                                                     extents.clear();
                                                     begin = end;
                                                   },
                                               .seal = [&](std::string_view digest) { sealed_ = digest; }});
    if (!sound) fail(fmt::format("is damaged in the frame at byte {}", offset));
    if (begin < payload.size()) extents.push_back({offset + begin, payload.size() - begin});
  });
  frames_ = scanned.frames;
  sound_bytes_ = scanned.sound_bytes;
  if (scanned.torn_bytes > 0)
    notes_.push_back(fmt::format("{}: its last {} bytes are torn and are dropped", path_.string(), scanned.torn_bytes));
  kept_ = units_.size();
}

void Journal::check_identity() const {
  const std::string version = header_.substr(0, header_.find('\n') + 1);
  if (version != kVersionLine)
    throw UsageError(fmt::format("{}: error: was written by another version of lacuna; only that one can go on with it",
                                 path_.string()));
  const auto lines = [&](bool replaces) {
    return fmt::format("{}output = {}\nreplaces = {}\n{}", kVersionLine, output_, replaces, identity_.facts);
  };
  if (header_ != lines(false) && header_ != lines(true))
    throw UsageError(
        fmt::format("{}: error: is of another run: {}", path_.string(),
                    run_difference(header_, lines(header_.find("\nreplaces = true\n") != std::string::npos))));
}

std::unique_ptr<Journal> Journal::begin(const std::filesystem::path& file, const RunIdentity& identity) {
  std::unique_ptr<Journal> journal(new Journal(file, identity));
  if (Journal left(file, identity); left.open_existing()) {
    try {
      left.load();
    } catch (const EnvironmentError& error) {
      if (!identity.replaces) throw EnvironmentError(fmt::format("{} (--force starts anew)", error.what()));
      if (read_at(left.fd_, left.path_, 0, kFrameMarker.size()) != kFrameMarker) throw;
    }
    const std::string units = units_text(left.finished_units());
    if (left.finished_units() > 0 && !identity.replaces)
      left.fail(fmt::format("holds {} of an unfinished run (--resume continues it, --force starts anew)", units));
    if (left.finished_units() > 0)
      journal->notes_.push_back(fmt::format("{}: removed with its {}", left.path_.string(), units));
    if (::unlink(left.path_.c_str()) != 0) left.fail(fmt::format("cannot be removed: {}", std::strerror(errno)));
    left.kept_ = 0;
  }
  return journal;
}

std::unique_ptr<Journal> Journal::resume(const std::filesystem::path& file, const RunIdentity& identity) {
  std::unique_ptr<Journal> journal(new Journal(file, identity));
  if (!journal->open_existing()) return journal;
  journal->load();
  if (journal->header_.empty()) {  // the first frame is torn: nothing was kept
    ::unlink(journal->path_.c_str());
    ::close(std::exchange(journal->fd_, -1));
    return journal;
  }
  journal->check_identity();
  journal->identity_.replaces = journal->header_.find("\nreplaces = true\n") != std::string::npos;
  if (::ftruncate(journal->fd_, static_cast<off_t>(journal->sound_bytes_)) != 0)
    journal->fail(fmt::format("cannot be shortened: {}", std::strerror(errno)));
  journal->notes_.push_back(fmt::format("{}: goes on behind {}", journal->path_.string(), units_text(journal->kept_)));
  journal->tell_what_is_kept();
  return journal;
}

Journal::~Journal() {
  if (gathered_ > 0 && !failed_) try {
      write_pending();
    } catch (const EnvironmentError&) {  // the run ended for another reason; what is on the disk is kept
    }
  if (fd_ < 0) return;
  if (created_ && kept_ == 0) early_end::keep(path_, [&] { ::unlink(path_.c_str()); });
  ::close(fd_);
}

void Journal::replay(std::string_view key, const std::function<void(const Slab&)>& write) const {
  const auto unit = units_.find(key);
  LACUNA_ASSERT(unit != units_.end());
  for (const Extent& extent : unit->second) {
    const std::string records = read_at(fd_, path_, extent.offset, extent.bytes);
    if (records.size() != extent.bytes ||
        !visit_records(records, {.unit_begin = {}, .slab = write, .unit_end = {}, .seal = {}}))
      fail("was changed while it was read");
  }
}

void Journal::begin_unit(std::string_view key) {
  LACUNA_ASSERT(current_.empty() && !key.empty() && !holds(key));
  current_ = key;
  append_unit_begin(pending_, key);
}

void Journal::slab(std::string_view path, hdf5::NumberType type, std::span<const std::int64_t> start,
                   std::span<const std::int64_t> count, std::string_view values) {
  LACUNA_ASSERT(!current_.empty());
  append_slab(pending_, path, type, start, count, values);
  if (pending_.size() >= kGatheredBytes) write_pending();
}

void Journal::end_unit() {
  LACUNA_ASSERT(!current_.empty());
  append_unit_end(pending_);
  units_[std::exchange(current_, {})] = {};
  ++gathered_;
  if (Clock::now() - written_ >= kGatheredTime || pending_.size() >= kGatheredBytes) write_pending();
}

void Journal::seal(const std::string& data_sha256) {
  if (fd_ < 0) return;  // nothing was kept, nothing has to be told apart
  append_seal(pending_, data_sha256);
  write_pending();
}

void Journal::remove() {
  if (fd_ >= 0) ::unlink(path_.c_str());
  gathered_ = 0;
}

void Journal::write_pending() {
  if (failed_) fail("an earlier write failed");
  if (fd_ < 0) create();
  append(pending_);
  pending_.clear();
  if (kept_ == 0 && gathered_ > 0) early_end::keep(path_, [] {});
  kept_ += std::exchange(gathered_, 0);
  written_ = Clock::now();
  tell_what_is_kept();
}

void Journal::create() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0 || !lock_file(fd_)) {
    failed_ = true;
    fail(fd_ < 0 ? fmt::format("cannot be created: {}", std::strerror(errno)) : "another process writes it");
  }
  created_ = true;
  early_end::remove_at_end(path_);  // until a unit is finished there is nothing to go on with
  append(fmt::format("{}output = {}\nreplaces = {}\n{}", kVersionLine, output_, identity_.replaces, identity_.facts));
  sync_directory_of(path_);
}

void Journal::append(std::string_view payload) {
  const std::string bytes = frame_of(frames_, payload);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(sound_bytes_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      failed_ = true;
      fail(fmt::format("cannot be written: {}", std::strerror(count < 0 ? errno : EIO)));
    }
    done += static_cast<std::size_t>(count);
  }
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS) {  // not every file system offers it
    failed_ = true;
    fail(fmt::format("cannot be written to the disk: {}", std::strerror(errno)));
  }
  sound_bytes_ += bytes.size();
  ++frames_;
}

void Journal::tell_what_is_kept() const {
  if (kept_ > 0)
    early_end::set_rest(fmt::format("{} kept in {}\ncontinue with: {}",
                                    kept_ == 1 ? "1 finished unit is" : fmt::format("{} finished units are", kept_),
                                    path_.string(), identity_.resume_command));
}

}  // namespace lacuna
