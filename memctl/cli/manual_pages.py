"""The pages of docs/ that `memctl help TOPIC` shows, of the installed program or a checkout."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memctl.core import regular_files
from memctl.core.lazy_pattern import compile_later

_PACKAGE = Path(__file__).resolve().parent.parent
# Generated pages begin with a comment that says so.
_COMMENT = compile_later(r"\A<!--.*?-->\s*", re.DOTALL)


def list_topics() -> Iterator[tuple[str, str]]:
    """Yield the name of every page and its title."""
    for path in sorted(_find_folder().glob("*.md")):
        title = read_page(path.stem).partition("\n")[0].removeprefix("# ")
        yield path.stem, title


def read_page(topic: str) -> str:
    """Read the page on a topic. Raises FileNotFoundError if there is none."""
    data = regular_files.read_regular_file(_find_folder() / f"{topic}.md")
    return _COMMENT.sub("", data.decode("utf-8"))


def _find_folder() -> Path:
    installed = _PACKAGE / "_docs"
    return installed if installed.is_dir() else _PACKAGE.parent / "docs"
