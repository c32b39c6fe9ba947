"""Weights of the head that reads pairs. Made by scripts/train/pair_head.py; do not edit."""

from __future__ import annotations

BIAS = -5.00518
WEIGHTS = (
    7.89284,
    1.85384,
    1.42301,
    -0.923578,
    -0.637301,
    0.151453,
    1.44555,
    -0.194397,
    7.95866,
)
CENTRES = (
    0.330655,
    0.209732,
    0.035634,
    0.230239,
    0.206543,
    0.0177107,
    0.0174647,
    0.178173,
    0.119286,
)
