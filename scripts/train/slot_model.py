"""The shipped encoder in torch, frozen, with a low-rank path beside each of its 36 matrices."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[2]))

from memctl.embed.with_numpy import EPSILON, HEADS, WIDTH, NumpyModel
from memctl.embed.wordpiece import WordPiece

RANK = 16
# Tokens; the sentences are short, and longer ones would only cost time.
LONGEST = 64
# The share of numbers, and of tokens, that a step of training leaves out.
DROPPED = 0.1


class LowRank(nn.Module):
    """x W + b with W frozen, plus x A B, whose B begins at zero."""

    def __init__(self, weights: Any, bias: Any) -> None:
        super().__init__()
        rows, columns = weights.shape
        self.register_buffer("weights", torch.tensor(np.asarray(weights, dtype=np.float32)))
        self.register_buffer("bias", torch.tensor(np.array(bias, dtype=np.float32)))
        self.down = nn.Parameter(torch.randn(rows, RANK) / rows**0.5)
        self.up = nn.Parameter(torch.zeros(RANK, columns))

    def forward(self, x: Any) -> Any:
        seen = nn.functional.dropout(x, DROPPED, self.training)
        return torch.addmm(self.bias, x, self.weights) + (seen @ self.down) @ self.up


class SlotEncoder(nn.Module):
    """Token numbers of several texts to one unit vector each."""

    def __init__(self, path: str) -> None:
        super().__init__()
        base = NumpyModel(path)
        self._tokenizer = WordPiece()
        self._base = base
        self._segment = torch.tensor(np.array(base._segment))
        self._first = [torch.tensor(np.array(part)) for part in base._norm]
        self.matrices = nn.ModuleList()
        self._norms: list[list[Any]] = []
        for query, key, value, output, norm, up, down, last in base._layers:
            self.matrices.extend(LowRank(*one) for one in (query, key, value, output, up, down))
            self._norms.append([torch.tensor(np.array(part)) for part in (*norm, *last)])

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Token numbers of texts; in training without some."""
        found = [self._tokenizer.encode(text)[:LONGEST] for text in texts]
        if not self.training:
            return found
        return [
            [token for place, token in enumerate(one) if not place or random.random() >= DROPPED]
            for one in found
        ]

    def forward(self, texts: Sequence[str]) -> Any:
        """Unit vectors [texts][384], with gradients to the low-rank paths.

        Matrices see the tokens one after another, so that nothing is computed for padding; only
        attention works on padded texts.
        """
        tokens = self.encode(texts)
        lengths = torch.tensor([len(numbers) for numbers in tokens])
        count, longest = len(tokens), int(lengths.max())
        owner = torch.repeat_interleave(torch.arange(count), lengths)
        place = torch.cat([torch.arange(len(numbers)) for numbers in tokens])
        ids, base = np.concatenate(tokens), self._base
        words = base._words[ids] * base._word_scales[ids][:, None]
        places = base._positions[place] * base._position_scales[place][:, None]
        x = torch.tensor((words + places).astype(np.float32)) + self._segment
        x = _normalize(x, *self._first)
        absent = (torch.arange(longest)[None] >= lengths[:, None]) * -1e9
        for layer in range(len(self._norms)):
            query, key, value, output, up, down = self.matrices[6 * layer : 6 * layer + 6]
            parts = []
            for one in (query, key, value):
                padded = x.new_zeros(count, longest, WIDTH).index_put((owner, place), one(x))
                parts.append(padded.reshape(count, longest, HEADS, -1).transpose(1, 2))
            scores = parts[0] @ parts[1].transpose(2, 3) / (WIDTH // HEADS) ** 0.5
            weights = (scores + absent[:, None, None]).softmax(-1)
            seen = (weights @ parts[2]).transpose(1, 2).reshape(count, longest, WIDTH)
            norm = self._norms[layer]
            x = _normalize(output(seen[owner, place]) + x, *norm[:2])
            x = _normalize(down(nn.functional.gelu(up(x))) + x, *norm[2:])
        sums = x.new_zeros(count, WIDTH).index_add(0, owner, x)
        return nn.functional.normalize(sums / lengths[:, None], dim=-1)

    def collect(self) -> dict[str, Any]:
        """The low-rank parts alone, by name."""
        return {name: value.detach().clone() for name, value in self.named_parameters()}


def _normalize(x: Any, weight: Any, bias: Any) -> Any:
    return nn.functional.layer_norm(x, (WIDTH,), weight, bias, EPSILON)
