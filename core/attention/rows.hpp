// Rows of numbers in the two element types that stored tensors are widened to without loss: f16, bf16 and f32 become
// float, f64 stays double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/error.hpp"

namespace lacuna {

using Index = std::int64_t;     ///< sizes and positions
using RowIndex = std::int32_t;  ///< index of a cached row

/// A view of rows: base[i * stride + c], 0 <= i < rows, 0 <= c < width. Rows from `split` on, if any, lie in a second
/// place.
template <class T>
struct TypedRows {
  const T* base = nullptr;  // [min(rows, split), width], stride in elements
  Index rows = 0;
  Index width = 0;
  Index stride = 0;
  Index split = std::numeric_limits<Index>::max();
  const T* tail = nullptr;  // [rows - split, width], of the same stride
  const T* row(Index i) const { return i < split ? base + i * stride : tail + (i - split) * stride; }
};

/// The same, of either element type; `visit` gives the typed view to a generic lambda.
class Rows {
 public:
  Rows() = default;
  template <class T>
  Rows(TypedRows<T> rows) : view_(rows) {}  // NOLINT(google-explicit-constructor): a view of a view

  Index rows() const {
    return std::visit([](const auto& v) { return v.rows; }, view_);
  }
  Index width() const {
    return std::visit([](const auto& v) { return v.width; }, view_);
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(f, view_);
  }
  /// The first `count` rows, then rows [begin, begin + more) of `second`, which has the same type and stride.
  Rows followed_by(Index count, const Rows& second, Index begin, Index more) const {
    return visit([&]<class T>(TypedRows<T> v) {
      const TypedRows<T>& then = std::get<TypedRows<T>>(second.view_);
      LACUNA_ASSERT(v.stride == then.stride && v.width == then.width);
      v.split = count;
      v.tail = then.base + begin * then.stride;
      v.rows = count + more;
      return Rows(v);
    });
  }
  /// The first `count` channels of every row.
  Rows channels(Index count) const {
    return visit([&](auto v) {
      v.width = count;
      return Rows(v);
    });
  }
  double at(Index i, Index c) const {
    return visit([&](const auto& v) { return static_cast<double>(v.row(i)[c]); });
  }

 private:
  std::variant<TypedRows<float>, TypedRows<double>> view_;
};

/// A tensor [outer, rows, width], dense and row-major, of either element type; owned, or a view of doubles that live
/// elsewhere.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Index outer, Index rows, Index width, std::vector<float> data)
      : Tensor(outer, rows, width, Data(std::move(data))) {}
  Tensor(Index outer, Index rows, Index width, std::vector<double> data)
      : Tensor(outer, rows, width, Data(std::move(data))) {}

  static Tensor view(Index outer, Index rows, Index width, std::span<const double> data) {
    return Tensor(outer, rows, width, Data(data));
  }

  Index outer() const { return outer_; }
  Index rows() const { return rows_; }
  Index width() const { return width_; }
  bool empty() const { return outer_ * rows_ * width_ == 0; }

  /// The rows of one outer index (a head, a KV head).
  Rows operator[](Index i) const {
    return std::visit(
        [&](const auto& data) {
          using T = std::remove_const_t<typename std::remove_cvref_t<decltype(data)>::value_type>;
          return Rows(TypedRows<T>{data.data() + i * rows_ * width_, rows_, width_, width_});
        },
        data_);
  }

 private:
  using Data = std::variant<std::vector<float>, std::vector<double>, std::span<const double>>;
  Tensor(Index outer, Index rows, Index width, Data data)
      : outer_(outer), rows_(rows), width_(width), data_(std::move(data)) {
    const auto size = std::visit([](const auto& d) { return static_cast<Index>(d.size()); }, data_);
    LACUNA_ASSERT(size == outer * rows * width);
  }

  Index outer_ = 0;
  Index rows_ = 0;
  Index width_ = 0;
  Data data_;
};

}  // namespace lacuna
