"""Small decoders of transformers' deepseek_v3, deepseek_v32 and deepseek_v4, configured as the project describes them,
and what their layers cache.

A description has one dense feed-forward per layer and one residual stream. V3 and V3.2 have dense layers in the
library. V4 has neither there:

    experts     every V4 layer adds routed experts to a shared one. The shared expert is the dense feed-forward here;
                the routed ones have weights of 0 and add 0 exactly. swiglu_limit is out of reach.
    streams     hyper-connections always mix hc_mult streams. With one stream, hc_eps = 0 and a mixing matrix of 0, the
                weights are those of the bases alone: sigmoid(64) = 1 and 2 sigmoid(0) = 1 in double, and a 1 x 1
                matrix is normalised to 1. What is left is the residual sum, bit for bit.

Parameters of both are set here and are not written to the golden files.
"""
import contextlib
import sys
from unittest import mock

import numpy as np
import torch
from transformers.models.deepseek_v3 import configuration_deepseek_v3, modeling_deepseek_v3
from transformers.models.deepseek_v32 import configuration_deepseek_v32, modeling_deepseek_v32
from transformers.models.deepseek_v4 import configuration_deepseek_v4, modeling_deepseek_v4

import library

EVERY = 1 << 20  # index_topk no smaller than any sequence: exact attention
ROPE = 4
V3_YARN = {"factor": 40.0, "original_context": 4096, "beta_fast": 32.0, "beta_slow": 1.0}
V4_YARN = {"factor": 16.0, "original_context": 65536, "beta_fast": 32.0, "beta_slow": 1.0}
MLA = dict(vocab_size=17, hidden_size=12, intermediate_size=16, num_hidden_layers=2, num_attention_heads=2,
           num_key_value_heads=2, q_lora_rank=8, kv_lora_rank=8, qk_nope_head_dim=6, qk_rope_head_dim=ROPE,
           v_head_dim=5, first_k_dense_replace=2, rms_norm_eps=1e-6, attn_implementation="eager")
V4_LAYERS = ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"]


def v3():
    rope = library.rope_parameters({"rope_base": 10000.0, "yarn": V3_YARN, "mscale": 1.0})
    config = configuration_deepseek_v3.DeepseekV3Config(**MLA, rope_parameters=rope)
    return modeling_deepseek_v3.DeepseekV3ForCausalLM(config)


def v32(top_k=EVERY):
    rope = library.rope_parameters({"rope_base": 10000.0, "yarn": V3_YARN, "mscale": 1.0})
    config = configuration_deepseek_v32.DeepseekV32Config(**MLA, rope_parameters=rope, index_n_heads=6,
                                                          index_head_dim=6, index_topk=top_k)
    return modeling_deepseek_v32.DeepseekV32ForCausalLM(config)


def v4(top_k=EVERY):
    partial = ROPE / 8
    main = {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": partial}
    compress = library.rope_parameters({"rope_base": 160000.0, "yarn": V4_YARN}, partial_rotary_factor=partial,
                                       attention_factor=1.0)
    config = configuration_deepseek_v4.DeepseekV4Config(
        vocab_size=17, hidden_size=12, moe_intermediate_size=12, num_hidden_layers=len(V4_LAYERS),
        num_attention_heads=2, head_dim=8, q_lora_rank=8, partial_rotary_factor=partial, o_groups=2, o_lora_rank=4,
        sliding_window=4, layer_types=V4_LAYERS, mlp_layer_types=["moe"] * len(V4_LAYERS),
        compress_rates={"compressed_sparse_attention": 4, "heavily_compressed_attention": 8}, index_n_heads=6,
        index_head_dim=6, index_topk=top_k, n_routed_experts=2, num_experts_per_tok=1, n_shared_experts=1,
        swiglu_limit=1e30, hc_mult=1, hc_eps=0.0, rms_norm_eps=1e-6, experts_implementation="eager",
        rope_parameters={"main": main, "compress": compress}, attn_implementation="eager")
    return modeling_deepseek_v4.DeepseekV4ForCausalLM(config)


def is_fixed(name):
    """Whether a parameter belongs to what the description leaves out."""
    return any(part in name for part in ("attn_hc.", "ffn_hc.", "hc_head.", "mlp.gate.", "mlp.experts."))


def fix(model):
    """Experts to 0, hyper-connections to the residual sum."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if is_fixed(name):
                weight.zero_()
            if name.endswith("_hc.base"):
                weight[0] = 64  # pre; post stays 0
            if name.endswith("hc_head.hc_base"):
                weight.fill_(64)


@contextlib.contextmanager
def recorded_layers(model):
    """Yields a list that gets {name: [rows, channels]} per layer, what a decoder caches, after one forward pass."""
    source = sys.modules[type(model).__module__]
    attention, latents, index_keys, layers = [], [], [], []
    with contextlib.ExitStack() as stack:
        stack.enter_context(library.recording(source, "eager_attention_forward", attention))
        for layer in model.model.layers:
            if hasattr(layer.self_attn, "kv_a_layernorm"):
                hook = layer.self_attn.kv_a_layernorm.register_forward_hook(lambda _, __, c: latents.append(c[0]))
                stack.callback(hook.remove)
        if hasattr(source, "DeepseekV32Indexer"):
            stack.enter_context(v32_index_keys(source, index_keys))
        if hasattr(source, "DeepseekV4IndexerScorer"):
            stack.enter_context(v4_index_keys(source, index_keys))
        yield layers
    for layer, ((_, q, k, *_), _) in zip(model.model.layers, attention, strict=True):
        if latents:
            rows = mla_rows(latents.pop(0), k, model.config)
        else:
            rows = v4_rows(q, k)
        if hasattr(getattr(layer.self_attn, "compressor", layer.self_attn), "indexer"):
            rows["index_k"] = index_keys.pop(0)
        layers.append(rows)


def v32_index_keys(source, log):
    """Rotated first channels beside the others, in the order of the weights."""
    function = source.DeepseekV32Indexer.forward

    def wrapper(self, hidden_states, *arguments, **named):
        rotated = []
        with library.recording(source, "apply_rotary_pos_emb", rotated):
            result = function(self, hidden_states, *arguments, **named)
        (_, (_, first)), = rotated
        rest = self.k_norm(self.wk(hidden_states))[0, :, self.qk_rope_head_dim :]
        log.append(torch.cat([first[0, :, 0], rest], dim=-1))
        return result

    return mock.patch.object(source.DeepseekV32Indexer, "forward", wrapper)


def v4_index_keys(source, log):
    function = source.DeepseekV4IndexerScorer.forward

    def wrapper(self, index_q, index_k, *arguments, **named):
        log.append(index_k[0])
        return function(self, index_q, index_k, *arguments, **named)

    return mock.patch.object(source.DeepseekV4IndexerScorer, "forward", wrapper)


def mla_rows(latent, k, config):
    """[c ; k^R], the rotated channels in the order of the weights."""
    rope = library.even_first_to_interleaved(k[0, 0, :, config.qk_nope_head_dim :].numpy(), config.qk_rope_head_dim)
    return {"rows": np.concatenate([latent.numpy(), rope], axis=-1)}


def v4_rows(q, k):
    """The keys of the window's tokens, then the compressed entries."""
    tokens = q.shape[2]
    rows = {"local": k[0, 0, :tokens]}
    if k.shape[2] > tokens:
        rows["entries"] = k[0, 0, tokens:]
    return rows


def no_ties(scores, k):
    """Whether every row's k-th and next highest scores differ, so that the selection is one set."""
    top = np.sort(scores, axis=-1)[..., ::-1]
    k = min(k, top.shape[-1] - 1)
    finite = np.isfinite(top[..., k]) & (top[..., k] > -1e30)
    return bool(np.all((top[..., k - 1] > top[..., k])[finite]))
