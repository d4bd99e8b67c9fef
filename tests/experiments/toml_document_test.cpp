#include "experiments/harness/toml_document.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "experiments/harness/nesting.hpp"

namespace lacuna {
namespace {

class TomlFile {
 public:
  explicit TomlFile(const std::string& content, const std::string& name = "file.toml")
      : folder_(std::filesystem::path(testing::TempDir()) / ("toml_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    file_ = folder_ / name;
    std::ofstream(file_, std::ios::binary) << content;
  }
  ~TomlFile() { std::filesystem::remove_all(folder_); }
  const std::filesystem::path& path() const { return file_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

/// The error's message, with its code checked.
std::string usage_error(const std::filesystem::path& file) {
  try {
    read_toml(file);
  } catch (const UsageError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return {};
}

std::string error_of(const std::string& content) { return usage_error(TomlFile(content).path()); }

std::string repeated(const std::string& part, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += part;
  return result;
}

TEST(TomlDocument, KnowsWhereKeysAndValuesStand) {
  const TomlNode root = parse_toml("a = 1\n[t]\n  b = [2.5, \"x\"]\n", "f");
  const TomlNode::Table& table = *root.table();
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].key, "a");
  EXPECT_EQ(table[0].at, (Position{0, 1, 1}));
  EXPECT_EQ(std::get<std::int64_t>(table[0].node.value), 1);
  EXPECT_EQ(table[1].node.at, (Position{0, 2, 1}));
  const TomlEntry* b = find(*table[1].node.table(), "b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->at, (Position{0, 3, 3}));
  EXPECT_EQ((*b->node.array())[1].at, (Position{0, 3, 13}));
  EXPECT_EQ(std::get<double>((*b->node.array())[0].value), 2.5);
  EXPECT_EQ(*(*b->node.array())[1].text(), "x");
}

TEST(TomlDocument, KeepsTheOrderOfTheFile) {
  const TomlNode root = parse_toml("z = 1\na = true\nm = 2024-01-01\n", "f");
  const TomlNode::Table& table = *root.table();
  EXPECT_EQ(table[0].key, "z");
  EXPECT_EQ(table[1].key, "a");
  EXPECT_TRUE(std::holds_alternative<TomlNode::DateOrTime>(table[2].node.value));
}

TEST(TomlDocument, AcceptsByteOrderMarkAndCarriageReturns) {
  const TomlFile file(
      "\xEF\xBB\xBF"
      "a = 1\r\nb = 2\r\n");
  const TomlDocument document = read_toml(file.path());
  EXPECT_EQ(document.root.table()->size(), 2u);
  EXPECT_EQ((*document.root.table())[1].at, (Position{0, 2, 1}));
  EXPECT_EQ(document.text,
            "\xEF\xBB\xBF"
            "a = 1\r\nb = 2\r\n");
}

TEST(TomlDocument, ReadsAFileOfExactlyOneMebibyte) {
  const std::string start = "a = 1\n#";
  EXPECT_NO_THROW(read_toml(TomlFile(start + std::string((1 << 20) - start.size(), 'x')).path()));
}

TEST(TomlDocument, QuotesTextsSoThatTheyParseBack) {
  const std::string text = "a\"b\\c\n\t\x01 \xC3\xA9";
  const auto value = parse_toml_value(toml_string(text), 3);
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(*value->text(), text);
  EXPECT_EQ(value->at.setting, 3);
}

TEST(TomlDocument, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(shown("short"), "short");
  EXPECT_EQ(shown(std::string(79, 'x') + "\xC3\xA9"), std::string(79, 'x') + "...");
  EXPECT_EQ(shown("two\nlines"), "two\\u000Alines");
}

TEST(TomlValueFaults, OneValueOnlyIsOneValue) {
  EXPECT_TRUE(parse_toml_value("{ grid = [1, 2] }", 1).has_value());
  EXPECT_FALSE(parse_toml_value("1\nother = 2", 1).has_value());
  EXPECT_FALSE(parse_toml_value("gaussian", 1).has_value());
  EXPECT_FALSE(parse_toml_value("", 1).has_value());
  EXPECT_FALSE(parse_toml_value(repeated("[", 300) + repeated("]", 300), 1).has_value());
}

TEST(TomlDocumentFaults, RefusesAMissingFile) {
  EXPECT_EQ(usage_error(std::filesystem::path("/nonexistent/x.toml")),
            "/nonexistent/x.toml: error: No such file or directory");
}

TEST(TomlDocumentFaults, RefusesADirectory) {
  const TomlFile file("");
  EXPECT_EQ(usage_error(file.folder()), file.folder().string() + ": error: not a regular file but a directory");
}

TEST(TomlDocumentFaults, RefusesAPipeWithoutWaitingForItsWriter) {
  const TomlFile file("");
  const std::filesystem::path pipe = file.folder() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(usage_error(pipe), pipe.string() + ": error: not a regular file but a pipe");
}

TEST(TomlDocumentFaults, RefusesAnEndlessDevice) {
  EXPECT_EQ(usage_error(std::filesystem::path("/dev/zero")), "/dev/zero: error: not a regular file but a device");
}

TEST(TomlDocumentFaults, SeesThroughALinkToADevice) {
  const TomlFile file("");
  const std::filesystem::path link = file.folder() / "link.toml";
  std::filesystem::create_symlink("/dev/zero", link);
  EXPECT_EQ(usage_error(link), link.string() + ": error: not a regular file but a device");
}

TEST(TomlDocumentFaults, RefusesMoreThanOneMebibyte) {
  const TomlFile file("#" + std::string(1 << 20, 'x'));
  EXPECT_EQ(usage_error(file.path()), file.path().string() + ": error: larger than 1048576 bytes");
}

TEST(TomlDocumentFaults, ReportsAReadErrorAsOneOfTheEnvironment) {
  // a regular file by its mode, whose first page cannot be read
  if (!std::filesystem::is_regular_file("/proc/self/mem")) GTEST_SKIP() << "no /proc/self/mem";
  try {
    read_toml("/proc/self/mem");
    FAIL() << "read /proc/self/mem";
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_EQ(std::string(error.what()).rfind("/proc/self/mem: error: cannot be ", 0), 0u) << error.what();
  }
}

TEST(TomlDocumentFaults, RefusesAnEmptyOrBlankFile) {
  for (const char* content : {"", " \t\r\n\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\r\n"}) {
    const TomlFile file(content);
    EXPECT_EQ(usage_error(file.path()), file.path().string() + ": error: the file is empty");
  }
}

TEST(TomlDocumentFaults, LocatesBadUtf8) {
  const TomlFile file("a = 1\nb = \"\xFF\"\n");
  EXPECT_EQ(usage_error(file.path()).rfind(file.path().string() + ":2:5: error: ", 0), 0u) << usage_error(file.path());
}

TEST(TomlDocumentFaults, LocatesANulByte) {
  const TomlFile file(std::string("a = 1\nb = 2\0\n", 14));
  EXPECT_EQ(usage_error(file.path()).rfind(file.path().string() + ":2:6: error: ", 0), 0u) << usage_error(file.path());
}

TEST(TomlDocumentFaults, LocatesADuplicateKey) {
  const std::string message = error_of("a = 1\na = 2\n");
  EXPECT_NE(message.find(":2:"), std::string::npos) << message;
  EXPECT_NE(message.find("'a'"), std::string::npos) << message;
}

TEST(TomlDocumentFaults, RefusesAnIntegerBeyond64Bits) {
  const std::string message = error_of("a = 9223372036854775808\n");
  EXPECT_NE(message.find(":1:"), std::string::npos) << message;
  EXPECT_NE(message.find("9223372036854775808"), std::string::npos) << message;
}

TEST(TomlDocumentFaults, Refuses300LevelsOfNesting) {
  const std::string deep = "nested deeper than 256 levels";
  EXPECT_NE(error_of("a = " + repeated("[", 300) + repeated("]", 300)).find(":1:261: error: " + deep),
            std::string::npos);
  EXPECT_NE(error_of("a = " + repeated("{b=", 300) + "1" + repeated("}", 300)).find(deep), std::string::npos);
  EXPECT_NE(error_of(repeated("a.", 300) + "a = 1").find(deep), std::string::npos);
  EXPECT_NE(error_of("\n[" + repeated("a.", 300) + "a]").find(":2:"), std::string::npos);
}

TEST(TomlDocumentFaults, SurvivesAKeyOfAQuarterMillionParts) {
  EXPECT_NE(error_of(repeated("a.", 250000) + "a = 1").find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of(repeated("\"=\". ", 150000) + "a = 1").find("nested deeper"), std::string::npos);
  EXPECT_NE(error_of("v = [\n" + repeated("{a.a.a.a.a=[\n", 1000)).find("nested deeper"), std::string::npos);
}

TEST(Nesting, CountsBracketsAndDotsThatAreOpen) {
  EXPECT_FALSE(first_deeper_than("a.b = [[1]]", 3).has_value());
  EXPECT_EQ(first_deeper_than("a.b = [[1]]", 2), (Position{0, 1, 8}));
  EXPECT_EQ(first_deeper_than("\n\xC3\xA9 = [[1]]", 1), (Position{0, 2, 6}));
  EXPECT_FALSE(first_deeper_than("a = [1.5, 2.5, 3.5]\nb.c = 1\nd.e = 2\n", 2).has_value());
}

TEST(Nesting, DoesNotCountWithinStringsAndComments) {
  EXPECT_FALSE(first_deeper_than(R"(a = "[[[...]\"[[[")", 0).has_value());
  EXPECT_FALSE(first_deeper_than("a = '[[[...\\'  # [[[...", 0).has_value());
  EXPECT_FALSE(first_deeper_than("a = \"\"\"[[\n\"[[\n\\\"\"\"[[\"\"\"\"\"\n", 0).has_value());
  EXPECT_FALSE(first_deeper_than("a = '''[[\n'[[\n''''\n", 0).has_value());
  EXPECT_TRUE(first_deeper_than("a = \"\"\nb = [[1]]\n", 1).has_value());
}

TEST(Nesting, SurvivesUnclosedStringsAndBrackets) {
  for (const char* text : {"\"", "'", "\"\"\"", "'''", "\"\\", "a = \"\"\"x\\", "]]]]", "}", "[", "\"\n[["})
    EXPECT_NO_THROW(first_deeper_than(text, 10)) << text;
  EXPECT_TRUE(first_deeper_than("a = \"unclosed\n[[1]]", 1).has_value());
}

}  // namespace
}  // namespace lacuna
