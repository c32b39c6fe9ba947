"""What to think of an answer about a fact that has changed: is the value of today first, is at least
said that something newer may have taken the place of what is, or is only the past told?

Shared by the simulated year and the natural history. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

_DISPUTED = re.compile(r"disputed by ((?:\[\w+\](?:, )?)+)")
_SHORT = re.compile(r"\[(\w+)\]")


class Told(NamedTuple):
    """A record that an answer holds: the values that it states of the fact asked for, and those
    stated by what its mark, or its contradiction, names.
    """

    record: str
    values: tuple[str, ...]
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """The verdict on one answer. Only records about the fact count.

    `is_first`: the first states the value of today and no other. `is_marked`: it does not, but is
    marked as perhaps replaced by, or contradicted by, a record that states it. `is_only_stale`: no
    record, and nothing that a mark names, states it. `is_alone`: it is told, and no other value
    is. `is_missing`: there is no record about the fact.
    """

    is_first: bool
    is_marked: bool
    is_only_stale: bool
    is_alone: bool
    is_missing: bool


def judge(told: Sequence[Told], now: str) -> AnswerVerdict:
    """Judge the records of an answer that are about a fact, in their order."""
    about = [one for one in told if one.values]
    if not about:
        return AnswerVerdict(False, False, False, False, True)
    values = [value for one in about for value in one.values]
    named = [value for one in about for value in one.named]
    is_first = set(about[0].values) == {now}
    return AnswerVerdict(
        is_first,
        not is_first and now in about[0].named,
        now not in (*values, *named),
        set(values) == {now},
        False,
    )


def list_newer(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the newer records that an item of `--json` says may replace it."""
    newer = item.get("newer") or ()
    entries = [newer] if isinstance(newer, str | Mapping) else newer
    return tuple(str(each["id"] if isinstance(each, Mapping) else each) for each in entries)


def list_named(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids (of a context: their beginnings) of all that an item names as newer or contrary."""
    disputed = [
        short
        for found in _DISPUTED.findall(item.get("text", ""))
        for short in _SHORT.findall(found)
    ]
    return (*list_newer(item), *(item.get("contradicted_by") or ()), *disputed)


def count(verdicts: Iterable[AnswerVerdict]) -> dict[str, float]:
    """The shares of verdicts, and their number `n`."""
    judged = list(verdicts)

    def share(of: Iterable[bool]) -> float:
        return sum(of) / max(1, len(judged))

    return {
        "n": len(judged),
        "current first": share(one.is_first for one in judged),
        "current or marked": share(one.is_first or one.is_marked for one in judged),
        "only stale told": share(one.is_only_stale for one in judged),
        "current alone": share(one.is_alone for one in judged),
        "missing": share(one.is_missing for one in judged),
    }
