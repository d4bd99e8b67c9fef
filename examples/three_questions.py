"""Three questions to a results file of attention_error, with xarray (any engine): copy a cell, change a name.

usage: python3 three_questions.py results/quickstart.h5
"""

# %% Open. A group is a dataset with named dimensions; rows that did not run (status 1) are NaN or left out by `where`.
import sys

import h5py
import numpy as np
import xarray as xr

FILE = sys.argv[1] if len(sys.argv) > 1 else "results/quickstart.h5"


def path(name):
    rows = xr.open_dataset(FILE, group=f"path/{name}", engine="h5netcdf")
    return rows.where(rows.status.isin([0, 3, 5]))


with h5py.File(FILE) as file:
    names = list(file["path"])
    oracles = {name for name in names if file["path"][name].attrs["oracle"]}
everything = ["trial", "sequence", "layer", "head", "query"]

# %% 1. Which path errs least at about 64 keys a query? Median over rows, per path and swept value.
print("1. within 64 keys a query: median relative error (* reads every key to choose)")
table = []
for name in names:
    rows = path(name)
    over = [d for d in everything if d in rows.dims]
    keys = rows.keys_attended.mean(over)
    errors = rows.output_error_relative.median(over)
    for keys_read, error in zip(np.ravel(keys), np.ravel(errors)):
        if keys_read <= 64:
            table.append((float(error), name + ("*" if name in oracles else ""), float(keys_read)))
for error, name, keys_read in sorted(table)[:8]:
    print(f"   {name:14s} {keys_read:6.1f} keys  {error:.4f}")

# %% 2. In which layer and head does it hurt? The mass that a window with sink tokens omits, layer by head.
print("2. omitted mass of `streaming` at its larger window, median over queries")
streaming = path("streaming").isel(window=-1)
print(streaming.omitted_mass.median(["sequence", "query"]).to_pandas().round(3))

# %% 3. Does the error follow the tail of attention? Entropy of a row against the mass that the best 64 keys omit.
print("3. rank correlation of a row's entropy with the omitted mass of top_k, k = 64, by layer")
entropy = xr.open_dataset(FILE, group="exact", engine="h5netcdf").entropy
omitted = path("top_k").omitted_mass.sel(select_k=64)
rank = lambda x: x.stack(row=["sequence", "head", "query"]).rank("row")
print(xr.corr(rank(entropy), rank(omitted), dim="row").to_pandas().round(3))
