"""The head of a session that its agent exported as a page: which session it is, and when it began.

Copilot CLI, OpenCode and Cursor each write one. The session has the same id as on the agent's own
disk, so that it is not told twice.
"""

from __future__ import annotations

import re
from datetime import datetime

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.readers.chats import build_local_time, parse_local_iso
from memctl.readers.values import as_name, parse_time

# Characters of a page in which its head stands.
_HEAD = 3000
_TITLE = compile_later(r"^# (.{1,300})$", re.MULTILINE)
_FIELD = compile_later(
    r"^[>\s*-]{0,8}\*\*([A-Z][\w ]{1,30}):\*\*[ \t]{0,4}`?([^`\n]{1,400}?)`?[ \t]{0,4}$",
    re.MULTILINE,
)
_CURSOR = compile_later(r"_Exported on (.{4,60}?) from Cursor(?: \([^()\n]{1,40}\))?_")
_COPILOT_TITLE = compile_later(r"^# [^\w\n]{0,6}Copilot CLI Session\b")
_OPENCODE_ID = compile_later(r"ses_\w{4,60}")
_ZONE = compile_later(r"\s(?:GMT|UTC)(?P<shift>[+-]\d{1,2}(?::?\d\d)?)?$")
_NUMBERS = compile_later(
    r"(?P<one>\d{1,4})[./-](?P<two>\d{1,2})[./-](?P<three>\d{1,4})(?:,| at|T|)\s{0,2}"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?:[\s\u202f](?P<half>[AaPp])\.?[Mm]\.?)?"
)


# How a tool's use begins in an agent's words: Copilot's heading, and OpenCode's label.
_TOOL = compile_later(
    r"^(?:#{2,4} [^\w\n`]{1,6}`([\w.:/-]{1,80})`|\*\*Tool: ([\w.:/-]{1,80})\*\*)[ \t]*$",
    re.MULTILINE,
)
_LABELLED = compile_later(
    r"\s*\*\*(?:Input|Output|Error|Result):\*\*\s*\n```[^\n]*\n.*?\n```[ \t]*(?=\n|$)", re.DOTALL
)
_SUBSCRIPT = compile_later(r"\s*(?:^-{3,}\s*)?^<sub>[^\n]{0,300}</sub>\s*\Z", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """What the head of an exported page says; times are ISO 8601 UTC."""

    agent: str
    session_id: str | None = None
    title: str | None = None
    cwd: str | None = None
    started_at: str | None = None
    ended_at: str | None = None


def read_export_header(text: str) -> ExportHeader | None:
    """Return what the head of a page says, or None if it is no known export."""
    head = text[:_HEAD].lstrip()
    title = _TITLE.match(head)
    cursor = _CURSOR.search(head)
    if cursor is not None and title is not None:
        return ExportHeader("cursor", title=as_name(title[1]), ended_at=parse_shown_time(cursor[1]))
    fields = {name.lower(): value.strip() for name, value in _FIELD.findall(head)}
    session = fields.get("session id")
    if not session or title is None:
        return None
    began = parse_shown_time(fields.get("started") or fields.get("created") or "")
    ended = parse_shown_time(fields.get("updated") or fields.get("exported") or "")
    cwd = fields.get("working directory") or fields.get("directory") or fields.get("cwd")
    if _COPILOT_TITLE.match(head):
        return ExportHeader("copilot-cli", session, None, cwd, began, ended)
    if _OPENCODE_ID.fullmatch(session):
        return ExportHeader("opencode", session, as_name(title[1]), cwd, began, ended)
    return None


def split_header(text: str) -> tuple[str, int]:
    """Return the page below its head, and how many lines the head has."""
    cut = re.search(r"^-{3,}[ \t]{0,4}$", text[:_HEAD], re.MULTILINE)
    if cut is None:
        return text, 0
    return text[cut.end() :], text.count("\n", 0, cut.end())


def strip_footer(said: str) -> str:
    """Return what was said without the clock and the rule below it."""
    return _SUBSCRIPT.sub("", said)


def split_tools(said: str) -> list[tuple[str, str]]:
    """Split an agent's block into pairs of a tool's name and its use; words have no name."""
    marks = list(_TOOL.finditer(said))
    pieces = [("", said[: marks[0].start()] if marks else said)]
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(said)
        use = said[mark.end() : end]
        if mark[1]:
            pieces.append((mark[1], use))
            continue
        at = 0
        while (label := _LABELLED.match(use, at)) is not None:
            at = label.end()
        pieces += [(mark[2], use[:at]), ("", use[at:])]
    stripped = [(tool, _strip_rules(piece)) for tool, piece in pieces]
    return [(tool, piece) for tool, piece in stripped if tool or piece]


def _strip_rules(piece: str) -> str:
    return strip_footer(piece).strip().removesuffix("\n---").strip()


def parse_shown_time(shown: str) -> str | None:
    """Return a time as programs show it to people: `1/31/2026, 3:04:05 PM`, `31.1.2026 at 15:04`.

    Without a zone it is this machine's. Where the order of day and month is open, the month comes
    first, as in the language in which these programs write the words around it.
    """
    told = parse_time(shown) if shown.rstrip().endswith("Z") or "+" in shown else None
    told = told or (parse_local_iso(shown) if re.match(r"\d{4}-\d\d-\d\d", shown) else None)
    zone = _ZONE.search(shown)
    found = _NUMBERS.match(shown)
    if told or found is None:
        return told
    day = _order_day(found)
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "pP" else 0)
    clock = (hour, int(found["minute"]), int(found["second"] or 0))
    if zone is None:
        return build_local_time(*day, *clock)
    sign, hours, minutes = _split_shift(zone["shift"] or "+0")
    try:
        moment = datetime(*day, *clock).isoformat()
    except ValueError:
        return None
    return parse_time(f"{moment}{sign}{hours:02}:{minutes:02}")


def _order_day(found: re.Match[str]) -> tuple[int, int, int]:
    """Year, month and day of three numbers."""
    one, two, three = int(found["one"]), int(found["two"]), int(found["three"])
    if len(found["one"]) == 4:
        return one, two, three
    if one > 12 or "." in found[0][:3]:
        return three, two, one
    return three, one, two


def _split_shift(shift: str) -> tuple[str, int, int]:
    digits = shift[1:].replace(":", "")
    return shift[0], int(digits[:2]), int(digits[2:] or 0)
