// How much memory there is to be had.
#pragma once

#include <cstdint>
#include <optional>

namespace lacuna {

/// Bytes that this process can still take: what the kernel holds for available (MemAvailable of /proc/meminfo), or less
/// where a limit on the address space leaves less. Nothing where the kernel does not say.
std::optional<std::int64_t> available_memory();

}  // namespace lacuna
