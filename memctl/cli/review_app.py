"""The screen of `memctl review`: a list, what helps to decide, and one key for each answer.

Loaded by that command alone, because textual is slow to import and an extra.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from memctl.cli import terminal_safety
from memctl.cli.review_groups import ReviewGroup, find_groups
from memctl.cli.review_items import CANDIDATE, CONFLICT, PROPOSAL, ReviewItem
from memctl.cli.review_session import (
    CHANGED,
    EVERYWHERE,
    KEPT,
    ReviewOutcome,
    ReviewSession,
)
from memctl.core import model
from memctl.core.errors import MemctlError
from memctl.core.typing_lite import ClassVar

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
    CANDIDATE: "a approve  r reject  A/R all  e edit  p project  s scope  u undo  ? more  q quit",
    PROPOSAL: "a carry it out  r decline it  u undo  ? more  q quit",
    CONFLICT: "a the newer holds  o the older holds  b both hold  u undo  ? more  q quit",
}
# Of a candidate that resembles a record or stands against one.
_BESIDE_KEYS = "a approve  r reject  m merge  i instead  b both hold  u undo  ? more  q quit"
_NO_ITEM_KEYS = "u undo  q quit"
# What `?` shows in the place of the text.
_ALL_KEYS = """\
a  approve          A  approve several
r  reject           R  reject several
e  edit the words   u  undo
p  set the project  s  set the scope
Beside a record that it is like, or
that it stands against:
m  merge it         i  it holds instead
b  both hold
Two records at odds:
a  newer holds      o  older holds
b  both hold
j k arrows: move    space: page down
?  back             q  quit"""
_KEYS_WHILE_TYPING = ("cancel", "interrupt")
# Projects offered by a digit.
_MOST_DIGITS = 9
_NO_PROJECT = "0"
# Stands for a line break in a field of one line.
_BREAK = " ⏎ "
_EMPTY = "Nothing is waiting for you. q quits."


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
    #head { height: 1; width: 100%; background: $foreground; color: $background; }
    #list { height: 1fr; min-height: 4; border: none; padding: 0;
            text-wrap: nowrap; text-overflow: ellipsis; }
    #detail { height: 2fr; border-top: solid $primary; padding: 0 1; }
    #said { height: auto; min-height: 1; max-height: 5; }
    #keys { height: auto; max-height: 3; width: 100%;
            background: $foreground; color: $background; }
    #answer { height: 1; border: none; padding: 0; display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    # Before any widget: keys that are typed fast are answered in their order.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key, action, priority=True)
        for key, action in (
            ("a", "approve"),
            ("r", "reject"),
            ("A", "approve_all"),
            ("R", "reject_all"),
            ("e", "edit"),
            ("p", "project"),
            ("s", "scope"),
            ("m", "merge"),
            ("i", "replace"),
            ("b", "both"),
            ("o", "older"),
            ("u", "undo"),
            ("j", "move(1)"),
            ("k", "move(-1)"),
            ("space", "page"),
            ("question_mark", "more"),
            ("escape", "cancel"),
            ("q", "leave"),
            ("ctrl+c", "interrupt"),
        )
    ]

    def __init__(self, session: ReviewSession) -> None:
        super().__init__()
        self.session = session
        self.items: list[ReviewItem] = []
        self._take_answer: Callable[[str], ReviewOutcome] | None = None
        # What a single letter or digit answers to the question that is open.
        self._choices: Mapping[str, str] = {}
        self._shows_keys = False

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

    async def on_event(self, event: events.Event) -> None:
        """Take a letter that answers the open question before any widget sees it."""
        if isinstance(event, events.Key) and event.character in self._choices:
            assert event.character is not None  # it is a key of the choices
            if not self.query_one("#answer", Input).value:
                self._carry_out(self._choices[event.character])
                return
        await super().on_event(event)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a question is open, letters are typed; what opens and closes it stays a key."""
        is_typing = self._take_answer is not None
        return not is_typing or action in _KEYS_WHILE_TYPING

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

    def action_approve_all(self) -> None:
        """Ask which candidates that are like this one to approve with it."""
        self._ask_group("approve", self.session.approve_all)

    def action_reject_all(self) -> None:
        """Ask which candidates that are like this one to reject with it."""
        self._ask_group("reject", self.session.reject_all)

    def _ask_group(self, verb: str, act: Callable[[ReviewGroup], ReviewOutcome]) -> None:
        groups = {group.key: group for group in find_groups(self.items, self._index)}
        if not groups:
            self._say("no other candidate is like this one")
            return
        lines = [f"{key}: {len(each.items)} {each.label}" for key, each in groups.items()]
        self._ask(
            f"{verb} all  {'  '.join(lines)}",
            lambda key: act(groups[key]) if key in groups else ReviewOutcome("left as it was"),
            choices={key: key for key in groups},
        )

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
        suggested = item.view.suggested_project or item.view.project or self.session.project
        known = [name for name in self.session.list_projects() if name != suggested]
        names = [suggested, *known] if suggested else known
        choices = {str(number): name for number, name in enumerate(names[:_MOST_DIGITS], 1)}
        offered = "  ".join(f"{digit} {name}" for digit, name in choices.items())
        self._ask(
            f"{question}  {offered}  {_NO_PROJECT} every project",
            lambda name: self._move(item, take, name),
            choices={**choices, _NO_PROJECT: _NO_PROJECT},
        )

    def _move(
        self, item: ReviewItem, take: Callable[[str], ReviewOutcome], name: str
    ) -> ReviewOutcome:
        return self.session.edit(item, scope="global") if name == _NO_PROJECT else take(name)

    def action_scope(self) -> None:
        """Ask for the scope."""
        item = self._current
        if item is not None and item.view is not None:
            self._ask(
                "scope  " + "  ".join(f"{scope[0]} {scope}" for scope in model.SCOPES),
                lambda word: self.session.edit(item, scope=_complete_scope(word)),
                choices={scope[0]: scope for scope in model.SCOPES},
            )

    def action_undo(self) -> None:
        """Take the last answer back."""
        outcome = self.session.undo()
        self._reload(outcome.item_key)
        self._say(outcome.message)

    def action_move(self, step: int) -> None:
        """Go to another item."""
        self._list.highlighted = max(0, min(len(self.items) - 1, self._index + step))

    def action_page(self) -> None:
        """Scroll the text."""
        self.query_one("#detail", VerticalScroll).scroll_page_down(animate=False)

    def action_more(self) -> None:
        """Show every key in the place of the text, or the text again."""
        self._shows_keys = not self._shows_keys
        self._show_current()

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
        *,
        choices: Mapping[str, str] | None = None,
    ) -> None:
        """Ask for a line of words; one letter that is among the `choices` is an answer at once."""
        field = self.query_one("#answer", Input)
        self._take_answer = take
        self._choices = choices or {}
        ending = "Esc: leave it" if choices else "Enter: take it, Esc: leave it"
        self._say(f"{question}  ({ending})")
        field.value = begun
        # The field is used again and again: without this, words land where the last ended.
        field.cursor_position = len(begun)
        field.display = True
        # `focus` would do it later, and what is typed meanwhile would be lost.
        self.screen.set_focus(field)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Carry out an answer that was typed."""
        self._carry_out(event.value.strip())

    def _carry_out(self, text: str) -> None:
        take = self._take_answer
        self._close_question()
        if take is not None and text:
            self._show_outcome(take(text))
        else:
            self._say("left as it was")

    def _close_question(self) -> None:
        self._take_answer = None
        self._choices = {}
        field = self.query_one("#answer", Input)
        field.display = False
        self._say("")
        self.screen.set_focus(self._list)

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
        elif outcome.wants == "width":
            self._ask(
                f"{outcome.message}. Merge, and that record holds  e everywhere  k where it is",
                lambda width: act(item, width),
                choices={"e": EVERYWHERE, "k": KEPT},
            )
        else:
            self._show_outcome(outcome)

    def _place_and(
        self, act: Callable[..., ReviewOutcome], item: ReviewItem, project: str
    ) -> ReviewOutcome:
        """Put a candidate into a project and go on with the answer that asked for it."""
        placed = self.session.edit(item, project=project)
        if placed.message != CHANGED:
            return placed
        self._reload(item.key)
        self._answer(act)
        return ReviewOutcome("")

    def _show_outcome(self, outcome: ReviewOutcome) -> None:
        if outcome.message:
            self._reload()
            self._say(outcome.message)

    def _reload(self, wanted: tuple[str, str] = ("", "")) -> None:
        """Read again what waits: one answer, or another program, may have settled or added others.

        The item that was highlighted stays so, else the next of those that were below it: a key
        must never meet an item that moved under it. `wanted` is the key of one to go to instead.
        """
        index = self._index
        below = [wanted, *(item.key for item in self.items[index:])]
        try:
            self.items = self.session.list_items()
        except MemctlError as error:
            self.exit(self.session.decided, message=f"memctl: {error}")
            return
        self._list.clear_options()
        self._list.add_options(Option(_write_label(item)) for item in self.items)
        places = {item.key: index for index, item in enumerate(self.items)}
        found = [places[key] for key in below if key in places]
        if self.items:
            last = min(index, len(self.items) - 1)
            self._list.highlighted = found[0] if found else last
        self._show_current()

    def on_option_list_option_highlighted(self, _event: OptionList.OptionHighlighted) -> None:
        """Show what the highlighted line is about."""
        self._shows_keys = False
        self._show_current()

    def _show_current(self) -> None:
        item = self._current
        head = f" {self._index + 1 if item else 0} of {len(self.items)}"
        self.query_one("#head", Static).update(f"{head}   {self.session.decided} decided")
        text = Text(_ALL_KEYS if self._shows_keys else _EMPTY)
        if item is not None and not self._shows_keys:
            lines = self.session.render_item(item)
            text = Text("\n").join(
                Text(terminal_safety.make_line_safe(line.text), style=_STYLES[line.meaning])
                for line in lines
            )
        self.query_one("#text", Static).update(text)
        self.query_one("#keys", Static).update(self._name_keys(item))
        self.query_one("#detail", VerticalScroll).scroll_home(animate=False)

    def _name_keys(self, item: ReviewItem | None) -> str:
        if item is None:
            return _NO_ITEM_KEYS
        return _BESIDE_KEYS if self.session.stands_beside(item) else _KEYS[item.sort]

    def _say(self, words: str) -> None:
        lines = map(terminal_safety.make_line_safe, words.split("\n"))
        self.query_one("#said", Static).update(Text("\n".join(lines)))


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
