"""Recomputes in numpy what of a replay follows from its extents and recorded numbers, for the shipped studies and for
more stacks of windows, whose states are exact exactly where the theory says.

usage: recompute_replay.py REPLAY_ERROR REPLAY_ERROR.h5 REPLAY_WINDOWS.h5 FOLDER       exit 0: agreed, 1: did not
"""

import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

program, results, windows, folder = *sys.argv[1:4], Path(sys.argv[4])
STACK = """schema = 1
[experiment]
kind = "replay_error"
seed = 5
[source]
kind = "model"
preset = "mistral_7b"
layers = 4
d_model = 32
window = {window}
score_std = 0.5
n = 70
sequences = 2
[replay]
length = {{ grid = {lengths} }}
variant = {{ grid = ["decoder_first", "decoder_after_first"] }}
steps = 10
"""


def check(file, window, decided):
    """`decided`: states before the promised offset are not exact (weights that hide nothing, no other rows)."""
    data = h5py.File(file)
    replay, exact = data["replay"], data["exact"]
    n, encoder = int(replay.attrs["prefix_tokens"]), int(replay.attrs["encoder_layers"])
    lengths = replay["replay_length"][...]
    variants = [name.decode() for name in replay["variant"][...]]
    layers, steps = replay["layer"].size, replay["step"].size
    error, relative, flag = (replay[name][...] for name in ("hidden_error", "hidden_error_relative", "state_exact"))
    offsets = np.arange(error.shape[-1])
    norm = exact["hidden_norm"][...]
    decided_states = 0
    for r, length in enumerate(lengths):
        for v, variant in enumerate(variants):
            at = (r, v)
            hit = int(replay["hit_tokens"][at])
            run = min(n, length)
            if variant == "prefix_hit":
                e = encoder if encoder else layers
                count = (min(length, hit) + n - hit) * e + run * (layers - e)
            else:
                count = n * encoder + run * (layers - encoder)
            assert replay["layer_tokens_formula"][at] == count, at
            assert np.all(replay["layer_tokens"][at] == count), at
            assert np.all(replay["layer_tokens_share"][at] == count / (n * layers)), at
            for layer in range(layers):
                start = int(replay["replay_start"][at + (layer,)])
                ran = start + offsets < n
                assert np.all(np.isnan(error[at][:, layer, ~ran])) and np.all(flag[at][:, layer, ~ran] == 2), at
                measured = error[at][:, layer, ran]
                assert np.all(measured >= 0) and np.all((flag[at][:, layer, ran] == 1) <= (measured == 0)), at
                h = norm[:, layer, start:start + ran.sum()]
                assert np.all(np.abs(relative[at][:, layer, ran] - measured / h) <= 1e-14 * (1 + measured / h)), at
                if variant == "prefix_hit":
                    continue
                place = layer - encoder + (1 if variant == "decoder_first" else 0)
                if layer < encoder:
                    assert not ran.any(), at
                    continue
                reach = place * (window - 1) if start > 0 else 0
                assert np.all(flag[at][:, layer, ran & (offsets >= reach)] == 1), (at, layer)
                if decided:
                    before = flag[at][:, layer, ran & (offsets < reach)]
                    decided_states += before.size
                    assert np.all(before == 0), (at, layer)
            agrees = replay["greedy_token"][at] == exact["greedy_token"][...]
            assert np.all(replay["greedy_agrees"][at] == agrees), at
            first = np.where(agrees.all(axis=-1), steps, np.argmin(agrees, axis=-1))
            assert np.all(replay["greedy_first_disagreement"][at] == first), at
            difference = replay["loss_approx"][at] - exact["loss"][...]
            assert np.all(np.abs(replay["loss_difference"][at] - difference) < 1e-12), at
            kl, back = replay["kl_exact_approx"][at], replay["kl_approx_exact"][at]
            variation, middle = replay["total_variation"][at], replay["jensen_shannon"][at]
            assert np.all(kl >= 2 * variation**2 * (1 - 1e-12)) and np.all(back >= 2 * variation**2 * (1 - 1e-12)), at
            assert np.all(middle <= variation * np.log(2) * (1 + 1e-12)), at  # nat
            step_relative = replay["step_hidden_error"][at] / exact["step_hidden_norm"][...]
            assert np.all(np.abs(replay["step_hidden_error_relative"][at] - step_relative) <= 1e-14), at
    assert np.all(replay["global_rows_unchanged"][...] == 1)
    return data, decided_states


check(results, 8, False)
decided_states = check(windows, 8, True)[1]
for window in (2, 3, 5):
    enough = 4 * (window - 1) + 1
    params, output = folder / f"window_stack_{window}.toml", folder / f"window_stack_{window}.h5"
    params.write_text(STACK.format(window=window, lengths=[1, 2, window, enough - 1, enough, 60]
                                   if window > 2 else [1, 2, 4, 5, 60]))
    subprocess.run([program, str(params), "-o", str(output), "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    data, count = check(output, window, True)
    decided_states += count
    lengths = list(data["replay/replay_length"][...])
    for length in lengths:  # the state of the last token behind the last layer, which step 0 comes from
        zero = np.all(data["replay/step_hidden_error"][lengths.index(length), 0, :, 0] == 0)
        assert zero == (length >= enough), (window, length)
assert decided_states > 500, decided_states
print(f"every number agrees; {decided_states} states differ where they must")
