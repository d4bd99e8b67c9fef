"""What SIGINT and SIGTERM do: the exit code, a hint that is a command which works, what is left and what is not.

usage: interrupted_run.py ATTENTION_ERROR STUDY.toml FOLDER       exit 0: all as it should be, 1: not
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

program, study, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
LONG = """
schema = 1
[experiment]
kind = "attention_error"
[source]
kind = "mla"
n = 200000
queries = 4
[[path]]
name = "exact"
"""


def check(condition, message):
    if not condition:
        sys.exit(message)


def wait_for(condition, process):
    while not condition():
        check(process.poll() is None, "the run ended too early to be interrupted")
        time.sleep(0.005)


def digest(file):
    with h5py.File(file) as results:
        return bytes(results.attrs["data_sha256"]).decode()


def start(work, *arguments, **more):
    return subprocess.Popen([program, *arguments], cwd=work, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            **more)


with tempfile.TemporaryDirectory(dir=folder) as work:
    name = os.path.splitext(os.path.basename(study))[0]
    results = os.path.join(work, "results", name + ".h5")
    subprocess.run([program, study, "-o", os.path.join(work, "whole.h5"), "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    expected = digest(os.path.join(work, "whole.h5"))

    # interrupted behind finished units: they are kept, and the hint goes on behind them
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        run = start(work, study, "--quiet")
        wait_for(lambda: os.path.exists(results + ".journal"), run)
        run.send_signal(number)
        message = run.communicate()[1]
        check(run.returncode == code, f"exit code {run.returncode} instead of {code}: {message}")
        hint = [line for line in message.splitlines() if line.startswith("continue with: ")]
        check(len(hint) == 1 and "interrupted: " in message and "kept in results/" in message, f"no hint: {message}")
        check(os.listdir(os.path.join(work, "results")) == [name + ".h5.journal"], "something else than a journal is left")
        again = start(work, study, "-o", results, "--quiet")
        message = again.communicate()[1]
        check(again.returncode == 4 and "--resume continues it" in message, f"not refused: {message}")
        subprocess.run(shlex.split(hint[0].removeprefix("continue with: ")), cwd=work, check=True,
                       stdout=subprocess.DEVNULL)
        check(digest(results) == expected, "other results than without an interruption")
        check(os.listdir(os.path.join(work, "results")) == [name + ".h5"], "something is left beside the results")
        os.remove(results)

    # interrupted while a source is built, which looks for no signal
    long_study = os.path.join(work, "long.toml")
    with open(long_study, "w", encoding="utf-8") as file:
        file.write(LONG)
    for signals, code in (([signal.SIGINT], 130), ([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGTERM], 143)):
        run = start(work, long_study, "--quiet", "--threads", "1")
        wait_for(lambda: os.path.exists(os.path.join(work, "results", "long.h5.partial")), run)
        for number in signals:
            run.send_signal(number)
            time.sleep(0.01)
        message = run.communicate()[1]
        check(run.returncode == code, f"exit code {run.returncode} instead of {code}: {message}")
        check("interrupted: nothing was written" in message, f"it says: {message}")
        check(os.listdir(os.path.join(work, "results")) == [], "something is left")

    # a fault of the input behind a finished layer: it is kept, and mended input is another run
    trace, faulty = os.path.join(work, "trace.h5"), os.path.join(work, "faulty.toml")
    random = np.random.default_rng(1)
    with h5py.File(trace, "w") as file:
        for name in "qkv":
            file[name] = random.standard_normal((2, 1, 8, 4))
        file["k"][1, 0, 3, 2] = np.nan
        file.attrs["sm_scale"] = 0.5
    with open(faulty, "w", encoding="utf-8") as file:
        file.write(LONG.replace('kind = "mla"\nn = 200000\nqueries = 4', 'kind = "trace"\nfile = ["trace.h5"]'))
    message = (run := start(work, faulty, "-o", "faulty.h5", "--quiet")).communicate()[1]
    check(run.returncode == 3 and "layer 1" in message, f"a NaN: {message}")
    check("continue with: " in message and "start that one with --force" in message, f"no way on: {message}")
    with h5py.File(trace, "r+") as file:
        file["k"][1, 0, 3, 2] = 1
    for flags, code in ((["--resume"], 2), ([], 4), (["--force"], 0)):
        message = (run := start(work, faulty, "-o", "faulty.h5", "--quiet", *flags)).communicate()[1]
        check(run.returncode == code, f"mended input, {flags}: {run.returncode} {message}")

    # nohup: a hang-up is not for this process
    run = start(work, study, "-o", "hung.h5", "--quiet",
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    wait_for(lambda: os.path.exists(os.path.join(work, "hung.h5.partial")), run)
    run.send_signal(signal.SIGHUP)
    run.communicate()
    check(run.returncode == 0 and digest(os.path.join(work, "hung.h5")) == expected, "an ignored hang-up ended the run")

    # two runs at a time into one file, and one number further without a name
    partial = os.path.join(work, "two.h5.partial")
    while True:
        first = start(work, study, "-o", "two.h5", "--quiet", "--force")
        wait_for(lambda: os.path.exists(partial), first)
        first.send_signal(signal.SIGSTOP)  # it is not to end before the others start
        time.sleep(0.05)
        if os.path.exists(partial):
            break
        first.send_signal(signal.SIGCONT)  # a machine with much to do stopped it too late
        first.communicate()
    for flags in ([], ["--force"], ["--resume"]):
        second = start(work, study, "-o", "two.h5", "--quiet", *flags)
        message = second.communicate()[1]
        check(second.returncode == 4 and "another process" in message, f"a second writer, {flags}: {message}")
    first.send_signal(signal.SIGCONT)
    first.communicate()
    check(first.returncode == 0 and digest(os.path.join(work, "two.h5")) == expected, "the first run was disturbed")
print("signals end a run as they should")
