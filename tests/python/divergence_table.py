"""The table that model_divergence prints says what its results file holds: every line recomputed in numpy.

usage: divergence_table.py MODEL_DIVERGENCE FOLDER       exit 0: it does, 1: it does not
"""

import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
STUDY = """
schema = 1
[experiment]
kind = "model_divergence"
seed = 3
[source]
kind = "model"
preset = "v41_small"
layers = 4
d_model = 64
vocabulary = 30
n = 24
judge_every = 5
sequences = 2
score_std = { grid = [1.0, 3.0] }
[[path]]
name = "control"
[[path]]
name = "top"
select = { by = "main", k = { grid = [4, 9] } }
[[path]]
name = "random"
select = { by = "random", k = 5, trials = 2 }
"""


def nearest_rank(values, q):
    values = np.sort(values, axis=None)
    return values[max(int(np.ceil(q * values.size)), 1) - 1]


def expected_line(group, cell):
    loss = (group["loss_approx"][cell] - group["loss"][cell]).ravel()
    loss = loss[~np.isnan(loss)]
    mass = group["omitted_mass"][cell]
    error = loss.std(ddof=1) / np.sqrt(loss.size)
    return [f"{nearest_rank(group['kl_exact_approx'][cell], 0.5):.3g}",
            f"{nearest_rank(group['kl_exact_approx'][cell], 0.99):.3g}",
            f"{group['top_1_agrees'][cell].mean():.4f}",
            f"{loss.mean():+.4f} +- {error:.4f}",
            f"{nearest_rank(group['hidden_error_relative'][cell][..., -1, :], 0.5):.3g}",
            f"{np.nanmean(mass):.3g}",
            f"{np.isin(group['status'][cell], (2, 3)).sum()}"]


with tempfile.TemporaryDirectory(dir=folder) as work:
    study = os.path.join(work, "study.toml")
    output = os.path.join(work, "r.h5")
    with open(study, "w", encoding="utf-8") as file:
        file.write(STUDY)
    table = subprocess.run([program, study, "-o", output, "--quiet"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    printed = [re.split(r"\s{2,}", line.rstrip()) for line in table[1:-1]]
    expected = []
    with h5py.File(output) as results:
        for name, group in results["path"].items():
            star = "*" if group.attrs["oracle"] else ""
            dimensions = [scale[0].name.rsplit("/", 1)[1] for scale in group["kl_exact_approx"].dims]
            swept = [name for name in dimensions if name not in ("trial", "sequence", "position")]
            for cell in np.ndindex(*(len(group[dimension]) for dimension in swept)):
                values = "".join(f" {d}={group[d][i]:g}" for d, i in zip(swept, cell))
                expected.append([name + star + values, *expected_line(group, cell)])
# the file lists the paths by name, the table in the order of the study
expected.sort(key=lambda line: STUDY.index(f'name = "{re.match("[a-z]+", line[0])[0]}"'))
if [line[0] for line in printed] != [line[0] for line in expected]:
    sys.exit(f"lines of {[line[0] for line in printed]}")
for line, other in zip(printed, expected):
    if line != other:
        sys.exit(f"printed  {line}\nexpected {other}")
print(f"{len(printed)} lines as recomputed")
