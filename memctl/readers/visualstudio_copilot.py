"""Copilot's traces of Visual Studio: spans of OpenTelemetry, a batch a line. A file may hold several conversations.

A call to the model carries the prompt only where the user lets it; without, the tools and their results are all there is. Each call
tells what was said before it again, and a span may be written twice: everything is taken once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from memctl.core.model import Transcript
from memctl.readers.base import Input, clip, parse_json
from memctl.readers.envelopes import unwrap
from memctl.readers.sniffing import has_keys
from memctl.readers.tool_summaries import describe_call
from memctl.readers.turns import Turns
from memctl.readers.values import as_dict, as_list, as_name, as_text, parse_time

_WRAPPINGS = frozenset(
    [
        "context",
        "environment_info",
        "workspace_info",
        "editorContext",
        "reminder",
        "reminderInstructions",
        "attachments",
    ]
)


class VisualStudioCopilot:
    """Reads traces of Copilot in Visual Studio."""

    name: ClassVar[str] = "visualstudio-copilot"
    agent: ClassVar[str] = "visualstudio-copilot"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Sure when spans speak of conversations with a model."""
        if not has_keys(head, "resourceSpans"):
            return 0.0
        return (
            0.97 if b"vs-copilot" in head or b"gen_ai." in head or b"copilot_chat." in head else 0.2
        )

    def read(self, source: Input) -> Iterator[Transcript]:
        """The conversations of the file, in the order in which they begin."""
        talks: dict[str, _Talk] = {}
        for line, span in sorted(_spans(source).values(), key=lambda found: _nanoseconds(found[1])):
            about = _attributes(span)
            talk = talks.setdefault(as_text(about.get("gen_ai.conversation.id")), _Talk())
            talk.take(line, parse_time(_nanoseconds(span) / 1e9), about)
        for name, talk in talks.items():
            yield _transcript(source, name, talk.turns)
        if not talks and source.unknown:
            yield _transcript(source, "", Turns())


READER = VisualStudioCopilot()


def _transcript(source: Input, name: str, turns: Turns) -> Transcript:
    return Transcript(
        format=VisualStudioCopilot.name,
        agent=VisualStudioCopilot.agent,
        session_id=name or (source.path.stem if source.path else ""),
        turns=turns.collect(),
        started_at=turns.started_at,
        ended_at=turns.ended_at,
        unknown=dict(source.unknown),
    )


def _spans(source: Input) -> dict[str, tuple[int, dict[str, Any]]]:
    """The spans by their ids; of one that was written twice, the copy that ended later."""
    found: dict[str, tuple[int, dict[str, Any]]] = {}
    for line, batch in source.read_json_lines():
        spans = list(_of_batch(batch))
        if not spans:
            source.unknown["line without spans"] += 1
        for place, span in enumerate(spans):
            name = as_text(span.get("spanId")) or f"{line}.{place}"
            known = found.get(name)
            if known is None or _ended(span) >= _ended(known[1]):
                found[name] = (known[0] if known else line, span)
    return found


def _of_batch(batch: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in as_list(batch.get("resourceSpans")):
        for scope in as_list(as_dict(resource).get("scopeSpans")):
            yield from (as_dict(span) for span in as_list(as_dict(scope).get("spans")))


def _attributes(span: Mapping[str, Any]) -> dict[str, Any]:
    """What a span says of itself, each value out of the wrapping that names its type."""
    pairs = (as_dict(pair) for pair in as_list(span.get("attributes")))
    return {
        as_text(pair.get("key")): next(iter(as_dict(pair.get("value")).values()), None)
        for pair in pairs
    }


def _nanoseconds(span: Mapping[str, Any], key: str = "startTimeUnixNano") -> int:
    digits = str(span.get(key))
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0


def _ended(span: Mapping[str, Any]) -> tuple[int, int]:
    said = sum(len(value) for value in _attributes(span).values() if isinstance(value, str))
    return _nanoseconds(span, "endTimeUnixNano"), said


class _Talk:
    """One conversation as far as it has been read."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.asked: list[str] = []
        self.requests: set[tuple[str, str]] = set()
        self.called: set[str] = set()

    def take(self, line: int, ts: str | None, about: dict[str, Any]) -> None:
        """Understand one span."""
        request = as_text(about.get("copilot_chat.root_request_id"))
        for text in self._fresh(request, _said(about, "input", "user")):
            self.asked.append(text)
            self.turns.add("human", "text", text, ts=ts, line=line)
        for part in _parts(about, "output", "assistant"):
            self._answer(line, ts, part)
        tool = as_text(about.get("gen_ai.tool.name"))
        if tool:
            call_id = as_text(about.get("gen_ai.tool.call.id"))
            self._call(line, ts, tool, call_id, about.get("gen_ai.tool.call.arguments"))
            result = as_text(about.get("gen_ai.tool.call.result"))
            ok = False if as_name(about.get("error.type")) else None
            self.turns.add(
                "tool",
                "tool_result",
                clip(result),
                ts=ts,
                tool=tool,
                call_id=call_id or None,
                ok=ok,
                line=line,
            )

    def _fresh(self, request: str, texts: list[str]) -> list[str]:
        """The prompts that were not taken before, of all so far or of the last alone."""
        if len(texts) > 1 and texts[: len(self.asked)] == self.asked:
            fresh = texts[len(self.asked) :]
        else:
            fresh = [text for text in texts[-1:] if (request, text) not in self.requests]
        self.requests.update((request, text) for text in texts[-1:])
        return fresh

    def _answer(self, line: int, ts: str | None, part: dict[str, Any]) -> None:
        kind = as_text(part.get("type"))
        if kind == "text":
            self.turns.add("assistant", "text", as_text(part.get("content")), ts=ts, line=line)
        elif kind == "tool_call" and as_text(part.get("name")):
            self._call(
                line, ts, as_text(part.get("name")), as_text(part.get("id")), part.get("arguments")
            )

    def _call(self, line: int, ts: str | None, tool: str, call_id: str, arguments: object) -> None:
        if call_id and call_id in self.called:
            return
        self.called.add(call_id)
        text, data = describe_call(tool, arguments)
        self.turns.add(
            "assistant",
            "tool_call",
            text,
            ts=ts,
            tool=tool,
            call_id=call_id or None,
            line=line,
            data=data,
        )


def _parts(about: Mapping[str, Any], side: str, role: str) -> Iterator[dict[str, Any]]:
    given = parse_json(as_text(about.get(f"gen_ai.{side}.messages")))
    for message in map(as_dict, as_list(given)):
        if as_text(message.get("role")) == role:
            yield from (as_dict(part) for part in as_list(message.get("parts")))


def _said(about: Mapping[str, Any], side: str, role: str) -> list[str]:
    parts = (part for part in _parts(about, side, role) if as_text(part.get("type")) == "text")
    texts = (unwrap(as_text(part.get("content")), _WRAPPINGS) for part in parts)
    return [text for text in texts if text]
