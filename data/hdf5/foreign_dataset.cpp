#include "data/hdf5/foreign_dataset.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "data/hdf5/api.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"

namespace lacuna::hdf5 {
namespace {

constexpr std::size_t least_chunk_cache = std::size_t{64} << 20;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw InputError(fmt::format("dataset '{}' {}", name, why));
}

std::string class_name(H5T_class_t kind) {
  switch (kind) {
    case H5T_STRING:
      return "string";
    case H5T_BITFIELD:
      return "bitfield";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return "enumeration";
    case H5T_VLEN:
      return "variable-length";
    case H5T_ARRAY:
      return "array";
    default:
      return "non-standard number";
  }
}

/// Sign, exponent and mantissa without gaps, implied leading bit, exponent bias 2^(e-1) - 1.
bool is_ieee(hid_t type, std::size_t bits, std::size_t* exponent_bits) {
  std::size_t sign = 0;
  std::size_t exponent = 0;
  std::size_t mantissa = 0;
  std::size_t mantissa_bits = 0;
  if (H5Tget_fields(type, &sign, &exponent, exponent_bits, &mantissa, &mantissa_bits) < 0) return false;
  return H5Tget_norm(type) == H5T_NORM_IMPLIED && mantissa == 0 && exponent == mantissa_bits &&
         sign == exponent + *exponent_bits && sign + 1 == bits && *exponent_bits < 16 &&
         H5Tget_ebias(type) == (std::size_t{1} << (*exponent_bits - 1)) - 1;
}

ElementLayout element_layout(const Handle& dataset, const std::string& name) {
  const Handle type(H5Dget_type(dataset.id()), "describe", name);
  const H5T_class_t kind = H5Tget_class(type.id());
  ElementLayout layout;
  layout.bytes = static_cast<std::int64_t>(H5Tget_size(type.id()));
  layout.text = class_name(kind);
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) return layout;

  const std::size_t bits = H5Tget_size(type.id()) * 8;
  const H5T_order_t order = H5Tget_order(type.id());
  if (H5Tget_precision(type.id()) != bits || H5Tget_offset(type.id()) != 0) return layout;
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return layout;
  layout.big_endian = order == H5T_ORDER_BE;
  if (kind == H5T_INTEGER) {
    if (bits > 64) return layout;
    layout.kind = ElementLayout::Kind::integer;
    layout.is_signed = H5Tget_sign(type.id()) == H5T_SGN_2;
    layout.text = fmt::format("{}int{}", layout.is_signed ? "" : "u", bits);
  } else if (std::size_t exponent_bits = 0; is_ieee(type.id(), bits, &exponent_bits)) {
    layout.kind = ElementLayout::Kind::ieee_float;
    layout.exponent_bits = static_cast<std::int64_t>(exponent_bits);
    layout.text = fmt::format("{}{}", bits == 16 && exponent_bits == 8 ? "bfloat" : "float", bits);
  }
  return layout;
}

void check_filters(const Handle& creation, const std::string& name) {
  const auto filters = checked(H5Pget_nfilters(creation.id()), "describe", name);
  for (std::int64_t i = 0; i < filters; ++i) {
    unsigned flags = 0;
    std::size_t parameters = 0;
    std::array<char, 64> text{};
    const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags, &parameters, nullptr,
                                               text.size() - 1, text.data(), nullptr);
    const bool is_own = filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE ||
                        filter == H5Z_FILTER_FLETCHER32 || filter == H5Z_FILTER_SZIP || filter == H5Z_FILTER_NBIT ||
                        filter == H5Z_FILTER_SCALEOFFSET;
    if (!is_own || H5Zfilter_avail(filter) <= 0)
      refuse(name, fmt::format("is stored through filter {} '{}', which is not one of the HDF5 library's own",
                               static_cast<int>(filter), text.data()));
  }
}

/// Bytes of the whole dataset; throws when the number overflows.
std::int64_t total_bytes(const ForeignDataset& dataset) {
  std::int64_t total = dataset.element.bytes;
  for (const std::int64_t extent : dataset.extents)
    if (__builtin_mul_overflow(total, extent, &total)) refuse(dataset.name, "has more elements than can be counted");
  return total;
}

void check_chunks(const ForeignDataset& dataset, const Handle& creation) {
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const auto rank = checked(H5Pget_chunk(creation.id(), H5S_MAX_RANK, chunk.data()), "describe", dataset.name);
  if (rank != static_cast<std::int64_t>(dataset.extents.size())) refuse(dataset.name, "has chunks of another rank");
  hsize_t expected = 1;
  for (std::size_t i = 0; i < dataset.extents.size(); ++i) {
    if (chunk[i] == 0) refuse(dataset.name, "has chunks of size 0");
    const auto extent = static_cast<hsize_t>(dataset.extents[i]);
    expected *= extent / chunk[i] + (extent % chunk[i] != 0 ? 1 : 0);
  }
  const Handle space(H5Dget_space(dataset.handle.id()), "describe", dataset.name);
  hsize_t written = 0;
  checked(H5Dget_num_chunks(dataset.handle.id(), space.id(), &written), "count the chunks of", dataset.name);
  if (written != expected)
    refuse(dataset.name, fmt::format("claims {} chunks and the file holds {}", expected, written));
}

void check_storage(const ForeignDataset& dataset, std::int64_t file_bytes) {
  const std::string& name = dataset.name;
  const std::int64_t claimed = total_bytes(dataset);
  const Handle creation(H5Dget_create_plist(dataset.handle.id()), "describe", name);
  if (checked(H5Pget_external_count(creation.id()), "describe", name) > 0) refuse(name, "is stored in other files");
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_VIRTUAL) refuse(name, "is a virtual dataset: its values are in other places");
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
    refuse(name, "has an unknown storage layout");
  check_filters(creation, name);
  if (claimed == 0 || layout == H5D_COMPACT) return;
  if (layout == H5D_CHUNKED) return check_chunks(dataset, creation);

  const haddr_t offset = H5Dget_offset(dataset.handle.id());
  const hsize_t stored = H5Dget_storage_size(dataset.handle.id());
  const auto available = static_cast<hsize_t>(file_bytes);
  if (offset == HADDR_UNDEF) refuse(name, "was never written");
  if (stored < static_cast<hsize_t>(claimed) || offset > available || stored > available - offset)
    refuse(name,
           fmt::format("claims {} bytes at offset {}, beyond the {} bytes of the file", claimed, offset, file_bytes));
}

/// Reopens the dataset so that any one chunk fits its cache: it would be decoded again for every block of rows.
void enlarge_cache(const Handle& file, ForeignDataset& dataset) {
  const Handle creation(H5Dget_create_plist(dataset.handle.id()), "describe", dataset.name);
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return;
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = H5Pget_chunk(creation.id(), H5S_MAX_RANK, chunk.data());
  auto bytes = static_cast<std::size_t>(dataset.element.bytes);
  for (int i = 0; i < rank; ++i) bytes *= chunk[static_cast<std::size_t>(i)];  // below 4 GiB: the format's limit
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), "prepare", dataset.name);
  constexpr std::size_t slots = 10007;
  checked(H5Pset_chunk_cache(access.id(), slots, std::max(bytes, least_chunk_cache), H5D_CHUNK_CACHE_W0_DEFAULT),
          "prepare", dataset.name);
  dataset.handle = Handle();
  dataset.handle = Handle(H5Dopen2(file.id(), dataset.name.c_str(), access.id()), "open", dataset.name);
}

}  // namespace

std::optional<ForeignDataset> open_foreign_dataset(const Handle& file, const std::string& name,
                                                   std::int64_t file_bytes) {
  switch (link_kind(file, name)) {
    case LinkKind::none:
      return std::nullopt;
    case LinkKind::dataset:
      break;
    case LinkKind::group:
      refuse(name, "is a group");
    case LinkKind::other_object:
      refuse(name, "is not a dataset");
    case LinkKind::soft_link:
      refuse(name, "is a soft link; the data must stand under their own name");
    case LinkKind::external_link:
      refuse(name, "is a link to another file");
    case LinkKind::user_defined_link:
      refuse(name, "is a user-defined link");
  }
  ForeignDataset dataset;
  dataset.handle = open_dataset(file, name);
  dataset.name = name;
  dataset.extents = extents_of(dataset.handle, name);
  dataset.element = element_layout(dataset.handle, name);
  check_storage(dataset, file_bytes);
  enlarge_cache(file, dataset);
  return dataset;
}

void read_stored_slab(const ForeignDataset& dataset, std::span<const std::int64_t> start,
                      std::span<const std::int64_t> count, void* values) {
  const Handle type(H5Dget_type(dataset.handle.id()), "describe", dataset.name);
  const std::vector<hsize_t> from(start.begin(), start.end());
  const std::vector<hsize_t> size(count.begin(), count.end());
  const Handle file(H5Dget_space(dataset.handle.id()), "describe", dataset.name);
  const Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), "describe", dataset.name);
  checked(H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, from.data(), nullptr, size.data(), nullptr), "select in",
          dataset.name);
  checked(H5Dread(dataset.handle.id(), type.id(), memory.id(), file.id(), H5P_DEFAULT, values), "read", dataset.name);
}

std::vector<std::int64_t> read_integers(const ForeignDataset& dataset) {
  LACUNA_ASSERT(dataset.element.kind == ElementLayout::Kind::integer);
  std::vector<std::int64_t> values(total_bytes(dataset) / dataset.element.bytes);
  const bool can_exceed = !dataset.element.is_signed && dataset.element.bytes == 8;
  const hid_t type = can_exceed ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
  checked(H5Dread(dataset.handle.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read", dataset.name);
  for (std::size_t i = 0; can_exceed && i < values.size(); ++i)
    if (values[i] < 0)  // the bits of an unsigned number of 2^63 or more
      refuse(dataset.name,
             fmt::format("holds {} at index {}, beyond the range of int64", static_cast<std::uint64_t>(values[i]), i));
  return values;
}

}  // namespace lacuna::hdf5
