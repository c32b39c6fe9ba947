"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from memctl.cli import declarations
from memctl.cli.declarations import Annotated
from memctl.core import clock, model, timestamps
from memctl.core.errors import UsageError
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import EntityRef
from memctl.settings import definitions

# More items than any list has, and within what SQLite takes as a number.
_MAX_COUNT = 1_000_000_000
# Characters of a wrong value that an error shows.
_MAX_SHOWN = 60
# A test compares these with the tables in `retrieve`, which only a context needs to load.
PHASES = ("plan", "work", "review", "debug")
FORMATS = ("markdown", "xml", "plain")
# The years that a time can have, and what tells that one lies outside of them.
_YEARS = "the years 1 to 9999"
_OUT_OF_RANGE = compile_later(
    # Python words it anew in 3.14.
    r"^year -?\d+ is out of range|^year must be in |^\s*[+-]?\d{5,}-\d\d?-\d\d?",
    re.MULTILINE,
)
_DURATION = compile_later(r"(\d{1,6})\s*([smhdw])")
_SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def parse_moment(text: str) -> str:
    """Parse a date, a time, or a span back from now (`30m`, `7d`, `2w`) to ISO 8601 UTC.

    Raises MalformedValue.
    """
    span = _DURATION.fullmatch(text.strip().lower())
    if span:
        seconds = -int(span[1]) * _SECONDS_PER_UNIT[span[2]]
        try:
            return timestamps.add_seconds(clock.now(), seconds=seconds)
        except (ValueError, OverflowError) as error:
            raise declarations.MalformedValue(
                f"{shorten_value(text)} is no time in {_YEARS}"
            ) from error
    return _parse_date(text, last=False)


def _parse_date(text: str, *, last: bool) -> str:
    from memctl.text import dates  # few command lines give a time

    try:
        return timestamps.format_iso(
            dates.parse_moment(text, timestamps.parse_iso(clock.now()), last=last)
        )
    except (ValueError, OverflowError) as error:
        if isinstance(error, OverflowError) or _OUT_OF_RANGE.search(f"{error}\n{text}"):
            raise declarations.MalformedValue(
                f"{shorten_value(text)} is no time in {_YEARS}"
            ) from error
        known = (
            "a date (2026-01-31, yesterday), a time (2026-01-31T09:00Z)"
            " nor a span back (7d, 12h, 3 days ago)"
        )
        more = f": {error}" if " may be " in str(error) or "no year" in str(error) else ""
        raise declarations.MalformedValue(
            f"{shorten_value(text)} is neither {known}{more}"
        ) from error


def parse_past_moment(text: str) -> str:
    """Parse a time to look back from: like `parse_moment`, but a day means its end, or now.

    Raises MalformedValue.
    """
    return _parse_date(text, last=True)


def check_moment(text: str) -> str:
    """Return a time as it was written, to be parsed at a later use. Raises MalformedValue."""
    parse_moment(text)
    return text.strip()


def parse_duration(text: str) -> float:
    """Parse a duration (`30s`, `5m`, `1h`) to seconds. Raises MalformedValue."""
    found = _DURATION.fullmatch(text.strip().lower())
    if found is None or not int(found[1]):
        raise declarations.MalformedValue(
            f"{shorten_value(text)} is no span of time, such as 30s, 5m or 1h"
        )
    return float(int(found[1]) * _SECONDS_PER_UNIT[found[2]])


def parse_count(text: str) -> int:
    """Parse a number of things. Raises MalformedValue."""
    return _parse_whole_number(text, _MAX_COUNT)


def parse_result_count(text: str) -> int:
    """Parse how many results of a search are wanted. Raises MalformedValue."""
    return _parse_whole_number(text, definitions.MOST_RESULTS)


def parse_token_count(text: str) -> int:
    """Parse a budget in tokens. Raises MalformedValue."""
    return _parse_whole_number(text, definitions.MOST_TOKENS)


def _parse_whole_number(text: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 10 or int(text) > most:
        raise declarations.MalformedValue(
            f"{shorten_value(text)} is not a whole number from 0 to {most}"
        )
    return int(text)


def shorten_value(text: str) -> str:
    """Return a value that an option does not take, as an error shows it."""
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}...")


def build_choice_parser(*words: str) -> Callable[[str], str]:
    """Build a parser that takes one of the words. It raises MalformedValue, naming them all."""

    def choose(text: str) -> str:
        word = text.strip().lower()
        if word not in words:
            raise declarations.MalformedValue(
                f"{shorten_value(text)} is not one of {', '.join(words)}"
            )
        return word

    choose.__name__ = "word"
    choose.words = words  # type: ignore[attr-defined]
    return choose


def join_choices(words: Sequence[str]) -> str:
    """Join words to a metavar: `a|b|c`."""
    return "|".join(words)


def parse_folder(text: str) -> Path:
    """Return a folder as a whole path. Raises MalformedValue where there is none."""
    folder = Path(text).expanduser().absolute()
    if not folder.is_dir():
        raise declarations.MalformedValue(f"{shorten_value(text)} is no folder")
    return folder


def parse_entity(text: str) -> EntityRef:
    """Parse an entity from `KIND:NAME`. Raises MalformedValue."""
    kind, _, name = text.partition(":")
    found = next((known for known in model.ENTITY_KINDS if known == kind.strip().lower()), None)
    if found is None or not name.strip():
        raise declarations.MalformedValue(
            f"{shorten_value(text)} is not KIND:NAME with a kind of {', '.join(model.ENTITY_KINDS)}"
        )
    return EntityRef(found, name.strip())


def parse_tag(text: str) -> str:
    """Parse a tag to its one spelling. Raises MalformedValue."""
    from memctl.text import tags  # few command lines have one

    try:
        return tags.normalise_tag(text)
    except UsageError as error:
        why = f"{error}: {error.hint}" if error.hint else str(error)
        raise declarations.MalformedValue(why) from error


NewTags = Annotated[
    list[str] | None,
    declarations.option(
        "--tag", parser=parse_tag, metavar="TAG", help="A tag to file it under (repeatable)."
    ),
]
Tags = Annotated[
    list[str] | None,
    declarations.option(
        "--tag",
        parser=parse_tag,
        metavar="TAG",
        help="Only what has this tag (repeatable: it has all).",
    ),
]
NewType = Annotated[
    str | None,
    declarations.option(
        "--type",
        parser=build_choice_parser(*model.TYPES),
        metavar=join_choices(model.TYPES),
        help="The type of the record.",
    ),
]
NewScope = Annotated[
    str | None,
    declarations.option(
        "--scope",
        parser=build_choice_parser(*model.SCOPES),
        metavar=join_choices(model.SCOPES),
        help="The scope of the record.",
    ),
]
Moment = Annotated[
    str | None, declarations.option(parser=parse_moment, metavar="TIME", help="A date or a time.")
]
RecordId = Annotated[
    str,
    declarations.argument(metavar="ID", help="A record id, or a unique prefix of one."),
]
RecordIds = Annotated[
    list[str],
    declarations.argument(metavar="ID", help="Record ids, or unique prefixes."),
]
Types = Annotated[
    list[str] | None,
    declarations.option(
        "--type",
        parser=build_choice_parser(*model.TYPES),
        metavar=join_choices(model.TYPES),
        help="Only this type of record (repeatable).",
    ),
]
Kinds = Annotated[
    list[str] | None,
    declarations.option(
        "--kind", metavar="KIND", help="Only this kind, such as constraint or command (repeatable)."
    ),
]
Scopes = Annotated[
    list[str] | None,
    declarations.option(
        "--scope",
        parser=build_choice_parser(*model.SCOPES),
        metavar=join_choices(model.SCOPES),
        help="Only this scope (repeatable).",
    ),
]
Until = Annotated[
    str | None,
    declarations.option(
        "--until",
        parser=parse_moment,
        metavar="TIME",
        help="Only what was observed before this time or span back: 2026-01-31, 7d.",
    ),
]
Repo = Annotated[
    str | None,
    declarations.option(
        "--repo", metavar="NAME", help="Only what belongs to this repository, by name or id."
    ),
]
Roles = Annotated[
    list[str] | None,
    declarations.option(
        "--role",
        parser=build_choice_parser(*model.ROLES),
        metavar=join_choices(model.ROLES),
        help="With --turns: only what was said by these (repeatable).",
    ),
]
SessionsOf = Annotated[
    str | None,
    declarations.option(
        "--from", metavar="AGENT", help="Only sessions of this agent, such as claude-code."
    ),
]
ProjectName = Annotated[
    str | None,
    declarations.option(
        "--project",
        metavar="NAME",
        help="The project, by name or id (default: that of the folder).",
    ),
]
OnlyProject = Annotated[
    str | None,
    declarations.option("--project", metavar="NAME", help="Only this project, by name or id."),
]
BelongsTo = Annotated[
    str | None,
    declarations.option(
        "--project", metavar="NAME", help="The project that they belong to, by name or id."
    ),
]
CapturedFor = Annotated[
    str | None,
    declarations.option(
        "--project",
        metavar="NAME",
        help="The project it belongs to, by name or id, even if it names another.",
    ),
]
CapturedScope = Annotated[
    str | None,
    declarations.option(
        "--scope",
        parser=build_choice_parser(*model.SCOPES),
        metavar=join_choices(model.SCOPES),
        help="The scope of what is extracted (default: the project, unless the words say more).",
    ),
]
CapturedAt = Annotated[
    Path | None,
    declarations.option(
        "--cwd",
        parser=parse_folder,
        metavar="DIR",
        help="The folder it was held in, if it names none; a new project is registered.",
    ),
]
Global = Annotated[
    bool, declarations.option("--global", help="No project: only records that apply everywhere.")
]
Agent = Annotated[
    str | None,
    declarations.option(
        "--agent", metavar="NAME", help="The agent that asks, such as claude-code or codex."
    ),
]
Session = Annotated[
    str | None, declarations.option("--session", metavar="ID", help="The session of the agent.")
]
Limit = Annotated[
    int, declarations.option("--limit", parser=parse_count, metavar="N", help="The maximum number.")
]
Offset = Annotated[
    int,
    declarations.option("--offset", parser=parse_count, metavar="N", help="Skip this many first."),
]
_SINCE = "Only since then: a date, a time, or a span back such as 7d."
Since = Annotated[
    str | None, declarations.option("--since", parser=parse_moment, metavar="TIME", help=_SINCE)
]
SinceAsWritten = Annotated[
    str | None, declarations.option("--since", parser=check_moment, metavar="TIME", help=_SINCE)
]
_AS_OF = "Show the store as it was at that time: a date (its end), a time, or `3 days ago`."
AsOf = Annotated[
    str | None,
    declarations.option("--as-of", parser=parse_past_moment, metavar="TIME", help=_AS_OF),
]
AsOfAsWritten = Annotated[
    str | None, declarations.option("--as-of", parser=check_moment, metavar="TIME", help=_AS_OF)
]
MinConfidence = Annotated[
    float | None,
    declarations.option(
        "--min-confidence", min=0, max=1, metavar="0..1", help="At least this confidence."
    ),
]
MaxConfidence = Annotated[
    float | None,
    declarations.option(
        "--max-confidence", min=0, max=1, metavar="0..1", help="At most this confidence."
    ),
]
AllProjects = Annotated[
    bool,
    declarations.option(
        "--all-projects",
        help="Every project, without a stricter relevance threshold for those of other folders.",
    ),
]
SearchLimit = Annotated[
    int | None,
    declarations.option(
        "--limit",
        parser=parse_result_count,
        metavar="N",
        help="The maximum number (default: the setting search.limit).",
    ),
]
_INCLUDABLE = ("inbox", "superseded", "archived")
Include = Annotated[
    list[str] | None,
    declarations.option(
        "--include",
        parser=build_choice_parser(*_INCLUDABLE),
        metavar=join_choices(_INCLUDABLE),
        help="Also records of this status (repeatable).",
    ),
]
View = Annotated[
    str | None,
    declarations.option(
        "--view",
        metavar="NAME",
        help="Start from this saved view; other options override it.",
    ),
]
Task = Annotated[
    str | None, declarations.option("--task", metavar="TEXT", help="The task at hand.")
]
Budget = Annotated[
    int | None,
    declarations.option(
        "--budget", parser=parse_token_count, metavar="TOKENS", help="The maximum size in tokens."
    ),
]
Level = Annotated[
    int | None,
    declarations.option(
        "--level", min=0, max=2, metavar="0|1|2", help="Titles, summaries, or full content."
    ),
]
Phase = Annotated[
    str | None,
    declarations.option(
        "--phase",
        parser=build_choice_parser(*PHASES),
        metavar=join_choices(PHASES),
        help="Select what this phase of work needs.",
    ),
]
_WAYS = ("search", "prompt", "start")
Way = Annotated[
    str | None,
    declarations.option(
        "--as",
        parser=build_choice_parser(*_WAYS),
        metavar=join_choices(_WAYS),
        help="With --why-not: why a search does not find it (the default), or why an agent is not "
        "told it at this prompt, or at a start with this task, which may be empty.",
    ),
]
Format = Annotated[
    str | None,
    declarations.option(
        "--format",
        parser=build_choice_parser(*FORMATS),
        metavar=join_choices(FORMATS),
        help="The format of the text (default: markdown).",
    ),
]
Reason = Annotated[
    str | None,
    declarations.option(
        "--reason", metavar="TEXT", help="The reason, kept in the record's history."
    ),
]
DryRun = Annotated[bool, declarations.option("--dry-run", help="Show the plan; write nothing.")]
Yes = Annotated[bool, declarations.option("--yes", "-y", help="Do not ask for confirmation.")]
