#include "data/hdf5/handle.hpp"

#include "data/hdf5/api.hpp"
#include "data/hdf5/error.hpp"

namespace lacuna::hdf5 {

Handle::Handle(std::int64_t id, std::string_view verb, std::string_view name) : id_(checked(id, verb, name)) {}

Handle::~Handle() {
  if (id_ >= 0) H5Idec_ref(id_);
}

void Handle::close(std::string_view name) {
  if (id_ < 0) return;
  const std::int64_t id = std::exchange(id_, -1);
  checked(H5Idec_ref(id), "close", name);
}

}  // namespace lacuna::hdf5
