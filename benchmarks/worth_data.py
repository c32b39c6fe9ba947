"""Sentences of labelled and of invented sessions, as the worth of sentences is learned from them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from memctl.core.model import Role, Transcript, Turn
from memctl.embed import find_embedder
from memctl.extract import propose_by_rules
from memctl.extract.transcript_view import TranscriptView
from memctl.extract.worth import EMBEDDED_CHARS
from memctl.extract.worth_features import find_dialogue_around, list_typed_sentences
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader

INVENTED = Path(__file__).with_name("worth_sessions.txt")
Numbers = npt.NDArray[np.float64]
# A memory that two careful readers may disagree on counts half, an invented sentence a quarter: at
# more, held-out sessions lose what is invented gains.
# Of a session of which only the best was told, nothing else is learned.
_DEBATABLE = 0.5
_INVENTED = 0.25
_WHOLE = 1.0


@dataclass
class Row:
    """A sentence: where it stands, what it is learned by, and what the labels say of it."""

    session: str
    person: str
    turn: int
    start: int
    end: int
    text: str
    features: Mapping[str, float]
    importance: int
    weight: float
    is_invented: bool = False


@dataclass
class Labelled:
    """What a reader found in one human turn."""

    memories: list[tuple[int, int, int]] = field(default_factory=list)
    is_negative: bool = False

    def weigh(self, start: int, end: int) -> int:
        """The importance of what stands there, 0 for nothing."""
        return max((m[2] for m in self.memories if covers(start, end, m)), default=0)


def covers(start: int, end: int, memory: tuple[int, int, int]) -> bool:
    least = 0.5 * min(end - start, memory[1] - memory[0])
    return min(end, memory[1]) - max(start, memory[0]) >= least


Labels = dict[tuple[str, int], Labelled]


def read_labels(folder: Path) -> Labels:
    """Read what the readers found, by session and turn."""
    found: Labels = {}
    for line in (folder / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        memories = [(m["start"], m["end"], m["importance"]) for m in entry["memories"]]
        found[entry["session"], entry["turn"]] = Labelled(memories, "negative" in entry)
    return found


def read_sessions(folder: Path) -> Iterator[tuple[str, Transcript]]:
    """Read the labelled sessions, each with whose it is."""
    with (folder / "sessions.jsonl").open(encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            turns = tuple(_make_turn(n, one) for n, one in enumerate(entry["turns"]))
            home = re.match(r"/(?:Users|home)/([^/]+)", entry.get("cwd") or "")
            person = f"{entry['repo']}:{home.group(1) if home else ''}"
            agent = entry.get("agent", "claude-code")
            format_ = entry.get("format", "claude-code")
            yield person, Transcript(format_, agent, entry["sid"], turns, cwd=entry.get("cwd"))


def _make_turn(number: int, entry: Mapping[str, Any]) -> Turn:
    get = entry.get
    return Turn(
        number,
        entry["role"],
        entry["kind"],
        entry["text"],
        get("ts"),
        None,
        get("tool"),
        get("call_id"),
        get("ok"),
        number,
        get("data") or {},
    )


def read_invented() -> Iterator[tuple[Transcript, dict[int, Labelled]]]:
    """Read the invented sessions, each with what is worth keeping of its human turns.

    All of a line that begins with `+` is; of others what stands in braces.
    """
    lines = [x for x in INVENTED.read_text(encoding="utf-8").split("\n") if not x.startswith("#")]
    for number, block in enumerate("\n".join(lines).strip().split("\n\n")):
        turns, known = [], {}
        for n, line in enumerate(block.splitlines()):
            role: Role = "assistant" if line[0] == "a" else "human"
            text, places = _read_braces(line[2:])
            if role == "human":
                places = [(0, len(text))] if line[0] == "+" else places
                known[n] = Labelled([(start, end, 3) for start, end in places])
            turns.append(Turn(n, role, "text", text, None, None, None, None, None, n, {}))
        yield Transcript("claude-code", "claude-code", f"invented {number}", tuple(turns)), known


def _read_braces(line: str) -> tuple[str, list[tuple[int, int]]]:
    """The line without its braces, and the places of what stood in them."""
    text, places = "", []
    for part in re.split(r"(\{[^}]*\})", line):
        if part.startswith("{"):
            places.append((len(text), len(text) + len(part) - 2))
            part = part[1:-1]
        text += part
    return text, places


def read_whole(folder: Path, corpus: Path) -> Iterator[tuple[Transcript, dict[int, Labelled]]]:
    """Read sessions of which one reader told all that is worth remembering, by quotes."""
    for path in sorted(folder.glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        source = Input(path=corpus / entry["file"])
        transcript = next(iter(detect_reader(source, entry["agent"]).read(source)))
        if transcript.is_chat:
            continue
        known = {n: Labelled() for n, turn in enumerate(transcript.turns) if turn.role == "human"}
        for item in entry["gold"]:
            if item["type"] == "episode" or item.get("superseded_by"):
                continue
            for proof in item["evidence"]:
                for n, labelled in known.items():
                    start = transcript.turns[n].text.find(proof["quote"])
                    if start >= 0 and proof["role"] == "human":
                        end = start + len(proof["quote"])
                        labelled.memories.append((start, end, item["importance"]))
        yield transcript, known


def list_rows(folder: Path, labels: Labels, whole: Path | None, corpus: Path | None) -> list[Row]:
    """List every sentence to learn from."""
    rows = []
    if whole is not None and corpus is not None:
        for transcript, known in read_whole(whole, corpus):
            of_session = _list_rows_of(transcript, "", known, weight=_WHOLE)
            rows += [row for row in of_session if row.importance]
    for person, transcript in read_sessions(folder):
        session = transcript.session_id
        known = {turn: one for (of, turn), one in labels.items() if of == session}
        rows += _list_rows_of(transcript, person, known)
    for transcript, known in read_invented():
        rows += _list_rows_of(transcript, "", known, weight=_INVENTED)
    return rows


def _list_rows_of(
    transcript: Transcript,
    person: str,
    known: Mapping[int, Labelled],
    *,
    weight: float | None = None,
) -> Iterator[Row]:
    view = TranscriptView(transcript)
    proposals = propose_by_rules(view)
    for index, labelled in known.items():
        text = view.turns[index].text
        around = find_dialogue_around(view, index)
        for one in list_typed_sentences(view, index, around, proposals):
            importance = labelled.weigh(one.start, one.end)
            own = _DEBATABLE if importance == 1 else 1.0
            yield Row(
                transcript.session_id,
                person,
                index,
                one.start,
                one.end,
                text[one.start : one.end],
                one.features,
                importance,
                own if weight is None else weight,
                weight is not None,
            )


def embed(rows: Sequence[Row]) -> Numbers:
    """Turn the sentences into vectors, a row each."""
    embedder = find_embedder()
    known: dict[str, Numbers] = {}
    for row in rows:
        text = row.text[:EMBEDDED_CHARS]
        if text not in known:
            known[text] = np.frombuffer(embedder.embed([text])[0], dtype="<f4").astype(float)
    return np.stack([known[row.text[:EMBEDDED_CHARS]] for row in rows])
