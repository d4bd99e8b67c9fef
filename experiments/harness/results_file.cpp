#include "experiments/harness/results_file.hpp"

#include <csignal>
#include <utility>

#include "core/base/error.hpp"
#include "data/hdf5/attribute.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"
#include "experiments/harness/early_end.hpp"
#include "experiments/harness/results_file_state.hpp"

namespace lacuna {
namespace {

const char* const digest_attribute = "data_sha256";
const char* const complete_attribute = "complete";

/// Neither of the two changes its size at the end: what is written last fits, whatever the disk.
void mark(const hdf5::Handle& root, std::string_view digest, bool complete) {
  hdf5::write_attribute(root, digest_attribute, digest);
  hdf5::write_attribute(root, complete_attribute, std::int64_t{complete ? 1 : 0});
}

bool is_marked(const std::string& file, std::string_view digest) {
  const hdf5::Handle root = hdf5::open_file(file, hdf5::OpenMode::read);
  return hdf5::read_text_attribute(root, digest_attribute, digest.size()) == digest &&
         hdf5::read_number_attribute(root, complete_attribute) == 1.0;
}

/// Whether the results of a run that ended before it removed its journal stand under their name.
bool is_complete_already(const std::filesystem::path& file, const Journal* journal) {
  if (journal == nullptr || journal->sealed().empty()) return false;
  try {
    return is_marked(file.string(), journal->sealed());
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

ResultsFile::State::State(std::filesystem::path path, bool force, Compression how, std::unique_ptr<Journal> of_run)
    : journal(std::move(of_run)), partial(path, force || is_complete_already(path, journal.get())), compression(how) {
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    attempt([&] {
      file = hdf5::create_file(partial.partial().string());
      mark(file, std::string(64, '0'), false);
    });
  } catch (...) {
    file.abandon();
    throw;
  }
}

ResultsFile::State::~State() {
  // Not closed so far means not finished: see the destructor of ResultsFile.
  for (const auto& variable : variables) variable->dataset.abandon();
  for (const auto& [path, group] : groups) {
    for (auto& [name, scale] : group->scales) scale.dataset.abandon();
    group->group.abandon();
  }
  file.abandon();
}

void ResultsFile::State::close() {
  for (const auto& variable : variables) variable->dataset.close(variable->path);
  for (const auto& [path, group] : groups) {
    for (auto& [name, scale] : group->scales) scale.dataset.close(group->path_of(name));
    group->group.close(path);
  }
  hdf5::close_file(file, "it");
}

ResultsFile::ResultsFile(std::filesystem::path file, bool force, Compression compression)
    : ResultsFile(std::move(file), force, compression, nullptr) {}

ResultsFile::ResultsFile(std::filesystem::path file, bool force, Compression compression,
                         std::unique_ptr<Journal> journal)
    : state_(std::make_shared<State>(std::move(file), force, compression, std::move(journal))) {}

ResultsFile::~ResultsFile() = default;

const std::filesystem::path& ResultsFile::file() const { return state_->partial.file(); }

ResultsGroup ResultsFile::group(std::string_view path) {
  LACUNA_ASSERT(state_->file.is_open() && path.starts_with('/') && (path == "/" || !path.ends_with('/')));
  ResultsGroup group;
  if (const auto known = state_->groups.find(path); known != state_->groups.end()) {
    group.state_ = known->second;
    return group;
  }
  group.state_ = std::make_shared<ResultsGroup::State>();
  group.state_->file = state_.get();
  group.state_->path = path;
  if (path == "/") {
    group.state_->group = state_->attempt([&] { return hdf5::open_group(state_->file, "/"); });
  } else {
    const std::size_t slash = path.rfind('/');
    const ResultsGroup parent = this->group(slash == 0 ? "/" : path.substr(0, slash));
    group.state_->group =
        state_->attempt([&] { return hdf5::create_group(parent.state_->group, std::string(path.substr(slash + 1))); });
  }
  state_->groups.emplace(path, group.state_);
  return group;
}

std::string ResultsFile::finish() {
  LACUNA_ASSERT(state_->file.is_open());
  const std::string partial = state_->partial.partial().string();
  state_->attempt([&] { state_->close(); });
  state_->partial.sync();  // some file systems only now say that the disk is full
  try {
    const std::string digest = content_sha256(partial);
    state_->attempt([&] {
      state_->file = hdf5::open_file(partial, hdf5::OpenMode::read_write);
      mark(state_->file, digest, true);
      hdf5::close_file(state_->file, "it");
    });
    state_->partial.sync();
    if (content_sha256(partial) != digest || !is_marked(partial, digest))
      throw EnvironmentError(fmt::format("{}: reads back as something else than was written", partial));
    if (state_->journal) state_->journal->seal(digest);
    state_->partial.publish();
    if (state_->journal) state_->journal->remove();
    early_end::set_rest(fmt::format("the results are complete in {}", file().string()));
    return digest;
  } catch (const InputError& error) {
    throw EnvironmentError(fmt::format("{} (the file was just written: is the disk failing?)", error.what()));
  }
}

}  // namespace lacuna
