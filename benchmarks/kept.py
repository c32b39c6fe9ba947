"""Vectors kept between runs of a benchmark, by the model's fingerprint and the hash of the text; a
file of nobody else's.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path


class Kept:
    """Packed vectors in a SQLite file; without a file it keeps nothing and knows nothing."""

    def __init__(self, path: Path | None) -> None:
        self._db = sqlite3.connect(path or ":memory:")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS kept (model TEXT, text_hash TEXT, vector BLOB, PRIMARY "
            "KEY (model, text_hash))"
        )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def find(self, model: str, hashes: Iterable[str]) -> dict[str, bytes]:
        """The vectors that one model made of texts, by the texts' hashes; unknown ones are left
        out.
        """
        asked = json.dumps(list(hashes))
        found = (
            "SELECT text_hash, vector FROM kept WHERE model = ? AND text_hash IN (SELECT value "
            "FROM json_each(?))"
        )
        return dict(self._db.execute(found, (model, asked)))

    def keep(self, model: str, vectors: Mapping[str, bytes]) -> None:
        """Keep what one model made of texts."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)",
                [(model, key, vector) for key, vector in vectors.items()],
            )
