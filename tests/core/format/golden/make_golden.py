"""Writes elements.golden and ggml.golden beside this file, from ml_dtypes, numpy and gguf.

    python3 -m venv venv
    venv/bin/pip install ml_dtypes==0.6.0 gguf==0.19.0 numpy==2.4.6
    venv/bin/python make_golden.py

Inputs are a pure function of a counter (counter_inputs.hpp has the same functions in C++). Large sets are stored as
one 64-bit FNV-1a hash of the little-endian answers, boundary cases in full. ml_dtypes turns what exceeds a format into
NaN or infinity where the project saturates: inputs are clamped to the format's range first. Its conversion of
subnormal f32 to E8M0 does not round to nearest (all between 2^-127 and 2^-126 goes up): such inputs become 2^-127.
"""
import pathlib

import gguf
import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).parent
COUNT = 1_000_000
BLOCKS = 31_250

# name: dtype, bits, mantissa bits, exponents (as f32 fields) that counter inputs cover, largest value
ELEMENTS = {
    "e2m1": (ml_dtypes.float4_e2m1fn, 4, 1, 122, 131, 6.0),
    "e4m3": (ml_dtypes.float8_e4m3fn, 8, 3, 115, 137, 448.0),
    "e5m2": (ml_dtypes.float8_e5m2, 8, 2, 108, 144, 57344.0),
    "e8m0": (ml_dtypes.float8_e8m0fnu, 8, 0, 0, 254, 2.0**127),
    "bf16": (ml_dtypes.bfloat16, 16, 7, 0, 254, float.fromhex("0x1.FEp127")),
    "f16": (np.float16, 16, 10, 99, 144, 65504.0),
}


def fnv1a(array):
    h = 0xCBF29CE484222325
    for byte in array.tobytes():
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{h:016x}"


def splitmix64(i):
    """The i-th output of splitmix64 seeded with 0; i is an array of uint64."""
    with np.errstate(over="ignore"):
        z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def element_inputs(mantissa_bits, low, high):
    """i % 4 == 0: any finite f32; 1, 2: exponents of the format; 3: the same with few mantissa bits, often a tie."""
    i = np.arange(COUNT, dtype=np.uint64)
    u = splitmix64(i)
    bits = (u >> np.uint64(32)).astype(np.uint32)
    raw = np.where((bits >> 23 & 0xFF) == 0xFF, bits & np.uint32(0xBFFFFFFF), bits)
    field = (low + (u & np.uint64(0xFFFF)) % np.uint64(high - low + 1)).astype(np.uint32) << np.uint32(23)
    ranged = (bits & np.uint32(0x80000000)) | field | (bits & np.uint32(0x7FFFFF))
    few = np.uint32(0xFFFFFFFF << (22 - mantissa_bits) & 0xFFFFFFFF)
    return np.where(i % 4 == 0, raw, np.where(i % 4 == 3, ranged & few, ranged)).astype(np.uint32).view(np.float32)


def clamp(name, x):
    largest = np.float32(ELEMENTS[name][5])
    if name == "e8m0":
        x = np.clip(np.abs(x), np.float32(2.0**-127), largest)
        return np.where(x < np.float32(2.0**-126), np.float32(2.0**-127), x)
    return np.clip(x, -largest, largest)


def encode(name, x):
    dtype, bits = ELEMENTS[name][:2]
    return clamp(name, x).astype(dtype).view(np.uint16 if bits == 16 else np.uint8)


def decode_all(name):
    dtype, bits = ELEMENTS[name][:2]
    codes = np.arange(1 << bits, dtype=np.uint16 if bits == 16 else np.uint8)
    values = codes.view(dtype).astype(np.float32)
    return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))


def boundary_inputs(name):
    """Each magnitude, the midpoint to the next one, and the f32 neighbours of both; then all of it negated."""
    values = decode_all(name).view(np.float32)
    values = values[np.isfinite(values) & ~np.signbit(values)]
    middles = values.astype(np.float64)
    middles = ((middles + np.append(middles[1:], middles[-1])) / 2).astype(np.float32)
    with np.errstate(over="ignore"):
        up, down = np.float32(np.inf), np.float32(-np.inf)
        rows = [np.nextafter(values, down), values, np.nextafter(values, up),
                np.nextafter(middles, down), middles, np.nextafter(middles, up)]
    x = np.stack(rows, axis=1)
    return clamp(name, np.concatenate([x, -x]).ravel())


def write_elements(out):
    for name, (_, bits, mantissa_bits, low, high, _) in ELEMENTS.items():
        values = decode_all(name)
        print("decode_hash", name, fnv1a(values), file=out)
        if bits < 16 and name != "e8m0":
            for code, value in enumerate(values):
                print("decode", name, f"{code:x} {value:08x}", file=out)
        x = boundary_inputs(name)
        codes = encode(name, x)
        print("boundary_hash", name, fnv1a(codes), file=out)
        edge = 6 * np.array([0, 1, 2, (1 << mantissa_bits) - 1, 1 << mantissa_bits, len(x) // 12 - 2, len(x) // 12 - 1])
        shown = np.unique((edge[:, None] + np.arange(6)).ravel()) if bits > 4 else np.arange(len(x))
        for i in shown:
            print("encode", name, f"{x.view(np.uint32)[i]:08x} {codes[i]:x}", file=out)
        print("encode_hash", name, fnv1a(encode(name, element_inputs(mantissa_bits, low, high))), file=out)


def ggml_inputs():
    """[BLOCKS, 32]: magnitudes within 2^8 of the block's own, whose exponent runs from 2^-27 to 2^12; every third block
    positive, every third with five mantissa bits (ties); one element of 16 zero."""
    i = np.arange(BLOCKS * 32, dtype=np.uint64)
    b = i // np.uint64(32)
    u = splitmix64(i)
    field = 100 + splitmix64(b + np.uint64(1 << 40)) % np.uint64(40) - u % np.uint64(8)
    bits = (u >> np.uint64(32)).astype(np.uint32)
    mantissa = np.where(b % 3 == 2, bits & np.uint32(0x7C0000), bits & np.uint32(0x7FFFFF))
    sign = np.where(b % 3 == 1, np.uint32(0), bits & np.uint32(0x80000000))
    x = (sign | field.astype(np.uint32) << np.uint32(23) | mantissa).astype(np.uint32).view(np.float32)
    return np.where((u >> np.uint64(8)) % 16 == 0, np.float32(0), x).reshape(BLOCKS, 32)


def ggml_boundaries():
    j = np.arange(32, dtype=np.float32)
    blocks = {
        "zeros": 0 * j,
        "constant": 0 * j + np.float32(3.3),
        "negative_constant": 0 * j - np.float32(0.7),
        "largest_first_positive": np.where(j == 3, 8, np.where(j == 20, -8, j / 8)),
        "largest_first_negative": np.where(j == 3, -8, np.where(j == 20, 8, j / 8)),
        "ties_q4_0": np.where(j == 0, -8, (j - 16) / 2),
        "ties_q4_1": np.where(j == 0, 15, j % 31 / 2),
        "ties_q8_0": np.where(j == 0, 127, j - 16.5),
        "scale_flushed": (j - 13) * np.float32(2.0**-30),
        "scale_subnormal": (j - 13) * np.float32(2.0**-22),
        "scale_near_largest": (j - 15) / 16 * np.float32(60000),
        "offset": 1000 + j / 64,
        "one_outlier": np.where(j == 17, 1000, j / 100),
    }
    return {name: block.astype(np.float32)[None, :] for name, block in blocks.items()}


def write_ggml(out):
    kinds = {"q8_0": gguf.GGMLQuantizationType.Q8_0, "q4_0": gguf.GGMLQuantizationType.Q4_0,
             "q4_1": gguf.GGMLQuantizationType.Q4_1}
    for name, kind in kinds.items():
        stored = gguf.quants.quantize(ggml_inputs(), kind)
        print("bytes_hash", name, fnv1a(stored), file=out)
        print("values_hash", name, fnv1a(gguf.quants.dequantize(stored, kind)), file=out)
    for case, block in ggml_boundaries().items():
        print("input", case, block.tobytes().hex(), file=out)
        for name, kind in kinds.items():
            stored = gguf.quants.quantize(block, kind)
            print("block", name, case, stored.tobytes().hex(), gguf.quants.dequantize(stored, kind).tobytes().hex(),
                  file=out)


if __name__ == "__main__":
    with open(HERE / "elements.golden", "w") as out:
        write_elements(out)
    with open(HERE / "ggml.golden", "w") as out:
        write_ggml(out)
