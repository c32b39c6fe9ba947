"""One note: a record as Markdown with front matter, and what can be read back from it. Pure.

    ---
    id: 01JV3KQX2M...       the locked part, in a fixed order
    ---

    the content

    <!-- memctl 1f0c...: what follows is written by memctl and not read back -->
    ...
    <!-- memctl: end -->

Of the front matter `kind`, `status`, `tags` and `always_load` may be edited. The first mark names a
hash of what stands between the two, so that an edit there is seen; a note without the last one is
only half written.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping

import yaml

from memctl.core.frozen import dataclass, field, replace
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import STATUSES, TRUST_NAMES, TYPES
from memctl.core.typing_lite import Any
from memctl.results.records import RecordView
from memctl.text import tags

# The one in C takes a tenth of the time; both make texts, lists and mappings only.
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
END_MARK = "<!-- memctl: end -->"
_BEGIN_MARK = "<!-- memctl {}: what follows is written by memctl and not read back -->"
_BEGIN = compile_later(
    r"^<!-- memctl ([0-9a-f]{16}): what follows is written by memctl and not read back -->[ \t]*$",
    re.MULTILINE,
)
_END = compile_later(r"^<!-- memctl: end -->[ \t]*$", re.MULTILINE)
_FRONT = compile_later(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
# Bytes of front matter that are read; chosen by hand.
_LONGEST_FRONT = 65_536
# Quotes that a note shows; chosen by hand.
_MOST_EVIDENCE = 8
_ID = compile_later(r"[0-9A-HJKMNP-TV-Z]{26}")
# What YAML or a reader of notes takes for a text, unquoted.
_PLAIN = compile_later(r"[A-Za-z][A-Za-z0-9_./-]*|\d{4}-\d\d-\d\dT[0-9:.]+Z")
# What YAML does not take, or takes for the end of a line.
_NOT_PLAIN = compile_later("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_TYPED_WORDS = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
# A wikilink in a text, with its label.
_INNER_LINK = compile_later(r"!?\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
# What YAML 1.1 and people write for yes and no.
_PINS = dict.fromkeys(("true", "yes", "on"), True) | dict.fromkeys(("false", "no", "off"), False)
_EDITABLE = ("kind", "status", "tags", "always_load")
_LOCKED = ("id", "type", "scope", "project", "supersedes", "created", "updated", "title")
_WRITTEN = frozenset((*_LOCKED, *_EDITABLE))
_KEY = compile_later(r"([^\s#\-][^:]*?)\s*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class NoteState:
    """What of a record may be changed in its note."""

    content: str
    kind: str
    status: str
    tags: tuple[str, ...] = ()
    always_load: bool = False
    # What of it is written in the front matter and cannot be read.
    unread: tuple[str, ...] = ()

    def compute_hash(self) -> str:
        """Compute the hash by which two states are compared; who contradicts whom is no part."""
        status = "active" if self.status == "contradicted" else self.status
        parts = [self.content, self.kind, status, [*self.tags], self.always_load]
        told = json.dumps([*parts, *self.unread], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class ParsedNote:
    """What a note says. `front` is its front matter as text or lists of texts.

    `missing` are the fields of the state that it does not name, which it leaves as they are.
    `is_whole`: its last mark is there. Somebody changed what only memctl writes: `is_touched` below
    the mark, `is_relabelled` in the front matter.
    """

    id: str
    state: NoteState
    updated: str
    front: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = True
    is_touched: bool = False
    is_relabelled: bool = False
    missing: tuple[str, ...] = ()

    def read_state(self, record: NoteState | None) -> NoteState:
        """Return what it says of its record; what it does not name is as in the record."""
        if record is None or not self.missing:
            return self.state
        return replace(self.state, **{name: getattr(record, name) for name in self.missing})


def canonicalise(text: str) -> str:
    """Return a text as it is compared: line feeds only, no blanks around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def build_state(view: RecordView) -> NoteState:
    """Return what a record says of what its note may change."""
    memory = view.memory
    content = canonicalise(memory.content)
    own = tuple(sorted(view.tags))
    return NoteState(content, memory.kind, memory.status, own, memory.always_load)


def render_note(
    view: RecordView,
    links: Mapping[str, str],
    entities: Iterable[str],
    extra: Iterable[str] = (),
) -> str:
    """Write the note of a record; `links` are the wikilinks of records by id, of those that have a
    note, and `entities` those of what it mentions. `extra` are the lines of a person's own keys.
    """
    generated = "\n".join(_render_generated(view, links, [*entities])).strip("\n")
    locked = _list_locked(view, links)
    mark = _BEGIN_MARK.format(_compute_mark(generated) + _compute_front_mark(locked))
    front = "".join(f"{line}\n" for line in (*_render_front(view, locked), *extra))
    content = canonicalise(view.memory.content)
    return f"---\n{front}---\n\n{content}\n\n{mark}\n{generated}\n{END_MARK}\n"


def parse_note(text: str) -> ParsedNote | None:
    """Read a note; None if it is none of a record. `text` has line feeds only, and no mark of
    byte order.
    """
    front, body = split_front(text)
    if front is None or not isinstance(front.get("id"), str) or not _ID.fullmatch(front["id"]):
        return None
    if front.get("type") not in TYPES and _BEGIN.search(body) is None:
        return None
    begins = [*_BEGIN.finditer(body)]
    begin = begins[-1] if begins else None  # The last is memctl's; a content may hold another.
    end = _END.search(body, begin.end()) if begin else _find_lone_end(body)
    first = begin or end
    own = body[: first.start()] if first else body
    generated = body[begin.end() : end.start()].strip("\n") if begin and end else ""
    added = canonicalise(body[end.end() :]) if end else ""
    content = "\n\n".join(part for part in (canonicalise(own), added) if part)
    state = _read_front_state(front, content)
    updated = front.get("updated")
    marked = begin[1] if begin and end else _compute_mark("") + _compute_front_mark(front)
    return ParsedNote(
        front["id"],
        state,
        updated if isinstance(updated, str) else "",
        front,
        end is not None,
        begin is not None and end is not None and not marked.startswith(_compute_mark(generated)),
        end is not None and not marked.endswith(_compute_front_mark(front)),
        tuple(name for name in _EDITABLE if not front.get(name) and front.get(name) != []),
    )


def _find_lone_end(body: str) -> re.Match[str] | None:
    """Return the last mark of a note whose generated part was taken out, if nothing follows it."""
    ends = [*_END.finditer(body)]
    return ends[-1] if ends and not body[ends[-1].end() :].strip() else None


def _read_front_state(front: Mapping[str, Any], content: str) -> NoteState:
    kind, status, pin = (front.get(name) for name in ("kind", "status", "always_load"))
    known = status.strip().lower() if isinstance(status, str) else ""
    own, unread = tags.split_tags(front.get("tags") or ())
    wanted = _PINS.get(pin.strip().lower()) if isinstance(pin, str) else None
    if wanted is None and pin:
        unread += (f"always_load is `true` or `false`, not {str(pin)[:80]!r}",)
    return NoteState(
        content,
        kind if isinstance(kind, str) else "",
        known if known in STATUSES else "",
        own,
        bool(wanted),
        unread,
    )


def split_front(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the front matter of a note, None if it has none that can be read, and its body."""
    found = _FRONT.match(text[: _LONGEST_FRONT + 8])
    if found is None:
        return None, text
    try:
        front = yaml.load(found[1] or "", Loader=_LOADER)
    except (yaml.YAMLError, RecursionError, ValueError):
        return None, text
    return (front, text[found.end() :]) if isinstance(front, dict) else (None, text)


def list_extra_lines(text: str) -> list[str]:
    """Return the lines of the front matter of a note that are a person's own keys, as written."""
    found = _FRONT.match(text[: _LONGEST_FRONT + 8])
    lines, is_extra = [], False
    for line in (found[1] or "").split("\n")[:-1] if found else ():
        key = _KEY.match(line)
        if key is not None:
            is_extra = key[1] not in _WRITTEN
        if is_extra:
            lines.append(line)
    return lines


def format_scalar(text: str) -> str:
    """Write a text as YAML, quoted where it could be taken for something else."""
    if _PLAIN.fullmatch(text) and text.lower() not in _TYPED_WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_PLAIN.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def _list_locked(view: RecordView, links: Mapping[str, str]) -> dict[str, Any]:
    """The front matter that only memctl writes, as it is read back."""
    memory = view.memory
    superseded = sorted(link.to_id for link in view.links if _supersedes(view, link))
    project = {} if view.project is None else {"project": view.project}
    return {
        "id": memory.id,
        "type": memory.type,
        "scope": memory.scope,
        **project,
        "supersedes": [links.get(each, each) for each in superseded],
        "created": memory.created_at,
        "updated": memory.updated_at,
        "title": clean_label(memory.title),
    }


def _render_front(view: RecordView, locked: Mapping[str, Any]) -> Iterator[str]:
    memory = view.memory
    yield f"id: {format_scalar(locked['id'])}"
    yield f"type: {memory.type}"
    yield f"kind: {format_scalar(memory.kind)}"
    yield f"status: {memory.status}"
    yield f"scope: {memory.scope}"
    if "project" in locked:
        yield f"project: {format_scalar(locked['project'])}"
    yield from _render_list("tags", view.tags)
    yield f"always_load: {'true' if memory.always_load else 'false'}"
    yield from _render_list("supersedes", locked["supersedes"])
    yield f"created: {format_scalar(memory.created_at)}"
    yield f"updated: {format_scalar(memory.updated_at)}"
    yield f"title: {format_scalar(locked['title'])}"


def _supersedes(view: RecordView, link: Any) -> bool:
    return bool(link.relation == "supersedes" and link.from_id == view.memory.id)


def _render_list(name: str, values: Iterable[str]) -> Iterator[str]:
    listed = [*values]
    yield f"{name}:" if listed else f"{name}: []"
    yield from (f"  - {format_scalar(value)}" for value in listed)


def _render_generated(
    view: RecordView, links: Mapping[str, str], entities: list[str]
) -> Iterator[str]:
    memory = view.memory
    if memory.rationale:
        yield from ("", "## Why", "", *_quote(memory.rationale))
    if memory.alternatives:
        yield from ("", "## Instead of", "", *(f"- {_line(each)}" for each in memory.alternatives))
    if view.evidence:
        yield from ("", "## Evidence")
        for proof in view.evidence[:_MOST_EVIDENCE]:
            said = f"{TRUST_NAMES[proof.trust].replace('_', ' ')}, {proof.observed_at[:10]}"
            yield from ("", *_quote(proof.quote), ">", f"> ({said})")
        if len(view.evidence) > _MOST_EVIDENCE:
            yield from ("", f"`memctl show {memory.id}` has all {len(view.evidence)}.")
    told = sorted({_describe_link(view, link, links) for link in view.links})
    if told:
        yield from ("", "## Links", "", *(f"- {each}" for each in told))
    if entities:
        yield from ("", "## Mentions", "", *(f"- {each}" for each in entities))


def _describe_link(view: RecordView, link: Any, links: Mapping[str, str]) -> str:
    other = link.find_other_end(view.memory.id)
    is_from = link.from_id == view.memory.id
    verb = link.relation.replace("_", " ")
    settled = " (settled)" if link.resolved_at else ""
    named = links.get(other, f"`{other}`")
    return f"{verb} {named}{settled}" if is_from else f"{named} {verb} this{settled}"


def clean_label(text: str) -> str:
    """Return a text as it may stand in a wikilink."""
    plain = _INNER_LINK.sub(lambda found: found[2] or found[1], text)
    return " ".join("".join(" " if char in "[]|\n\r\t" else char for char in plain).split())


def _quote(text: str) -> Iterator[str]:
    for line in canonicalise(text).replace("<!--", "<!\u200b--").split("\n"):
        yield f"> {line}".rstrip()


def _line(text: str) -> str:
    return " ".join(text.replace("<!--", "<!\u200b--").split())


def _compute_mark(generated: str) -> str:
    return hashlib.sha256(generated.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _compute_front_mark(front: Mapping[str, Any]) -> str:
    told = json.dumps([front.get(name) for name in _LOCKED], ensure_ascii=False)
    return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:8]
