"""The pages of docs/ and the changes, as `memctl help TOPIC` shows them, of the installed program
or a checkout.
"""

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
    for topic in sorted(_find_pages()):
        yield topic, read_page(topic).partition("\n")[0].removeprefix("# ")


def read_page(topic: str) -> str:
    """Read the page on a topic. Raises FileNotFoundError if there is none."""
    path = _find_pages().get(topic)
    if path is None:
        raise FileNotFoundError(f"no page on {topic}")
    return _COMMENT.sub("", regular_files.read_regular_file(path).decode("utf-8"))


def _find_pages() -> dict[str, Path]:
    """Return where each page is, by topic; a checkout keeps its changes outside docs/."""
    installed = _PACKAGE / "_docs"
    folder = installed if installed.is_dir() else _PACKAGE.parent / "docs"
    pages = {path.stem: path for path in folder.glob("*.md")}
    changes = _PACKAGE.parent / "CHANGELOG.md"
    return pages if folder == installed or not changes.exists() else pages | {"changelog": changes}
