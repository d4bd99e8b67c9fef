"""Properties that every results file of attention_error must have, row by row.

usage: check_invariants.py RESULTS.h5...       exit 0: they hold, 1: not
"""

import sys

import h5py
import numpy as np

rows = 0


def require(condition, what):
    if not np.all(condition):
        sys.exit(f"{what}: {np.sum(~np.asarray(condition))} rows")


for file in sys.argv[1:]:
    results = h5py.File(file)
    for name, path in results["path"].items():
        where = f"{file} {name}"
        status = path["status"][...]
        require(np.isin(status, [0, 1, 4, 5]), f"{where}: failed or violated a bound")
        ran = np.isin(status, [0, 5])
        rows += ran.sum()
        get = lambda variable: path[variable][...][ran]
        if "omitted_mass" not in path:  # attends entries that stand for several keys: nothing is said of the keys
            require("reference" in path.attrs, f"{where}: no attribute says what the reference is")
            error, relative = get("output_error"), get("output_error_relative")
            require((error >= 0) & (get("error_radius") >= 0) & (relative >= 0), f"{where}: negative or undefined error")
            require(get("keys_attended") == get("keys_scored"), f"{where}: attends and scores different numbers of entries")
            visible = np.broadcast_to(results["exact/visible_keys"][...], status.shape)[ran] \
                if results["exact/visible_keys"].ndim == 4 else None
            if visible is not None:
                require(get("keys_attended") <= visible, f"{where}: more entries than visible keys")
            continue
        mass, error, radius = get("omitted_mass"), get("output_error"), get("error_radius")
        for variable in path:
            if variable.startswith("bound") and variable not in ("bound_replay", "bound_pool", "bound_selection", "bound_store", "bound_arithmetic"):
                require(get(variable) * (1 + 1e-12) + radius >= error, f"{where}: {variable} < output_error")
        require((mass >= 0) & (mass <= 1), f"{where}: omitted_mass outside [0, 1]")
        for variable in path:  # what a system could say without the exact row
            if not variable.startswith("certificate"):
                continue
            value = get(variable)
            if variable == "certificate_output_error":
                require(value * (1 + 1e-12) + radius >= error, f"{where}: {variable} < output_error")
            elif variable == "certificate_omitted_mass_lower":
                require((value >= 0) & (value <= mass * (1 + 1e-12)), f"{where}: {variable} > omitted_mass")
            else:
                require((value * (1 + 1e-12) >= mass) & (value <= 1), f"{where}: {variable} < omitted_mass")
        parts = get("omitted_mass_selection") + (get("omitted_mass_pool") if "omitted_mass_pool" in path else 0)
        require(np.isclose(parts, mass, rtol=1e-12, atol=1e-300), f"{where}: pool + selection != omitted_mass")
        truncates = "output_error_store" not in path  # scores and values of the attended keys are exact
        if truncates:  # the divergences, each from its own sum, against the closed forms
            require(np.abs(get("total_variation") - mass) <= 1e-13 + 1e-12 * mass, f"{where}: total_variation != omitted_mass")
            with np.errstate(divide="ignore"):
                closed = -np.log1p(-mass)
            kl = get("kl_approx_exact")
            require((np.abs(kl - closed) <= 1e-13 + 1e-9 * closed) | (mass > 1 - 1e-6), f"{where}: KL != log1p(Z_T / Z_S)")
        else:
            oscillation = get("score_oscillation")
            require(oscillation <= get("score_oscillation_bound") + 1e-12, f"{where}: scores moved farther than certified")
            # TV <= tanh(w/4) on the attended keys, and what was omitted on top
            require(get("total_variation") <= mass + np.tanh(oscillation / 4) + 1e-13, f"{where}: total_variation > mass + tanh(w/4)")
        require(np.isinf(get("kl_exact_approx")) | (mass == 0), f"{where}: KL(exact || approx) is finite though mass was omitted")
        telescope = get("output_error_selection") + (get("output_error_pool") if "output_error_pool" in path else 0)
        telescope = telescope + (0 if truncates else get("output_error_store"))
        require(telescope * (1 + 1e-9) + radius >= error, f"{where}: stages do not add up to the error")
        for recall in ("recall", "recall_tie_credited", "recall_mass"):
            value = get(recall)
            require(np.isnan(value) | ((value >= 0) & (value <= 1)), f"{where}: {recall} outside [0, 1]")
        visible = np.broadcast_to(results["exact/visible_keys"][...], path["omitted_mass"].shape)[ran] \
            if results["exact/visible_keys"].ndim == 4 else None
        if visible is not None:
            attended = get("keys_attended")
            require(attended <= visible, f"{where}: more keys attended than visible")
            everything = attended == visible
            require(mass[everything] == 0, f"{where}: everything attended, yet mass was omitted")
            require(get("output_error_selection")[everything] == 0, f"{where}: everything attended, yet there is an error")
            if truncates:
                require(error[everything] == 0, f"{where}: everything attended, yet there is an error")
    if "exact" in results["path"]:
        control = results["path/exact"]
        for variable in ("omitted_mass", "output_error", "total_variation", "kl_approx_exact", "kl_exact_approx"):
            require(control[variable][...] == 0, f"{file} exact: {variable} != 0")
        require(control["recall"][...] == 1, f"{file} exact: recall != 1")
print(f"{rows} rows hold every property")
