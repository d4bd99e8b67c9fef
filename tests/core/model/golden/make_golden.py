"""Writes one .golden file per decoder beside this file, from the models of Hugging Face transformers.

    python3.11 -m venv venv
    venv/bin/pip install torch==2.15.0 transformers==5.24.0 numpy==2.4.6
    venv/bin/python make_golden.py

GPT2LMHeadModel and LlamaForCausalLM (grouped-query attention), two layers each, with random weights that are multiples
of 1/64. They run in double with torch.float32 meaning torch.float64 while they are built and run, since Llama casts its
norms, angles and softmax to float32; a run as the library does it must agree to 1e-5. The logits of every token are
written. The format is that of tests/core/mechanism/golden; weights are [outputs, inputs].
"""
import pathlib
import sys

import numpy as np
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "mechanism" / "golden"))
import library  # noqa: E402

TOKENS = [3, 14, 1, 5, 9, 2, 6, 5, 3, 0, 16]


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
    with torch.no_grad():
        for name, weight in model.named_parameters():
            gain = weight.ndim == 1 and name.endswith("weight")
            std = 0.25 if weight.ndim == 1 else 2 / np.sqrt(weight.shape[-1])
            values = np.round((rng.standard_normal(tuple(weight.shape)) * std + gain) * 64) / 64
            weight.copy_(torch.from_numpy(values))


def logits(build, seed, wide):
    with library.widened(wide):
        torch.set_default_dtype(torch.float64 if wide else torch.float32)
        model = build().eval()
        randomise(model, seed)
        with torch.no_grad():
            out = model(torch.tensor([TOKENS])).logits[0]
        torch.set_default_dtype(torch.float32)
    return model, out.double().numpy()


def block(name, values):
    rows = np.atleast_2d(np.asarray(values, dtype=float))
    lines = [f"{name} {rows.shape[0]} {rows.shape[1]}"]
    lines += [" ".join(repr(float(x)) for x in row) for row in rows]
    return "\n".join(lines) + "\n"


def write(name, build, seed):
    model, exact = logits(build, seed, True)
    _, f32 = logits(build, seed, False)
    distance = np.linalg.norm(exact - f32) / np.linalg.norm(exact)
    print(f"{name}: float32 differs by {distance:.2e}")
    assert distance < 1e-5
    version = torch.__version__.split("+")[0]
    text = ("# Made by `python make_golden.py` beside this file; its first lines name the packages it needs.\n"
            f"# transformers {transformers.__version__} {type(model).__name__}, torch {version}, eager,\n"
            "# in double with the library's casts to float32 widened.\n")
    text += block("tokens", [TOKENS])
    for key, weight in model.named_parameters():
        values = weight.detach().numpy()
        is_conv1d = name == "gpt2" and weight.ndim == 2 and ".h." in key  # [inputs, outputs]
        text += block(key, values.T if is_conv1d else values)
    text += block("logits", exact)
    (HERE / f"{name}.golden").write_text(text)


write("gpt2", gpt2, 1)
write("llama", llama, 2)
