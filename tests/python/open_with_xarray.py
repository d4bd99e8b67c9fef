"""Opens the quickstart's results in both xarray engines and checks that dimensions are named and labels select.

usage: open_with_xarray.py RESULTS.h5       exit 0: fine, 1: not
"""

import sys

import h5py
import numpy as np
import xarray as xr

file = sys.argv[1]
with h5py.File(file) as raw:
    layers = raw["layer"][...]
    expected = raw["path/top_k/omitted_mass"][...]
assert list(layers) != list(range(len(layers))), "the labels of this file equal their indices: the check would show nothing"

for engine in ("h5netcdf", "netcdf4"):
    for group in ("exact", "path/top_k", "path/top_p", "path/pool", "path/random"):
        data = xr.open_dataset(file, group=group, engine=engine)
        for name, variable in data.variables.items():
            unnamed = [d for d in variable.dims if d.startswith("phony")]
            assert not unnamed, f"{engine} {group}/{name}: unnamed dimensions {unnamed}"
    top_k = xr.open_dataset(file, group="path/top_k", engine=engine)
    assert top_k.omitted_mass.dims == ("select_k", "sequence", "layer", "head", "query"), top_k.omitted_mass.dims
    for i, layer in enumerate(layers):
        assert np.array_equal(top_k.sel(layer=layer).omitted_mass.values, expected[:, :, i]), (engine, layer)
    for i, k in enumerate(top_k.select_k.values):
        assert np.array_equal(top_k.sel(select_k=k).omitted_mass.values, expected[i]), (engine, k)
    assert top_k.omitted_mass.attrs["units"] == "1" and top_k.omitted_mass.attrs["long_name"]
    root = xr.open_dataset(file, engine=engine)
    assert root.attrs["experiment"] == "attention_error" and len(root.attrs["data_sha256"]) == 64
    assert int(root.attrs["complete"]) == 1
    # what the README promises
    assert bool((top_k.bound >= top_k.output_error).all())
    assert top_k.omitted_mass.median(["sequence", "layer", "head", "query"]).dims == ("select_k",)
print("both engines see named dimensions, and labels select")
