// Ctrl-C, SIGTERM and SIGHUP: the first asks the run to stop, and ends the process where it has not stopped within 0.7
// s; the second ends it at once. A signal that was ignored when the process started (nohup) stays ignored.
#pragma once

namespace lacuna {

/// Starts a thread that waits for the signals. Call it before any other thread is started.
void watch_for_interrupts();

/// The work is done: a signal no longer changes how the process ends.
void ignore_interrupts();

/// Throws Error (interrupted or terminated) when a signal came.
void check_for_interrupt();

}  // namespace lacuna
