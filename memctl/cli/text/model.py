"""What is told of the language model, as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from memctl.cli.text.records import at, flat, number
from memctl.cli.text.reports import size_of
from memctl.results.language_model import ModelReport, ModelUse


def status(data: ModelReport) -> Iterator[str]:
    """The model, what it used and may still use, and its troubles."""
    if data.model:
        yield f"model: {flat(data.model)}, for {', '.join(data.purposes) or 'nothing'}"
        yield f"today: {_used(data.calls, data.failed, data.tokens, data.cost)}"
        yield "left today: " + (", ".join(_left(data.left)) or "no limit")
    else:
        yield "No language model is configured, and none is needed. `maintain.model` in the config names one (docs/models.md)."
    if data.waiting_until:
        yield f"it failed and is left alone until {at(data.waiting_until)}"
    if data.answers:
        yield f"answers kept: {data.answers} ({size_of(data.answer_bytes)})"
    yield from (_use(use) for use in data.uses)
    yield from (
        f"trouble {at(each.at)}  {each.purpose}, {flat(each.model)}: {flat(each.error)}"
        for each in data.troubles
    )


def _left(left: Mapping[str, float]) -> Iterator[str]:
    words = {"calls": "questions", "tokens": "tokens"}
    yield from (
        f"{many:g} {words[name]}" if name in words else f"{name} {many:.4f}"
        for name, many in left.items()
    )


def _use(use: ModelUse) -> str:
    return f"30 days, {use.purpose}, {flat(use.model)}: {_used(use.calls, use.failed, use.tokens, use.cost)}"


def _used(calls: int, failed: int, tokens: int, cost: float) -> str:
    told = f"{number(calls, 'question')}, {number(tokens, 'token')}"
    return told + (f", cost {cost:.4f}" if cost else "") + (f", {failed} failed" if failed else "")


MAKERS: Mapping[type, Callable[[Any], Iterator[str]]] = {ModelReport: status}
