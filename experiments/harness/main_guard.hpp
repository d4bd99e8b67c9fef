// What every experiment's main does around its work: signals, and faults turned into one message and an exit code.
#pragma once

#include <functional>

namespace lacuna {

/// Runs `work`; prints what it throws to stderr and returns the exit code.
int guarded_main(const std::function<int()>& work);

}  // namespace lacuna
