#include "core/approx/store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "core/format/hadamard.hpp"

namespace lacuna {
namespace {

/// x rounded up to float.
float raised_to_float(double x) {
  const auto nearest = static_cast<float>(x);
  return static_cast<double>(nearest) >= x ? nearest : std::nextafter(nearest, std::numeric_limits<float>::infinity());
}

const FormatKind& format_of(const Parameters& path, const char* key) {
  const char* given = path.has(key) ? key : "store";
  return FormatRegistry::instance().at(path.has(given) ? path.text(given) : "exact");
}

/// Of local rows: "store_local", or what the cached rows take.
const FormatKind& local_format_of(const Parameters& path, const char* key) {
  return path.has("store_local") ? FormatRegistry::instance().at(path.text("store_local")) : format_of(path, key);
}

/// The shape of a row as the format sees it; the exact tail is left out where the format takes none.
RowShape shape_of(const Parameters& path, const FormatKind& format, Index width) {
  return {
      .width = width, .exact_tail = format.takes_exact_tail ? path.integer("store_exact_tail") : 0, .source_bytes = 8};
}

/// The layer's queries: a view of them where they are doubles, else a copy.
Tensor queries_in_double(const AttentionProblem& layer) {
  const Index size = layer.h_q() * layer.s_q() * layer.d_qk();
  return layer.queries(0).visit([&]<class T>(const TypedRows<T>& first) {
    const std::span<const T> all(first.base, static_cast<std::size_t>(size));
    if constexpr (std::is_same_v<T, double>)
      return Tensor::view(layer.h_q(), layer.s_q(), layer.d_qk(), all);
    else
      return Tensor(layer.h_q(), layer.s_q(), layer.d_qk(), std::vector<double>(all.begin(), all.end()));
  });
}

std::optional<std::string> check_rows(const Parameters& path, const FormatKind& format, Index width) {
  const Index rotate = path.integer("store_rotate");
  if (rotate > 0 && width % rotate != 0)
    return fmt::format("width {} is not divisible by store_rotate = {}", width, rotate);
  if (format.code_bits == 0) return std::nullopt;
  return format.check(shape_of(path, format, width));
}

}  // namespace

StoredTensor::StoredTensor(const FormatKind& format, const RowShape& shape, Index rotate, Index exact_element_bytes,
                           Index heads, Index rows)
    : format_(format),
      shape_(shape),
      rotate_(rotate),
      exact_element_bytes_(exact_element_bytes),
      rows_(rows),
      decoded_(heads * rows * shape.width, std::numeric_limits<double>::quiet_NaN()),
      bound_(decoded_.size(), 0.0F),
      norm_bound_(heads * rows, 0.0),
      saturated_(heads * rows, 0),
      flushed_(heads * rows, 0) {}

Index StoredTensor::append(Index head, const Rows& exact, Index begin, Index end) {
  const Index group = format_.rows_per_group;
  const Index first = keeps_everything() ? begin : begin / group * group;  // a group that now becomes complete
  for (Index j = encoded_rows(end); j < end; ++j)
    if (j >= begin) keep_exact(head, exact, j);
  for (Index j = first; j + group <= encoded_rows(end); j += group) encode_group(head, exact, j);
  return first;
}

void StoredTensor::keep_exact(Index head, const Rows& exact, Index j) {
  for (Index c = 0; c < shape_.width; ++c) decoded_[(head * rows_ + j) * shape_.width + c] = exact.at(j, c);
}

void StoredTensor::encode_group(Index head, const Rows& exact, Index first) {
  const Index group = format_.rows_per_group;
  const Index width = shape_.width;
  std::vector<double> rows(group * width);
  for (Index r = 0; r < group; ++r)
    for (Index c = 0; c < width; ++c) rows[r * width + c] = exact.at(first + r, c);
  const auto rotate = [&](std::vector<double>& x) {
    if (rotate_ == 0) return;
    for (Index at = 0; at < group * width; at += rotate_) hadamard(std::span<double>(x).subspan(at, rotate_));
  };
  // what the rotations there and back can add in double
  double rotation_error = 0;
  if (rotate_ > 0) {
    double largest = 0;
    for (const double x : rows) largest = std::max(largest, std::abs(x));
    rotation_error = 16 * static_cast<double>(rotate_) * 0x1p-53 * largest;
  }

  rotate(rows);
  std::vector<std::byte> stored(format_.group_bytes(shape_));
  std::vector<double> amax(std::max<Index>(format_.codec->blocks(shape_), 1));
  const Index place = head * rows_ + first;
  format_.encode(shape_, rows.data(), stored.data(), {&saturated_[place], &flushed_[place], amax.data()});
  std::vector<double> bound(group * width);
  format_.codec->error_bound(shape_, stored.data(), amax.data(), bound.data());
  format_.codec->decode(shape_, stored.data(), rows.data());
  rotate(rows);

  std::copy(rows.begin(), rows.end(), decoded_.begin() + place * width);
  for (Index r = 0; r < group; ++r) {
    double square = 0;
    for (Index c = 0; c < width; ++c) square += bound[r * width + c] * bound[r * width + c];
    norm_bound_[place + r] =
        (std::sqrt(square) + std::sqrt(static_cast<double>(width)) * rotation_error) * (1 + 0x1p-40);
    for (Index at = 0; rotate_ > 0 && at < width; at += rotate_) {  // each element by the whole block's bounds
      double sum = 0;
      for (Index c = at; c < at + rotate_; ++c) sum += bound[r * width + c];
      std::fill_n(bound.begin() + r * width + at, rotate_,
                  sum / std::sqrt(static_cast<double>(rotate_)) + rotation_error);
    }
    for (Index c = 0; c < width; ++c)
      bound_[(place + r) * width + c] = raised_to_float(bound[r * width + c] * (1 + 0x1p-40));
  }
}

StoredRowView StoredTensor::row(Index head, Index j) const {
  const Index place = head * rows_ + j;
  return {decoded_.data() + place * shape_.width, bound_.data() + place * shape_.width, norm_bound_[place],
          saturated_[place], flushed_[place]};
}

Index StoredTensor::bytes(Index rows) const {
  const Index encoded = encoded_rows(rows);
  const Index groups = encoded / format_.rows_per_group;
  return (groups > 0 ? groups * format_.group_bytes(shape_) : 0) + (rows - encoded) * exact_row_bytes();
}

Index StoredTensor::bytes_read(const KeySet& keys, Index visible) const {
  const Index encoded = encoded_rows(visible);
  const StoredBytes group = encoded > 0 ? format_.codec->bytes(shape_) : StoredBytes{};
  Index total = 0;
  Index last_group = -1;
  for (const RowIndex key : keys) {
    if (key >= encoded) {
      total += exact_row_bytes();
      continue;
    }
    total += (group.codes + group.tail) / format_.rows_per_group;
    if (key / format_.rows_per_group != last_group) total += group.scales;
    last_group = key / format_.rows_per_group;
  }
  return total;
}

bool StoredCache::wanted(const Parameters& path) {
  return path.has("store") || path.has("store_k") || path.has("store_v") || path.has("store_local");
}

std::optional<ParameterFault> StoredCache::check(const Parameters& path, Index d_qk, Index d_v, bool shared_kv,
                                                 bool has_local) {
  if (!wanted(path)) return std::nullopt;
  if (path.has("store_local") && !has_local) return ParameterFault{"store_local", "this source has no local rows"};
  if (shared_kv && (path.has("store_k") || path.has("store_v")))
    return ParameterFault{path.has("store_k") ? "store_k" : "store_v",
                          "K = V is one shared state here: give `store` alone"};
  const auto fault = [&](const char* key, const FormatKind& format, const char* fallback,
                         Index width) -> std::optional<ParameterFault> {
    if (const auto why = check_rows(path, format, width)) return ParameterFault{path.has(key) ? key : fallback, *why};
    return std::nullopt;
  };
  if (const auto found = fault("store_k", format_of(path, "store_k"), "store", d_qk)) return found;
  if (has_local)
    if (const auto found = fault("store_local", local_format_of(path, "store_k"), "store", d_qk)) return found;
  if (shared_kv) return std::nullopt;
  if (const auto found = fault("store_v", format_of(path, "store_v"), "store", d_v)) return found;
  return has_local ? fault("store_local", local_format_of(path, "store_v"), "store", d_v) : std::nullopt;
}

StoredCache::StoredCache(const Parameters& path, const AttentionProblem& layer) {
  const auto tensor = [&](const FormatKind& format, Index width, Index rows) {
    return std::make_unique<StoredTensor>(format, shape_of(path, format, width), path.integer("store_rotate"),
                                          layer.stored_element_bytes, layer.h_kv(), rows);
  };
  const auto view = [&](const StoredTensor& stored, Index width, Index rows) {
    return Tensor::view(layer.h_kv(), rows, width, stored.decoded());
  };
  keys_ = tensor(format_of(path, "store_k"), layer.d_qk(), layer.s_kv());
  layer_.k = view(*keys_, layer.d_qk(), layer.s_kv());
  if (!layer.shared_kv()) {
    values_ = tensor(format_of(path, "store_v"), layer.d_v(), layer.s_kv());
    layer_.v = view(*values_, layer.d_v(), layer.s_kv());
  }
  const Index tokens = layer.local.k.rows();
  if (tokens > 0) {
    local_keys_ = tensor(local_format_of(path, "store_k"), layer.d_qk(), tokens);
    layer_.local.k = view(*local_keys_, layer.d_qk(), tokens);
    layer_.local.window = layer.local.window;
    if (!layer.shared_kv()) {
      local_values_ = tensor(local_format_of(path, "store_v"), layer.d_v(), tokens);
      layer_.local.v = view(*local_values_, layer.d_v(), tokens);
    }
  }
  layer_.q = queries_in_double(layer);  // as the decoded keys are
  layer_.value_channels = layer.value_channels;
  layer_.query_position = layer.query_position;
  layer_.key_position = layer.key_position;
  layer_.sink_logit = layer.sink_logit;
  layer_.sm_scale = layer.sm_scale;
  layer_.stored_element_bytes = layer.stored_element_bytes;
}

Index StoredCache::append(const AttentionProblem& layer, Index begin, Index end) {
  Index first = begin;
  for (Index head = 0; head < layer.h_kv(); ++head) {
    first = std::min(first, keys_->append(head, layer.keys(head), begin, end));
    if (values_) first = std::min(first, values_->append(head, layer.values(head), begin, end));
  }
  return first;
}

void StoredCache::append_local(const AttentionProblem& layer, const SeenRows& seen) {
  if (seen.local == 0) return;
  const Index begin = std::max(local_end_, seen.local_begin);
  const Index end = seen.local_begin + seen.local;
  for (Index head = 0; head < layer.h_kv(); ++head) {
    local_keys_->append(head, layer.local_keys(head), begin, end);
    if (local_values_) local_values_->append(head, layer.local_values(head), begin, end);
  }
  local_end_ = end;
}

Index StoredCache::local_bytes_read(Index rows) const {
  return (local_keys_ ? local_keys_->bytes(rows) : 0) + (local_values_ ? local_values_->bytes(rows) : 0);
}

std::vector<ParameterSpec> store_parameters() {
  using enum ParameterType;
  std::vector<std::string> formats;
  for (const FormatKind& kind : FormatRegistry::instance().kinds()) formats.push_back(kind.name);
  return {
      {.key = "store",
       .type = text,
       .choices = formats,
       .sentence = "Format in which K and V are kept. Unset: exactly, as the source has them."},
      {.key = "store_k", .type = text, .choices = formats, .sentence = "Format of K alone, in place of `store`."},
      {.key = "store_v", .type = text, .choices = formats, .sentence = "Format of V alone, in place of `store`."},
      {.key = "store_local",
       .type = text,
       .choices = formats,
       .sentence = "Format of the local rows of recent tokens, where the source has such. Unset: as the cached rows."},
      {.key = "store_rotate",
       .type = integer,
       .unit = "channels",
       .minimum = 0,
       .maximum = 65536,
       .default_value = std::int64_t{0},
       .sentence = "Channels (a power of two) that a Hadamard matrix mixes before they are stored; 0: none."},
      {.key = "store_exact_tail",
       .type = integer,
       .unit = "channels",
       .minimum = 0,
       .maximum = 65536,
       .default_value = std::int64_t{0},
       .sentence = "Last channels kept as bf16 beside the codes (the RoPE part of a latent), by formats that have such "
                   "a tail."},
  };
}

}  // namespace lacuna
