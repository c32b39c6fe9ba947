"""Weights of the head that reads pairs. Made by scripts/train/pair_head.py; do not edit."""

from __future__ import annotations

BIAS = -4.16198
WEIGHTS = (
    4.64432,
    0.921834,
    1.71608,
    -1.20152,
    -0.799148,
    0.154854,
    1.31346,
    -0.174125,
    9.60282,
)
CENTRES = (
    0.316406,
    0.262127,
    0.0530681,
    0.297516,
    0.199122,
    0.0290929,
    0.0273089,
    0.17195,
    0.116759,
)
