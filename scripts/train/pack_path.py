"""Pack what was trained into the file that ships, and name its hash in memctl/embed/slot_path.py.

Each of the 16 columns down and rows up of a matrix is rounded to signed bytes; the product of their
two scales is kept.

    python pack_path.py all.npz [OUT]
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

EMBED = Path(__file__).parents[2] / "memctl" / "embed"
MATRICES = 36


def main() -> None:
    """Write the file; only the one in the package is named by its hash."""
    trained = np.load(sys.argv[1])
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else EMBED / "slot_path.bin"
    content = pack({name: trained[name] for name in trained.files})
    out.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    print(f"{len(content)} bytes, {digest}")
    if out.parent == EMBED:
        module = EMBED / "slot_path.py"
        text = re.sub(r'SHA256 = ".*"', f'SHA256 = "{digest}"', module.read_text("utf-8"))
        module.write_text(text, "utf-8")


def pack(trained: dict[str, Any]) -> bytes:
    """The bytes of the low-rank path: whole numbers of all matrices, then their scales."""
    whole, scales = [], []
    for number in range(MATRICES):
        down, down_scale = _round(trained[f"matrices.{number}.down"], axis=0)
        up, up_scale = _round(trained[f"matrices.{number}.up"], axis=1)
        whole += [down.tobytes(), up.tobytes()]
        scales.append((down_scale.reshape(-1) * up_scale.reshape(-1)).astype("<f4").tobytes())
    return b"".join((*whole, *scales))


def _round(values: Any, axis: int) -> tuple[Any, Any]:
    scale = np.abs(values).max(axis=axis, keepdims=True) / 127
    scale[scale == 0] = 1
    return np.round(values / scale).astype(np.int8), scale


if __name__ == "__main__":
    main()
