"""The screen of `memctl review`: a list, what helps to decide, and one key for each answer.

Loaded by that command alone, because textual is slow to import and an extra.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memctl.cli import terminal_safety
from memctl.cli.review_session import ReviewItem, ReviewOutcome, ReviewSession
from memctl.core import model

_STYLES = {
    "text": "bold",
    "quote": "green",
    "near": "cyan",
    "aside": "dim",
    "warning": "yellow",
}
# Columns of the project before each line of the list.
_WHERE_WIDTH = 15
_KEYS = "a approve  r reject  e edit  p project  s scope  m merge  u undo  ? more  q quit"
_MORE_KEYS = (
    "i instead of what it replaces  b both hold  o the older one holds  j/k or arrows move"
    "  space next page"
)
_EMPTY = "Nothing waits for you. q leaves."


class ReviewApp(App[int]):
    """Everything that waits, one after the other; returns how many were decided."""

    CSS = """
    Screen { layout: vertical; }
    #head { height: 1; text-style: reverse; }
    #list { height: 1fr; min-height: 4; border: none; padding: 0;
            text-wrap: nowrap; text-overflow: ellipsis; }
    #detail { height: 2fr; border-top: solid $primary; padding: 0 1; }
    #said { height: 1; }
    #keys { height: 1; text-style: reverse; }
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
        Binding("i", "approve"),
        Binding("b", "both"),
        Binding("o", "older"),
        Binding("u", "undo"),
        Binding("j", "move(1)"),
        Binding("k", "move(-1)"),
        Binding("space", "page"),
        Binding("question_mark", "more"),
        Binding("escape", "cancel"),
        Binding("q", "leave"),
    ]

    def __init__(self, session: ReviewSession) -> None:
        super().__init__()
        self.session = session
        self.items: list[ReviewItem] = []
        self._take_answer: Callable[[str], ReviewOutcome] | None = None
        self._asked_about: ReviewItem | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield Static(id="head")
        yield OptionList(id="list")
        with VerticalScroll(id="detail"):
            yield Static(id="text")
        yield Static(id="said")
        yield Input(id="answer", select_on_focus=False)
        yield Static(_KEYS, id="keys", markup=False)

    def on_mount(self) -> None:
        """Show what waits."""
        self._reload(0)
        self._list.focus()

    # -- keys --------------------------------------------------------------------------------------

    def action_approve(self) -> None:
        """Approve the item."""
        self._answer(self.session.approve)

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
                item,
                "new words",
                lambda text: self.session.edit(item, content=text),
                item.view.memory.content.replace("\n", " "),
            )

    def action_project(self) -> None:
        """Ask for the project."""
        item = self._current
        if item is not None and item.view is not None:
            names = ", ".join(self.session.list_projects()[:6])
            suggested = item.view.suggested_project or item.view.project or self.session.project
            self._ask(
                item,
                f"project ({names})" if names else "project",
                lambda name: self.session.edit(item, project=name),
                suggested,
            )

    def action_scope(self) -> None:
        """Ask for the scope."""
        item = self._current
        if item is not None and item.view is not None:
            self._ask(
                item,
                "scope: " + ", ".join(model.SCOPES),
                lambda word: self.session.edit(item, scope=_complete_scope(word)),
            )

    def action_undo(self) -> None:
        """Take the last answer back."""
        self._say(self.session.undo().message)
        self._reload(self._index)

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

    def action_leave(self) -> None:
        """End the review."""
        self.exit(self.session.decided)

    # -- questions ---------------------------------------------------------------------------------

    def _ask(
        self,
        item: ReviewItem,
        question: str,
        take: Callable[[str], ReviewOutcome],
        begun: str = "",
    ) -> None:
        field = self.query_one("#answer", Input)
        self._take_answer, self._asked_about = take, item
        self._say(f"{question}  (Enter: take it, Esc: leave it)")
        field.value = begun
        field.display = True
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Carry out an answer that was typed."""
        take, item, text = self._take_answer, self._asked_about, event.value.strip()
        self._close_question()
        if take is not None and item is not None and text:
            self._show_outcome(item, take(text))

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

    def _answer(self, act: Callable[[ReviewItem], ReviewOutcome]) -> None:
        item = self._current
        if item is not None:
            self._show_outcome(item, act(item))

    def _show_outcome(self, item: ReviewItem, outcome: ReviewOutcome) -> None:
        if outcome.wants == "rationale":
            self._ask(item, outcome.message, lambda why: self.session.approve(item, why))
        elif outcome.wants == "place":
            self._say(outcome.message)
            self.action_project()
        else:
            self._reload(self._index)
            self._say(outcome.message)

    def _reload(self, index: int) -> None:
        """Read again what waits: one answer may settle others."""
        self.items = self.session.list_items()
        self._list.clear_options()
        self._list.add_options(Option(_write_label(item)) for item in self.items)
        if self.items:
            self._list.highlighted = min(index, len(self.items) - 1)
        self._show_current()

    def on_option_list_option_highlighted(self, _event: OptionList.OptionHighlighted) -> None:
        """Show what the highlighted line is about."""
        self._show_current()

    def _show_current(self) -> None:
        item = self._current
        head = f" {self._index + 1 if item else 0} of {len(self.items)}"
        self.query_one("#head", Static).update(f"{head}   {self.session.decided} decided")
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


def _complete_scope(word: str) -> str:
    """Complete the beginning of a scope's name, so that one letter is enough."""
    begun = [scope for scope in model.SCOPES if scope.startswith(word.lower())]
    return begun[0] if begun and word else word


def run_review(session: ReviewSession) -> int:
    """Show the screen until the person leaves it; return how many answers were given."""
    return ReviewApp(session).run() or 0
