#include "core/model/cost/row_storage.hpp"

#include "core/base/suggestion.hpp"

namespace lacuna {
namespace {

constexpr Index kPlainElementBytes = 2;  // bf16 or f16

RowShape plain_shape(Index width) { return {.width = width, .source_bytes = 4}; }

}  // namespace

RowStorage::RowStorage(const std::string& name)
    : name_(name), layout_(RowLayoutRegistry::instance().find(name)), format_(FormatRegistry::instance().find(name)) {
  if (layout_ == nullptr && format_ == nullptr)
    throw UsageError(fmt::format("'{}' is neither a row layout nor a format{}", name, did_you_mean(name, names())));
}

std::vector<std::string> RowStorage::names() {
  std::vector<std::string> all;
  for (const RowLayout& layout : RowLayoutRegistry::instance().kinds()) all.push_back(layout.name);
  for (const FormatKind& format : FormatRegistry::instance().kinds()) all.push_back(format.name);
  return all;
}

std::optional<std::string> RowStorage::check(Index width) const {
  if (layout_ == nullptr) return format_->check(plain_shape(width));
  if (layout_->shape.width == width) return std::nullopt;
  return fmt::format("{} stores rows of {} channels, and these have {}", name_, layout_->shape.width, width);
}

RowBytes RowStorage::row(Index width) const {
  if (layout_ != nullptr)
    return {.total = layout_->row_bytes(), .scales = layout_->kind().codec->bytes(layout_->shape).scales};
  const StoredBytes group = format_->codec->bytes(plain_shape(width));
  return {.total = Rational(group.total(), format_->rows_per_group),
          .scales = Rational(group.scales, format_->rows_per_group)};
}

RowBytes RowStorage::rows(Index rows, Index width) const {
  const Index per_group = layout_ != nullptr ? layout_->kind().rows_per_group : format_->rows_per_group;
  const Index encoded = rows / per_group * per_group;
  const RowBytes one = row(width);
  return {.total = one.total * encoded + Rational((rows - encoded) * width * kPlainElementBytes),
          .scales = one.scales * encoded};
}

}  // namespace lacuna
