"""What became of a folder of notes, as lines of text. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memctl.cli.text.formatting import flatten, format_count
from memctl.results.vault import VaultReport

# Lines of what was written, and of links that lead nowhere; `--json` has all.
_MOST_LINES = 20
_QUIET = frozenset(("wrote", "moved", "removed"))


def render_vault(data: VaultReport) -> Iterator[str]:
    """Yield what became, or would become, of each note, what needs a look, and broken links."""
    loud = [each for each in data.changes if each.what not in _QUIET]
    quiet = [each for each in data.changes if each.what in _QUIET]
    for each in (*loud, *quiet[:_MOST_LINES]):
        undo = f"; to undo it: memctl revert {each.change}" if each.change else ""
        told = f" ({flatten(each.note)})" if each.note else ""
        yield f"{each.what}  {flatten(each.path)}{told}{undo}"
    if len(quiet) > _MOST_LINES:
        yield f"... and {len(quiet) - _MOST_LINES} more; --json names all"
    for path, target in data.broken[:_MOST_LINES]:
        yield f"broken link  {flatten(path)}: [[{flatten(target)}]]"
    if len(data.broken) > _MOST_LINES:
        yield f"... and {len(data.broken) - _MOST_LINES} more broken links; --json names all"
    counts = Counter(each.what for each in data.changes)
    done = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))
    would = "would be " if data.action == "status" and done else ""
    yield f"{flatten(data.path)}: {format_count(data.notes, 'note')}; {would}{done or 'in sync'}."
    if not data.is_as_operator and any(each.what == "waits" for each in data.changes):
        yield "Changes in the notes wait until you run it at a terminal."
