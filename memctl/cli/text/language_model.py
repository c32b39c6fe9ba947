"""Use of the language model as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_count, format_size, format_time
from memctl.results.language_model import ModelReport, ModelUse


def render_model_status(data: ModelReport) -> Iterator[str]:
    """The model, what it used and may still use, and its troubles."""
    if data.model:
        yield f"model: {flatten(data.model)}, for {', '.join(data.purposes) or 'nothing'}"
        yield f"today: {_format_usage(data.calls, data.failed, data.tokens, data.cost)}"
        yield "left today: " + (", ".join(_list_remaining(data.left)) or "no limit")
    else:
        yield "No language model is configured, and none is needed. `maintain.model` in the config names one (docs/models.md)."
    if data.waiting_until:
        yield f"it failed and is left alone until {format_time(data.waiting_until)}"
    if data.answers:
        yield f"answers kept: {data.answers} ({format_size(data.answer_bytes)})"
    yield from (_format_use(use) for use in data.uses)
    yield from (
        f"trouble {format_time(each.at)}  {each.purpose}, {flatten(each.model)}: {flatten(each.error)}"
        for each in data.troubles
    )


def _list_remaining(left: Mapping[str, float]) -> Iterator[str]:
    words = {"calls": "questions", "tokens": "tokens"}
    yield from (
        f"{many:g} {words[name]}" if name in words else f"{name} {many:.4f}"
        for name, many in left.items()
    )


def _format_use(use: ModelUse) -> str:
    return f"30 days, {use.purpose}, {flatten(use.model)}: {_format_usage(use.calls, use.failed, use.tokens, use.cost)}"


def _format_usage(calls: int, failed: int, tokens: int, cost: float) -> str:
    told = f"{format_count(calls, 'question')}, {format_count(tokens, 'token')}"
    return told + (f", cost {cost:.4f}" if cost else "") + (f", {failed} failed" if failed else "")
