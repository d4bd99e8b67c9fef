"""The same study with 1, 2, 3, 7 and 16 threads, and from another directory, has one data_sha256.

usage: same_hash.py ATTENTION_ERROR STUDY.toml FOLDER       exit 0: one hash, 1: several
"""

import os
import subprocess
import sys
import tempfile

import h5py

program, study, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
hashes = {}
with tempfile.TemporaryDirectory(dir=folder) as work:
    for threads in (1, 2, 3, 7, 16, 2):
        elsewhere = os.path.join(work, f"cwd {threads} \u00fc")
        os.makedirs(elsewhere, exist_ok=True)
        output = os.path.join(work, f"threads {threads}.h5")
        run = [program, study, "-o", output, "--threads", str(threads), "--quiet", "--force"]
        subprocess.run(run, cwd=elsewhere, check=True, stdout=subprocess.DEVNULL)
        with h5py.File(output) as results:
            hashes.setdefault(bytes(results.attrs["data_sha256"]).decode(), []).append(threads)
if len(hashes) != 1:
    sys.exit(f"hashes differ: {hashes}")
print(f"one hash for {sum(map(len, hashes.values()))} runs: {next(iter(hashes))}")
