"""A results file of a few numbers per variable, small enough to keep as a baseline, and the comparison with it.

usage: baseline.py check RESULTS.h5 BASELINE.h5.gz COMPARE_RESULTS    exit code of compare_results
       baseline.py update RESULTS.h5 BASELINE.h5.gz

A group of results becomes one table `statistics [cell, variable, statistic]`: for every combination of its swept values
(and of kinds, ranks, ... where a variable has such) the count of values that are numbers, five order statistics of these,
and the first and the last.

The same bits come from every compiler but for the functions of the mathematical library (no contraction, no reordering):
numbers are compared at rtol 1e-9, and at atol 1e-12 because an error that is 0 but for rounding has no digits. A key that
another rounding puts in or out of a selection moves the rows of one query; order statistics of thousands of rows do not
notice, unless the row is the largest, the first or the last. Where that happens, the difference names it, and whoever
finds it right updates the baseline.
"""
import gzip
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROWS = ("trial", "sequence", "layer", "head", "query", "position", "judged")
STATISTICS = ("numbers", "min", "p05", "p50", "p95", "max", "first", "last")
TEXT = h5py.string_dtype("utf-8")


def dimensions(dataset):
    return [next(iter(d.values())).name.rsplit("/", 1)[-1] for d in dataset.dims]


def describe(values):
    numbers = values[~np.isnan(values)]
    finite = numbers[np.isfinite(numbers)]
    if finite.size == 0:
        return [numbers.size] + [np.nan] * (len(STATISTICS) - 1)
    if values.size == 1:
        return [1] + [np.nan] * (len(STATISTICS) - 3) + [finite[0], np.nan]
    # order statistics, no interpolation: a value of the file, whatever arithmetic numpy has
    order = np.sort(finite)
    at = [order[int(q * (order.size - 1))] for q in (0, 0.05, 0.5, 0.95, 1)]
    return [numbers.size, *at, finite[0], finite[-1]]


def scale(group, name, labels):
    dataset = group.create_dataset(name, data=labels, dtype=TEXT)
    dataset.make_scale(name)
    return dataset


def reduce_group(source, target):
    cells, variables = [], []
    table = {}
    for name, dataset in source.items():
        if not isinstance(dataset, h5py.Dataset) or h5py.h5ds.is_scale(dataset.id) or dataset.dtype.kind == "O" or name in (
                "kv_head", "query_position", "selected"):
            continue
        names = dimensions(dataset)
        outer = [i for i, n in enumerate(names) if n not in ROWS]
        inner = [i for i, n in enumerate(names) if n in ROWS]
        values = np.transpose(dataset[...].astype("f8"), outer + inner)
        shape = [dataset.shape[i] for i in outer]
        values = values.reshape(int(np.prod(shape, dtype=int)), -1)
        variables.append(name)
        for number, row in enumerate(values):
            index = np.unravel_index(number, shape) if shape else ()
            cell = " ".join(f"{names[i]}={label(source[names[i]][j])}" for i, j in zip(outer, index)) or "all"
            if cell not in cells:
                cells.append(cell)
            table[cell, name] = describe(row)
    if not variables:
        return
    data = np.full((len(cells), len(variables), len(STATISTICS)), np.nan)
    for (cell, name), row in table.items():
        data[cells.index(cell), variables.index(name)] = row
    dataset = target.create_dataset("statistics", data=data, dtype="f8", compression="gzip", compression_opts=9,
                                    shuffle=True)
    for axis, (name, labels) in enumerate((("cell", cells), ("variable", variables), ("statistic", STATISTICS))):
        dataset.dims[axis].attach_scale(scale(target, name, list(labels)))


def label(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def reduce_results(results, reduced):
    with h5py.File(results) as source, h5py.File(reduced, "w") as target:
        for name in ("experiment", "schema_version"):
            target.attrs[name] = source.attrs[name]
        target.attrs["complete"] = 1
        provenance = target.create_group("provenance")
        provenance.attrs["metric_version"] = source["provenance"].attrs["metric_version"]
        provenance.create_dataset("parameters_resolved", data=source["provenance/parameters_resolved"][()], dtype=TEXT)
        for top in ("exact", "path", "cost"):
            if top == "exact" and top in source:
                reduce_group(source[top], target.create_group(top))
            elif top in source:
                for name in source[top]:
                    group = target.create_group(f"{top}/{name}")
                    for key, value in source[top][name].attrs.items():
                        group.attrs[key] = value
                    reduce_group(source[top][name], group)


def main(action, results, baseline, compare=None):
    with tempfile.TemporaryDirectory() as folder:
        reduced = os.path.join(folder, "reduced.h5")
        reduce_results(results, reduced)
        if action == "update":
            with open(reduced, "rb") as plain, open(baseline, "wb") as packed:
                packed.write(gzip.compress(plain.read(), 9, mtime=0))
            return 0
        expected = os.path.join(folder, "baseline.h5")
        with gzip.open(baseline) as packed, open(expected, "wb") as plain:
            plain.write(packed.read())
        code = subprocess.run([compare, expected, reduced, "--rtol", "1e-9", "--atol", "1e-12"]).returncode
        if code == 1:
            print("results changed; where that is meant: cmake --build BUILD --target update_baselines")
        return code


if len(sys.argv) < 4 or sys.argv[1] not in ("check", "update"):
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
