"""The numbers of a report's page are those of the results file: the page's JSON against h5py, and its marks against the JSON.

usage: report_data.py REPORT_RESULTS FOLDER RESULTS.h5...
"""

import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import h5py
import numpy as np

MEASURED = (0, 3, 5)  # status: ok, bound violated, error below its radius


def column(figure, name):
    found = next(c for c in figure["columns"] if c["name"] == name)
    if "levels" in found:
        return [found["levels"][code] for code in found["codes"]]
    return np.array([np.nan if x is None else float(x) for x in found["values"]])


def cell(group, name, number):
    """The rows of one swept cell, and the sizes of their dimensions."""
    dataset = group[name]
    names = [dataset.dims[d].keys()[0].split("/")[-1] if len(dataset.dims[d]) else "" for d in range(dataset.ndim)]
    own = min(names.index(n) for n in ("trial", "sequence") if n in names)
    place = np.unravel_index(int(number), dataset.shape[:own]) if own else ()
    return dataset[tuple(int(i) for i in place)], dict(zip(names[own:], dataset.shape[own:]))


def measured(group, name, number):
    values, _ = cell(group, name, number)
    status, _ = cell(group, "status", number)
    return values[np.isin(status, MEASURED)].astype(float)


def check_error_against_reads(file, figure):
    for i, (path, number) in enumerate(zip(column(figure, "path"), column(figure, "cell"))):
        group = file["path"][path]
        errors = measured(group, "output_error_relative", number)
        assert column(figure, "rows")[i] == errors.size
        for name, q in (("error_median", 0.5), ("error_p99", 0.99)):
            value = column(figure, name)[i]
            np.testing.assert_allclose(value, np.quantile(errors, q), rtol=1e-14)
            low, high = column(figure, name + "_low")[i], column(figure, name + "_high")[i]
            assert not low > value and not high < value, (path, name, low, value, high)
        np.testing.assert_allclose(column(figure, "keys_attended")[i], measured(group, "keys_attended", number).mean(), rtol=1e-13)
        reads = sum(measured(group, name, number).mean()
                    for name in ("bytes_read_main", "bytes_read_summary", "bytes_read_index") if name in group)
        np.testing.assert_allclose(column(figure, "bytes_read")[i], reads, rtol=1e-13)
    return len(column(figure, "path"))


def check_omitted_mass(file, figure):
    shown = column(figure, "omitted_mass")
    for i, (path, number, layer, head) in enumerate(zip(*(column(figure, n) for n in ("path", "cell", "layer", "head")))):
        if "-" in head:
            continue  # a group of heads
        group = file["path"][path]
        mass, sizes = cell(group, "omitted_mass", number)
        status, _ = cell(group, "status", number)
        at = [slice(None)] * len(sizes)
        at[list(sizes).index("layer")] = [str(x) for x in group["layer"][:]].index(layer)
        at[list(sizes).index("head")] = [str(x) for x in group["head"][:]].index(head)
        values = mass[tuple(at)][np.isin(status[tuple(at)], MEASURED)]
        if values.size:
            np.testing.assert_allclose(shown[i], np.quantile(values, 0.5), rtol=1e-14)
        else:
            assert np.isnan(shown[i])
    return len(shown)


def check_bound_against_error(file, figure):
    """Values as they stand in the file: equal to the last bit."""
    kept = {}
    for path, number, row, error, bound in zip(*(column(figure, n) for n in ("path", "cell", "row_in_cell", "output_error", "bound"))):
        group = file["path"][path]
        assert cell(group, "output_error", number)[0].ravel()[int(row)] == error
        assert cell(group, "bound", number)[0].ravel()[int(row)] == bound
        kept.setdefault((path, number), []).append(bound / error)
    for (path, number), ratios in kept.items():  # thinning keeps the extremes
        group = file["path"][path]
        error, bound, status = (cell(group, n, number)[0].ravel() for n in ("output_error", "bound", "status"))
        drawn = np.isin(status, (0, 3)) & (error > 0)
        ratio = bound[drawn] / error[drawn]
        assert min(ratios) == ratio.min() and max(ratios) == ratio[np.isfinite(ratio)].max(), path
    return len(column(figure, "path"))


def check_tightness(file, figure):
    for i, path in enumerate(column(figure, "path")):
        group = file["path"][path]
        error, bound, status = (group[n][...].ravel() for n in ("output_error", "bound", "status"))
        ratio = (bound / np.where(error > 0, error, np.nan))[np.isin(status, (0, 3)) & (error > 0)]
        for name, q in (("p5", 0.05), ("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("p95", 0.95)):
            np.testing.assert_allclose(column(figure, name)[i], np.quantile(ratio, q), rtol=1e-13)
    return len(column(figure, "path"))


def check_certificates(file, figure):
    for i, (path, number, name) in enumerate(zip(*(column(figure, n) for n in ("path", "cell", "certificate")))):
        group = file["path"][path]
        for shown, variable in (("omitted_mass", "omitted_mass"), ("certified", name)):
            np.testing.assert_allclose(column(figure, shown)[i], np.median(measured(group, variable, number)), rtol=1e-13)
    return len(column(figure, "path"))


def check_error_budget(file, figure):
    for i, (path, number, stage) in enumerate(zip(*(column(figure, n) for n in ("path", "cell", "stage")))):
        group = file["path"][path]
        for name in ("error", "bound"):
            variable = f"output_error_{stage}" if name == "error" else f"bound_{stage}"
            expected = measured(group, variable, number).mean() if variable in group else 0
            np.testing.assert_allclose(column(figure, name)[i], expected, rtol=1e-12)
    return len(column(figure, "stage"))


def check_distance(file, figure):
    values = file["exact/mass_by_distance"]
    last = values[tuple(n - 1 for n in values.shape[:-5])]  # [sequence, layer, head, query, distance]
    expected = np.nanmean(last, axis=(0, 2, 3)).ravel()
    np.testing.assert_allclose(column(figure, "mass"), expected, rtol=1e-12, atol=1e-300)
    return expected.size


def check_next_token(file, figure):
    count = 0
    for path, number, first, kl in zip(*(column(figure, n) for n in ("path", "cell", "from_position", "kl"))):
        if first == "all":
            np.testing.assert_allclose(kl, np.nanmean(cell(file["path"][path], "kl_exact_approx", number)[0]), rtol=1e-12)
            count += 1
    return count


def check_hidden_error(file, figure):
    for path, number, layer, value in zip(*(column(figure, n) for n in ("path", "cell", "layer", "hidden_error_relative"))):
        errors, _ = cell(file["path"][path], "hidden_error_relative", number)  # [sequence, layer, position]
        at = [str(x) for x in file["path"][path]["layer"][:]].index(layer)
        np.testing.assert_allclose(value, np.nanmean(errors[:, at]), rtol=1e-12)
    return len(column(figure, "layer"))


def check_cost(file, figure):
    for i, (name, context) in enumerate(zip(column(figure, "architecture"), column(figure, "context"))):
        group = file["cost"][name]
        at = list(group["context"][:]).index(context)
        assert column(figure, "bytes_stored")[i] == group["bytes_stored"][at]
        np.testing.assert_allclose(column(figure, "bytes_read")[i], group["bytes_read"][at].sum(), rtol=1e-14)
        scored = sum(int(group[n][at]) for n in ("main_keys_scored", "local_keys_scored", "index_keys_scored"))
        assert column(figure, "positions_scored")[i] == scored
    return len(column(figure, "context"))


def check_storage(file, figure):
    for name, kind, value in zip(*(column(figure, n) for n in ("architecture", "kind", "bytes_per_token"))):
        group = file["cost"][name]
        kinds = [k.decode() for k in group["kind"][:]]
        assert group["bytes_per_token"][kinds.index(kind)] == value
    return len(column(figure, "kind"))


def check_theory(file, figure):
    """The log-normal law and the mass of it that as many keys miss, by the standard library's normal distribution."""
    normal = statistics.NormalDist()
    exact = file["exact"]
    if exact["score_std"].ndim != 4:  # [sequence, layer, head, query]: the source is not swept
        return 0
    columns = [column(figure, name) for name in ("path", "cell", "layer", "head", "predicted", "missed", "omitted_mass")]
    for path, number, layer, head, predicted, missed, mass in zip(*columns):
        group = file[f"path/{path}"]
        place = (list(group["layer"][...]).index(int(layer)), list(group["head"][...]).index(int(head)))

        def rows(name):
            values, _ = cell(group, name, number)
            return values.reshape(-1, *values.shape[-3:])[:, place[0], place[1]].ravel()

        status, keys, measured_mass = rows("status"), rows("keys_attended"), rows("omitted_mass")
        sigma, visible = (np.resize(exact[name][:, place[0], place[1]].ravel(), status.size)
                          for name in ("score_std", "visible_keys"))
        use = np.isin(status, MEASURED) & (visible > keys)
        law = [normal.cdf(-normal.inv_cdf(k / n) - s) for k, n, s in zip(keys[use], visible[use], sigma[use])]
        gone = [normal.cdf(s + normal.inv_cdf(1 / n)) for n, s in zip(visible[use], sigma[use])]
        for found, expected in ((predicted, law), (missed, gone), (mass, measured_mass[use])):
            assert np.isclose(found, np.median(expected), rtol=1e-9, atol=1e-12), (path, layer, head, found)
    return len(columns[0])


CHECKS = {
    "a_error_against_reads": check_error_against_reads,
    "b_omitted_mass": check_omitted_mass,
    "c_bound_against_error": check_bound_against_error,
    "d_tightness": check_tightness,
    "d_certificates": check_certificates,
    "e_error_budget": check_error_budget,
    "f_theory": check_theory,
    "g_distance": check_distance,
    "h_next_token": check_next_token,
    "h_hidden_error": check_hidden_error,
    "j_cost": check_cost,
    "j_storage_waterfall": check_storage,
}


def check_marks(page, figure_id, figure, x_name, y_name):
    """On logarithmic axes a mark's place is a straight line in the logarithm of its number, to a tenth of a pixel."""
    markup = page[page.index(f'id="{figure_id}"'):]
    drawing = re.search(r'<svg class="wide".*?</svg>', markup, re.S)[0]
    marks = re.findall(r'<use href="#m\d+t?" x="([\d.-]+)" y="([\d.-]+)" data-r="(\d+)"', drawing)
    rows = np.array([int(m[2]) for m in marks])
    assert len(set(rows)) == len(rows) == len(column(figure, x_name)), "each row is drawn once"
    for axis, name in ((0, x_name), (1, y_name)):
        place = np.array([float(m[axis]) for m in marks])
        logarithm = np.log(column(figure, name)[rows])
        slope, offset = np.polyfit(logarithm, place, 1)
        assert np.abs(place - slope * logarithm - offset).max() < 0.11, (figure_id, name)
        assert (slope > 0) == (axis == 0)
    return len(rows)


def main():
    program, folder, results = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    page_file = folder / "report_data.html"
    subprocess.run([program, *results, "-o", page_file, "--force"], check=True, stdout=subprocess.DEVNULL)
    page = page_file.read_text()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
    assert [pathlib.Path(r).name for r in results] == [f["file"] for f in data["files"]]
    assert not re.search(r'(src|href)="(https?:)?//', page), "the page loads nothing"
    assert page_file.stat().st_size < 5e6
    broken = folder / "report_without_paths.h5"
    shutil.copy(results[0], broken)
    with h5py.File(broken, "r+") as file:
        del file["path"]
    done = subprocess.run([program, broken, "-o", folder / "broken.html", "--force"], capture_output=True, text=True)
    assert done.returncode == 3 and str(broken) in done.stderr and "/path" in done.stderr, (done.returncode, done.stderr)
    broken.unlink()
    for index, (name, described) in enumerate(zip(results, data["files"])):
        with h5py.File(name) as file:
            for figure_name, figure in described["figures"].items():
                if figure_name in CHECKS and figure["columns"] and len(column(figure, figure["columns"][0]["name"])):
                    print(f"{described['file']} {figure_name}: {CHECKS[figure_name](file, figure)} rows agree")
                if figure_name == "c_bound_against_error":
                    print(f"  {check_marks(page, f'f{index}-{figure_name}', figure, 'output_error', 'bound')} marks lie where their numbers say")
                if figure_name == "d_certificates" and len(column(figure, "path")) > 1:  # one mark has no slope
                    print(f"  {check_marks(page, f'f{index}-{figure_name}', figure, 'omitted_mass', 'certified')} marks lie where their numbers say")


main()
