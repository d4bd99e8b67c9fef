"""summarize_results and compare_results from outside: files changed by h5py, numbers recomputed by numpy."""
import csv
import io
import os
import pathlib
import shutil
import subprocess
import sys

import h5py
import numpy as np

program, compare, summarize, study, directory = sys.argv[1:]
folder = pathlib.Path(directory) / "analysis_tools"
folder.mkdir(exist_ok=True)
original = folder / "original.h5"
changed = folder / "changed.h5"
subprocess.run([program, study, "-o", original, "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(change, code, part, *flags):
    """compare_results of the original and of what `change` makes of it ends with `code` and says `part`."""
    shutil.copy(original, changed)
    with h5py.File(changed, "r+") as file:
        change(file)
    found, text = run(compare, original, changed, *flags)
    assert found == code and part in text, (found, text)


with h5py.File(original) as file:
    path = next(iter(file["path"]))
    group = f"/path/{path}"
    mass = f"{group}/omitted_mass"
    shape = file[mass].shape
    place = tuple(n - 1 for n in shape)


def replace(file, name, data):
    attributes = {k: v for k, v in file[name].attrs.items() if k not in ("DIMENSION_LIST", "REFERENCE_LIST")}
    scales = [d[0] for d in file[name].dims]
    del file[name]
    dataset = file.create_dataset(name, data=data)
    for key, value in attributes.items():
        dataset.attrs[key] = value
    for axis, scale in enumerate(scales):
        if scale.shape[0] == dataset.shape[axis]:
            dataset.dims[axis].attach_scale(scale)


def set_place(value):
    def change(file):
        file[mass][place] = value
    return change


def set_attribute(where, name, value):
    def change(file):
        file[where].attrs[name] = value
    return change


def remove_attribute(where, name):
    def change(file):
        del file[where].attrs[name]
    return change


expect(lambda file: None, 0, "equal: 0 differences in ")
expect(lambda file: replace(file, mass, file[mass][...]), 0, "equal: ")
expect(set_place(np.nan), 1, f"{mass}: NaN or inf in one file alone at 1 of {np.prod(shape)} places; first at ")
expect(set_place(np.inf), 1, "inf")
expect(lambda file: replace(file, mass, file[mass][...].astype("f4")), 1,
       f"{mass}: type f64 against a type that results files do not hold")
expect(lambda file: replace(file, mass, file[mass][..., :-1]), 1,
       f"{mass}: shape [{', '.join(map(str, shape))}] against [{', '.join(map(str, shape[:-1] + (shape[-1] - 1,)))}]")
expect(lambda file: file.move(mass, f"{group}/mass"), 1, f"{mass}: missing in {changed}")
expect(lambda file: file.create_dataset(f"{group}/more", data=[1.0]), 1, f"{group}/more: missing in {original}")
expect(lambda file: file.create_group("/path/more"), 1, f"/path/more: group missing in {original}")
expect(remove_attribute(mass, "units"), 1, f"attribute 'units' of {mass}: missing in {changed}")
expect(set_attribute(mass, "units", "nat"), 1, f"attribute 'units' of {mass}: ")
expect(set_attribute(group, "axes", ["one", "other"]), 1, f"attribute 'axes' of {group}: ")
expect(set_attribute("/provenance", "metric_version", "none"), 1, "attribute 'metric_version' of /provenance")
expect(set_attribute("/provenance", "compiler", "another"), 0, "equal")
expect(set_attribute("/", "title", "another"), 0, "equal")
expect(set_attribute("/provenance/run", "host", "another"), 0, "equal")
expect(lambda file: file["/provenance/run"].create_dataset("more", data=[1.0]), 0, "equal")
expect(set_attribute("/", "complete", 0), 3, "is not a complete results file")
expect(set_place(np.nan), 0, "1 datasets ignored" if len(list(h5py.File(original)["path"])) == 1 else "datasets ignored",
       "--ignore", "omitted_mass")
expect(set_place(np.nan), 2, "neither file has anything of that name", "--ignore", "omited_mass")

# 1e-20 against 2e-20
with h5py.File(original, "r+") as file:
    before = float(file[mass][place])
    file[mass][place] = 1e-20
expect(set_place(2e-20), 1, "1e-20 against 2e-20")
expect(set_place(2e-20), 0, "equal", "--atol", "1e-15")
expect(set_place(1.0000001e-20), 0, "equal")
expect(set_place(1.0000001e-20), 1, "1 of ", "--rtol", "1e-9")
with h5py.File(original, "r+") as file:
    file[mass][place] = before

assert run(compare)[0] == 2
assert run(compare, original)[0] == 2
assert run(compare, original, original, "--rtol", "-1")[0] == 2
assert run(compare, original, original, "--rtol", "nan")[0] == 2
assert run(compare, original, original, "--atol", "nan")[0] == 2
assert run(compare, original, study)[0] == 3
assert run(compare, original, folder / "none.h5")[0] == 4
assert run(compare, "--help")[0] == 0
for tool in (compare, summarize):
    code, text = run(tool, "--version")
    assert code == 0 and text.startswith("lacuna "), text
    assert run(tool, "--man")[0] == 0

# attributes of types that results files do not write: compared where that can be, named where not
expect(set_attribute(group, "sides", np.array(["one", "other"], dtype="S5")), 1, f"attribute 'sides' of {group}: missing in ")
with h5py.File(original, "r+") as file:
    attributes = file[group].attrs
    attributes["sides"] = np.array(["one", "other"], dtype="S5")
    attributes["matrix"] = np.arange(6.0).reshape(2, 3)
    attributes["texts"] = np.array([["a", "b"], ["c", "d"]], dtype="S1")
    attributes["pair"] = np.array((1, 2.5), dtype=[("n", "i4"), ("x", "f8")])
    file[group].create_dataset("table", data=np.zeros(3, dtype=[("n", "i4"), ("x", "f8")]))
    file[group].create_dataset("words", data=np.array([["a", "b"], ["c", "d"]], dtype=h5py.string_dtype()))
expect(lambda file: None, 0, f"not compared: attribute 'pair' of {group}\n")
expect(lambda file: None, 0, f"not compared: {group}/table\nnot compared: {group}/words\nequal: 0 differences")
expect(set_attribute(group, "sides", np.array(["one", "othen"], dtype="S5")), 1,
       f"attribute 'sides' of {group}: [one, other] against [one, othen]")
expect(set_attribute(group, "matrix", np.arange(6.0).reshape(3, 2)), 1,
       f"attribute 'matrix' of {group}: [2, 3] [0, 1, 2, 3, 4, 5] against [3, 2] [0, 1, 2, 3, 4, 5]")
expect(set_attribute(group, "texts", np.array([["a", "b"], ["c", "e"]], dtype="S1")), 1,
       f"attribute 'texts' of {group}: [2, 2] [a, b, c, d] against [2, 2] [a, b, c, e]")
expect(set_attribute(group, "pair", 1), 1,
       f"attribute 'pair' of {group}: a type that results files do not hold against 1")
with h5py.File(original, "r+") as file:
    for name in ("sides", "matrix", "texts", "pair"):
        del file[group].attrs[name]
    del file[f"{group}/table"], file[f"{group}/words"]

# a group that is missing is the file's fault
shutil.copy(original, changed)
with h5py.File(changed, "r+") as file:
    del file["exact"]
code, text = run(summarize, changed)
assert code == 3 and str(changed) in text and "/exact" in text, (code, text)

# the table of summarize_results against numpy
code, text = run(summarize, original, "--format", "csv", "--by", "layer,head")
assert code == 0, text
table = text.split("# paths\n")[1]
rows = list(csv.DictReader(io.StringIO(table)))
checked = 0
with h5py.File(original) as file:
    for name in file["path"]:
        values = file[f"/path/{name}"]
        lines = [row for row in rows if row["path"].rstrip("*") == name]
        error = values["output_error_relative"]
        swept = error.ndim - 4
        if any(d.label == "trial" or "trial" in [s.name.rsplit("/", 1)[-1] for s in d.values()] for d in error.dims):
            swept -= 1
        layers = values["layer"][...]
        heads = values["head"][...]
        cells = np.prod(error.shape[:swept], dtype=int)
        data = error[...].reshape(cells, -1, *error.shape[-4:])
        status = values["status"][...].reshape(data.shape)
        assert len(lines) == cells * len(layers) * len(heads), (name, len(lines))
        for number, line in enumerate(lines):
            cell, rest = divmod(number, len(layers) * len(heads))
            layer, head = divmod(rest, len(heads))
            assert (line["layer"], line["head"]) == (str(layers[layer]), str(heads[head]))
            part = data[cell][:, :, layer, head]
            measured = np.isin(status[cell][:, :, layer, head], (0, 3, 5))
            if not measured.any():
                assert line["error p50"] == ""
                continue
            for column, q in (("error p50", 0.5), ("error p99", 0.99)):
                expected = np.quantile(part[measured], q)
                assert np.isclose(float(line[column]), expected, rtol=1e-12, atol=0), (name, line[column], expected)
            assert float(line["error p50 low"] or "-inf") <= float(line["error p50"]) <= float(line["error p50 high"] or "inf")
            checked += 1
assert checked > 0
code, text = run(summarize, original, original, "--format", "markdown")
assert code == 0 and text.count("| path | source_n | swept |") == 2, text
assert run(summarize, original, "--by", "lair")[0] == 2
assert run(summarize, original, "--by", "layer,layer")[0] == 2

# text keeps to 120 columns, --wide to one line per path and swept value
for flags in ([], ["--by", "layer"], ["--by", "layer,head,query"], ["--against", "top_k"]):
    code, text = run(summarize, original, *flags)
    assert code == 0 and max(map(len, text.splitlines())) <= 120, text
code, wide = run(summarize, original, "--wide")
assert sum(line.startswith("top_p*") for line in wide.splitlines()) == 4 and max(map(len, wide.splitlines())) > 120, wide

# every path against top_k at as many keys read, recomputed: interpolated in logarithms
code, text = run(summarize, original, "--format", "csv", "--against", "top_k")
assert code == 0, text
lines = list(csv.DictReader(io.StringIO(text[text.index("\n", text.index("# against top_k")) + 1:])))
compared = 0
with h5py.File(original) as file:
    def losses(name, source):
        values = file[f"/path/{name}"]
        status = values["status"][source]
        keys, error = values["keys_attended"][source].astype(float), values["output_error_relative"][source]
        missing = ~np.isin(status, (0, 3, 5))
        keys[missing] = error[missing] = np.nan
        labels = [d[0].name.rsplit("/", 1)[-1] for d in values["status"].dims]
        if "trial" in labels:
            axis = labels.index("trial") - 1
            keys, error = keys.mean(axis), error.mean(axis)
        return keys.reshape(-1, *keys.shape[-4:]), error.reshape(-1, *error.shape[-4:])

    number = 0
    for name in file["path"]:
        if name == "top_k":
            continue
        own = [losses(name, source) for source in range(len(file["exact/source_n"]))]
        for source, (keys, error) in enumerate(own):
            other_keys, other_error = losses("top_k", source)
            for cell in range(len(keys)):
                line = lines[number]
                number += 1
                assert line["path"].rstrip("*") == name and line["source_n"] == str(file["exact/source_n"][source])
                common = ~(np.isnan(error[cell]) | np.isnan(other_error).any(axis=0))
                if not common.any():
                    assert line["error difference"] == ""
                    continue
                cost = keys[cell][common].mean()
                costs = np.array([k[common].mean() for k in other_keys])
                order = np.argsort(costs, kind="stable")
                above = np.searchsorted(costs[order], cost)
                if above == len(order) or (above == 0 and costs[order][0] != cost):
                    assert line["error difference"] == "", line
                    continue
                high = other_error[order[above]][common]
                if costs[order][above] == cost:
                    expected = high
                else:
                    low = other_error[order[above - 1]][common]
                    t = np.log(cost / costs[order][above - 1]) / np.log(costs[order][above] / costs[order][above - 1])
                    with np.errstate(divide="ignore"):
                        expected = np.where((low > 0) & (high > 0), np.exp((1 - t) * np.log(low) + t * np.log(high)),
                                            (1 - t) * low + t * high)
                difference = error[cell][common] - expected
                assert abs(float(line["error difference"]) - difference.mean()) <= 1e-9, (line, difference.mean())
                lower = (difference < 0).mean() + (difference == 0).mean() / 2
                assert abs(float(line["lower in"]) - lower) <= 0.5 / difference.size + 1e-12, (line, lower)
                compared += 1
assert number == len(lines) and compared > 10, (number, len(lines), compared)

# a reader that has had enough is no error; output that cannot be written is one
for command, expected in (([summarize, original, "--wide", "--by", "layer,head,query", "--format", "csv"], 0),
                          ([compare, original, original, "--help"], 0)):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([str(a) for a in command], stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (done.returncode, done.stderr) == (expected, ""), (done.returncode, done.stderr)
shutil.copy(original, changed)
with h5py.File(changed, "r+") as file:
    file[mass][place] = 5
read, write = os.pipe()
os.close(read)
done = subprocess.run([str(compare), str(original), str(changed)], stdout=write, stderr=subprocess.PIPE, text=True)
os.close(write)
assert (done.returncode, done.stderr) == (1, ""), "the verdict, whoever reads"
with open("/dev/full", "w") as full:
    done = subprocess.run([str(summarize), str(original)], stdout=full, stderr=subprocess.PIPE, text=True)
assert done.returncode == 4 and "standard output" in done.stderr, done
assert run(summarize, original, "--format", "yaml")[0] == 2
assert run(summarize, study)[0] == 3
print(f"{checked} lines agree with numpy")
