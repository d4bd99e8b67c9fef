#include "data/base/sha256.hpp"

#include <gtest/gtest.h>

#include "data/temporary_directory.hpp"

namespace lacuna {
namespace {

std::string digest_of(const std::string& text) {
  Sha256 digest;
  digest.update(text.data(), text.size());
  return digest.hex();
}

// FIPS 180-4 examples.
TEST(Sha256Golden, MatchesThePublishedExamples) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  const std::string text(1000, 'x');
  Sha256 digest;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::min<std::size_t>(at % 7 + 1, text.size() - at);
    digest.update(text.data() + at, size);
    at += size;
  }
  EXPECT_EQ(digest.hex(), digest_of(text));
}

TEST(Sha256, FileDigestIsThatOfItsBytes) {
  const TemporaryDirectory directory;
  std::string bytes(3'000'001, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i);
  write_bytes(directory / "a file", bytes);
  EXPECT_EQ(file_sha256(directory / "a file"), digest_of(bytes));
  EXPECT_THROW(file_sha256(directory / "missing"), EnvironmentError);
  EXPECT_THROW(file_sha256(directory.path()), EnvironmentError);
}

}  // namespace
}  // namespace lacuna
