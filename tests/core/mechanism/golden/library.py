"""Runs one attention layer of Hugging Face transformers and records what lies between its input and its output.

The library casts norms, rotation angles and softmax to float32 also in a double layer. With `wide`, torch.float32 means
torch.float64 while the layer is built and run, so that the same code runs in double throughout.
"""
import contextlib
from unittest import mock

import numpy as np
import torch
from transformers import DynamicCache
from transformers.masking_utils import create_causal_mask, create_sliding_window_causal_mask
from transformers.models.deepseek_v3 import configuration_deepseek_v3, modeling_deepseek_v3
from transformers.models.deepseek_v32 import configuration_deepseek_v32, modeling_deepseek_v32
from transformers.models.deepseek_v4 import configuration_deepseek_v4, modeling_deepseek_v4

# name in the golden file: name in the library's layer
MLA_WEIGHTS = {
    "q_a": "q_a_proj.weight", "q_a_norm": "q_a_layernorm.weight", "q_b": "q_b_proj.weight",
    "kv_a": "kv_a_proj_with_mqa.weight", "kv_a_norm": "kv_a_layernorm.weight", "kv_b": "kv_b_proj.weight",
    "o": "o_proj.weight",
}
DIRECT_QUERY_WEIGHTS = {"q": "q_proj.weight"} | {k: v for k, v in MLA_WEIGHTS.items() if not k.startswith("q_")}
V32_WEIGHTS = MLA_WEIGHTS | {
    "index_q_b": "indexer.wq_b.weight", "index_k": "indexer.wk.weight", "index_k_gamma": "indexer.k_norm.weight",
    "index_k_beta": "indexer.k_norm.bias", "index_w": "indexer.weights_proj.weight",
}
WINDOW_WEIGHTS = {
    "q_a": "q_a_proj.weight", "q_a_norm": "q_a_norm.weight", "q_b": "q_b_proj.weight", "kv": "kv_proj.weight",
    "kv_norm": "kv_norm.weight", "o_a": "o_a_proj.weight", "o_b": "o_b_proj.weight", "sink": "sinks",
}
HCA_WEIGHTS = WINDOW_WEIGHTS | {
    "compressor_kv": "compressor.kv_proj.weight", "compressor_gate": "compressor.gate_proj.weight",
    "compressor_ape": "compressor.position_bias", "compressor_norm": "compressor.kv_norm.weight",
}
CSA_WEIGHTS = HCA_WEIGHTS | {
    "index_compressor_kv": "compressor.indexer.kv_proj.weight",
    "index_compressor_gate": "compressor.indexer.gate_proj.weight",
    "index_compressor_ape": "compressor.indexer.position_bias",
    "index_compressor_norm": "compressor.indexer.kv_norm.weight", "index_q_b": "compressor.indexer.q_b_proj.weight",
    "index_w": "compressor.indexer.scorer.weights_proj.weight",
}


@contextlib.contextmanager
def widened(on):
    with contextlib.ExitStack() as stack:
        if on:
            stack.enter_context(mock.patch.object(torch, "float32", torch.float64))
            stack.enter_context(mock.patch.object(torch, "float", torch.float64))
            stack.enter_context(mock.patch.object(torch.Tensor, "float", torch.Tensor.double))
        yield


def rope_parameters(c, **more):
    if "yarn" not in c:
        return {"rope_type": "default", "rope_theta": c["rope_base"]} | more
    yarn = c["yarn"]
    scaled = {"rope_type": "yarn", "rope_theta": c["rope_base"], "factor": yarn["factor"],
              "original_max_position_embeddings": yarn["original_context"], "beta_fast": yarn["beta_fast"],
              "beta_slow": yarn["beta_slow"]}
    if "mscale" in c:
        scaled |= {"mscale": c["mscale"], "mscale_all_dim": c["mscale"]}
    return scaled | more


def v4_layer(c):
    kind = {0: "sliding_attention", 4: "compressed_sparse_attention"}.get(c["ratio"], "heavily_compressed_attention")
    rates = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128} | {kind: c["ratio"]}
    partial = c["qk_rope"] / c["head_dim"]
    plain = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": partial}
    compress = rope_parameters(c, partial_rotary_factor=partial)
    if "yarn" in c:
        compress["attention_factor"] = 1.0
    config = configuration_deepseek_v4.DeepseekV4Config(
        hidden_size=c["d_model"], num_attention_heads=c["heads"], head_dim=c["head_dim"], q_lora_rank=c["q_lora_rank"],
        partial_rotary_factor=partial, o_groups=c["o_groups"], o_lora_rank=c["o_lora_rank"],
        sliding_window=c["window"], num_hidden_layers=1, layer_types=[kind], mlp_layer_types=["moe"],
        compress_rates=rates, rms_norm_eps=c["eps"], index_n_heads=max(c["index_heads"], 1),
        index_head_dim=c.get("d_index", 8), index_topk=c.get("top_k", 1),
        rope_parameters={"main": plain, "compress": compress}, attn_implementation="eager")
    layer = modeling_deepseek_v4.DeepseekV4Attention(config, 0)
    if not c["head_norm"]:
        layer.q_b_norm = torch.nn.Identity()
    return layer, config, modeling_deepseek_v4.DeepseekV4RotaryEmbedding(config), modeling_deepseek_v4


def mla_layer(kind, c):
    shared = dict(
        hidden_size=c["d_model"], num_attention_heads=c["heads"], num_key_value_heads=c["heads"],
        q_lora_rank=c["q_lora_rank"] or None, kv_lora_rank=c["kv_lora_rank"], qk_nope_head_dim=c["qk_nope"],
        qk_rope_head_dim=c["qk_rope"], v_head_dim=c["v"], rms_norm_eps=c["eps"], num_hidden_layers=1,
        rope_parameters=rope_parameters(c), attn_implementation="eager")
    if kind == "v32":
        config = configuration_deepseek_v32.DeepseekV32Config(
            **shared, index_n_heads=c["index_heads"], index_head_dim=c["d_index"], index_topk=c["top_k"])
        source = modeling_deepseek_v32
        return source.DeepseekV32Attention(config, 0), config, source.DeepseekV32RotaryEmbedding(config), source
    config = configuration_deepseek_v3.DeepseekV3Config(**shared)
    source = modeling_deepseek_v3
    return source.DeepseekV3Attention(config, 0), config, source.DeepseekV3RotaryEmbedding(config), source


def build(kind, c):
    """The library's layer, its configuration, its rotary embedding and its modelling module."""
    return v4_layer(c) if kind == "v4" else mla_layer(kind, c)


def parameter_shapes(kind, c):
    return {name: tuple(p.shape) for name, p in build(kind, c)[0].named_parameters()}


def recording(owner, name, log):
    """Patches a function so that its arguments and its result are appended to the log."""
    function = getattr(owner, name)

    def wrapper(*arguments, **named):
        result = function(*arguments, **named)
        log.append((arguments, result))
        return result

    return mock.patch.object(owner, name, wrapper)


def even_first_to_interleaved(x, rope):
    """[..., d] whose last channels are [even; odd] -> the order of the weights."""
    nope = x.shape[-1] - rope
    halves = x[..., nope:].reshape(*x.shape[:-1], 2, rope // 2)
    return np.concatenate([x[..., :nope], np.swapaxes(halves, -1, -2).reshape(*x.shape[:-1], rope)], axis=-1)


def forward(kind, layer, config, rotary, x, begin, cache):
    """y [tokens, d_model] of tokens that stand at positions begin, begin + 1, ..."""
    x = x[None]
    positions = torch.arange(begin, begin + x.shape[1])[None]
    mask_arguments = dict(config=config, inputs_embeds=x, attention_mask=None, past_key_values=cache,
                          position_ids=positions)
    if kind == "v4":
        mask = create_sliding_window_causal_mask(**mask_arguments)
        angles = {label: rotary(x, position_ids=positions, layer_type=label) for label in ("main", "compress")}
    else:
        mask = create_causal_mask(**mask_arguments, **({"allow_is_causal_skip": False} if kind == "v32" else {}))
        angles = rotary(x, position_ids=positions)
    return layer(hidden_states=x, position_embeddings=angles, position_ids=positions, attention_mask=mask,
                 past_key_values=cache)[0][0]


def run(kind, names, c, weights, x, dtype, wide, chunks=None):
    """The layer's output and intermediate quantities; with chunks, the output alone, through the library's cache."""
    with widened(wide), torch.no_grad():
        layer, config, rotary, source = build(kind, c)
        layer = layer.to(dtype).eval()
        assert abs(layer.scaling / c["sm_scale"] - 1) <= 1e-15, (layer.scaling, c["sm_scale"])
        parameters = dict(layer.named_parameters())
        assert set(names.values()) == set(parameters), set(names.values()) ^ set(parameters)
        for name, key in names.items():
            parameters[key].copy_(torch.from_numpy(weights[name]))
        x = torch.from_numpy(x).to(dtype)
        if chunks:
            cache = DynamicCache(config=config)
            begins = np.cumsum([0, *chunks[:-1]])
            y = [forward(kind, layer, config, rotary, x[b : b + n], b, cache) for b, n in zip(begins, chunks)]
            return {"y": torch.cat(y).double().numpy()}
        log = {"attention": [], "rotary": [], "top_k": [], "scorer": []}
        with contextlib.ExitStack() as stack:
            stack.enter_context(recording(source, "eager_attention_forward", log["attention"]))
            stack.enter_context(recording(torch.Tensor, "topk", log["top_k"]))
            if kind == "v32":
                stack.enter_context(recording(source, "apply_rotary_pos_emb", log["rotary"]))
            if kind == "v4":
                stack.enter_context(recording(source.DeepseekV4IndexerScorer, "forward", log["scorer"]))
            y = forward(kind, layer, config, rotary, x, 0, None)
        (_, q, k, *_), (o, _) = log["attention"][0]
        record = {"y": y, "o": o[0], "q": q[0].transpose(0, 1)}
        record |= {"mla": mla_record, "v32": v32_record, "v4": v4_record}[kind](c, layer, x, record["q"], k[0], log)
        return {name: np.asarray(value, dtype=np.float64) for name, value in record.items()}


def mla_record(c, layer, x, q, k, log):
    joint = layer.kv_a_proj_with_mqa(x)
    return {"q": even_first_to_interleaved(q.numpy(), c["qk_rope"]),
            "c": layer.kv_a_layernorm(joint[:, : c["kv_lora_rank"]]),
            "k_rope": even_first_to_interleaved(k[0][:, c["qk_nope"] :].numpy(), c["qk_rope"])}


def v32_record(c, layer, x, q, k, log):
    rotated_q, rotated_k = log["rotary"][0][1]
    indexer = layer.indexer
    qr = layer.q_a_layernorm(layer.q_a_proj(x))
    rest_q = indexer.wq_b(qr).view(len(x), c["index_heads"], c["d_index"])[..., c["qk_rope"] :]
    rest_k = indexer.k_norm(indexer.wk(x))[:, c["qk_rope"] :]
    visible_rows = np.arange(len(x)) + 1
    return mla_record(c, layer, x, q, k, log) | {
        "index_q": np.concatenate([rotated_q[0], rest_q], axis=-1),
        "index_k": np.concatenate([rotated_k[0, :, 0], rest_k], axis=-1),
        "index_weight": indexer.weights_proj(x).double() * c["index_heads"] ** -0.5 * c["d_index"] ** -0.5,
    } | selection(log, visible_rows)


def v4_record(c, layer, x, q, k, log):
    tokens = len(x)
    r = {"local": k[0, :tokens]}
    if c["ratio"]:
        r["entries"] = k[0, tokens:]
    if c["index_heads"]:
        (scorer, index_q, index_k, _), _ = log["scorer"][0]
        r |= {"index_q": index_q[0], "index_k": index_k[0]}
        r["index_weight"] = scorer.weights_proj(x).double() * scorer.weights_scaling * scorer.softmax_scale
        r |= selection(log, (np.arange(tokens) + 1) // c["ratio"])
    return r


def selection(log, visible_rows):
    """What the indexer scored and chose; visible_rows [tokens]. The library marks invisible rows by a score of -inf or
    of the lowest float."""
    (scores, *_), answer = log["top_k"][0]
    visible = np.arange(scores.shape[-1]) < visible_rows[:, None]
    chosen = answer.indices[0].numpy()
    return {"index_scores": np.where(visible, scores[0].numpy(), -np.inf),
            "selected": np.where(chosen < visible_rows[:, None], chosen, -1)}
