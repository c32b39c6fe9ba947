"""Add hooks to an agent's TOML, or take them out again, with tomlkit. Pure.

tomlkit keeps comments, order and white space of what it does not touch, and knows every way in
which TOML writes a list of tables: `[[hooks.Stop]]`, inline, or dotted.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from memctl.core.frozen import dataclass, field
from memctl.core.typing_lite import Any
from memctl.setup.blocks import newline_of
from memctl.setup.hooks import HookCommand, parse_hook_command
from memctl.setup.textedit import Edit, Span, Unfit

_KEY = "hooks"
_BYTE_ORDER_MARK = "\ufeff"
# The longest changed stretch that is compared letter by letter, in characters.
_LONGEST_COMPARED = 4000


@dataclass(frozen=True, slots=True)
class TomlHooks:
    """The editor for the hooks of one agent: for each event a group of hooks, as in its JSON."""

    agent: str
    wanted: Mapping[str, Any] = field(default_factory=dict)
    name: str = "toml-hooks"

    def is_current(self, text: str) -> bool:
        """Whether every event calls memctl as setup would write it now."""
        calls = list(self._list_calls(load_toml(text)))
        commands = {hook["command"] for group in self.wanted.values() for hook in group[_KEY]}
        stale = any(call.is_setups and command not in commands for _, command, call in calls)
        return not stale and {event for event, _, _ in calls} >= set(self.wanted)

    def has_ours(self, text: str) -> bool:
        """Whether setup wrote a hook there."""
        return any(call.is_setups for _, _, call in self._list_calls(load_toml(text)))

    def add(self, text: str) -> Edit:
        """Return the text with the hooks that are missing. Raises Unfit."""
        settings = load_toml(text)
        served = {event for event, _, _ in self._list_calls(settings)}
        missing = {event: group for event, group in self.wanted.items() if event not in served}
        if not missing:
            return Edit(text)
        changed = _edit(text, lambda document: _append_groups(document, missing))
        if load_toml(changed) != _with_groups(settings, missing):
            raise Unfit("its hooks are written in a way that cannot be added to")
        spans = _find_insertions(text, changed)
        if spans is None:
            raise Unfit("its hooks cannot be added to without rewriting other lines")
        made = [(_KEY, event) for event in missing if event not in settings.get(_KEY, {})]
        return Edit(changed, spans, tuple(made))

    def remove(self, text: str, made: Sequence[tuple[str, ...]] | None) -> str:
        """Return the text without setup's hooks and without the lists that they leave empty."""
        return _edit(text, self._remove_groups) if self.has_ours(text) else text

    def agrees(self, text: str, other: str) -> bool:
        """Whether two texts say the same."""
        try:
            return load_toml(text) == load_toml(other)
        except Unfit:
            return False

    def is_bare(self, text: str) -> bool:
        """Whether nothing is left."""
        return not text.strip(_BYTE_ORDER_MARK + " \t\r\n")

    def _list_calls(self, settings: Mapping[str, Any]) -> Iterator[tuple[str, str, HookCommand]]:
        """Every hook that calls memctl for this agent: its event, its command and what it calls."""
        for event, groups in _list_events(settings):
            for group in groups:
                for hook in _list_hooks(group):
                    call = parse_hook_command(str(hook.get("command", "")))
                    if call is not None and call.agent == self.agent:
                        yield event, str(hook["command"]), call

    def _is_setups(self, hook: Mapping[str, Any]) -> bool:
        call = parse_hook_command(str(hook.get("command", "")))
        return call is not None and call.agent == self.agent and call.is_setups

    def _remove_groups(self, document: Any) -> None:
        for event, groups in list(_list_events(document)):
            for index in reversed(range(len(groups))):
                hooks = groups[index].get(_KEY)
                others = [hook for hook in _list_hooks(groups[index]) if not self._is_setups(hook)]
                if hooks is None or len(others) == len(hooks):
                    continue
                if not others:
                    del groups[index]
                    continue
                for place in reversed(range(len(hooks))):
                    if self._is_setups(hooks[place]):
                        del hooks[place]
            if not groups:
                del document[_KEY][event]
        if _KEY in document and not document[_KEY]:
            del document[_KEY]


def load_toml(text: str) -> dict[str, Any]:
    """The settings of a TOML file. Raises Unfit."""
    try:
        return tomllib.loads(text.lstrip(_BYTE_ORDER_MARK).replace("\r\n", "\n"))
    except (ValueError, RecursionError) as error:
        raise Unfit("it is not TOML") from error


def has_hooks(settings: Mapping[str, Any]) -> bool:
    """Whether the settings hold lists of hooks; other tables below `hooks` are none."""
    return any(True for _ in _list_events(settings))


def _list_events(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    hooks = settings.get(_KEY)
    for event, groups in hooks.items() if isinstance(hooks, Mapping) else ():
        if isinstance(groups, list) and all(isinstance(group, Mapping) for group in groups):
            yield str(event), groups


def _list_hooks(group: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    hooks = group.get(_KEY)
    if not isinstance(hooks, list):
        return []
    return [hook for hook in hooks if isinstance(hook, Mapping)]


def _with_groups(settings: Mapping[str, Any], missing: Mapping[str, Any]) -> dict[str, Any]:
    """What the settings mean once the groups are in. Raises Unfit where something is in the way."""
    hooks = dict(settings.get(_KEY) or {})
    for event, group in missing.items():
        groups = hooks.get(event, [])
        if not isinstance(groups, list):
            raise Unfit(f"{_KEY}.{event} is not a list")
        hooks[event] = [*groups, group]
    return {**settings, _KEY: hooks}


def _edit(text: str, change: Callable[[Any], None]) -> str:
    """The text after a change to its document. Raises Unfit for what tomlkit cannot edit."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    body = text.removeprefix(mark)
    newline = newline_of(text)
    if body and not body.endswith("\n"):
        body += newline
    try:
        document = tomlkit.parse(body)
        change(document)
        changed = tomlkit.dumps(document)
    except (TOMLKitError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise Unfit("its hooks are written in a way that cannot be edited") from error
    return mark + re.sub(r"\r?\n", newline, changed)


def _append_groups(document: Any, missing: Mapping[str, Any]) -> None:
    """Append one group to each event, in the way in which the file writes its lists."""
    import tomlkit
    from tomlkit.items import AoT, InlineTable

    if _KEY not in document:
        document.add(_KEY, tomlkit.table(is_super_table=True))
    hooks = document[_KEY]
    for event, group in missing.items():
        groups = hooks.get(event)
        if groups is None:
            groups = tomlkit.array() if isinstance(hooks, InlineTable) else tomlkit.aot()
            groups.append(_make_group(group, in_line=isinstance(hooks, InlineTable)))
            hooks.append(event, groups)
        else:
            groups.append(_make_group(group, in_line=not isinstance(groups, AoT)))


def _make_group(group: Mapping[str, Any], *, in_line: bool) -> Any:
    """A group of hooks as one inline table, or as `[[hooks.EVENT]]` with `[[...hooks]]` below."""
    import tomlkit

    if in_line:
        inline = tomlkit.inline_table()
        inline.update(group)
        return inline
    hooks = tomlkit.aot()
    for hook in group[_KEY]:
        hooks.append(tomlkit.item(hook))
    table = tomlkit.table()
    table.append(_KEY, hooks)
    return table


def _find_insertions(before: str, after: str) -> tuple[Span, ...] | None:
    """What was inserted, by its offset in `after`; None where anything else changed."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in new:
        starts.append(starts[-1] + len(line))
    spans: list[Span] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        removed, added = "".join(old[a:b]), "".join(new[c:d])
        if tag == "insert":
            spans.append((starts[c], added))
            continue
        pieces = _find_inserted_pieces(removed, added)
        if pieces is None:
            return None
        spans += [(starts[c] + at, piece) for at, piece in pieces]
    ordered = all(at + len(piece) <= then for (at, piece), (then, _) in pairwise(spans))
    return tuple(spans) if ordered else None


def _find_inserted_pieces(before: str, after: str) -> list[Span] | None:
    if len(before) > _LONGEST_COMPARED or len(after) > 2 * _LONGEST_COMPARED:
        return None
    pieces: list[Span] = []
    for tag, _, _, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "insert":
            pieces.append((c, after[c:d]))
        elif tag != "equal":
            return None
    return pieces
