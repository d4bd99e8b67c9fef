"""Writes one .golden file per decoder beside this file, from the models of Hugging Face transformers and from torch.

    python3.11 -m venv venv
    venv/bin/pip install torch==2.15.0 transformers==5.24.0 numpy==2.4.6
    venv/bin/python make_golden.py

GPT2LMHeadModel and LlamaForCausalLM (grouped-query attention), two layers each, and the DeepSeek models of deepseek.py,
with random weights that are multiples of 1/64 (the others: 1/16, for smaller files). They run in double with
torch.float32 meaning torch.float64 while they are built and run, since the library casts norms, angles and softmax to
float32; a run as the library does it must agree to 1e-5, and one of the first half of the tokens and then of one token
at a time through the library's own cache to 1e-12. The logits of every token are written, and of the DeepSeek models
what every layer caches; where layers have an indexer, also the logits of a second run that selects `top_k` rows. The
format is that of tests/core/mechanism/golden; weights are [outputs, inputs].
"""
import contextlib
import pathlib
import sys

import numpy as np
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "mechanism" / "golden"))
import deepseek  # noqa: E402
import encoder_decoder  # noqa: E402
import library  # noqa: E402

TOKENS = [3, 14, 1, 5, 9, 2, 6, 5, 3, 0, 16]
MORE_TOKENS = TOKENS + [8, 9, 7, 9, 3, 2, 3, 8, 4]


def gpt2():
    config = GPT2Config(vocab_size=17, n_positions=len(TOKENS), n_embd=12, n_layer=2, n_head=3, n_inner=20,
                        bos_token_id=0, eos_token_id=0, attn_implementation="eager", resid_pdrop=0, embd_pdrop=0,
                        attn_pdrop=0)
    return GPT2LMHeadModel(config)


def llama():
    config = LlamaConfig(vocab_size=17, hidden_size=12, intermediate_size=20, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, head_dim=6, rms_norm_eps=1e-6,
                         tie_word_embeddings=False, attn_implementation="eager",
                         rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    return LlamaForCausalLM(config)


def randomise(model, seed):
    rng = np.random.default_rng(seed)
    grid = 64 if isinstance(model, (GPT2LMHeadModel, LlamaForCausalLM)) else 16
    with torch.no_grad():
        for name, weight in model.named_parameters():
            gain = weight.ndim == 1 and name.endswith("weight")
            std = 0.25 if weight.ndim == 1 else 2 / np.sqrt(weight.shape[-1])
            values = np.round((rng.standard_normal(tuple(weight.shape)) * std + gain) * grid) / grid
            weight.copy_(torch.from_numpy(values))


@contextlib.contextmanager
def built(build, seed, wide):
    """The model with its weights; in double, and float32 meaning it, where `wide`."""
    with library.widened(wide), torch.no_grad():
        torch.set_default_dtype(torch.float64 if wide else torch.float32)
        try:
            model = build().eval()
            randomise(model, seed)
            deepseek.fix(model)
            yield model
        finally:
            torch.set_default_dtype(torch.float32)


def logits(build, seed, wide, tokens):
    with built(build, seed, wide) as model:
        return model, model(torch.tensor([tokens])).logits[0].double().numpy()


def logits_through_the_cache(build, seed, tokens):
    half = len(tokens) // 2
    with built(build, seed, True) as model:
        cache, parts = transformers.DynamicCache(config=model.config), []
        for part in [tokens[:half]] + [[token] for token in tokens[half:]]:
            parts.append(model(torch.tensor([part]), past_key_values=cache, use_cache=True).logits[0])
        return torch.cat(parts).numpy()


def block(name, values):
    rows = np.atleast_2d(np.asarray(values, dtype=float))
    lines = [f"{name} {rows.shape[0]} {rows.shape[1]}"]
    lines += [" ".join(repr(float(x)) for x in row) for row in rows]
    return "\n".join(lines) + "\n"


def distance(a, b):
    return np.linalg.norm(a - b) / np.linalg.norm(a)


def checked_logits(name, build, seed, tokens):
    model, exact = logits(build, seed, True, tokens)
    f32 = distance(exact, logits(build, seed, False, tokens)[1])
    cached = distance(exact, logits_through_the_cache(build, seed, tokens))
    print(f"{name}: float32 differs by {f32:.2e}, decoding through the library's cache by {cached:.2e}")
    assert f32 < 1e-5 and cached < 1e-12
    return model, exact


def weight_blocks(model, transposed):
    for key, weight in model.named_parameters():
        if not deepseek.is_fixed(key):
            values = weight.detach().numpy()
            yield block(key, values.T if transposed(key, weight) else values)


def write(name, build, seed, tokens=TOKENS, top_k=None):
    model, exact = checked_logits(name, build, seed, tokens)
    version = torch.__version__.split("+")[0]
    text = ("# Made by `python make_golden.py` beside this file; its first lines name the packages it needs.\n"
            f"# transformers {transformers.__version__} {type(model).__name__}, torch {version}, eager,\n"
            "# in double with the library's casts to float32 widened.\n")
    text += block("tokens", [tokens])
    text += "".join(weight_blocks(model, lambda key, weight: name == "gpt2" and weight.ndim == 2 and ".h." in key))
    text += block("logits", exact)
    if name.startswith("deepseek"):
        with built(build, seed, True) as model, deepseek.recorded_layers(model) as layers:
            model(torch.tensor([tokens]))
        for place, rows in enumerate(layers):
            text += "".join(block(f"cache.{place}.{key}", values) for key, values in rows.items())
    if top_k is not None:
        chosen = []
        with library.recording(torch.Tensor, "topk", chosen):
            _, selected = checked_logits(f"{name}, top {top_k}", lambda: build(top_k), seed, tokens)
        assert distance(exact, selected) > 1e-3
        assert all(deepseek.no_ties(scores.numpy(), top_k) for (scores, *_), _ in chosen if scores.ndim == 3)
        text += block("top_k", [[top_k]]) + block("logits_top_k", selected)
    (HERE / f"{name}.golden").write_text(text)


def write_encoder_decoder(seed):
    with torch.no_grad():
        model = encoder_decoder.build().eval()
        randomise(model, seed)
        text = ("# Made by `python make_golden.py` beside this file; its first lines name the packages it needs.\n"
                f"# torch {torch.__version__.split('+')[0]} nn.Transformer (encoder_decoder.py), in double.\n")
        text += "".join(weight_blocks(model, lambda key, weight: False))
        text += "".join(block(name, values) for name, values in encoder_decoder.answers(model).items())
    (HERE / "encoder_decoder.golden").write_text(text)


write("gpt2", gpt2, 1)
write("llama", llama, 2)
write("deepseek_v3", deepseek.v3, 3)
write("deepseek_v32", deepseek.v32, 4, MORE_TOKENS[:16], 5)
write("deepseek_v4", deepseek.v4, 5, MORE_TOKENS, 2)
write_encoder_decoder(25)
