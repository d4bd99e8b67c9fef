"""The Transformer of Vaswani et al. 2017 from torch.nn.Transformer, in double: norms behind the blocks, no norm behind
the stacks (torch adds one by default; the paper has none), ReLU, one embedding for source, target and scores, which is
scaled by sqrt(d_model), sinusoidal positions.
"""
import math

import torch
from torch import nn

VOCABULARY, WIDTH, HEADS, FEED_FORWARD, LAYERS, EPS = 17, 12, 3, 16, 2, 1e-5
START = 1
SOURCE = [3, 14, 1, 5, 9, 2, 6, 5, 3]
TARGET = [START, 4, 16, 0, 7, 7, 11]
GENERATED = 12


def positions(count):
    """[count, d_model]: sine and cosine of each angle are the parts of one complex number."""
    pair = torch.arange(WIDTH // 2, dtype=torch.float64)
    angle = torch.arange(count, dtype=torch.float64)[:, None] * 10000 ** (-2 * pair / WIDTH)
    turn = torch.polar(torch.ones_like(angle), angle)
    return torch.stack([turn.imag, turn.real], dim=-1).reshape(count, WIDTH)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        arguments = dict(d_model=WIDTH, nhead=HEADS, dim_feedforward=FEED_FORWARD, dropout=0.0, activation="relu",
                         layer_norm_eps=EPS, batch_first=True, norm_first=False)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**arguments), LAYERS, enable_nested_tensor=False)
        decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**arguments), LAYERS)
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.stacks = nn.Transformer(d_model=WIDTH, nhead=HEADS, batch_first=True, custom_encoder=encoder,
                                     custom_decoder=decoder)

    def embed(self, tokens):
        return (math.sqrt(WIDTH) * self.embedding(torch.tensor(tokens)) + positions(len(tokens)))[None]

    def memory(self, source):
        return self.stacks.encoder(self.embed(source))

    def logits(self, source, target):
        mask = torch.ones(len(target), len(target)).triu(1).bool()
        return self.stacks(self.embed(source), self.embed(target), tgt_mask=mask)[0] @ self.embedding.weight.T

    def greedy(self, source, count):
        """Recomputes the whole target for every token."""
        target = [START]
        for _ in range(count):
            target.append(int(self.logits(source, target)[-1].argmax()))
        return target[1:]


def build():
    torch.backends.mha.set_fastpath_enabled(False)
    return Transformer().to(torch.float64)


def answers(model):
    """What the golden file holds beside the weights."""
    generated = model.greedy(SOURCE, GENERATED)
    scores = model.logits(SOURCE, [START] + generated).sort(dim=-1).values
    assert (scores[:, -1] - scores[:, -2]).min() > 1e-6, "a greedy choice is too close to call"
    return {"source": [SOURCE], "target": [TARGET], "memory": model.memory(SOURCE)[0],
            "memory_of_one_token_less": model.memory(SOURCE[:-1])[0], "logits": model.logits(SOURCE, TARGET),
            "generated": [generated]}
