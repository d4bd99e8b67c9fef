#include "experiments/harness/journal_record.hpp"

#include <cstring>

namespace lacuna {
namespace {

enum class Tag : std::uint8_t { unit_begin = 1, slab = 2, unit_end = 3, seal = 4 };

template <class T>
void put(std::string& records, T value) {
  records.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& records, std::string_view text) {
  put(records, static_cast<std::uint64_t>(text.size()));
  records.append(text);
}

/// Takes values off the front; `sound` becomes false where too few bytes are left.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : all_(bytes.size()), left_(bytes) {}
  std::string_view bytes(std::uint64_t count) {
    if (!sound_ || count > left_.size()) {
      sound_ = false;
      return {};
    }
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  template <class T>
  T number() {
    T value{};
    if (const std::string_view taken = bytes(sizeof value); sound_) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  std::string_view text() { return bytes(number<std::uint64_t>()); }
  std::vector<std::int64_t> numbers(std::size_t count) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < count && sound_; ++i) values.push_back(number<std::int64_t>());
    return values;
  }
  bool sound() const { return sound_; }
  bool done() const { return left_.empty(); }
  std::size_t taken() const { return all_ - left_.size(); }

 private:
  std::size_t all_;
  std::string_view left_;
  bool sound_ = true;
};

}  // namespace

void append_unit_begin(std::string& records, std::string_view key) {
  put(records, Tag::unit_begin);
  put_text(records, key);
}

void append_slab(std::string& records, std::string_view path, hdf5::NumberType type,
                 std::span<const std::int64_t> start, std::span<const std::int64_t> count, std::string_view values) {
  put(records, Tag::slab);
  put_text(records, path);
  put(records, static_cast<std::uint8_t>(type));
  put(records, static_cast<std::uint8_t>(start.size()));
  for (const std::int64_t x : start) put(records, x);
  for (const std::int64_t x : count) put(records, x);
  put_text(records, values);
}

void append_unit_end(std::string& records) { put(records, Tag::unit_end); }

void append_seal(std::string& records, std::string_view data_sha256) {
  put(records, Tag::seal);
  put_text(records, data_sha256);
}

bool visit_records(std::string_view records, const RecordVisitor& visitor) {
  Taker taker(records);
  while (!taker.done()) {
    switch (static_cast<Tag>(taker.number<std::uint8_t>())) {
      case Tag::unit_begin: {
        const std::string_view key = taker.text();
        if (taker.sound() && visitor.unit_begin) visitor.unit_begin(key, taker.taken());
        break;
      }
      case Tag::slab: {
        Slab slab;
        slab.path = taker.text();
        slab.type = static_cast<hdf5::NumberType>(taker.number<std::uint8_t>());
        const auto rank = taker.number<std::uint8_t>();
        slab.start = taker.numbers(rank);
        slab.count = taker.numbers(rank);
        slab.values = taker.text();
        if (taker.sound() && visitor.slab) visitor.slab(slab);
        break;
      }
      case Tag::unit_end:
        if (taker.sound() && visitor.unit_end) visitor.unit_end(taker.taken());
        break;
      case Tag::seal: {
        const std::string_view digest = taker.text();
        if (taker.sound() && visitor.seal) visitor.seal(digest);
        break;
      }
      default:
        return false;
    }
    if (!taker.sound()) return false;
  }
  return true;
}

}  // namespace lacuna
