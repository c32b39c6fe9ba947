"""Find, add and remove memctl's hooks in an agent's JSON. Pure.

Two shapes are known: a list of commands for each event, and the same in groups with a matcher.
Setup owns a hook that calls `memctl-hook` by its whole path. A hook that calls it by name alone was
written by hand: it serves its event, and stays.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence

from memctl.agents import hook_contracts
from memctl.core.frozen import dataclass, field
from memctl.core.typing_lite import Any
from memctl.setup.jsonc import Node, Unreadable, parse_jsonc
from memctl.setup.textedit import (
    Edit,
    Span,
    Unfit,
    append_elements,
    fill_empty,
    insert,
    remove_element,
)

HOOK = "memctl-hook"
# How a line begins that does nothing once the program was removed; sh, bash, zsh and fish read it.
GUARD = "test -x {program} || exit 0;"
# The keys under which a hook's command may stand.
_COMMANDS = ("command", "bash")
_KEY = "hooks"


@dataclass(frozen=True, slots=True)
class HookCommand:
    """A command line that calls `memctl-hook`."""

    program: str
    agent: str
    event: str

    @property
    def is_setups(self) -> bool:
        """Whether setup wrote it: only setup writes the whole path."""
        return os.path.isabs(self.program)


@dataclass(frozen=True, slots=True)
class HookPosition:
    """One of memctl's hooks in a file: the list that holds it and its index there."""

    event: str
    command: str
    called: HookCommand
    holder: Node
    index: int


@dataclass(frozen=True, slots=True)
class Hooks:
    """The hooks of one agent: for each event its list item, and other settings that the file
    needs.
    """

    agent: str
    wanted: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)
    name: str = "hooks"

    def is_current(self, text: str) -> bool:
        """Whether every event is served and no hook of an earlier setup is left."""
        handlers = list(self._handlers(parse_object(text)))
        stale = any(
            one.called.is_setups and one.command not in self._commands() for one in handlers
        )
        return not stale and {one.event for one in handlers} >= set(self.wanted)

    def has_ours(self, text: str) -> bool:
        """Whether setup wrote something here."""
        return any(one.called.is_setups for one in self._handlers(parse_object(text)))

    def add(self, text: str) -> Edit:
        """Return the text with the hooks that are missing. Raises Unfit."""
        root = parse_object(text)
        served = {one.event for one in self._handlers(root)}
        wanted = {
            **self.beside,
            _KEY: {event: [item] for event, item in self.wanted.items() if event not in served},
        }
        if not wanted[_KEY]:
            return Edit(text)
        if root is None:
            return insert(text, fill_empty(text, wanted), [(key,) for key in wanted])
        insertions, made = build_insertions(text, root, wanted)
        edit = insert(text, insertions, made)
        if parse_object(edit.text).value != merge_settings(root.value, wanted):  # type: ignore[union-attr]
            raise Unfit("its JSON is written in a way that cannot be added to")
        return edit

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without setup's hooks.

        Containers that this empties go too if setup made them; `made` lists those, None if unknown.
        """
        emptied: list[tuple[str, ...]] = []
        while handler := next(
            (one for one in self._handlers(parse_object(text)) if one.called.is_setups), None
        ):
            emptied.append((_KEY, handler.event))
            text = remove_element(text, handler.holder, handler.index)
        for path in [*dict.fromkeys(emptied), *([(_KEY,)] if emptied else [])]:
            if made is None or path in made or path[:1] in made:
                text = remove_empty(text, path)
        return self._without_rest(text, made or ())

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts say the same."""
        return is_same_object(text, other)

    def is_bare(self, text: str) -> bool:
        """Whether the file holds nothing that anybody wrote."""
        return is_bare_object(text)

    def _commands(self) -> set[str]:
        return {command for item in self.wanted.values() for command in _list_commands(item)}

    def _without_rest(self, text: str, made: Sequence[tuple[str, ...]]) -> str:
        """Remove `version`, which setup added, where nothing else is left."""
        root = parse_object(text)
        keys = {element.key for element in root.elements} if root else set()
        return (
            remove_empty(text, ("version",), any_value=True)
            if keys == {"version"} and ("version",) in made
            else text
        )

    def _handlers(self, root: Node | None) -> Iterator[HookPosition]:
        hooks = root.element(_KEY) if root else None
        for event in hooks.node.elements if hooks else ():
            for holder, index in _list_hooks(event.node):
                for command in _list_commands(holder.elements[index].node.value):
                    called = parse_hook_command(command)
                    if called and called.agent == self.agent and event.key:
                        yield HookPosition(event.key, command, called, holder, index)


def parse_hook_command(command: str) -> HookCommand | None:
    """What a command line calls of memctl, guarded or not; None if it calls something else."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    for at, word in enumerate(words[:-2]):
        name = os.path.basename(word)
        # `memctl hook` does the same, slower; setup never writes it.
        program, rest = (word, words[at + 1 :]) if name == HOOK else ("memctl", words[at + 2 :])
        is_call = name == HOOK or (name, words[at + 1]) == ("memctl", "hook")
        agent = hook_contracts.find_agent(rest[0]) if is_call and len(rest) >= 2 else None
        if agent:
            return HookCommand(program, agent.name, rest[1])
    return None


def build_insertions(
    text: str, node: Node, wanted: Mapping[str, Any], path: tuple[str, ...] = ()
) -> tuple[list[Span], list[tuple[str, ...]]]:
    """The insertions that add settings, and the paths of the new ones.

    Raises Unfit where something else stands in their place.
    """
    new = [(key, value) for key, value in wanted.items() if node.element(key) is None]
    insertions, made = (
        append_elements(text, node, new) if new else [],
        [(*path, key) for key, _ in new],
    )
    for key, value in wanted.items():
        element = node.element(key)
        if element is None or not isinstance(value, dict | list):
            continue
        if type(element.node.value) is not type(value):
            expected = "an object" if isinstance(value, dict) else "a list"
            raise Unfit(f"{'.'.join((*path, key))} is not {expected}")
        if sum(other.key == key for other in node.elements) > 1:
            raise Unfit(f"{'.'.join((*path, key))} stands there more than once")
        if isinstance(value, list):
            insertions += append_elements(text, element.node, [(None, item) for item in value])
        else:
            more, deeper = build_insertions(text, element.node, value, (*path, key))
            insertions, made = insertions + more, made + deeper
    return insertions, made


def merge_settings(have: Any, wanted: Any) -> Any:
    """The settings as they read once the wanted ones are added."""
    if isinstance(have, dict) and isinstance(wanted, dict):
        return {
            **have,
            **{
                key: merge_settings(have[key], value) if key in have else value
                for key, value in wanted.items()
            },
        }
    return [*have, *wanted] if isinstance(have, list) and isinstance(wanted, list) else have


def parse_object(text: str) -> Node | None:
    """Parse settings that are a JSON object, with comments or without. Raises Unfit."""
    try:
        root = parse_jsonc(text)
    except Unreadable as error:
        raise Unfit(f"it cannot be read: {error}") from error
    if root is not None and not isinstance(root.value, dict):
        raise Unfit("it holds no JSON object")
    return root


def is_same_object(text: str, other: str) -> bool:
    """Whether two texts hold the same object, or both none; False for one that is unfit."""
    try:
        mine, yours = parse_object(text), parse_object(other)
    except Unfit:
        return False
    return (mine.value if mine else None) == (yours.value if yours else None)


def is_bare_object(text: str) -> bool:
    """Whether a text holds nothing that anybody wrote. Raises Unfit."""
    root = parse_object(text)
    return root is None or (root.value == {} and not text.strip("{}, \t\r\n\ufeff"))


def _list_hooks(event: Node) -> Iterator[tuple[Node, int]]:
    """Every hook of an event as its list and its index; a group with one hook counts as that
    hook.
    """
    if not isinstance(event.value, list):
        return
    for index, item in enumerate(event.elements):
        inner = item.node.element(_KEY) if isinstance(item.node.value, dict) else None
        if inner is None or len(inner.node.elements) == 1:
            yield event, index
        elif isinstance(inner.node.value, list):
            yield from ((inner.node, number) for number in range(len(inner.node.elements)))


def _list_commands(item: Any) -> Iterator[str]:
    """The command lines in a hook, or in a group of hooks."""
    if isinstance(item, dict):
        yield from (item[key] for key in _COMMANDS if isinstance(item.get(key), str))
        inner = item.get(_KEY)
        for one in inner if isinstance(inner, list) else ():
            yield from _list_commands(one)


def remove_empty(text: str, path: tuple[str, ...], *, any_value: bool = False) -> str:
    """The text without a member that holds nothing."""
    node = parse_object(text)
    for key in path[:-1]:
        element = node.element(key) if node else None
        node = element.node if element else None
    index = (
        next((number for number, one in enumerate(node.elements) if one.key == path[-1]), None)
        if node
        else None
    )
    if (
        node is None
        or index is None
        or not (any_value or _is_empty(text, node.elements[index].node))
    ):
        return text
    return remove_element(text, node, index)


def _is_empty(text: str, node: Node) -> bool:
    return node.value in ({}, []) and not text[node.start + 1 : node.end - 1].strip()
