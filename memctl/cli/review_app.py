"""The screen of `memctl review`: a list, what helps to decide, and one key for each answer.

Loaded by that command alone, because textual is slow to import and an extra.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memctl.cli import terminal_safety
from memctl.cli.review_session import (
    CANDIDATE,
    CHANGED,
    CONFLICT,
    PROPOSAL,
    ReviewItem,
    ReviewOutcome,
    ReviewSession,
)
from memctl.core import model
from memctl.core.errors import MemctlError

_STYLES = {
    "text": "bold",
    "quote": "green",
    "near": "cyan",
    "aside": "dim",
    "warning": "yellow",
}
# Columns of the project before each line of the list.
_WHERE_WIDTH = 15
# What the keys do depends on what is highlighted.
_KEYS = {
    CANDIDATE: "a approve  r reject  e edit  p project  s scope  m merge  u undo  ? more  q quit",
    PROPOSAL: "a carry it out  r decline it  u undo  ? more  q quit",
    CONFLICT: "a the newer holds  o the older holds  b both hold  u undo  ? more  q quit",
}
_NO_ITEM_KEYS = "u undo  q quit"
_MORE_KEYS = (
    "j/k or arrows: move  space: next page  m: merge it into the nearest"
    "  of two that contradict each other, i: this one holds instead, b: both hold"
)
# Stands for a line break in a field of one line.
_BREAK = " ⏎ "
_EMPTY = "Nothing waits for you. q leaves."


class AnswerInput(Input):
    """A field of one line that loses nothing of what is pasted."""

    def _on_paste(self, event: events.Paste) -> None:
        """Take every line that was pasted; a field takes the first alone otherwise."""
        self.replace(_join_lines(event.text.strip()), *self.selection)
        event.stop()
        event.prevent_default()


class ReviewApp(App[int]):
    """Everything that waits, one after the other; returns how many were decided."""

    CSS = """
    Screen { layout: vertical; }
    #head { height: 1; text-style: reverse; }
    #list { height: 1fr; min-height: 4; border: none; padding: 0;
            text-wrap: nowrap; text-overflow: ellipsis; }
    #detail { height: 2fr; border-top: solid $primary; padding: 0 1; }
    #said { height: auto; min-height: 1; max-height: 5; }
    #keys { height: auto; max-height: 3; text-style: reverse; }
    #answer { height: 1; border: none; padding: 0; display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve"),
        Binding("r", "reject"),
        Binding("e", "edit"),
        Binding("p", "project"),
        Binding("s", "scope"),
        Binding("m", "merge"),
        Binding("i", "replace"),
        Binding("b", "both"),
        Binding("o", "older"),
        Binding("u", "undo"),
        Binding("j", "move(1)"),
        Binding("k", "move(-1)"),
        Binding("space", "page"),
        Binding("question_mark", "more"),
        Binding("escape", "cancel"),
        Binding("q", "leave"),
        Binding("ctrl+c", "interrupt", priority=True),
    ]

    def __init__(self, session: ReviewSession) -> None:
        super().__init__()
        self.session = session
        self.items: list[ReviewItem] = []
        self._take_answer: Callable[[str], ReviewOutcome] | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(id="head")
        yield OptionList(id="list")
        with VerticalScroll(id="detail"):
            yield Static(id="text")
        yield Static(id="said")
        yield AnswerInput(id="answer", select_on_focus=False)
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Show what waits."""
        self._reload()
        self._list.focus()

    # -- keys --------------------------------------------------------------------------------------

    def action_approve(self) -> None:
        """Approve the item."""
        self._answer(self.session.approve)

    def action_replace(self) -> None:
        """Approve the item in the place of what it contradicts."""
        self._answer(self.session.replace_others)

    def action_reject(self) -> None:
        """Reject the item."""
        self._answer(self.session.reject)

    def action_both(self) -> None:
        """Say that both sides hold."""
        self._answer(self.session.keep_both)

    def action_older(self) -> None:
        """Keep the older of two records at odds."""
        self._answer(lambda item: self.session.keep_side(item, newer=False))

    def action_merge(self) -> None:
        """Merge the candidate into the record that it resembles."""
        self._answer(self.session.merge)

    def action_edit(self) -> None:
        """Ask for other words."""
        item = self._current
        if item is not None and item.view is not None:
            self._ask(
                "new words",
                lambda text: self.session.edit(item, content=text.replace(_BREAK, "\n")),
                _join_lines(item.view.memory.content),
            )

    def action_project(self) -> None:
        """Ask for the project."""
        item = self._current
        if item is not None:
            self._ask_project(item, "project", lambda name: self.session.edit(item, project=name))

    def _ask_project(
        self, item: ReviewItem, question: str, take: Callable[[str], ReviewOutcome]
    ) -> None:
        if item.view is None:
            return
        names = ", ".join(self.session.list_projects()[:6])
        suggested = item.view.suggested_project or item.view.project or self.session.project
        self._ask(f"{question} ({names})" if names else question, take, suggested)
        # What is typed takes the place of what was suggested.
        self.query_one("#answer", Input).select_all()

    def action_scope(self) -> None:
        """Ask for the scope."""
        item = self._current
        if item is not None and item.view is not None:
            self._ask(
                "scope: " + ", ".join(model.SCOPES),
                lambda word: self.session.edit(item, scope=_complete_scope(word)),
            )

    def action_undo(self) -> None:
        """Take the last answer back."""
        outcome = self.session.undo()
        self._reload(outcome.item_id)
        self._say(outcome.message)

    def action_move(self, step: int) -> None:
        """Go to another item."""
        self._list.highlighted = max(0, min(len(self.items) - 1, self._index + step))

    def action_page(self) -> None:
        """Scroll the text."""
        self.query_one("#detail", VerticalScroll).scroll_page_down(animate=False)

    def action_more(self) -> None:
        """Show the other keys."""
        self._say(_MORE_KEYS)

    def action_cancel(self) -> None:
        """Close a question."""
        self._close_question()

    def action_interrupt(self) -> None:
        """Close a question; without one, end the review: every answer was carried out at once."""
        if self.query_one("#answer", Input).display:
            self._close_question()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """End the review."""
        self.exit(self.session.decided)

    # -- questions ---------------------------------------------------------------------------------

    def _ask(
        self,
        question: str,
        take: Callable[[str], ReviewOutcome],
        begun: str = "",
    ) -> None:
        field = self.query_one("#answer", Input)
        self._take_answer = take
        self._say(f"{question}  (Enter: take it, Esc: leave it)")
        field.value = begun
        # The field is used again and again: without this, words land where the last ended.
        field.cursor_position = len(begun)
        field.display = True
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Carry out an answer that was typed."""
        take, text = self._take_answer, event.value.strip()
        self._close_question()
        if take is not None and text:
            self._show_outcome(take(text))
        else:
            self._say("left as it was")

    def _close_question(self) -> None:
        self._take_answer = None
        field = self.query_one("#answer", Input)
        field.display = False
        self._say("")
        self._list.focus()

    # -- showing -----------------------------------------------------------------------------------

    @property
    def _list(self) -> OptionList:
        return self.query_one("#list", OptionList)

    @property
    def _index(self) -> int:
        return self._list.highlighted or 0

    @property
    def _current(self) -> ReviewItem | None:
        return self.items[self._index] if self._index < len(self.items) else None

    def _answer(self, act: Callable[..., ReviewOutcome]) -> None:
        """Carry an answer out; one that needs a reason is given it as its second argument."""
        item = self._current
        if item is None:
            return
        outcome = act(item)
        if outcome.wants == "rationale":
            self._ask(outcome.message, lambda why: act(item, why))
        elif outcome.wants == "place":
            self._ask_project(item, outcome.message, lambda name: self._place_and(act, item, name))
        else:
            self._show_outcome(outcome)

    def _place_and(
        self, act: Callable[..., ReviewOutcome], item: ReviewItem, project: str
    ) -> ReviewOutcome:
        """Put a candidate into a project and go on with the answer that asked for it."""
        placed = self.session.edit(item, project=project)
        if placed.message != CHANGED:
            return placed
        self._reload(item.id)
        self._answer(act)
        return ReviewOutcome("")

    def _show_outcome(self, outcome: ReviewOutcome) -> None:
        if outcome.message:
            self._reload()
            self._say(outcome.message)

    def _reload(self, wanted: str = "") -> None:
        """Read again what waits: one answer, or another program, may have settled or added others.

        The item that was highlighted stays so, else the next of those that were below it: a key
        must never meet an item that moved under it. `wanted` is the id of one to go to instead.
        """
        index = self._index
        below = [wanted, *(item.id for item in self.items[index:])]
        try:
            self.items = self.session.list_items()
        except MemctlError as error:
            self.exit(self.session.decided, message=f"memctl: {error}")
            return
        self._list.clear_options()
        self._list.add_options(Option(_write_label(item)) for item in self.items)
        places = {item.id: index for index, item in enumerate(self.items)}
        found = [places[id] for id in below if id in places]
        if self.items:
            last = min(index, len(self.items) - 1)
            self._list.highlighted = found[0] if found else last
        self._show_current()

    def on_option_list_option_highlighted(self, _event: OptionList.OptionHighlighted) -> None:
        """Show what the highlighted line is about."""
        self._show_current()

    def _show_current(self) -> None:
        item = self._current
        head = f" {self._index + 1 if item else 0} of {len(self.items)}"
        self.query_one("#head", Static).update(f"{head}   {self.session.decided} decided")
        self.query_one("#keys", Static).update(_KEYS[item.sort] if item else _NO_ITEM_KEYS)
        text = Text(_EMPTY)
        if item is not None:
            lines = self.session.render_item(item)
            text = Text("\n").join(
                Text(terminal_safety.make_line_safe(line.text), style=_STYLES[line.meaning])
                for line in lines
            )
        self.query_one("#text", Static).update(text)
        self.query_one("#detail", VerticalScroll).scroll_home(animate=False)

    def _say(self, words: str) -> None:
        self.query_one("#said", Static).update(Text(terminal_safety.make_line_safe(words)))


def _write_label(item: ReviewItem) -> Text:
    where = terminal_safety.make_line_safe(item.where)[:_WHERE_WIDTH]
    label = terminal_safety.make_line_safe(item.label)
    return Text.assemble(
        (f"{where:<{_WHERE_WIDTH}} ", "dim"), label, no_wrap=True, overflow="ellipsis"
    )


def _join_lines(text: str) -> str:
    return _BREAK.join(text.splitlines())


def _complete_scope(word: str) -> str:
    """Complete the beginning of a scope's name, so that one letter is enough."""
    begun = [scope for scope in model.SCOPES if scope.startswith(word.lower())]
    return begun[0] if begun and word else word


def run_review(session: ReviewSession) -> int:
    """Show the screen until the person leaves it; return how many answers were given."""
    return ReviewApp(session).run() or 0
