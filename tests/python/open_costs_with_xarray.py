"""Opens the results of cache_cost.toml in both xarray engines, and checks labels and published bytes.

usage: open_costs_with_xarray.py RESULTS.h5       exit 0: fine, 1: not
"""

import sys
from fractions import Fraction

import h5py
import xarray as xr

file = sys.argv[1]
PER_TOKEN = {"v1": 389120, "v32": 48068, "v4_flash": Fraction(14057, 4), "v4_pro": Fraction(80503, 16), "v41": 890,
             "v41_without_sharing": 10324}
with h5py.File(file) as raw:
    names = list(raw["cost"])
assert set(PER_TOKEN) < set(names), names

for engine in ("h5netcdf", "netcdf4"):
    for name in names:
        data = xr.open_dataset(file, group=f"cost/{name}", engine=engine)
        for variable in data.variables.values():
            unnamed = [d for d in variable.dims if d.startswith("phony")]
            assert not unnamed, f"{engine} {name}: unnamed dimensions {unnamed}"
            assert variable.attrs["long_name"], name
        assert data["bytes"].dims == ("context", "kind")
        exact = sum(Fraction(number) for number in data.bytes_per_token.attrs["exact"].split())
        assert exact == Fraction(float(data.bytes_per_token.sum())), (name, exact)
        assert exact == PER_TOKEN.get(name, exact), (name, exact)
        # 1,048,576 tokens are whole groups of every ratio
        held = data["bytes"].sel(context=1048576, kind=["main", "index"]).sum()
        assert Fraction(float(held)) == exact * 1048576, (name, held)
        assert bool((data.bytes_stored == data["bytes"].sel(kind=["main", "index", "local", "state"]).sum("kind")).all())
    mha = xr.open_dataset(file, group="cost/llama_7b", engine=engine)
    assert mha["bytes"].sel(context=32768, kind="main") == 17179869184
print("both engines see named dimensions, and the published bytes")
