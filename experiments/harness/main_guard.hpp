// What every experiment's main does around its work: signals, and faults turned into one message and an exit code.
#pragma once

#include <functional>

namespace lacuna {

/// Runs `work`; prints what it throws to stderr and returns the exit code. Output that cannot be written is an
/// EnvironmentError's code, unless its reader has had enough and is gone (`PROGRAM | head`): then the code is that of
/// the work, which is done in full.
int guarded_main(const std::function<int()>& work);

}  // namespace lacuna
