"""A run that is killed at any time, even while it goes on behind an earlier kill, has the results of one that is not.

30 runs of one study are killed (SIGKILL) after a random time, and --resume is killed again until it gets through, with
another number of threads each time. Nothing is left beside the results.

usage: killed_runs.py ATTENTION_ERROR STUDY.toml FOLDER       exit 0: one hash, 1: another, or something was left
"""

import os
import random
import subprocess
import sys
import tempfile
import time

import h5py

program, study, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
draw = random.Random(20261129)


def digest(file):
    with h5py.File(file) as results:
        return bytes(results.attrs["data_sha256"]).decode()


def run(output, *flags, kill_after=None):
    """The exit status; -9 when it was killed; 0 also when the results were complete before the kill."""
    command = [program, study, "-o", output, "--quiet", *flags]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        process.wait(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    message = process.stderr.read()
    process.stderr.close()
    if "--resume" in flags and process.returncode == 4 and "is complete: there is nothing to resume" in message:
        return 0
    if process.returncode not in (0, -9):
        sys.exit(f"{' '.join(command)}: exit status {process.returncode}\n{message}")
    return process.returncode


with tempfile.TemporaryDirectory(dir=folder) as work:
    whole = os.path.join(work, "whole.h5")
    started = time.monotonic()
    run(whole, "--threads", "1")
    duration = time.monotonic() - started
    expected = digest(whole)
    kills = with_journal = 0
    for i in range(30):
        output = os.path.join(work, f"killed {i}.h5")
        status = run(output, "--threads", "1", kill_after=draw.uniform(0.05, 1.0) * duration)
        kills += status != 0
        attempts = 0
        while status != 0:
            with_journal += os.path.exists(output + ".journal")
            limit = draw.uniform(0.1, 0.8) * duration if attempts < 2 else None
            status = run(output, "--resume", "--threads", str(1 + i % 3), kill_after=limit)
            kills += status != 0
            attempts += 1
        if digest(output) != expected:
            sys.exit(f"run {i}: {digest(output)} instead of {expected}")
    left = sorted(name for name in os.listdir(work) if not name.endswith(".h5"))
    if left:
        sys.exit(f"left behind: {left}")
    if kills < 30 or with_journal < 10:
        sys.exit(f"only {kills} kills, {with_journal} of them with finished units: the study is too short to test this")
print(f"{kills} kills, {with_journal} resumed behind finished units, one hash: {expected}")
