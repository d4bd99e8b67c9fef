// Ctrl-C and SIGTERM: the first asks the run to stop, the second ends the process at once.
#pragma once

namespace lacuna {

/// Installs the handlers.
void watch_for_interrupts();

/// Throws Interrupted when a signal came.
void check_for_interrupt();

}  // namespace lacuna
