"""The table of next tokens of a file of model_divergence: every line recomputed in numpy.

usage: divergence_table.py MODEL_DIVERGENCE SUMMARIZE_RESULTS FOLDER       exit 0: it does, 1: it does not
"""

import csv
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

program, summarize, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
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


def expected_line(group, cell):
    loss = (group["loss_approx"][cell] - group["loss"][cell]).ravel()
    hidden = group["hidden_error_relative"][cell][..., -1, :]
    return {"KL p50": np.quantile(group["kl_exact_approx"][cell], 0.5),
            "KL p99": np.quantile(group["kl_exact_approx"][cell], 0.99),
            "KL mean": group["kl_exact_approx"][cell].mean(),
            "TV p50": np.quantile(group["total_variation"][cell], 0.5),
            "top-1 agrees": group["top_1_agrees"][cell].mean(),
            "loss difference": np.nanmean(loss),
            "hidden p50": np.quantile(hidden, 0.5)}


with tempfile.TemporaryDirectory(dir=folder) as work:
    study = os.path.join(work, "study.toml")
    output = os.path.join(work, "r.h5")
    with open(study, "w", encoding="utf-8") as file:
        file.write(STUDY)
    subprocess.run([program, study, "-o", output, "--quiet"], check=True, capture_output=True)
    text = subprocess.run([summarize, output, "--format", "csv"], check=True, capture_output=True, text=True).stdout
    lines = text[text.index("# next token"):].split("\n\n")[0].splitlines()[1:]
    printed = {(row["path"], row["source_score_std"], row["swept"]): row for row in csv.DictReader(lines)}
    checked = 0
    with h5py.File(output) as results:
        for name, group in results["path"].items():
            star = "*" if group.attrs["oracle"] else ""
            dimensions = [scale[0].name.rsplit("/", 1)[1] for scale in group["kl_exact_approx"].dims]
            swept = [name for name in dimensions if name not in ("trial", "sequence", "position")]
            for cell in np.ndindex(*(len(group[dimension]) for dimension in swept)):
                labels = {d: f"{group[d][i]:g}" for d, i in zip(swept, cell)}
                source = labels.pop("source_score_std")
                values = ", ".join(f"{d} = {label}" for d, label in labels.items())
                row = printed.pop((name + star, source, values))
                for column, wanted in expected_line(group, cell).items():
                    checked += 1
                    if not abs(float(row[column]) - wanted) <= 1e-12 * abs(wanted) + 1e-15:
                        sys.exit(f"{name} {values}: {column} is {row[column]}, not {wanted}")
if printed:
    sys.exit(f"lines of no path: {list(printed)}")
print(f"{checked} numbers as recomputed")
