"""The one episode of a session: what was asked for, which files changed, what was done, the end.

An episode is shown before anybody reviewed it. So it tells what was done and never what was said to
hold: no sentence that a rule proposes, and of the others only requests, reports and thanks (see
`work_words`). Title and first evidence come from the first prompt, so a session that grows keeps
its episode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from memctl.core import timestamps
from memctl.core.model import AGENT_CLAIMED, OPERATOR_SAID, Candidate, Span
from memctl.extract import build, work_words
from memctl.extract.sentences import Sentence
from memctl.extract.transcript_view import TranscriptView

_FILES = 12
_SPOKEN = ("text", "command", "plan")
# Sentences of a prompt that are looked at for what it asks for, and prompts after the first one
# that are told; chosen by hand.
_MOST_SENTENCES = 6
_MOST_PROMPTS = 5
# The agent's last messages, in which its report is looked for; chosen by hand.
_LAST_MESSAGES = 6
# Words of the shortest request and the shortest report; chosen by hand.
_FEWEST_REQUEST_WORDS = 3
_FEWEST_REPORT_WORDS = 5
# Words of the longest sentence that only says to go on; chosen by hand.
_MOST_GO_ON_WORDS = 3
# Characters of a request, a later one and a report; chosen by hand.
_ASKED_LENGTH = 200
_THEN_LENGTH = 90
_DONE_LENGTH = 300
# Characters of a report in the summary, in which the request takes the room that is left.
_SHORT_OUTCOME_LENGTH = 120
# How an ending begins that only thanks.
_THANKS = "with the operator's words"


def propose_episode(view: TranscriptView, proposals: Iterable[Candidate] = ()) -> Candidate | None:
    """Propose the episode; None if nobody spoke, or only a program did and nothing was done.

    `proposals` are all candidates of the session, also those that are not kept: the episode repeats
    none of their words.
    """
    spoken = [
        i
        for i, turn in enumerate(view.turns)
        if turn.role in ("human", "assistant") and turn.kind in _SPOKEN and turn.text.strip()
    ]
    if not spoken:
        return None
    teller = _EpisodeTeller(view, [span for one in proposals for span in one.evidence])
    first = next(
        (i for i in spoken if view.turns[i].kind == "plan" or _is_prompt(view, i)), spoken[0]
    )
    asked = teller.find_first_request(first)
    opening = asked or _find_opening(view, first)
    done = None if view.transcript.is_chat else teller.find_report(asked)
    has_person = any(view.turns[i].role == "human" or view.turns[i].kind == "plan" for i in spoken)
    if not (has_person or view.transcript.is_chat or done or list_touched_files(view)):
        return None
    spans = [opening] + ([done] if done is not None and done != opening else [])
    # What the agent says it did stands in it: the whole is trusted no more than that.
    trust = OPERATOR_SAID if view.turns[first].role == "human" and done is None else AGENT_CLAIMED
    return build.build_candidate(
        view,
        "episode",
        "episode",
        "summary",
        0.8,
        trust,
        spans,
        content=teller.compose(asked.turn if asked else first, asked, done),
        summary=teller.summarise(asked, done),
        title=_choose_title(view, first, asked),
        subject=f"session {view.transcript.session_id}",
    )


class _EpisodeTeller:
    """A session and the words of it that an episode leaves to the inbox."""

    def __init__(self, view: TranscriptView, proposed: Iterable[Span]) -> None:
        self.view = view
        self._proposed: dict[int, list[Span]] = {}
        for span in proposed:
            self._proposed.setdefault(span.turn, []).append(span)

    def compose(self, first: int, asked: Span | None, done: Span | None) -> str:
        """The text of the episode, part by part."""
        if self.view.transcript.is_chat:
            return self._compose_talk(asked)
        parts = [f"Asked: {self._say(asked.quote, _ASKED_LENGTH)}"] if asked else []
        later = self._list_later_requests(first, asked)
        if later:
            parts.append("Then: " + "; ".join(later))
        files = list_touched_files(self.view)
        if files:
            more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
            parts.append("Files: " + ", ".join(files[:_FILES]) + more)
        parts += self._describe_outcome(done, _DONE_LENGTH, with_thanks=True)
        if not parts:
            parts.append(f"A session of {_count_prompts(self.view)}, with nothing reported as done")
        return _join_parts(parts)

    def summarise(self, asked: Span | None, done: Span | None) -> str | None:
        """What was asked for and how it ended, short enough that the outcome is not cut off."""
        outcome = self._describe_outcome(done, _SHORT_OUTCOME_LENGTH, with_thanks=False)
        if self.view.transcript.is_chat or not outcome or asked is None:
            return None
        # Of several tasks, that of which the outcome is.
        task = (self.find_task_of(done.turn, asked) if done is not None else None) or asked
        room = build.SUMMARY_CHARS - len(_join_parts(outcome)) - len("Asked: . ")
        return _join_parts([f"Asked: {self._say(task.quote, max(room, 0))}", *outcome])

    def _describe_outcome(self, done: Span | None, length: int, *, with_thanks: bool) -> list[str]:
        """What was done, and how the session ended, with or without words that only thank."""
        parts = []
        if done is not None:
            report = build.shorten(work_words.strip_announcement(done.quote), length)
            parts.append(f"Done: {report}")
        ending = self._find_ending()
        if ending and (with_thanks or not done or not ending.startswith(_THANKS)):
            parts.append(f"Ended: {ending}")
        return parts

    @staticmethod
    def _say(quote: str, length: int) -> str:
        """A request without what only answered somebody: `ok, now fix it` is `fix it`."""
        bare = build.strip_lead_in(quote)
        return build.shorten(quote if bare.casefold() == quote.casefold() else bare, length)

    def find_first_request(self, first: int) -> Span | None:
        """What the first of the first few prompts that asks for work asks for; else the first
        question of them, where nothing was changed that tells what the session was about.
        """
        prompts = [first, *(i for i in self.view.human if i > first)][:_MOST_PROMPTS]
        spans = [span for i in prompts if (span := self.find_request(i)) is not None]
        work = next((span for span in spans if not _is_question(span)), None)
        if work is not None or not spans:
            return work
        return None if list_touched_files(self.view) else spans[0]

    def find_request(self, index: int) -> Span | None:
        """The first sentence of a turn that asks for work; the heading of a plan."""
        turn = self.view.turns[index]
        if turn.kind == "plan":
            return _find_opening(self.view, index)
        requests = (
            sentence
            for sentence in self.view.sentences(index)[:_MOST_SENTENCES]
            if len(sentence.low.split()) >= _FEWEST_REQUEST_WORDS
            and work_words.is_request(sentence.low)
            and work_words.names_its_object(sentence.low)
            and work_words.stands_alone(sentence.low)
            and not self._is_proposed(sentence)
        )
        return next((build.make_span(sentence) for sentence in requests), None)

    def find_report(self, asked: Span | None) -> Span | None:
        """What the agent last reported as done; where a task is told, of what was asked for. What
        was done at other words (`no editor files in the repo`) is no outcome of it.
        """
        for index in reversed(self.view.assistant[-_LAST_MESSAGES:]):
            for sentence in _list_whole_sentences(self.view, index):
                if not work_words.is_report(sentence.low) or self._is_proposed(sentence):
                    continue
                if asked is None or self.find_task_of(index, asked) is not None:
                    return build.make_span(sentence)
                break  # nothing that this message reports was asked for
        return None

    def find_task_of(self, index: int, asked: Span | None) -> Span | None:
        """The request that a message of the agent answers: that of the prompt before it, or of an
        earlier one where that only says to go on.
        """
        for human in reversed([i for i in self.view.human if i < index]):
            request = self.find_request(human)
            if request is not None:
                return request
            if asked is not None and asked.turn == human:
                return asked
            if not self._says_to_go_on(human):
                return None
        return None

    def _says_to_go_on(self, index: int) -> bool:
        """Whether a prompt is a few words that ask for nothing else and lay nothing down."""
        return all(
            len(sentence.low.split()) <= _MOST_GO_ON_WORDS and not self._is_proposed(sentence)
            for sentence in self.view.sentences(index)
        )

    def _compose_talk(self, asked: Span | None) -> str:
        people = f"Talk of {_list_people(self.view)}"
        if asked is None:
            return f"{people}: {len(self.view.human)} messages"
        return f"{people}, beginning: {build.shorten(asked.quote, _ASKED_LENGTH)}"

    def _list_later_requests(self, first: int, asked: Span | None) -> list[str]:
        """What the last prompts after the first one asked to be done, in order, each thing once.

        A question without its answer tells nothing.
        """
        last = [i for i in self.view.human if i > first and _is_prompt(self.view, i)]
        requests = (self.find_request(i) for i in last)
        spans = [span for span in requests if span is not None and not _is_question(span)]
        said = {_fold(asked.quote)} if asked else set()
        later: dict[str, str] = {}
        for span in spans:
            if _fold(span.quote) not in said:
                text = self._say(span.quote, _THEN_LENGTH).rstrip(".,;:")
                later.setdefault(_fold(span.quote), text)
        return list(later.values())[-_MOST_PROMPTS:]

    def _find_ending(self) -> str | None:
        """How the session ended, where it was not with a report: a plan, a question, thanks, a
        request that nobody answered.
        """
        kinds = ("text", "rejection", "answer", "plan")
        turns = self.view.turns
        last = next(
            (
                i
                for i in reversed(range(len(turns)))
                if turns[i].role in ("human", "assistant") and turns[i].kind in kinds
            ),
            None,
        )
        if last is None:
            return None
        turn = turns[last]
        if turn.kind == "plan":
            return "with a plan " + ("approved" if turn.ok else "not approved")
        if turn.role == "human":
            return self._describe_last_words(last)
        return "with a question to the operator" if turn.text.rstrip().endswith("?") else None

    def _describe_last_words(self, index: int) -> str | None:
        sentences = self.view.sentences(index)
        if any(self._is_proposed(sentence) for sentence in sentences):
            return None
        if sentences and all(work_words.is_acknowledgement(one.low) for one in sentences):
            said = " ".join(sentence.text for sentence in sentences)
            return f"{_THANKS}: {build.shorten(said, 120)}"
        if self.find_request(index) is not None:
            return "with a request that was not answered"
        return None

    def _is_proposed(self, sentence: Sentence) -> bool:
        return any(
            span.start < sentence.end and sentence.start < span.end
            for span in self._proposed.get(sentence.turn, ())
        )


def _join_parts(parts: Iterable[str]) -> str:
    return " ".join(part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in parts)


def _fold(quote: str) -> str:
    """A sentence as it is compared with others: what differs in marks and case is the same."""
    return " ".join(quote.casefold().split()).strip(" .,;:!?")


def _is_question(span: Span) -> bool:
    return work_words.is_question(span.quote.lower())


def _is_prompt(view: TranscriptView, index: int) -> bool:
    return view.turns[index].role == "human" and view.turns[index].kind == "text"


def _choose_title(view: TranscriptView, first: int, asked: Span | None) -> str:
    title = view.transcript.title if view.transcript.is_chat else None
    if title:
        return title
    if asked is not None:
        return build.make_title(asked.quote)
    if view.transcript.is_chat:
        return f"Talk of {_list_people(view)}"
    at = view.turns[first].ts
    return f"Session of {timestamps.to_local_day(at)}" if at else "Session without a stated task"


def _count_prompts(view: TranscriptView) -> str:
    many = sum(1 for i in view.human if _is_prompt(view, i))
    return f"{many} {'prompt' if many == 1 else 'prompts'}"


def _list_people(view: TranscriptView) -> str:
    names = list(dict.fromkeys(view.turns[i].speaker for i in view.human if view.turns[i].speaker))
    return ", ".join(str(name) for name in names[:6]) or "several people"


def _find_opening(view: TranscriptView, index: int) -> Span:
    """The first statement of a prompt, or its first line: the evidence that there was a session."""
    parts = view.sentences(index)
    if parts:
        return build.make_span(next((s for s in parts[:3] if len(s.low.split()) >= 3), parts[0]))
    text = view.turns[index].text
    start = len(text) - len(text.lstrip())
    line = text[start:].split("\n", 1)[0][:300]
    return Span(index, start, start + len(line), line)


def _list_whole_sentences(view: TranscriptView, index: int) -> Iterator[Sentence]:
    for sentence in view.sentences(index):
        is_whole = len(sentence.low.split()) >= _FEWEST_REPORT_WORDS
        if sentence.kind == "prose" and sentence.low[-1:] != ":" and is_whole:
            yield sentence


def list_touched_files(view: TranscriptView) -> list[str]:
    """Files that were written, relative to the working folder where they are inside it."""
    files: dict[str, None] = {}
    for turn in view.turns:
        if turn.kind == "tool_call" and turn.data.get("action") in ("edit", "write"):
            files.update(
                dict.fromkeys(
                    _make_relative(str(name), view.transcript.cwd)
                    for name in turn.data.get("files") or ()
                )
            )
    return list(files)


def _make_relative(name: str, cwd: str | None) -> str:
    path = PurePosixPath(name)
    return str(path.relative_to(cwd)) if cwd and path.is_relative_to(cwd) else name
