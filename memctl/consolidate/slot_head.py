"""Weights of the head that reads pairs. Made by scripts/train/pair_head.py; do not edit."""

from __future__ import annotations

BIAS = -4.36756
WEIGHTS = (
    5.71201,
    3.36142,
    1.59848,
    -0.306139,
    -0.268419,
    0.154499,
    0.977015,
    -0.0503049,
    6.96578,
)
CENTRES = (
    0.312487,
    0.232805,
    0.0440274,
    0.223958,
    0.177885,
    0.0233734,
    0.0292168,
    0.165412,
    0.112105,
)
