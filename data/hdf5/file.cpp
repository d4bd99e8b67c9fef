#include "data/hdf5/file.hpp"

#include <algorithm>

#include "data/hdf5/api.hpp"
#include "data/hdf5/error.hpp"

namespace lacuna::hdf5 {
namespace {

constexpr unsigned link_order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

Handle file_access(std::string_view name, bool for_writing) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), "prepare", name);
  checked(H5Pset_file_locking(access.id(), false, true), "prepare", name);
  // closing a file of which something is still open would only seem to close it
  if (for_writing) checked(H5Pset_fclose_degree(access.id(), H5F_CLOSE_SEMI), "prepare", name);
  return access;
}

}  // namespace

Handle create_file(const std::string& file) {
  prepare();
  const Handle access = file_access(file, true);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), "prepare", file);
  checked(H5Pset_link_creation_order(creation.id(), link_order), "prepare", file);
  checked(H5Pset_obj_track_times(creation.id(), false), "prepare", file);
  return Handle(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), "create", file);
}

Handle open_file(const std::string& file, OpenMode mode, std::string_view name) {
  prepare();
  const Handle access = file_access(file, mode == OpenMode::read_write);
  const unsigned flags = mode == OpenMode::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
  return Handle(H5Fopen(file.c_str(), flags, access.id()), "open", name.empty() ? std::string_view(file) : name);
}

void close_file(Handle& file, const std::string& name) {
  const std::int64_t id = file.id();
  file.abandon();
  checked(H5Fclose(id), "close", name);
}

LinkKind link_kind(const Handle& parent, const std::string& name) {
  if (checked(H5Lexists(parent.id(), name.c_str(), H5P_DEFAULT), "look up", name) == 0) return LinkKind::none;
  H5L_info_t link;
  checked(H5Lget_info(parent.id(), name.c_str(), &link, H5P_DEFAULT), "look up", name);
  if (link.type == H5L_TYPE_SOFT) return LinkKind::soft_link;
  if (link.type == H5L_TYPE_EXTERNAL) return LinkKind::external_link;
  if (link.type != H5L_TYPE_HARD) return LinkKind::user_defined_link;
  H5O_info_t object;
  checked(H5Oget_info_by_name2(parent.id(), name.c_str(), &object, H5O_INFO_BASIC, H5P_DEFAULT), "look up", name);
  if (object.type == H5O_TYPE_GROUP) return LinkKind::group;
  return object.type == H5O_TYPE_DATASET ? LinkKind::dataset : LinkKind::other_object;
}

namespace {

std::vector<std::string> list_links(const Handle& group, const std::string& name, H5_index_t index) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* link, const H5L_info_t*, void* result) -> herr_t {
    try {
      static_cast<std::vector<std::string>*>(result)->emplace_back(link);
      return 0;
    } catch (...) {
      return -1;  // an exception must not pass through the library
    }
  };
  checked(H5Literate(group.id(), index, H5_ITER_INC, nullptr, add, &names), "list", name);
  return names;
}

}  // namespace

std::vector<std::string> link_names(const Handle& group, const std::string& name) {
  std::vector<std::string> names = list_links(group, name, H5_INDEX_NAME);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> link_names_as_made(const Handle& group, const std::string& name) {
  return list_links(group, name, H5_INDEX_CRT_ORDER);
}

Handle create_group(const Handle& parent, const std::string& name) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), "prepare", name);
  checked(H5Pset_link_creation_order(creation.id(), link_order), "prepare", name);
  checked(H5Pset_obj_track_times(creation.id(), false), "prepare", name);
  return Handle(H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create", name);
}

Handle open_group(const Handle& parent, const std::string& name) {
  return Handle(H5Gopen2(parent.id(), name.c_str(), H5P_DEFAULT), "open", name);
}

Handle open_dataset(const Handle& parent, const std::string& name) {
  return Handle(H5Dopen2(parent.id(), name.c_str(), H5P_DEFAULT), "open", name);
}

}  // namespace lacuna::hdf5
