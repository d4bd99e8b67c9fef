#include "data/tokens/token_file.hpp"

#include <gtest/gtest.h>

#include "data/temporary_directory.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {
namespace {

using Rows = std::vector<std::vector<Index>>;

class TextFile {
 public:
  explicit TextFile(const std::string& text) { write_bytes(name(), text); }
  std::string name() const { return directory_ / "tokens.txt"; }

 private:
  TemporaryDirectory directory_;
};

Rows read(const std::string& text, Index most = 100) { return read_token_file(TextFile(text).name(), most); }

std::string refusal(const std::string& text, Index most = 100) {
  const TextFile file(text);
  const std::string message = message_of<InputError>([&] { read_token_file(file.name(), most); });
  EXPECT_TRUE(message.starts_with(file.name())) << message;
  return message.substr(std::min(file.name().size(), message.size()));
}

/// An HDF5 file with one dataset of int32.
struct Hdf5File {
  Hdf5File(const std::string& name, const std::vector<hsize_t>& extents, const std::vector<std::int32_t>& values) {
    TraceWriter writer(file());
    writer.dataset(name, H5Tcopy(H5T_STD_I32LE), extents,
                   std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int32_t)));
  }
  std::string file() const { return directory / "tokens.h5"; }
  TemporaryDirectory directory;
};

TEST(TokenFile, HasOneSequenceALine) {
  EXPECT_EQ(read("3 1 4\n1 5 9\n"), (Rows{{3, 1, 4}, {1, 5, 9}}));
  EXPECT_EQ(read("# Genesis\n\n  3\t1  4 # the first\r\n\n1 5 9"), (Rows{{3, 1, 4}, {1, 5, 9}}));
  EXPECT_EQ(read("0"), (Rows{{0}}));
}

TEST(TokenFile, IsCutAfterSoManyTokens) {
  EXPECT_EQ(read("3 1 4 1\n5 9 2\n", 3), (Rows{{3, 1, 4}, {5, 9, 2}}));
  EXPECT_EQ(read("3 1 4 1\n5 9 2\n", 1), (Rows{{3}, {5}}));
  const Hdf5File file("tokens", {2, 3}, {3, 1, 4, 1, 5, 9});
  EXPECT_EQ(read_token_file(file.file(), 2), (Rows{{3, 1}, {1, 5}}));
}

TEST(TokenFile, MayBeADatasetOfSequences) {
  const Hdf5File file("tokens", {2, 3}, {3, 1, 4, 1, 5, 9});
  EXPECT_EQ(read_token_file(file.file(), 100), (Rows{{3, 1, 4}, {1, 5, 9}}));
}

TEST(TokenFileFaults, NameLineAndWord) {
  EXPECT_EQ(refusal("3 1\n4 x1\n"), ":2: 'x1' is not a token id");
  EXPECT_EQ(refusal("3 1\n\n4 -1\n"), ":3: '-1' is not a token id");
  EXPECT_EQ(refusal("3 1.5\n"), ":1: '1.5' is not a token id");
  EXPECT_EQ(refusal("3, 1\n"), ":1: '3,' is not a token id");
  EXPECT_EQ(refusal("9223372036854775808\n"), ":1: '9223372036854775808' is not a token id");
  EXPECT_EQ(refusal("3 1 4\n1 5\n"),
            ":2: 2 tokens, of at most 100 that are read; line 1 has 3: give a smaller source.n");
  EXPECT_EQ(refusal(""), ": no token ids are in it");
  EXPECT_EQ(refusal("# only this\n"), ": no token ids are in it");
  EXPECT_EQ(refusal(std::string("3 \0 4", 5)), ": neither HDF5 nor a text of token ids: it holds a byte 0");
}

TEST(TokenFileFaults, NameTheDataset) {
  const auto refused = [](const Hdf5File& file) {
    const std::string message = message_of<InputError>([&] { read_token_file(file.file(), 100); });
    EXPECT_TRUE(message.starts_with(file.file() + ": ")) << message;
    return message.substr(std::min(file.file().size() + 2, message.size()));
  };
  EXPECT_EQ(refused(Hdf5File("token", {1, 2}, {3, 1})), "dataset 'tokens' is missing");
  EXPECT_EQ(refused(Hdf5File("tokens", {2}, {3, 1})), "dataset 'tokens' has shape [2]; expected [sequence, position]");
  EXPECT_EQ(refused(Hdf5File("tokens", {0, 2}, {})),
            "dataset 'tokens' has shape [0, 2]; expected [sequence, position]");
  EXPECT_EQ(refused(Hdf5File("tokens", {2, 2}, {3, 1, 4, -1})), "dataset 'tokens' holds -1 at sequence 1, position 1");
  const TemporaryDirectory directory;
  {
    TraceWriter writer(directory / "tokens.h5");
    writer.tensor("tokens", {1, 2}, {3, 1}, "f32");
  }
  EXPECT_EQ(message_of<InputError>([&] { read_token_file(directory / "tokens.h5", 100); }),
            directory / "tokens.h5" + ": dataset 'tokens' has elements of type float32; expected an integer");
  write_bytes(directory / "cut.h5", read_bytes(directory / "tokens.h5").substr(0, 200));
  EXPECT_TRUE(message_of<InputError>([&] {
                read_token_file(directory / "cut.h5", 100);
              }).starts_with(directory / "cut.h5" + ": "));
  EXPECT_EQ(message_of<InputError>([&] { read_token_file(directory / "none", 100); }),
            directory / "none" + ": No such file or directory");
}

}  // namespace
}  // namespace lacuna
