"""Writes one .golden file per attention layer beside this file, from the layers of Hugging Face transformers.

    python3.11 -m venv venv
    venv/bin/pip install torch==2.15.0 transformers==5.23.0 numpy==2.4.6
    venv/bin/python make_golden.py

Each case is one small layer (DeepseekV3Attention, DeepseekV32Attention, DeepseekV4Attention) with random weights that
are multiples of 1/64, so that they are exact in every precision. It runs three times:

    f32      as the library runs it
    f64      in double; the library still casts norms, rotation angles and softmax to float32
    widened  in double, with torch.float32 meaning torch.float64 while the layer is built and run

The widened values are written. Before that they must agree with formulas.py to 1e-10 and the f32 values to 1e-5, as
|a - b| / |b| over the whole tensor; every figure is printed. The library neither rounds to a storage format nor applies
the Hadamard rotation of the indexers. It returns MLA's rotated channels with the even ones first; they are written in
the order of the weights. Selections are written by descending score, -1 where fewer entries are visible.

A file has `#` lines, then blocks: a line `name rows columns` and as many rows of numbers, in the shortest decimal form
that reads back to the same double. `config.` blocks are single numbers; `weight.` blocks are [outputs, inputs].
"""
import math
import pathlib

import numpy as np
import torch
import transformers

import formulas
import library

HERE = pathlib.Path(__file__).parent
F32_TOLERANCE, WIDENED_TOLERANCE = 1e-5, 1e-10

MLA = {"tokens": 24, "d_model": 32, "heads": 3, "kv_lora_rank": 16, "qk_nope": 8, "qk_rope": 8, "v": 10, "eps": 1e-6,
       "rope_base": 10000.0}
V3_YARN = {"factor": 40.0, "original_context": 4096, "beta_fast": 32.0, "beta_slow": 1.0}
V4_YARN = {"factor": 16.0, "original_context": 65536, "beta_fast": 32.0, "beta_slow": 1.0}
SHORT_YARN = {"factor": 4.0, "original_context": 512, "beta_fast": 32.0, "beta_slow": 1.0}
V4 = {"d_model": 32, "heads": 4, "head_dim": 16, "qk_rope": 8, "q_lora_rank": 24, "o_groups": 2, "o_lora_rank": 6,
      "index_heads": 0, "overlap": False, "ratio": 0, "eps": 1e-6, "head_norm": True}
V41 = V4 | {"tokens": 11, "heads": 2, "window": 3, "rope_base": 160000.0, "yarn": V4_YARN, "head_norm": False}

# name: kind, weights, configuration, seed of the weights
CASES = {
    "mla": ("mla", library.MLA_WEIGHTS, MLA | {"q_lora_rank": 20, "yarn": V3_YARN, "mscale": 1.0}, 1),
    "mla_direct_query": ("mla", library.DIRECT_QUERY_WEIGHTS, MLA | {"q_lora_rank": 0}, 2),
    "v32": ("v32", library.V32_WEIGHTS,
            MLA | {"tokens": 40, "q_lora_rank": 20, "yarn": V3_YARN, "mscale": 1.0, "index_heads": 8, "d_index": 12,
                   "top_k": 7, "index_eps": 1e-6}, 3),
    "v4_window": ("v4", library.WINDOW_WEIGHTS, V4 | {"tokens": 20, "window": 6, "rope_base": 10000.0}, 4),
    "csa": ("v4", library.CSA_WEIGHTS,
            V4 | {"tokens": 47, "window": 5, "ratio": 4, "overlap": True, "rope_base": 160000.0, "yarn": V4_YARN,
                  "index_heads": 8, "d_index": 12, "top_k": 3}, 5),
    "hca": ("v4", library.HCA_WEIGHTS,
            V4 | {"tokens": 45, "window": 7, "ratio": 8, "rope_base": 5000.0, "yarn": SHORT_YARN}, 6),
    "hca_128": ("v4", library.HCA_WEIGHTS,
                V4 | {"tokens": 300, "d_model": 16, "heads": 2, "q_lora_rank": 12, "o_lora_rank": 4, "window": 128,
                      "ratio": 128, "rope_base": 160000.0, "yarn": V4_YARN}, 7),
    "ratio_2": ("v4", library.HCA_WEIGHTS, V41 | {"ratio": 2}, 8),
    "ratio_1": ("v4", library.HCA_WEIGHTS, V41 | {"ratio": 1}, 9),
}
OUTPUTS_ONLY = {"hca_128": {"entries", "y"}}


def sixty_fourths(x):
    return np.round(x * 64) / 64


def random_weight(name, shape, rng):
    """Norm gains around 1, sinks and position biases of order 1, matrices of standard deviation fan_in^-1/2."""
    draw = rng.standard_normal(shape)
    if name.endswith(("norm", "gamma")):
        return sixty_fourths(1 + draw / 4)
    if len(shape) == 1 or name.endswith("ape"):
        return sixty_fourths(draw)
    return sixty_fourths(draw * shape[1] ** -0.5)


def run_formulas(kind, c, w, x):
    if kind == "v4":
        return formulas.shared_state_layer(w, c, x)
    r = {}
    if c["q_lora_rank"]:
        qr, r["q"] = formulas.mla_queries(w, c, x)
    else:
        r["q"] = formulas.mla_direct_queries(w, c, x)
    r["c"], r["k_rope"] = formulas.mla_latent(w, c, x)
    visible = formulas.causal(len(x))
    if kind == "v32":
        r["index_q"], r["index_k"], r["index_weight"], r["index_scores"] = formulas.v32_index(w, c, x, qr)
        r["selected"] = formulas.top_k(r["index_scores"], c["top_k"])
        visible = formulas.allowed(r["selected"], len(x))
    r["o"], r["y"] = formulas.mla_attention(w, c, r["q"], r["c"], r["k_rope"], visible)
    return r


def difference(a, b):
    """|a - b| / |b| over what is finite; positions of -inf must be the same."""
    assert a.shape == b.shape, (a.shape, b.shape)
    assert np.array_equal(np.isneginf(a), np.isneginf(b))
    finite = np.isfinite(b)
    return np.linalg.norm(a[finite] - b[finite]) / np.linalg.norm(b[finite])


def cut_margin(scores, k):
    """The smallest difference between the last selected and the first omitted score, over the queries that omit one."""
    best = -np.sort(-scores, axis=-1)
    omits = best.shape[1] > k and np.isfinite(best[:, k])
    return (best[omits, k - 1] - best[omits, k]).min() if np.any(omits) else math.inf


def same_selection(a, b):
    return all(set(p[p >= 0]) == set(q[q >= 0]) for p, q in zip(a, b, strict=True))


def report(name, label, record, reference, tolerance):
    for key, value in record.items():
        if key == "selected":
            assert same_selection(value, reference[key]), (name, label)
            print(f"{name:17s} {label:8s} selected      the same sets")
            continue
        error = difference(value, reference[key])
        print(f"{name:17s} {label:8s} {key:13s} {error:.1e}")
        if not error <= tolerance:
            raise SystemExit(f"{name}: {label} {key} differs from formulas.py by {error}")


def block(name, x, out):
    rows = np.atleast_2d(x) if np.ndim(x) < 2 else np.reshape(x, (len(x), -1))
    print(name, *rows.shape, file=out)
    for row in rows:
        print(*(int(v) if np.isfinite(v) and v == int(v) else float(v) for v in row), file=out)


def write(name, kind, c, weights, x, record):
    layer = {"mla": "deepseek_v3 DeepseekV3Attention", "v32": "deepseek_v32 DeepseekV32Attention",
             "v4": "deepseek_v4 DeepseekV4Attention"}[kind]
    with open(HERE / f"{name}.golden", "w") as out:
        print("# Made by `python make_golden.py` beside this file; its first lines name the packages it needs.",
              f"# transformers {transformers.__version__} {layer}, torch {torch.__version__.split('+')[0]}, eager,",
              "# in double with the library's casts to float32 widened. No storage format, no Hadamard rotation.",
              sep="\n", file=out)
        if not c.get("head_norm", True):
            print("# q_b_norm is replaced by the identity and the position bias is zero, as in DeepSeek-V4.1; every\n"
                  "# visible entry is read. transformers has no V4.1 layer: its indexer is not covered.", file=out)
        flat = {k: v for k, v in c.items() if k != "yarn"} | {f"yarn_{k}": v for k, v in c.get("yarn", {}).items()}
        for key, value in flat.items():
            block(f"config.{key}", float(value), out)
        for key, value in weights.items():
            block(f"weight.{key}", value, out)
        block("x", x, out)
        for key, value in record.items():
            if key in OUTPUTS_ONLY.get(name, record):
                block(key, value, out)


def seeded_inputs(kind, names, c, seed):
    rng = np.random.default_rng(seed)
    shapes = library.parameter_shapes(kind, c)
    weights = {name: random_weight(name, shapes[path], rng) for name, path in names.items()}
    if not c.get("head_norm", True):  # the V4.1 layers have no position bias either
        weights["compressor_ape"] *= 0
    return weights, sixty_fourths(rng.standard_normal((c["tokens"], c["d_model"])))


def softmax_scale(kind, c):
    if kind == "v4":
        return c["head_dim"] ** -0.5
    m = 0.1 * c["mscale"] * math.log(c["yarn"]["factor"]) + 1 if "mscale" in c else 1
    return (c["qk_nope"] + c["qk_rope"]) ** -0.5 * m * m


def main():
    for name, (kind, names, c, seed) in CASES.items():
        c = c | {"sm_scale": softmax_scale(kind, c)}
        weights, x = seeded_inputs(kind, names, c, seed)
        reference = run_formulas(kind, c, weights, x)
        if "index_scores" in reference:
            margin = cut_margin(reference["index_scores"], c["top_k"])
            print(f"{name:17s} smallest margin at the cut {margin:.1e}")
            assert margin > 1e-4
        arguments = (kind, names, c, weights, x)
        report(name, "f32", library.run(*arguments, torch.float32, False), reference, F32_TOLERANCE)
        report(name, "f64", library.run(*arguments, torch.float64, False), reference, F32_TOLERANCE)
        record = library.run(*arguments, torch.float64, True)
        report(name, "widened", record, reference, WIDENED_TOLERANCE)
        sevens = [min(7, len(x) - begin) for begin in range(0, len(x), 7)]
        for label, chunks in {"decode": [1] * len(x), "sevens": sevens}.items():
            report(name, label, library.run(*arguments, torch.float64, True, chunks), reference, WIDENED_TOLERANCE)
        write(name, kind, c, weights, x, record)


if __name__ == "__main__":
    main()
