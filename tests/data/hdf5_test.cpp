// The layer over the HDF5 library.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "data/hdf5/attribute.hpp"
#include "data/hdf5/checksummed_chunk.hpp"
#include "data/hdf5/dataset.hpp"
#include "data/hdf5/error.hpp"
#include "data/hdf5/file.hpp"
#include "data/hdf5/utf8.hpp"
#include "data/temporary_directory.hpp"

namespace lacuna::hdf5 {
namespace {

constexpr const char* replacement = "\xEF\xBF\xBD";

TEST(Utf8, ValidTextStaysAsItIs) {
  for (const std::string text : {"", "plain", "é", "β≤", "\xF0\x9F\x99\x82", "\xF4\x8F\xBF\xBF", "a\tb\n"})
    EXPECT_EQ(printable_utf8(text), text);
}

TEST(Utf8, EveryByteOutsideAValidSequenceIsReplaced) {
  EXPECT_EQ(printable_utf8("a\xFFz"), std::string("a") + replacement + "z");
  EXPECT_EQ(printable_utf8(std::string("a\0b", 3)), std::string("a") + replacement + "b");
  EXPECT_EQ(printable_utf8("\xC3"), replacement);                                                   // cut short
  EXPECT_EQ(printable_utf8("\xC0\x80"), std::string(replacement) + replacement);                    // overlong
  EXPECT_EQ(printable_utf8("\xED\xA0\x80"), std::string(replacement) + replacement + replacement);  // surrogate
  EXPECT_EQ(printable_utf8("\xF4\x90\x80\x80").size(), 4 * std::string(replacement).size());        // past U+10FFFF
  EXPECT_EQ(printable_utf8("\x80"
                           "a"),
            std::string(replacement) + "a");
}

/// As written in the HDF5 library's documentation: one word after the other.
std::uint32_t fletcher32_word_by_word(const std::vector<unsigned char>& data) {
  std::uint64_t sum_1 = 0;
  std::uint64_t sum_2 = 0;
  const auto fold = [](std::uint64_t x) {
    while (x > 0xFFFF) x = (x & 0xFFFF) + (x >> 16);
    return x;
  };
  for (std::size_t i = 0; i + 1 < data.size(); i += 2) {
    sum_1 = fold(sum_1 + (static_cast<std::uint64_t>(data[i]) << 8 | data[i + 1]));
    sum_2 = fold(sum_2 + sum_1);
  }
  return static_cast<std::uint32_t>(sum_2 << 16 | sum_1);
}

TEST(Fletcher32Twin, EqualsTheSumsWordByWord) {
  for (const std::size_t words : {0, 1, 2, 3, 5, 255, 256, 257, 511, 512, 513, 4096, 10007}) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<unsigned char> data(2 * words);
      for (std::size_t i = 0; i < data.size(); ++i) {
        const std::array<unsigned char, 4> byte{static_cast<unsigned char>(i * i * 31 + i / 7), 0, 0xFF,
                                                static_cast<unsigned char>(i + 1 == data.size() ? 1 : 0)};
        data[i] = byte[kind];
      }
      EXPECT_EQ(fletcher32(data.data(), data.size()), fletcher32_word_by_word(data))
          << words << " words, kind " << kind;
    }
  }
}

TEST(WholeChunks, AreSlabsOnTheGridWhoseChunksAreContiguous) {
  const auto whole = [](std::vector<std::int64_t> start, std::vector<std::int64_t> count,
                        std::vector<std::int64_t> chunk) { return is_made_of_whole_chunks(start, count, chunk); };
  EXPECT_TRUE(whole({0}, {8}, {4}));
  EXPECT_TRUE(whole({4}, {4}, {4}));
  EXPECT_FALSE(whole({2}, {4}, {4}));
  EXPECT_FALSE(whole({0}, {6}, {4}));
  EXPECT_FALSE(whole({0}, {0}, {4}));
  EXPECT_TRUE(whole({3, 0}, {2, 5}, {1, 5}));
  EXPECT_TRUE(whole({4, 0}, {4, 5}, {2, 5}));
  EXPECT_TRUE(whole({0, 0}, {3, 10}, {1, 5}));
  EXPECT_FALSE(whole({0, 0}, {2, 10}, {2, 5}));  // the rows of a chunk are apart
  EXPECT_FALSE(whole({}, {}, {}));
}

TEST(WholeChunksTwin, ReadAsWhatTheLibraryWrites) {
  const TemporaryDirectory directory;
  const std::vector<std::int64_t> extents{3, 7, 10};
  const std::vector<std::int64_t> chunk{1, 2, 5};  // the last row of chunks sticks out of the dataset
  std::vector<double> values(3 * 6 * 10);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  const std::vector<std::int64_t> start{0, 0, 0};
  const std::vector<std::int64_t> row{1, 2, 5};
  {
    Handle file = create_file(directory / "direct.h5");
    Handle direct = create_dataset(file, "direct", {.type = NumberType::f64, .extents = extents, .chunk = chunk});
    Handle library = create_dataset(file, "library", {.type = NumberType::f64, .extents = extents, .chunk = chunk});
    std::vector<std::byte> scratch;
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 6; j += 2) {
        for (std::int64_t k = 0; k < 10; k += 5) {
          const std::vector<std::int64_t> at{i, j, k};
          const double* block = values.data() + (i * 6 + j) * 10 + k * 2;
          write_whole_chunks(direct, "direct", 8, at, row, chunk, block, scratch);
          write_slab(library, "library", NumberType::f64, at, row, block);
        }
      }
    }
    direct.close("direct");
    library.close("library");
    close_file(file, "file");
  }
  const Handle file = open_file(directory / "direct.h5", OpenMode::read);
  std::vector<double> a(3 * 7 * 10);
  std::vector<double> b(a.size());
  read_slab(open_dataset(file, "direct"), "direct", NumberType::f64, start, extents, a.data());
  read_slab(open_dataset(file, "library"), "library", NumberType::f64, start, extents, b.data());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
  EXPECT_EQ(a[0], values[0]);
  EXPECT_TRUE(std::isnan(a[6 * 10]));  // never written: filled with NaN
}

TEST(Attributes, ReadAsWritten) {
  const TemporaryDirectory directory;
  const Handle file = create_file(directory / "attributes.h5");
  write_attribute(file, "text", std::string_view("é"));
  write_attribute(file, "empty", std::string_view());
  write_attribute(file, "integer", std::int64_t{1} << 40);
  write_attribute(file, "real", 0.1);
  write_attribute(file, "list", std::span<const double>());
  EXPECT_EQ(read_text_attribute(file, "text", 10), "é");
  EXPECT_EQ(read_text_attribute(file, "empty", 10), "");
  EXPECT_EQ(read_text_attribute(file, "absent", 10), std::nullopt);
  EXPECT_EQ(read_number_attribute(file, "integer"), 1099511627776.0);
  EXPECT_EQ(read_number_attribute(file, "real"), 0.1);
  EXPECT_THROW(read_text_attribute(file, "text", 1), InputError);
  EXPECT_THROW(read_text_attribute(file, "real", 10), InputError);
  EXPECT_THROW(read_number_attribute(file, "text"), InputError);
  EXPECT_THROW(read_number_attribute(file, "list"), InputError);
}

TEST(Attributes, AreReplacedByTheSameName) {
  const TemporaryDirectory directory;
  const Handle file = create_file(directory / "attributes.h5");
  write_attribute(file, "x", std::string_view("short"));
  write_attribute(file, "x", std::string_view("other"));
  EXPECT_EQ(read_text_attribute(file, "x", 100), "other");
  write_attribute(file, "x", std::string_view("a longer text"));
  EXPECT_EQ(read_text_attribute(file, "x", 100), "a longer text");
  write_attribute(file, "x", 2.0);
  EXPECT_EQ(read_number_attribute(file, "x"), 2.0);
}

TEST(Hdf5Error, HoldsTheLibrarysReason) {
  const TemporaryDirectory directory;
  write_bytes(directory / "text", "not HDF5 at all");
  const std::string message = message_of<Hdf5Error>([&] { open_file(directory / "text", OpenMode::read); });
  EXPECT_NE(message.find("file signature not found"), std::string::npos) << message;
  const std::string absent = message_of<Hdf5Error>([&] { open_file(directory / "absent", OpenMode::read); });
  EXPECT_NE(absent.find("No such file"), std::string::npos) << absent;
  EXPECT_EQ(absent.find("errno"), std::string::npos) << absent;
}

TEST(Files, CannotBeClosedWhileSomethingInThemIsOpen) {
  const TemporaryDirectory directory;
  Handle file = create_file(directory / "open.h5");
  const Handle group = create_group(file, "group");
  EXPECT_THROW(close_file(file, "open.h5"), Hdf5Error);
}

TEST(Links, AreToldApartAndSorted) {
  const TemporaryDirectory directory;
  const Handle file = create_file(directory / "links.h5");
  create_group(file, "b");
  create_texts(file, "a", {}, std::vector<std::string>{"text"});
  EXPECT_EQ(link_names(file, "/"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(link_kind(file, "a"), LinkKind::dataset);
  EXPECT_EQ(link_kind(file, "b"), LinkKind::group);
  EXPECT_EQ(link_kind(file, "c"), LinkKind::none);
}

}  // namespace
}  // namespace lacuna::hdf5
