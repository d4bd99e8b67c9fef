"""A trace of compressed entries with a window of single tokens, sinks and a lightning indexer, written from Python: index
scores, candidate pool, selection, masses and output errors are measured as numpy computes them.

usage: recompute_indexer.py ATTENTION_ERROR FOLDER       exit 0: they are, 1: they are not
"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
rng = np.random.default_rng(11)
LAYERS, HEADS, QUERIES, TOKENS, RATIO, WIDTH, WINDOW = 3, 4, 23, 301, 4, 24, 9
INDEX_HEADS, INDEX_WIDTH, BUDGET, BLOCKS, BLOCK = 5, 12, 11, 5, 4
ENTRIES = TOKENS // RATIO
tensors = {
    "q": rng.standard_normal((LAYERS, HEADS, QUERIES, WIDTH)),
    "k": rng.standard_normal((LAYERS, 1, ENTRIES, WIDTH)),  # K = V is one shared state
    "k_local": rng.standard_normal((LAYERS, 1, TOKENS, WIDTH)),
    "index_q": rng.standard_normal((LAYERS, INDEX_HEADS, QUERIES, INDEX_WIDTH)),
    "index_k": rng.integers(-1, 2, (LAYERS, ENTRIES, INDEX_WIDTH)).astype("f8"),  # with ties
    "index_weights": rng.standard_normal((LAYERS, QUERIES, INDEX_HEADS)),
    "sink_logit": rng.standard_normal((LAYERS, HEADS)),
    "key_position": (np.arange(ENTRIES) + 1) * RATIO - 1,
    "query_position": np.unique(np.concatenate([[1, 2, 3, 4], rng.choice(np.arange(5, TOKENS), QUERIES - 4, False)])),
    "layer": np.array([14, 20, 24]),
    "head": np.arange(HEADS),
}
tensors["index_q"] = np.round(tensors["index_q"])
tensors["index_weights"] = np.round(tensors["index_weights"] * 2) / 2
SCALE = WIDTH**-0.5
STUDY = f"""
schema = 1
[experiment]
kind = "attention_error"
[source]
kind = "trace"
file = "entries.h5"
[[path]]
name = "exact"
[[path]]
name = "indexer"
select = {{ by = "indexer", k = {BUDGET}, share = "layer" }}
[[path]]
name = "pool"
select = {{ by = "indexer", k = {BUDGET}, share = "layer" }}
pool = {{ blocks = {BLOCKS}, block_size = {BLOCK}, rank_by = "indexer", from_layer = 20 }}
"""


def top(scores, candidates, count):
    """The candidates with the highest scores: score descending, then index ascending."""
    return np.sort(sorted(candidates, key=lambda j: (-scores[j], j))[:count]).astype(int)


def ranks(x):
    return np.array([(np.sum(x < value) + np.sum(x <= value) - 1) / 2 for value in x])


def correlation(x, y):
    x, y = x - x.mean(), y - y.mean()
    return (x @ y) / np.sqrt((x @ x) * (y @ y))


checked = 0


def compare(where, measured, expected, unit=1.0):
    global checked
    checked += 1
    assert abs(measured - expected) <= 1e-10 * abs(expected) + 1e-12 * unit, (where, measured, expected)


with tempfile.TemporaryDirectory(dir=folder) as work:
    with h5py.File(os.path.join(work, "entries.h5"), "w") as file:
        for name, array in tensors.items():
            file[name] = array
        file.attrs["sm_scale"] = SCALE
        file.attrs["local_window"] = WINDOW
    study, output = os.path.join(work, "study.toml"), os.path.join(work, "results.h5")
    with open(study, "w", encoding="utf-8") as file:
        file.write(STUDY)
    subprocess.run([program, study, "-o", output, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    results = h5py.File(output)
    pools = {}  # by query, built by layer 20
    for layer, label in enumerate(tensors["layer"]):
        for query, position in enumerate(tensors["query_position"]):
            visible = (position + 1) // RATIO
            window = np.arange(max(position - WINDOW + 1, 0), position + 1)
            product = np.maximum(tensors["index_k"][layer, :visible] @ tensors["index_q"][layer, :, query].T, 0)
            index = product @ tensors["index_weights"][layer, query]
            everything = np.arange(visible)
            if label == 20:
                blocks = [index[b : b + BLOCK].max() for b in range(0, visible, BLOCK)]
                if blocks:
                    blocks[-1] = np.inf  # the newest is pinned
                kept_blocks = top(blocks, range(len(blocks)), BLOCKS)
                pools[query] = np.array([j for j in everything if j // BLOCK in kept_blocks], dtype=int)
            reach = {"exact": everything, "indexer": everything, "pool": pools[query] if label > 20 else everything}
            for path, candidates in reach.items():
                kept = everything if path == "exact" else top(index, candidates, BUDGET)
                for head in range(HEADS):
                    rows = np.concatenate([tensors["k"][layer, 0, :visible], tensors["k_local"][layer, 0, window]])
                    s = SCALE * rows @ tensors["q"][layer, head, query]
                    sink = tensors["sink_logit"][layer, head]
                    e, e_sink = np.exp(s - s.max()), np.exp(sink - s.max())
                    p = e / (e.sum() + e_sink)
                    attended = np.zeros(len(s), dtype=bool)
                    attended[kept] = attended[visible:] = True
                    o, o_path = p @ rows, (p * attended) @ rows / (1 - p[~attended].sum())
                    in_reach = np.zeros(len(s), dtype=bool)
                    in_reach[candidates] = in_reach[visible:] = True
                    where = (path, label, head, position)
                    at = (0, layer, head, query)
                    group = results[f"path/{path}"]
                    unit = np.linalg.norm(rows, axis=1).max()
                    compare(where, group["omitted_mass"][at], p[~attended].sum())
                    compare(where, group["output_error"][at], np.linalg.norm(o - o_path), unit)
                    compare(where, group["keys_attended"][at], attended.sum())
                    if path == "exact":
                        compare(where, results["exact/output_norm"][at], np.linalg.norm(o), unit)
                        compare(where, results["exact/visible_keys"][at], len(s))
                        continue
                    compare(where, group["index_keys_scored"][at], len(candidates))
                    if path == "pool":
                        compare(where, group["omitted_mass_pool"][at], p[~in_reach].sum())
                        compare(where, group["omitted_mass_selection"][at], p[in_reach & ~attended].sum())
                    main = s[candidates]
                    if len(candidates) > 1 and np.ptp(index[candidates]) > 0:
                        compare(where, group["index_correlation"][at], correlation(index[candidates], main))
                        compare(where, group["index_rank_correlation"][at], correlation(ranks(index[candidates]), ranks(main)))
                    else:
                        assert np.isnan(group["index_correlation"][at]), where
    assert max(len(pool) for pool in pools.values()) == BLOCKS * BLOCK
print(f"{checked} numbers of a trace with entries, a window and an indexer agree with numpy")
