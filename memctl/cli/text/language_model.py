"""Use of the language model as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.cli.text.formatting import flatten, format_count, format_size, format_time
from memctl.results.language_model import ModelReport, ModelTrouble, ModelUse


def render_model_status(data: ModelReport) -> Iterator[str]:
    """Yield the model, what it used and may still use, and its errors."""
    if data.model:
        yield f"model: {flatten(data.model)}, for {', '.join(data.purposes) or 'nothing'}"
        yield f"today: {_format_usage(data.calls, data.failed, data.tokens, data.cost)}"
        yield f"left today: {', '.join(_list_remaining(data.left)) or 'no limit'}"
    else:
        yield (
            "No language model is configured, and none is needed. `maintain.model` in the config"
            " names one (docs/models.md)."
        )
    if data.waiting_until:
        yield f"it failed and is not asked again before {format_time(data.waiting_until)}"
    if data.answers:
        yield f"answers kept: {data.answers} ({format_size(data.answer_bytes)})"
    yield from map(_format_use, data.uses)
    yield from map(_format_trouble, data.troubles)


def _list_remaining(left: Mapping[str, float]) -> Iterator[str]:
    words = {"calls": "questions", "tokens": "tokens"}
    for name, number in left.items():
        yield f"{number:g} {words[name]}" if name in words else f"{name} {number:.4f}"


def _format_use(use: ModelUse) -> str:
    usage = _format_usage(use.calls, use.failed, use.tokens, use.cost)
    return f"30 days, {use.purpose}, {flatten(use.model)}: {usage}"


def _format_trouble(trouble: ModelTrouble) -> str:
    what = f"{trouble.purpose}, {flatten(trouble.model)}: {flatten(trouble.error)}"
    return f"error {format_time(trouble.at)}  {what}"


def _format_usage(calls: int, failed: int, tokens: int, cost: float) -> str:
    parts = [format_count(calls, "question"), format_count(tokens, "token")]
    if cost:
        parts.append(f"cost {cost:.4f}")
    if failed:
        parts.append(f"{failed} failed")
    return ", ".join(parts)
