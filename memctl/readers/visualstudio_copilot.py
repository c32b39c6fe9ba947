"""Copilot's traces in Visual Studio: OpenTelemetry spans, one batch on each line.

A file may hold several conversations. A call to the model contains the prompt only if the user
allows it; otherwise only tools and their results are known. Each call repeats what was said before
it, and a span may be written twice: everything is added once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memctl.core.model import Transcript
from memctl.core.typing_lite import Any, ClassVar
from memctl.readers.base import Input, Reader, parse_json
from memctl.readers.envelopes import unwrap
from memctl.readers.session import Session
from memctl.readers.sniffing import has_keys
from memctl.readers.values import as_dict, as_dicts, as_name, as_text, parse_time

_OWN_MARKS = (b"vs-copilot", b"gen_ai.", b"copilot_chat.")
_NANOSECONDS = 1e9
# Most digits of a count of nanoseconds that is read.
_MAX_DIGITS = 19
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
Span = dict[str, Any]
Attributes = Mapping[str, Any]


class VisualStudioCopilot:
    """Reads traces of Copilot in Visual Studio."""

    name: ClassVar[str] = "visualstudio-copilot"
    agent: ClassVar[str] = "visualstudio-copilot"
    is_chat: ClassVar[bool] = False

    def sniff(self, head: bytes, name: str) -> float:
        """Certain if spans describe conversations with a model."""
        if not has_keys(head, "resourceSpans"):
            return 0.0
        return 0.97 if any(mark in head for mark in _OWN_MARKS) else 0.2

    def read(self, source: Input) -> Iterator[Transcript]:
        """Yield the conversations of the file, in the order in which they begin."""
        conversations: dict[str, _CopilotConversation] = {}
        for line, span in _sort_spans(source):
            attributes = _parse_attributes(span)
            name = as_text(attributes.get("gen_ai.conversation.id"))
            if name not in conversations:
                conversations[name] = _CopilotConversation(source, self, name)
            conversation = conversations[name]
            conversation.line = line
            conversation.ts = parse_time(_parse_nanoseconds(span) / _NANOSECONDS)
            conversation.read_span(attributes)
        for conversation in conversations.values():
            yield conversation.to_transcript()
        if not conversations and source.unknown:
            yield _CopilotConversation(source, self, "").to_transcript()


READER = VisualStudioCopilot()


def _sort_spans(source: Input) -> list[tuple[int, Span]]:
    """Return the spans in the order of time, each with the line where it first stands."""
    return sorted(_collect_spans(source).values(), key=lambda item: _parse_nanoseconds(item[1]))


def _collect_spans(source: Input) -> dict[str, tuple[int, Span]]:
    """Return the spans by their ids; if one was written twice, the copy that ended later."""
    spans: dict[str, tuple[int, Span]] = {}
    for line, batch in source.read_json_lines():
        batch_spans = list(_list_spans(batch))
        if not batch_spans:
            source.unknown["line without spans"] += 1
        for index, span in enumerate(batch_spans):
            span_id = as_text(span.get("spanId")) or f"{line}.{index}"
            first_line, earlier = spans.get(span_id, (line, None))
            if earlier is None or _measure_completeness(span) >= _measure_completeness(earlier):
                spans[span_id] = (first_line, span)
    return spans


def _list_spans(batch: dict[str, Any]) -> Iterator[Span]:
    for resource in as_dicts(batch.get("resourceSpans")):
        for scope in as_dicts(resource.get("scopeSpans")):
            yield from as_dicts(scope.get("spans"))


def _parse_attributes(span: Span) -> dict[str, Any]:
    """Return a span's attributes, without the objects that name each value's type."""
    attributes: dict[str, Any] = {}
    for pair in as_dicts(span.get("attributes")):
        value = next(iter(as_dict(pair.get("value")).values()), None)
        attributes[as_text(pair.get("key"))] = value
    return attributes


def _parse_nanoseconds(span: Span, field: str = "startTimeUnixNano") -> int:
    digits = str(span.get(field))
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS
    return int(digits) if is_number else 0


def _measure_completeness(span: Span) -> tuple[int, int]:
    """Return when a span ended, and how many characters its attributes have."""
    texts = (value for value in _parse_attributes(span).values() if isinstance(value, str))
    return _parse_nanoseconds(span, "endTimeUnixNano"), sum(map(len, texts))


class _CopilotConversation(Session):
    is_named_by_file = True

    def __init__(self, source: Input, reader: Reader, name: str) -> None:
        super().__init__(source, reader)
        self.session_id = name
        self.prompts: list[str] = []
        # The requests so far, each with its last prompt.
        self.requests: set[tuple[str, str]] = set()
        self.called: set[str] = set()

    def read_span(self, attributes: Attributes) -> None:
        """Read one span."""
        request = as_text(attributes.get("copilot_chat.root_request_id"))
        for prompt in self._select_new(request, _list_prompts(attributes)):
            self.prompts.append(prompt)
            self.add("human", "text", prompt)
        for part in _list_parts(attributes, "output", "assistant"):
            self._read_answer_part(part)
        tool = as_text(attributes.get("gen_ai.tool.name"))
        if tool:
            call_id = as_text(attributes.get("gen_ai.tool.call.id"))
            self._add_call_once(tool, call_id, attributes.get("gen_ai.tool.call.arguments"))
            result = as_text(attributes.get("gen_ai.tool.call.result"))
            ok = False if as_name(attributes.get("error.type")) else None
            self.add_result(result, tool=tool, call_id=call_id, ok=ok)

    def _select_new(self, request: str, prompts: list[str]) -> list[str]:
        """Return the new prompts: those after all earlier ones, or else the last alone."""
        if len(prompts) > 1 and prompts[: len(self.prompts)] == self.prompts:
            new = prompts[len(self.prompts) :]
        else:
            new = [prompt for prompt in prompts[-1:] if (request, prompt) not in self.requests]
        self.requests.update((request, prompt) for prompt in prompts[-1:])
        return new

    def _read_answer_part(self, part: dict[str, Any]) -> None:
        kind = as_text(part.get("type"))
        if kind == "text":
            self.add_answer(as_text(part.get("content")))
        elif kind == "tool_call":
            tool = as_text(part.get("name"))
            self._add_call_once(tool, as_text(part.get("id")), part.get("arguments"))

    def _add_call_once(self, tool: str, call_id: str, arguments: object) -> None:
        if tool and (not call_id or call_id not in self.called):
            self.called.add(call_id)
            self.add_call(tool, arguments, call_id=call_id)


def _list_parts(attributes: Attributes, side: str, role: str) -> Iterator[dict[str, Any]]:
    """Yield the parts of a role's messages; `side` is the model's `input` or `output`."""
    messages = parse_json(as_text(attributes.get(f"gen_ai.{side}.messages")))
    for message in as_dicts(messages):
        if as_text(message.get("role")) == role:
            yield from as_dicts(message.get("parts"))


def _list_prompts(attributes: Attributes) -> list[str]:
    prompts = []
    for part in _list_parts(attributes, "input", "user"):
        if as_text(part.get("type")) == "text":
            prompts.append(unwrap(as_text(part.get("content")), _WRAPPINGS))
    return [prompt for prompt in prompts if prompt]
