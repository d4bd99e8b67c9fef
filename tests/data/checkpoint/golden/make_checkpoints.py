"""Writes one small checkpoint per architecture beside this file, and the logits that transformers computes from it.

    python3.11 -m venv venv
    venv/bin/pip install torch==2.15.0 transformers==5.24.0 numpy==2.4.6
    venv/bin/python make_checkpoints.py

Each is a folder with config.json and safetensors files, written by `save_pretrained` of GPT2LMHeadModel,
LlamaForCausalLM (grouped-query attention, a tied head) and DeepseekV3ForCausalLM (dense layers, YaRN, a head of its
own, in shards), with random weights that are multiples of 1/64, in float32. Files are read again, and the model runs in
double with torch.float32 meaning torch.float64 (tests/core/mechanism/golden/library.py says why); the logits of every
token go into logits.golden there. A run as the library does it, in float32, must agree to 1e-5.
"""
import pathlib
import shutil
import sys

import numpy as np
import torch
import transformers
from safetensors.torch import load_file
from transformers import (DeepseekV3Config, DeepseekV3ForCausalLM, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                          LlamaForCausalLM)

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "core" / "mechanism" / "golden"))
import library  # noqa: E402

VOCABULARY = 61
TOKENS = [3, 14, 15, 9, 26, 53, 58, 9, 7, 9, 32, 38, 46, 26, 43, 38]
SPECIAL = dict(bos_token_id=0, eos_token_id=0, attn_implementation="eager")

MODELS = {
    "gpt2": (GPT2LMHeadModel, GPT2Config(vocab_size=VOCABULARY, n_positions=len(TOKENS), n_embd=16, n_layer=2, n_head=2,
                                         **SPECIAL)),
    "llama": (LlamaForCausalLM, LlamaConfig(vocab_size=VOCABULARY, hidden_size=24, intermediate_size=40,
                                            num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                                            head_dim=8, rms_norm_eps=1e-5, tie_word_embeddings=True,
                                            max_position_embeddings=32,
                                            rope_parameters={"rope_type": "default", "rope_theta": 100000.0},
                                            **SPECIAL)),
    "deepseek_v3": (DeepseekV3ForCausalLM,
                    DeepseekV3Config(vocab_size=VOCABULARY, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
                                     num_attention_heads=2, num_key_value_heads=2, q_lora_rank=12, kv_lora_rank=8,
                                     qk_nope_head_dim=6, qk_rope_head_dim=4, v_head_dim=5, first_k_dense_replace=2,
                                     n_routed_experts=2, num_experts_per_tok=1, n_group=1, topk_group=1,
                                     num_mtp_layers=0, tie_word_embeddings=False, max_position_embeddings=64,
                                     rms_norm_eps=1e-5,
                                     rope_parameters={"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                                                      "original_max_position_embeddings": 16, "beta_fast": 4.0,
                                                      "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0},
                                     **SPECIAL)),
}


def randomise(model, seed):
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            gain = weight.ndim == 1 and name.endswith("weight")
            std = 0.25 if weight.ndim == 1 else 2 / np.sqrt(weight.shape[-1])
            values = np.round((rng.standard_normal(tuple(weight.shape)) * std + gain) * 64) / 64
            weight.copy_(torch.from_numpy(values))


def logits(build, folder, wide):
    tensors = {}
    for file in folder.glob("*.safetensors"):
        tensors |= load_file(file)
    config = build.config_class.from_pretrained(folder, attn_implementation="eager")
    with library.widened(wide), torch.no_grad():
        torch.set_default_dtype(torch.float64 if wide else torch.float32)
        model = build(config).eval()
        missing, unexpected = model.load_state_dict(tensors, strict=False)
        assert not unexpected and set(missing) <= {"lm_head.weight"} and config.tie_word_embeddings >= bool(missing)
        out = model(torch.tensor([TOKENS])).logits[0].double().numpy()
        torch.set_default_dtype(torch.float32)
    return out


def block(name, values):
    rows = np.atleast_2d(np.asarray(values, dtype=float))
    lines = [f"{name} {rows.shape[0]} {rows.shape[1]}"]
    lines += [" ".join(repr(float(x)) for x in row) for row in rows]
    return "\n".join(lines) + "\n"


for seed, (name, (build, config)) in enumerate(MODELS.items(), start=1):
    folder = HERE / name
    shutil.rmtree(folder, ignore_errors=True)
    model = build(config).eval()
    randomise(model, seed)
    model.save_pretrained(folder, max_shard_size="20KB" if name == "deepseek_v3" else "1GB")
    (folder / "generation_config.json").unlink(missing_ok=True)
    for file in folder.iterdir():
        file.chmod(0o644)
    exact = logits(build, folder, True)
    distance = np.linalg.norm(exact - logits(build, folder, False)) / np.linalg.norm(exact)
    print(f"{name}: float32 differs by {distance:.2e}; {sum(f.stat().st_size for f in folder.iterdir())} bytes")
    assert distance < 1e-5
    version = torch.__version__.split("+")[0]
    text = ("# Made by `python make_checkpoints.py` in the folder above; its first lines name the packages it needs.\n"
            f"# transformers {transformers.__version__} {build.__name__}, torch {version}, eager,\n"
            "# in double with the library's casts to float32 widened.\n")
    (folder / "logits.golden").write_text(text + block("tokens", [TOKENS]) + block("logits", exact))
