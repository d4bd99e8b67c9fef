// Files, groups and the links in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/hdf5/handle.hpp"

namespace lacuna::hdf5 {

enum class OpenMode { read, read_write };

/// Creates or truncates a file: the order in which links were made is kept, times are not, library version bounds are
/// the default (what netCDF-C reads). The library's own file lock is off: whoever writes brings a lock.
Handle create_file(const std::string& file);
/// `name` is what messages call it; the file's path when empty.
Handle open_file(const std::string& file, OpenMode mode, std::string_view name = {});
/// Closes a file that was opened for writing; an object of it that is still open is an Hdf5Error.
void close_file(Handle& file, const std::string& name);

/// What stands under a name. Links are told apart from what they point to, and are never followed.
enum class LinkKind { none, group, dataset, other_object, soft_link, external_link, user_defined_link };
LinkKind link_kind(const Handle& parent, const std::string& name);
/// All names in a group, sorted by bytes.
std::vector<std::string> link_names(const Handle& group, const std::string& name);
/// The same in the order in which they were made; only for groups that keep it, as results files do.
std::vector<std::string> link_names_as_made(const Handle& group, const std::string& name);

/// Creates a group: the order of links is kept, times are not.
Handle create_group(const Handle& parent, const std::string& name);
Handle open_group(const Handle& parent, const std::string& name);
Handle open_dataset(const Handle& parent, const std::string& name);

}  // namespace lacuna::hdf5
