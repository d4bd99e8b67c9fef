// What a test expects of a trace file that cannot be used.
#pragma once

#include <gtest/gtest.h>

#include "data/temporary_directory.hpp"
#include "data/trace/trace_file.hpp"
#include "data/trace_writer.hpp"

namespace lacuna {

/// Opens the trace and loads every layer.
inline void use(const std::string& file) {
  const TraceFile trace(file);
  for (Index layer = 0; layer < trace.header().sizes.layers; ++layer) trace.load(layer);
}

/// The trace is refused with an InputError that holds the file's name and every one of `parts`.
inline void expect_refused(const std::string& file, const std::vector<std::string>& parts) {
  const std::string message = message_of<InputError>([&] { use(file); });
  EXPECT_TRUE(message.starts_with(file + ": ")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find(file, 1), std::string::npos) << "named twice: " << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
}

/// Writes a trace without `leave_out`, lets `add` add to it, and expects it to be refused.
inline void expect_hdf5_refused(const std::vector<std::string>& leave_out, const std::function<void(TraceWriter&)>& add,
                                const std::vector<std::string>& parts, TraceContent content = {}) {
  const TemporaryDirectory directory;
  {
    TraceWriter writer(directory / "trace.h5");
    write_parts(writer, content, leave_out);
    add(writer);
  }
  expect_refused(directory / "trace.h5", parts);
}

/// The same for a content that differs from a good one.
inline void expect_content_refused(const TraceContent& content, const std::vector<std::string>& parts) {
  expect_hdf5_refused(
      {}, [](TraceWriter&) {}, parts, content);
}

inline const auto nothing = [](TraceWriter&) {};

}  // namespace lacuna
