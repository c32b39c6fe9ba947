"""ContextWindow: a running conversation within a budget of tokens. Working memory.

    window = ContextWindow(8000)
    window.add("user", "Let's use Valkey instead of Redis, because of the licence.")
    model(window.messages())
    window.flush_to(engine, ("project", "kiln"))

Kept true: what `messages` and `render` return never costs more than the budget; the newest turns
stand whole, older ones in a summary that is kept as they leave; to add a turn reads that turn and
the summary, never the whole conversation; no turn is dropped before it was flushed, so that the
window is never the only copy; and it expires.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memctl.core import clock, timestamps
from memctl.core.errors import UsageError
from memctl.core.frozen import asdict, dataclass
from memctl.core.model import CONTEXT_NOTICE, SENTINEL_CLOSE, SENTINEL_OPEN, Place, Turn
from memctl.core.namespaces import AnyNamespace
from memctl.core.typing_lite import Any, Protocol
from memctl.engine.window_messages import (
    Message,
    answers_call,
    find_turn_role,
    instructs_model,
    join_message,
    measure_message,
    read_message,
    shorten_message,
)
from memctl.extract.running_notes import READ_CHARS, RunningNote, note_turn
from memctl.results.captures import CaptureReport
from memctl.retrieve.bundle import count_tokens
from memctl.retrieve.layout import clean_line, format_block
from memctl.text.token_counts import Tokenizer, count_with

# Seconds until an idle window expires: as long as other working memory is kept, a week.
_EXPIRES_SECONDS = 7 * 86400
# The share of the budget that the summary may take.
_SUMMARY_SHARE = 0.25
# With a summariser, this share of the budget is left when turns leave, so that not each new turn
# asks it again.
_LEFT_SHARE = 0.6
# So many messages that were flushed are flushed again with the next, by which the store finds
# where they belong.
_ANCHORS = 3
# Characters of a summariser's words that are looked at for each token that they may cost.
_MOST_CHARS = 16
_FORMAT = 1
# What stands before a note, by its kind; other kinds stand as they are called.
_LABELS = {"asked": "asked", "answered": "answered", "todo": "open", "fact": "said"}

# Takes the summary so far, the messages that leave, and how many tokens the new one may have.
Summariser = Callable[[str, Sequence[Message], int], str]


class Flushable(Protocol):
    """What a window can be flushed to: a MemoryEngine."""

    def flush(
        self,
        messages: Iterable[Any],
        scope: AnyNamespace | None = None,
        *,
        place: Place | None = None,
    ) -> CaptureReport:
        """Hand over messages of a conversation."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    """A message in the window, its number in the conversation, and what it costs."""

    message: Message
    number: int
    cost: int


class ContextWindow:
    """A token budget over a running conversation: the newest turns whole, a summary before them."""

    def __init__(
        self,
        max_tokens: int,
        *,
        tokenizer: Tokenizer | None = None,
        summarizer: Summariser | None = None,
        session: str | None = None,
        expires_after: float = _EXPIRES_SECONDS,
        summary_role: str = "system",
    ) -> None:
        """`max_tokens` is the budget of all that `messages` returns.

        `tokenizer` counts the tokens of a text (a number, or a list of tokens); without one they
        are estimated. `summarizer` is called with the summary so far, the messages that leave and
        the tokens that it may take; without one, statements worth keeping are chosen by rules.
        `session` names the conversation in the store; `expires_after` is in seconds since the last
        turn. Raises UsageError.
        """
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 0:
            raise UsageError(f"max_tokens is a whole number from 0, not {max_tokens!r:.60}")
        self.max_tokens = max_tokens
        self.session = session or f"window-{clock.new_id()}"
        self.expires_after = expires_after
        self.summary_role = summary_role
        self.turn_count = 0
        self.updated_at = clock.now()
        self._tokenizer = tokenizer
        self._summarizer = summarizer
        self._system: list[_Held] = []
        self._held: list[_Held] = []
        self._left: Turn | None = None
        self._left_count = 0
        self._notes: list[RunningNote] = []
        self._told = ""
        self._unflushed: list[Message] = []
        self._anchors: list[Message] = []

    # -- the conversation ----------------------------------------------------------------------

    def add(self, role: str | Mapping[str, Any], content: Any = None) -> None:
        """Add a turn: a role and a content, or a message as model APIs take it. Raises UsageError.

        What the summariser raises gets out; the turn is there, and the summary made later.
        """
        message = read_message(role if content is None else {"role": role, "content": content})
        if self.is_expired():
            self._expire()
        held = _Held(message, self.turn_count, measure_message(message, self._count))
        self.turn_count += 1
        self.updated_at = clock.now()
        self._unflushed.append(message)
        if instructs_model(message) and not self._held and not self._left_count:
            self._system.append(held)
        else:
            self._held.append(held)
        self._let_leave()

    def extend(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Add several messages in their order. Raises UsageError."""
        for message in messages:
            self.add(message)

    def messages(self) -> list[Message]:
        """Return what a model is to see, at most `max_tokens` in all: the program's instructions,
        the summary of what left, and the newest turns.
        """
        if self.is_expired():
            return []
        budget = self.max_tokens
        shown = self._show_system(budget)
        budget -= sum(map(self._measure, shown))
        summary = self._build_summary(min(budget, self._summary_share))
        if summary is not None:
            shown.append(summary)
            budget -= self._measure(summary)
        first = self._find_first(budget)
        newest = [dict(held.message) for held in self._held[first:]]
        if not newest and self._held:
            cut = shorten_message(self._held[-1].message, budget, self._count)
            newest = [] if cut is None else [cut]
        return shown + newest

    def render(self) -> str:
        """Return the same as one text, which costs no more than `max_tokens` either."""
        parts = [f"{each['role']}: {join_message(each)}\n" for each in self.messages()]
        while parts and self._count("".join(parts)) > self.max_tokens:
            parts.pop(0)
        return "".join(parts)

    @property
    def summary(self) -> str:
        """What the summary says of the turns that left; empty while none did."""
        return "\n".join(self._list_summary_lines())

    @property
    def tokens(self) -> int:
        """What all that `messages` returns costs."""
        return sum(map(self._measure, self.messages()))

    def is_expired(self, now: str | None = None) -> bool:
        """Whether no turn came for so long that the conversation is over."""
        return timestamps.add_seconds(self.updated_at, seconds=self.expires_after) < (
            now or clock.now()
        )

    # -- the store -----------------------------------------------------------------------------

    @property
    def unflushed(self) -> int:
        """How many turns only this window has."""
        return len(self._unflushed)

    def flush_to(self, engine: Flushable, scope: AnyNamespace | None = None) -> CaptureReport:
        """Hand all turns that were not handed over yet to an engine, whole, and return its report.

        Each is stored once. If the engine raises, they stay here. Raises like `engine.flush`.
        """
        waiting = [*self._anchors, *self._unflushed] if self._unflushed else []
        report = engine.flush(waiting, scope, place=Place(session_id=self.session))
        self._anchors = waiting[-_ANCHORS:] or self._anchors
        self._unflushed = []
        return report

    # -- as data -------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the window as plain JSON data, with the turns that were not flushed."""
        return {
            "format": _FORMAT,
            "max_tokens": self.max_tokens,
            "session": self.session,
            "expires_after": self.expires_after,
            "summary_role": self.summary_role,
            "turn_count": self.turn_count,
            "updated_at": self.updated_at,
            "system": [[held.number, held.message] for held in self._system],
            "held": [[held.number, held.message] for held in self._held],
            "left": None if self._left is None else [self._left.role, self._left.text],
            "left_count": self._left_count,
            "notes": [asdict(note) for note in self._notes],
            "told": self._told,
            "unflushed": self._unflushed,
            "anchors": self._anchors,
        }

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        *,
        tokenizer: Tokenizer | None = None,
        summarizer: Summariser | None = None,
    ) -> ContextWindow:
        """Make the window again that `to_dict` told. Raises UsageError for other data."""
        try:
            if data["format"] != _FORMAT:
                raise UsageError(f"this window is of format {data['format']!r:.20}, not {_FORMAT}")
            window = cls(
                data["max_tokens"],
                tokenizer=tokenizer,
                summarizer=summarizer,
                session=str(data["session"]),
                expires_after=float(data["expires_after"]),
                summary_role=str(data["summary_role"]),
            )
            window.turn_count, window.updated_at = int(data["turn_count"]), data["updated_at"]
            window._system = [window._hold(*pair) for pair in data["system"]]
            window._held = [window._hold(*pair) for pair in data["held"]]
            if data["left"] is not None:
                window._left = Turn(0, data["left"][0], "text", str(data["left"][1]))
            window._left_count, window._told = int(data["left_count"]), str(data["told"])
            window._notes = [RunningNote(**note) for note in data["notes"]]
            window._unflushed = [read_message(each) for each in data["unflushed"]]
            window._anchors = [read_message(each) for each in data["anchors"]]
            timestamps.parse_iso(window.updated_at)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise UsageError(f"this is no window that was told as data: {error!r:.80}") from error
        return window

    # -- what leaves ---------------------------------------------------------------------------

    @property
    def _summary_share(self) -> int:
        return int(self.max_tokens * _SUMMARY_SHARE)

    def _count(self, text: str) -> int:
        return count_tokens(text) if self._tokenizer is None else count_with(self._tokenizer, text)

    def _measure(self, message: Message) -> int:
        return measure_message(message, self._count)

    def _hold(self, number: int, message: Mapping[str, Any]) -> _Held:
        read = read_message(message)
        return _Held(read, int(number), self._measure(read))

    def _show_system(self, budget: int) -> list[Message]:
        """The program's instructions, the last of them cut where they do not fit."""
        shown: list[Message] = []
        for held in self._system:
            message: Message | None = dict(held.message)
            if held.cost > budget:
                message = shorten_message(held.message, budget, self._count)
            if message is None:
                break
            shown.append(message)
            budget -= self._measure(message)
        return shown

    def _find_first(self, budget: int) -> int:
        """Where the newest turns begin that fit together; never at the answer to a lost call."""
        first = len(self._held)
        while first and self._held[first - 1].cost <= budget:
            first -= 1
            budget -= self._held[first].cost
        while first and first < len(self._held) and answers_call(self._held[first].message):
            first += 1
        return first

    def _let_leave(self) -> None:
        """Take what no longer fits into the summary."""
        system = min(self.max_tokens, sum(held.cost for held in self._system))
        summary = self._build_summary(self._summary_share)
        spent = system + (0 if summary is None else self._measure(summary))
        if sum(held.cost for held in self._held) <= self.max_tokens - spent:
            return
        free = self.max_tokens - system - self._summary_share
        wanted = free if self._summarizer is None else int(free * _LEFT_SHARE)
        first = min(self._find_first(wanted), max(len(self._held) - 1, 0))
        leaving = self._held[:first]
        if not leaving:
            return
        if self._summarizer is not None:
            messages = [held.message for held in leaving]
            told = self._summarizer(self._told, messages, self._summary_share)
            if not isinstance(told, str):
                raise UsageError(f"the summariser returns a text, not {told!r:.60}")
            self._told = self._cut_told(told)
        else:
            for held in leaving:
                self._note(held)
        self._left_count += len(leaving)
        self._held = self._held[first:]

    def _note(self, held: _Held) -> None:
        text = join_message(held.message)[:READ_CHARS]
        turn = Turn(0, find_turn_role(held.message), "text", text)
        if turn.role in ("human", "assistant") and text.strip():
            self._notes = note_turn(self._notes, self._left, turn, held.number)
            self._left = turn
            self._drop_weakest()

    def _drop_weakest(self) -> None:
        """Keep the notes that fit the summary's share, the weightiest and newest first."""
        while self._notes and self._build_summary(self._summary_share, True) is None:
            weakest = min(self._notes, key=lambda note: (note.weight, note.turn))
            self._notes = [note for note in self._notes if note is not weakest]

    def _list_summary_lines(self) -> list[str]:
        if self._told:
            return [line for line in self._told.splitlines() if line.strip()]
        return [
            f"- {_LABELS.get(note.kind, note.kind)}: {clean_line(note.content)}"
            for note in self._notes
        ]

    def _cut_told(self, told: str) -> str:
        """The words of a summariser that keeps to no budget, cut to the summary's share."""
        told = told.strip()[: self._summary_share * _MOST_CHARS]
        low, high, best = 0, len(told), ""
        while low <= high:
            middle = (low + high) // 2
            kept = told if middle == len(told) else f"{told[:middle].rstrip()} …"
            if self._measure(self._tell(kept.splitlines())) <= self._summary_share:
                best, low = kept, middle + 1
            else:
                high = middle - 1
        return best

    def _build_summary(self, most: int, is_whole: bool = False) -> Message | None:
        """The summary as a message of at most `most` tokens; None where there is none, or none
        fits. Its end is cut where it must be, unless it is to be whole.
        """
        lines = self._list_summary_lines()
        while lines:
            message = self._tell(lines)
            if self._measure(message) <= most:
                return message
            if is_whole:
                return None
            lines.pop()
        return None

    def _tell(self, lines: Sequence[str]) -> Message:
        return {"role": self.summary_role, "content": self._fence(lines)}

    def _fence(self, lines: Sequence[str]) -> str:
        """A summary between the marks by which a capture leaves out what memctl said."""
        told = "\n".join(lines)
        if self._told or self._summarizer is not None:
            told = format_block(told)
        head = f'{SENTINEL_OPEN} version="1">\n{CONTEXT_NOTICE}\n'
        turns = f"Of the {self._left_count} turns before:\n"
        return f"{head}{turns}{told}\n{SENTINEL_CLOSE}"

    def _expire(self) -> None:
        """Begin anew; what was not flushed stays."""
        self._system, self._held, self._notes = [], [], []
        self._left, self._left_count, self._told = None, 0, ""
