#!/usr/bin/env python3
"""Check that a results file is HDF5 and netCDF-4 that other tools read, with labels.

Usage: python3 results_file_netcdf.py FILE

For every group that holds variables, and with both of xarray's engines: dimensions are
named and have coordinates, selecting by label gives what stands at the label's place,
values equal those h5py reads. The layout is what the documentation promises (scales of
their own in every group, checksums, fill values, units, no times), h5dump, ncdump and
nccopy take the file, and data_sha256 is computed once more from the description of it.

Needs h5py, numpy, xarray, h5netcdf and netCDF4. Exit codes: 0 all true, 1 something is
not (each on a line), 77 a package is missing.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import netCDF4  # noqa: F401  (an engine of xarray)
    import h5netcdf  # noqa: F401  (the other)
    import numpy as np
    import xarray as xr
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ENGINES = ("h5netcdf", "netcdf4")
failures: list[str] = []


def expect(claim: bool, message: str) -> None:
    """Collect a failure."""
    if not claim:
        failures.append(message)


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether values are equal, a NaN being equal to a NaN."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return bool(np.array_equal(a, b, equal_nan=True))
    return bool(np.array_equal(a, b))


def texts(dataset: h5py.Dataset) -> np.ndarray:
    """Return a string dataset as an array of str."""
    return np.asarray(dataset.asstr()[()], dtype=object)


def values(dataset: h5py.Dataset) -> np.ndarray:
    """Return a dataset's values, strings as str."""
    return texts(dataset) if h5py.check_string_dtype(dataset.dtype) else np.asarray(dataset[()])


def is_scale(dataset: h5py.Dataset) -> bool:
    """Return whether a dataset is a dimension scale."""
    return dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"


def groups_of(file: h5py.File) -> list[h5py.Group]:
    """Return the root and all groups below it."""
    groups: list[h5py.Group] = [file]
    file.visititems(lambda _, item: groups.append(item) if isinstance(item, h5py.Group) else None)
    return groups


def datasets_of(file: h5py.File) -> list[h5py.Dataset]:
    """Return all datasets, sorted by the bytes of their paths."""
    datasets: list[h5py.Dataset] = []
    file.visititems(lambda _, item: datasets.append(item) if isinstance(item, h5py.Dataset) else None)
    return sorted(datasets, key=lambda item: item.name.encode())


# ---- Layout -----------------------------------------------------------------


def check_layout(file: h5py.File) -> None:
    """Check what the format of results files promises of every object."""
    for group in groups_of(file):
        order = h5py.h5g.open(file.id, group.name.encode()).get_create_plist().get_link_creation_order()
        tracked = h5py.h5p.CRT_ORDER_TRACKED | h5py.h5p.CRT_ORDER_INDEXED
        expect(order == tracked, f"{group.name}: link order not tracked")
    for dataset in datasets_of(file):
        name, kind = dataset.name, dataset.dtype
        string = h5py.check_string_dtype(kind)
        expect(kind.str in ("<f8", "<i8", "|u1") or string is not None, f"{name}: type {kind}")
        expect(h5py.h5g.get_objinfo(dataset.id).mtime == 0, f"{name}: has times")
        if string is not None:
            expect(string.encoding == "utf-8" and string.length is None, f"{name}: not variable-length UTF-8")
        if string is not None or is_scale(dataset) or dataset.shape == ():
            expect(dataset.chunks is None, f"{name}: chunked")
        else:
            expect(dataset.chunks is not None and dataset.fletcher32, f"{name}: no checksum")
        is_text = string is not None and dataset.shape == ()
        if is_text:
            continue
        for attribute in ("units", "long_name"):
            expect(attribute in dataset.attrs, f"{name}: no {attribute}")
        if kind.kind == "f" and not is_scale(dataset):
            expect(np.isnan(dataset.attrs.get("_FillValue", 0)), f"{name}: _FillValue is not NaN")
            expect(np.isnan(dataset.fillvalue), f"{name}: fill value is not NaN")
        if not is_scale(dataset):
            for axis, dimension in enumerate(dataset.dims):
                scales = [scale.parent.name for scale in dimension.values()]
                expect(scales == [dataset.parent.name], f"{name}: scales of axis {axis} stand in {scales}")
    for item in itertools.chain(groups_of(file), datasets_of(file)):
        for key in item.attrs:
            kind = item.attrs.get_id(key).get_type()
            is_ours = key not in ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST")
            if is_ours and isinstance(kind, h5py.h5t.TypeStringID):
                is_list = len(item.attrs.get_id(key).shape) == 1
                expect(kind.get_cset() == h5py.h5t.CSET_UTF8, f"{item.name}@{key}: not UTF-8")
                expect(kind.is_variable_str() == is_list,
                       f"{item.name}@{key}: of fixed length if and only if it is one text")


# ---- The digest, from its description ---------------------------------------


def content_sha256(file: h5py.File) -> str:
    """Compute data_sha256 as experiments/harness/results_file_digest.cpp describes it."""
    digest = hashlib.sha256()
    for dataset in datasets_of(file):
        if dataset.name.startswith("/provenance/"):
            continue
        string = h5py.check_string_dtype(dataset.dtype)
        kind = "text" if string else {"<f8": "f64", "<i8": "i64", "|u1": "u8"}[dataset.dtype.str]
        digest.update(dataset.name.encode() + b"\0" + kind.encode() + b"\0")
        digest.update(struct.pack(f"<{1 + dataset.ndim}Q", dataset.ndim, *dataset.shape))
        data = values(dataset)
        if string:
            for text in data.ravel():
                digest.update(struct.pack("<Q", len(text.encode())) + text.encode())
            continue
        if kind == "f64":
            data = data.copy()
            data[np.isnan(data)] = np.frombuffer(struct.pack("<Q", 0x7FF8000000000000), "<f8")[0]
        digest.update(np.ascontiguousarray(data).tobytes())
    return digest.hexdigest()


def check_digest(file: h5py.File) -> None:
    """Check the attributes that finishing sets."""
    stored = file.attrs.get("data_sha256", b"").decode()
    expect(file.attrs.get("complete") == 1, "the file is not marked complete")
    expect(stored == content_sha256(file), f"data_sha256 is {stored}, computed {content_sha256(file)}")


# ---- xarray -----------------------------------------------------------------


def labels_to_try(labels: np.ndarray) -> list[int]:
    """Return indices of a few labels: the first, some in the middle, the last."""
    size = len(labels)
    return sorted({0, size // 3, size // 2, size - 1}) if size else []


def check_labels(data: xr.Dataset, variable: str, raw: np.ndarray, where: str) -> None:
    """Check that selecting by label is selecting by place, for every dimension."""
    array = data[variable]
    for axis, dimension in enumerate(array.dims):
        labels = data[dimension].values
        if len(set(labels.tolist())) != len(labels):
            continue  # a label that occurs twice selects both
        for place in labels_to_try(labels):
            chosen = array.sel({dimension: labels[place]}).values
            expect(same(chosen, np.take(raw, place, axis)), f"{where}: {dimension} = {labels[place]} selects another")


def check_xarray(path: str, file: h5py.File, engine: str) -> None:
    """Check every group with one engine."""
    for group in groups_of(file):
        where = f"{group.name} ({engine})"
        with xr.open_dataset(path, group=group.name, engine=engine) as data:
            for name, dataset in group.items():
                if not isinstance(dataset, h5py.Dataset):
                    continue
                expect(name in data.variables, f"{where}: no {name}")
                raw = values(dataset)
                expect(same(data[name].values, raw), f"{where}: {name} has other values")
                if is_scale(dataset):
                    expect(data[name].dims == (name,) and name in data.coords, f"{where}: {name} is no coordinate")
                    continue
                wanted = tuple(dimension[0].name.rsplit("/", 1)[1] for dimension in dataset.dims)
                expect(data[name].dims == wanted, f"{where}: {name} has dimensions {data[name].dims}, not {wanted}")
                expect(all(d in data.coords for d in wanted), f"{where}: {name} lacks coordinates")
                check_labels(data, name, raw, f"{where} {name}")
                if dataset.shape != () or not h5py.check_string_dtype(dataset.dtype):
                    expect(isinstance(data[name].attrs.get("units"), str), f"{where}: units of {name} are no str")
            for key, value in data.attrs.items():
                expect(not isinstance(value, bytes), f"{where}: attribute {key} is bytes")


# ---- Command-line tools -----------------------------------------------------


def run(*command: str) -> str:
    """Run a tool and return its output; skip it with a message where there is none."""
    if shutil.which(command[0]) is None:
        print(f"skipped: no {command[0]}")
        return ""
    result = subprocess.run(command, capture_output=True, check=False)
    output = result.stdout.decode(errors="replace")
    expect(result.returncode == 0, f"{' '.join(command)}: {result.stderr.decode(errors='replace').strip()}")
    return output


def check_tools(path: str, file: h5py.File) -> None:
    """Check that h5dump and ncdump read the whole file and nccopy copies it."""
    run("h5dump", "-H", path)
    run("h5dump", path)
    header = run("ncdump", "-h", path)
    run("ncdump", path)
    for dataset in datasets_of(file):
        if header and is_scale(dataset):
            name = dataset.name.rsplit("/", 1)[1]
            size = str(dataset.shape[0]) if dataset.shape[0] else "UNLIMITED"
            is_there = re.search(rf"\b{name} = {size} ;", header) is not None
            expect(is_there, f"ncdump: {name} is not a dimension of {size}")
    with tempfile.TemporaryDirectory() as folder:
        copy = str(Path(folder) / "copy.nc")
        if shutil.which("nccopy") is None:
            return
        run("nccopy", path, copy)
        for group in groups_of(file):
            for name, dataset in group.items():
                if isinstance(dataset, h5py.Dataset) and Path(copy).exists():
                    with xr.open_dataset(copy, group=group.name, engine="netcdf4") as data:
                        expect(same(data[name].values, values(dataset)), f"nccopy changes {dataset.name}")


def main() -> int:
    """Run all checks and print what failed."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    path = sys.argv[1]
    with h5py.File(path, "r") as file:
        check_layout(file)
        check_digest(file)
        for engine in ENGINES:
            check_xarray(path, file, engine)
        check_tools(path, file)
        count = len(datasets_of(file))
    for failure in failures:
        print(f"{path}: {failure}")
    print(f"{path}: {count} datasets, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
