"""One query over a million keys of width 128: the peak of memory stays below 1.5 times the bytes of K and V in f32.

usage: million_keys.py ATTENTION_ERROR FOLDER       exit 0: it does, 1: it does not
"""

import os
import resource
import subprocess
import sys
import tempfile

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
STUDY = """
schema = 1
[experiment]
kind = "attention_error"
[source]
kind = "gaussian"
n = 1000000
queries = 1
heads = 1
d_qk = 128
d_v = 128
[[path]]
name = "exact"
[[path]]
name = "top_k"
select = { by = "main", k = 512 }
[[path]]
name = "pool"
select = { by = "main", k = 512 }
pool = { blocks = 2048, block_size = 8 }
window = 128
"""
with tempfile.TemporaryDirectory(dir=folder) as work:
    study = os.path.join(work, "million.toml")
    with open(study, "w", encoding="utf-8") as file:
        file.write(STUDY)
    subprocess.run([program, study, "-o", os.path.join(work, "million.h5"), "--quiet"], check=True)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
limit = 1.5 * 2 * 1_000_000 * 128 * 4
print(f"peak {peak / 1e9:.3f} GB, limit {limit / 1e9:.3f} GB")
sys.exit(0 if peak < limit else 1)
