"""The attention layers of DeepSeek-V3, V3.2 and V4 in numpy float64, written from their published formulas.

make_golden.py compares the layers of transformers with these functions and writes nothing when they disagree. Weights
are matrices [outputs, inputs] applied to row vectors; a sequence is [tokens, channels], heads are [tokens, heads,
channels], and the tokens stand at positions 0, 1, 2, ...

Sources: inference/model.py of deepseek-ai/DeepSeek-V3 and DeepSeek-V3.2-Exp (equations 1 to 9) and of DeepSeek-V4-Pro
(equations 10 to 18). No rounding to a storage format and no Hadamard rotation happens here.
"""
import math

import numpy as np


def rms_norm(x, gamma=None, eps=1e-6):
    """(1) y_c = gamma_c x_c / sqrt(mean(x^2) + eps)."""
    y = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    return y if gamma is None else y * gamma


def layer_norm(x, gamma, beta, eps=1e-6):
    """(2) The same around the mean, with a bias."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return rms_norm(centred, gamma, eps) + beta


def rope_frequencies(channels, base, yarn=None):
    """(3) f_i = base^(-2i/d); YaRN divides by the factor those that turn seldom over the original context."""
    i = np.arange(channels // 2)
    f = float(base) ** (-2.0 * i / channels)
    if yarn is None:
        return f

    def pair_of_turns(turns):
        return channels * math.log(yarn["original_context"] / (2 * math.pi * turns)) / (2 * math.log(base))

    low = max(math.floor(pair_of_turns(yarn["beta_fast"])), 0)
    high = min(math.ceil(pair_of_turns(yarn["beta_slow"])), channels - 1)
    keep = 1 - np.clip((i - low) / max(high - low, 1e-3), 0, 1)
    return f / yarn["factor"] * (1 - keep) + f * keep


def rotate(x, positions, frequencies, half_split=False):
    """(4) Channel pair i turned by positions f_i; x [tokens, (heads,) channels], positions [tokens]."""
    angle = np.asarray(positions, dtype=np.float64)[:, None] * frequencies
    turn = np.exp(1j * angle).reshape((len(x),) + (1,) * (x.ndim - 2) + (-1,))
    half = x.shape[-1] // 2
    a, b = (x[..., :half], x[..., half:]) if half_split else (x[..., 0::2], x[..., 1::2])
    z = (a + 1j * b) * turn
    if half_split:
        return np.concatenate([z.real, z.imag], axis=-1)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def rotate_last(x, positions, frequencies):
    """(4) on the last channels of x, interleaved pairs."""
    nope = x.shape[-1] - 2 * len(frequencies)
    return np.concatenate([x[..., :nope], rotate(x[..., nope:], positions, frequencies)], axis=-1)


def softmax(scores, sink=None):
    """(5) Over the last axis; the sink adds e^sink to the denominator and has no value."""
    top = scores.max(axis=-1, keepdims=True)
    if sink is not None:
        top = np.maximum(top, sink)
    e = np.exp(scores - top)
    total = e.sum(axis=-1, keepdims=True)
    return e / (total if sink is None else total + np.exp(sink - top))


def causal(tokens):
    """[tokens, tokens], true where key j <= query t."""
    return np.tril(np.ones((tokens, tokens), dtype=bool))


def top_k(scores, k):
    """[tokens, rows] -> [tokens, min(k, rows)] indices by (score descending, index ascending), -1 where invisible."""
    order = np.argsort(-scores, axis=-1, kind="stable")[:, :k]
    return np.where(np.isneginf(np.take_along_axis(scores, order, axis=-1)), -1, order)


def allowed(selected, rows):
    """[tokens, k] indices or -1 -> [tokens, rows] mask."""
    mask = np.zeros((len(selected), rows), dtype=bool)
    for t, row in enumerate(selected):
        mask[t, row[row >= 0]] = True
    return mask


def mla_queries(w, c, x):
    """(6) qr = RMSNorm(Wqa x); q_h = [q^n; RoPE(q^r)] = Wqb qr."""
    qr = rms_norm(x @ w["q_a"].T, w["q_a_norm"], c["eps"])
    q = (qr @ w["q_b"].T).reshape(len(x), c["heads"], c["qk_nope"] + c["qk_rope"])
    return qr, rotate_last(q, range(len(x)), rope_frequencies(c["qk_rope"], c["rope_base"], c.get("yarn")))


def mla_direct_queries(w, c, x):
    """(6) without the low rank: q_h = Wq x."""
    q = (x @ w["q"].T).reshape(len(x), c["heads"], -1)
    return rotate_last(q, range(len(x)), rope_frequencies(c["qk_rope"], c["rope_base"], c.get("yarn")))


def mla_latent(w, c, x):
    """(7) [c'; k^r] = Wkva x; the cache holds RMSNorm(c') and RoPE(k^r)."""
    joint = x @ w["kv_a"].T
    latent = rms_norm(joint[:, : c["kv_lora_rank"]], w["kv_a_norm"], c["eps"])
    frequencies = rope_frequencies(c["qk_rope"], c["rope_base"], c.get("yarn"))
    return latent, rotate(joint[:, c["kv_lora_rank"] :], range(len(x)), frequencies)


def mla_attention(w, c, q, latent, k_rope, visible):
    """(8) Absorbed: s (q~ . c_j + q^r . k^r_j), u = sum p c_j, y = Wo concat_h(W^V_h u); visible [tokens, tokens]."""
    kv_b = w["kv_b"].reshape(c["heads"], c["qk_nope"] + c["v"], c["kv_lora_rank"])
    absorbed = np.einsum("thn,hnc->thc", q[..., : c["qk_nope"]], kv_b[:, : c["qk_nope"]])
    scores = np.einsum("thc,jc->thj", absorbed, latent) + np.einsum("thr,jr->thj", q[..., c["qk_nope"] :], k_rope)
    scores = np.where(visible[:, None, :], c["sm_scale"] * scores, -np.inf)
    u = np.einsum("thj,jc->thc", softmax(scores), latent)
    o = np.einsum("thc,hvc->thv", u, kv_b[:, c["qk_nope"] :])
    return o, o.reshape(len(q), -1) @ w["o"].T


def v32_index(w, c, x, qr):
    """(9) I(t, s) = sum_h w_h ReLU(q^I_h . k^I_s), w_h = (W_w x)_h H^-1/2 d^-1/2.

    q^I = Wq_b^I qr, k^I = LayerNorm(Wk^I x), both with RoPE on their first channels in half-split pairs.
    """
    frequencies = rope_frequencies(c["qk_rope"], c["rope_base"], c.get("yarn"))
    d, heads, rope = c["d_index"], c["index_heads"], c["qk_rope"]

    def place(vector):
        first = rotate(vector[..., :rope], range(len(x)), frequencies, half_split=True)
        return np.concatenate([first, vector[..., rope:]], axis=-1)

    q = place((qr @ w["index_q_b"].T).reshape(len(x), heads, d))
    k = place(layer_norm(x @ w["index_k"].T, w["index_k_gamma"], w["index_k_beta"], c["index_eps"]))
    weight = x @ w["index_w"].T * heads**-0.5 * d**-0.5
    return q, k, weight, index_scores(q, k, weight, causal(len(x)))


def index_scores(q, k, weight, visible):
    """q [tokens, heads, d], k [rows, d], weight [tokens, heads] -> [tokens, rows], -inf where invisible."""
    scores = np.einsum("th,thj->tj", weight, np.maximum(np.einsum("thd,jd->thj", q, k), 0))
    return np.where(visible, scores, -np.inf)


def compressed(value, gate, position_bias, ratio, overlap):
    """(10) Entry j pools the tokens of group j with a softmax over the slots for every channel by itself. With overlap
    the first half of the channels of group j - 1 joins the second half of group j; group 0 has no predecessor."""
    groups = len(value) // ratio
    d = value.shape[1] // (2 if overlap else 1)
    logits = gate[: groups * ratio] + np.tile(position_bias, (groups, 1))
    entries = np.empty((groups, d))
    for j in range(groups):
        own = slice(ratio * j, ratio * (j + 1))
        v, z = value[own, -d:], logits[own, -d:]
        if overlap and j > 0:
            previous = slice(ratio * (j - 1), ratio * j)
            v, z = np.concatenate([value[previous, :d], v]), np.concatenate([logits[previous, :d], z])
        entries[j] = (softmax(z.T) * v.T).sum(axis=-1)
    return entries


def shared_state_entries(w, prefix, c, x, frequencies):
    """(11) RMSNorm of (10), then RoPE on the last channels at the position of the group's first token."""
    pooled = compressed(x @ w[prefix + "kv"].T, x @ w[prefix + "gate"].T, w[prefix + "ape"], c["ratio"], c["overlap"])
    entries = rms_norm(pooled, w[prefix + "norm"], c["eps"])
    return rotate_last(entries, c["ratio"] * np.arange(len(entries)), frequencies)


def shared_state_layer(w, c, x):
    """One V4 layer, or with head_norm off and no position bias one V4.1 layer that reads every visible entry.

    (12) qr = RMSNorm(Wqa x); q_h = Wqb qr, divided by sqrt(mean(q_h^2) + eps), RoPE on the last channels at t
    (13) S_t = RMSNorm(Wkv x), RoPE on the last channels at t: key and value of the window of W tokens ending at t
    (14) entry j of (11) is visible iff j < floor((t + 1) / ratio)
    (15) with an indexer: q^I = Wq_b^I qr with RoPE on the last channels at t, keys of (11) at width d_index,
         w = (W_w x) d_index^-1/2 heads^-1/2, and the top k visible entries of sum_h w_h ReLU(q_h . k_j)
    (16) one softmax over [window; entries], scale d^-1/2, sink of each head in the denominator
    (17) RoPE on the last channels of each output by -t
    (18) heads in g groups, each through its own Wa, then Wb over their concatenation
    """
    tokens, heads, d = len(x), c["heads"], c["head_dim"]
    frequencies = rope_frequencies(c["qk_rope"], c["rope_base"], c.get("yarn"))
    t = np.arange(tokens)
    r = {}
    qr = rms_norm(x @ w["q_a"].T, w["q_a_norm"], c["eps"])
    q = (qr @ w["q_b"].T).reshape(tokens, heads, d)
    r["q"] = rotate_last(rms_norm(q, None, c["eps"]) if c["head_norm"] else q, t, frequencies)
    r["local"] = rotate_last(rms_norm(x @ w["kv"].T, w["kv_norm"], c["eps"]), t, frequencies)
    keys = r["local"]
    visible = causal(tokens) & (t[:, None] - t[None, :] < c["window"])
    if c["ratio"] > 0:
        r["entries"] = shared_state_entries(w, "compressor_", c, x, frequencies)
        rows = len(r["entries"])
        eligible = np.arange(rows)[None, :] < ((t + 1) // c["ratio"])[:, None]
        if c["index_heads"] > 0:
            r["index_k"] = shared_state_entries(w, "index_compressor_", c, x, frequencies)
            iq = (qr @ w["index_q_b"].T).reshape(tokens, c["index_heads"], c["d_index"])
            r["index_q"] = rotate_last(iq, t, frequencies)
            r["index_weight"] = x @ w["index_w"].T * c["d_index"] ** -0.5 * c["index_heads"] ** -0.5
            r["index_scores"] = index_scores(r["index_q"], r["index_k"], r["index_weight"], eligible)
            r["selected"] = top_k(r["index_scores"], c["top_k"])
            eligible = allowed(r["selected"], rows)
        keys = np.concatenate([keys, r["entries"]])
        visible = np.concatenate([visible, eligible], axis=1)
    scores = np.where(visible[:, None, :], d**-0.5 * np.einsum("thd,jd->thj", r["q"], keys), -np.inf)
    r["o"] = np.einsum("thj,jd->thd", softmax(scores, w["sink"][None, :, None]), keys)
    unturned = rotate_last(r["o"], -t, frequencies)
    grouped = unturned.reshape(tokens, c["o_groups"], -1)
    o_a = w["o_a"].reshape(c["o_groups"], -1, grouped.shape[-1])
    r["y"] = np.einsum("tgi,goi->tgo", grouped, o_a).reshape(tokens, -1) @ w["o_b"].T
    return r
