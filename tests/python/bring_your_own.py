"""A trace and a selection written from Python are measured as numpy measures them, in HDF5 and in safetensors.

usage: bring_your_own.py ATTENTION_ERROR FOLDER       exit 0: they are, 1: they are not
"""

import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

program, folder = (os.path.abspath(argument) for argument in sys.argv[1:])
rng = np.random.default_rng(5)
LAYERS, HEADS, KV_HEADS, QUERIES, KEYS, WIDTH, SLOTS = 2, 6, 2, 7, 41, 16, 9
tensors = {
    "q": rng.standard_normal((LAYERS, HEADS, QUERIES, WIDTH)).astype("f4"),
    "k": rng.standard_normal((LAYERS, KV_HEADS, KEYS, WIDTH)).astype("f4"),
    "v": rng.standard_normal((LAYERS, KV_HEADS, KEYS, WIDTH)).astype("f4"),
    "query_position": np.arange(KEYS - QUERIES, KEYS),
    "layer": np.array([3, 7]),
    "head": np.arange(HEADS),
}
selected = rng.integers(-1, KEYS - QUERIES, (1, LAYERS, HEADS, QUERIES, SLOTS))  # duplicates and -1 among them


def write_safetensors(file):
    names = {"f4": "F32", "i8": "I64"}
    header, data = {"__metadata__": {"sm_scale": "0.25"}}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": names[array.dtype.str[1:]], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    with open(file, "wb") as out:
        out.write(len(text).to_bytes(8, "little") + text + data)


STUDY = """
schema = 1
[experiment]
kind = "attention_error"
[source]
kind = "trace"
file = "{trace}"
[[path]]
name = "mine"
select = {{ by = "file", file = "selected.h5" }}
window = 1
"""
with tempfile.TemporaryDirectory(dir=folder) as work:
    with h5py.File(os.path.join(work, "heads.h5"), "w") as file:
        for name, array in tensors.items():
            file[name] = array
        file.attrs["sm_scale"] = 0.25
    write_safetensors(os.path.join(work, "heads.safetensors"))
    with h5py.File(os.path.join(work, "selected.h5"), "w") as file:
        file["selected"] = selected
    for trace in ("heads.h5", "heads.safetensors"):
        study, output = os.path.join(work, "study.toml"), os.path.join(work, trace + ".results.h5")
        with open(study, "w", encoding="utf-8") as file:
            file.write(STUDY.format(trace=trace))
        subprocess.run([program, study, "-o", output, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        with h5py.File(output) as results:
            assert list(results["layer"]) == [3, 7]
            for layer in range(LAYERS):
                for head in range(HEADS):
                    kv = head * KV_HEADS // HEADS
                    for query in range(QUERIES):
                        position = tensors["query_position"][query]
                        s = 0.25 * tensors["k"][layer, kv, : position + 1].astype("f8") @ tensors["q"][layer, head, query]
                        p = np.exp(s - s.max())
                        p /= p.sum()
                        kept = np.union1d(selected[0, layer, head, query], [-1, position])[1:]
                        at = results["path/mine/omitted_mass"][0, layer, head, query]
                        expected = np.delete(p, kept).sum()
                        assert abs(at - expected) <= 1e-12, (trace, layer, head, query, at, expected)
                        assert results["path/mine/keys_attended"][0, layer, head, query] == len(kept)
    # a key that the query cannot see is refused by name, and nothing is written
    selected[0, 1, 4, 2, 5] = KEYS - 1
    with h5py.File(os.path.join(work, "selected.h5"), "w") as file:
        file["selected"] = selected
    refused = subprocess.run([program, study, "-o", os.path.join(work, "no.h5")], capture_output=True, text=True)
    assert refused.returncode == 3 and "layer 7, head 4, query position 36" in refused.stderr, refused
    assert not os.path.exists(os.path.join(work, "no.h5")) and not os.path.exists(os.path.join(work, "no.h5.partial"))
print("HDF5 and safetensors traces and a selection from Python agree with numpy")
