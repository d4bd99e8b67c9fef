"""Recomputes the quickstart's results from its trace in plain numpy float64 and compares them with the results file.

usage: recompute_quickstart.py RESULTS.h5 TRACE.h5       exit 0: agreed, 1: did not

Tolerance: 1e-10 relative plus 1e-13 times the value scale (the largest value norm; 1 for masses and log-sum-exp).
"""

import sys

import h5py
import numpy as np

results, trace = h5py.File(sys.argv[1]), h5py.File(sys.argv[2])
q, k, v = (trace[name][...].astype(np.float64) for name in "qkv")
position, scale = trace["query_position"][...], trace.attrs["sm_scale"]
layers, heads, queries = q.shape[:3]
group = heads // k.shape[1]
value_scale = np.linalg.norm(v, axis=-1).max()
worst, checked = 0.0, 0


def compare(name, measured, expected, unit):
    global worst, checked
    excess = np.abs(measured - expected) / (1e-10 * np.abs(expected) + 1e-13 * unit)
    checked += excess.size
    if not np.all(excess <= 1):
        sys.exit(f"{name}: {np.sum(~(excess <= 1))} of {excess.size} disagree, worst {np.nanmax(excess):.3g} tolerances")
    worst = max(worst, excess.max())


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attend(s, kept, values):
    return softmax(np.where(kept, s, -np.inf)) @ values


for layer in range(layers):
    for head in range(heads):
        keys, values = k[layer, head // group], v[layer, head // group]
        visible = np.arange(keys.shape[0]) <= position[:, None]
        s = np.where(visible, scale * (q[layer, head] @ keys.T), -np.inf)
        p, o = softmax(s), softmax(s) @ values
        top = s.max(axis=-1)
        log_sum_exp = top + np.log(np.exp(s - top[:, None]).sum(axis=-1))
        compare("log_sum_exp", results["exact/log_sum_exp"][0, layer, head], log_sum_exp, 1)
        order = np.argsort(-s, axis=-1, kind="stable")  # score descending, then index ascending

        def check(path, cell, kept):
            at = cell + (0, layer, head)
            group_ = results[f"path/{path}"]
            compare(f"{path} omitted_mass", group_["omitted_mass"][at], np.where(visible & ~kept, p, 0).sum(axis=-1), 1)
            error = np.linalg.norm(o - attend(s, kept, values), axis=-1)
            compare(f"{path} output_error", group_["output_error"][at], error, value_scale)
            compare(f"{path} keys_attended", group_["keys_attended"][at], (kept & visible).sum(axis=-1), 1)

        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(keys.shape[0])[None, :], axis=-1)
        check("exact", (), visible)
        for cell, budget in enumerate(results["path/top_k/select_k"]):
            check("top_k", (cell,), visible & (rank < budget))
        key = np.arange(keys.shape[0])
        for cell, window in enumerate(results["path/streaming/window"]):
            check("streaming", (cell,), visible & ((key < 4) | (key > position[:, None] - window)))

print(f"{checked} numbers agree; the worst is {worst:.3g} of its tolerance")
