"""Text of JSON with comments is read with its places, added to and taken from, and nothing else in
it moves.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.setup.hooks import Hooks, parse_hook_command
from memctl.setup.jsonc import Unreadable, parse_jsonc
from memctl.setup.manifest import ManifestEntry, hash_text
from memctl.setup.plan import remove_ours
from memctl.setup.textedit import Unfit

CALL = "/opt/my tools/bin/memctl-hook"
HOOKS = Hooks(
    "claude-code",
    {
        event: {
            "hooks": [{"type": "command", "command": f"'{CALL}' claude-code {event}", "timeout": 5}]
        }
        for event in ("SessionStart", "Stop")
    },
)
FLAT = Hooks(
    "cursor",
    {
        event: {"command": f"'{CALL}' cursor {event}", "timeout": 5}
        for event in ("sessionStart", "stop")
    },
    {"version": 1},
)


def value(text: str) -> Any:
    root = parse_jsonc(text)
    return root.value if root else None


def entry_of(hooks: Hooks, text: str) -> tuple[str, ManifestEntry]:
    edit = hooks.add(text)
    return edit.text, ManifestEntry(
        hooks.agent,
        "x",
        "hooks",
        hash_text(text),
        hash_text(edit.text),
        False,
        spans=edit.spans,
        made=edit.made,
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '[1, 2.5e3, "x\\n\\u00e9", true, false, null]',
        "{}",
        "[]",
        ' { "a" : { "b" : [ ] } } ',
        '"text"',
        '{"a":{"a":[{"a":1}]}}',
    ],
)
def test_plain_json_means_what_json_says(text: str) -> None:
    assert value(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("// nothing\n", None),
        ("\ufeff", None),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1, /* b */ "c": [1, 2,], }', {"a": 1, "c": [1, 2]}),
        ('{"url": "http://x/*y*/", // z\r\n"b": 2}', {"url": "http://x/*y*/", "b": 2}),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_comments_and_trailing_commas_are_taken(text: str, expected: object) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a"}',
        '{"a": }',
        "{a: 1}",
        "[1 2]",
        "[,]",
        '{"a": 1}}',
        '"open',
        "/* open",
        "[" * 500,
        "{'a': 1}",
        "nothing",
        '{,"a":1}',
    ],
)
def test_what_is_no_json_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable):
        parse_jsonc(text)


def test_the_line_is_named_where_reading_stopped() -> None:
    with pytest.raises(Unreadable, match="line 3 "):
        parse_jsonc('{\n "a": 1,\n oops\n}')


@pytest.mark.parametrize(
    "text",
    ["/*" * 500_000, "[" * 1_000_000, '"' + "\\\\" * 500_000, "//\n" * 300_000, '{"a":' * 200_000],
)
def test_hostile_megabytes_are_refused_soon(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(Unreadable):
        parse_jsonc(text)
    assert time.process_time() - start < 10


# -- what is added, and how it looks ------------------------------------------


def test_a_missing_list_is_added_behind_the_last_member_and_its_comment() -> None:
    text = '{\n\t"model": "big" // the good one\n}\n'
    added = HOOKS.add(text).text
    assert added.startswith(
        '{\n\t"model": "big", // the good one\n\t"hooks": {\n\t\t"SessionStart": [\n'
    )
    assert added.endswith("\n\t}\n}\n")


def test_a_hook_joins_those_of_its_event() -> None:
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}'
    stop = value(HOOKS.add(text).text)["hooks"]["Stop"]
    assert [item["hooks"][0]["command"] for item in stop] == [
        "say done",
        f"'{CALL}' claude-code Stop",
    ]


def test_line_ends_stay_what_they_are() -> None:
    added = HOOKS.add('{\r\n    "a": 1\r\n}').text
    assert "\n" not in added.replace("\r\n", "")
    assert '\r\n    "hooks": {\r\n        "SessionStart"' in added


def test_a_minified_file_stays_on_its_line() -> None:
    added = HOOKS.add('{"a":1}').text
    assert "\n" not in added and '": ' not in added


def test_a_habit_of_trailing_commas_is_kept() -> None:
    assert HOOKS.add('{\n  "a": 1,\n}\n').text.endswith("  },\n}\n")


def test_an_empty_file_gets_its_whole_content() -> None:
    assert value(FLAT.add("").text) == {
        "version": 1,
        "hooks": {event: [item] for event, item in FLAT.wanted.items()},
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "no JSON object"),
        ('{"hooks": []}', "hooks is not an object"),
        ('{"hooks": null}', "hooks is not an object"),
        ('{"hooks": {"Stop": {}}}', "hooks.Stop is not a list"),
        ('{"hooks": {}, "hooks": {}}', "more than once"),
        ('{"hooks": ', "line 1"),
    ],
)
def test_what_cannot_be_added_to_is_named(text: str, why: str) -> None:
    with pytest.raises(Unfit, match=re.escape(why)):
        HOOKS.add(text)


# -- whose hook it is ---------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "is_setups"),
    [
        ("/a/memctl-hook claude-code Stop", True),
        ("'/a b/memctl-hook' claude Stop", True),
        ("/usr/bin/env MEMCTL_DB=/x /a/memctl-hook claude-code Stop", True),
        ("test -x /a/memctl-hook || exit 0; exec /a/memctl-hook claude-code Stop", True),
        (
            "command -v memctl-hook >/dev/null || exit 0; exec memctl-hook claude-code Stop",
            False,
        ),
        ("memctl-hook claude-code Stop", False),
        ("memctl hook claude-code Stop", False),
        ("/a/memctl hook claude-code Stop", False),
    ],
)
def test_a_hook_of_ours_is_known_by_its_command(command: str, is_setups: bool) -> None:
    called = parse_hook_command(command)
    assert called and (called.agent, called.event, called.is_setups) == (
        "claude-code",
        "Stop",
        is_setups,
    )


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo memctl-hook",
        "/a/memctl-hook",
        "/a/memctl-hook nobody Stop",
        "unclosed '",
        "/a/other-memctl-hook codex Stop",
    ],
)
def test_other_commands_are_not_ours(command: str) -> None:
    assert parse_hook_command(command) is None


def test_a_hook_written_by_hand_serves_its_event_and_stays() -> None:
    text = (
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "memctl-hook claude-code '
        'Stop"}]}]}}'
    )
    added = HOOKS.add(text).text
    assert len(value(added)["hooks"]["Stop"]) == 1
    assert value(HOOKS.remove(added, None)) == value(text)


def test_a_hook_that_a_person_put_into_our_group_stays() -> None:
    added = HOOKS.add("{}").text.replace(
        '"timeout": 5\n          }',
        '"timeout": 5\n          }, {"type": "command", "command": "mine"}',
        1,
    )
    left = value(HOOKS.remove(added, None))
    assert left == {
        "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}
    }


# -- and back again -----------------------------------------------------------

WRITTEN = [
    "",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "\ufeff{}\r\n",
    "// only this\n",
    "/* x */ {}",
    '{"a": 1}',
    '{"a":1,"b":[1,2]}',
    '{\n  "a": 1\n}',
    '{\n\t"a": 1, // one\n\t"b": {} /* two */ // three\n}\n// end',
    '{"hooks": {}}',
    '{"hooks": {} }\n',
    '{\n  "hooks": {\n  }\n}\n',
    '{\n  "hooks": {\n    // none yet\n  }\n}\n',
    '{"hooks":{"Stop":[]}}',
    '{"hooks": {"Stop": [ ]}, "z": 0}',
    '{"a": 1\n, "b": 2}',
    '{\n  "hooks": {\n    "Stop": [\n      // mine\n      {"hooks": [{"command": "x"}]}, // '
    "first\n    ],\n  },\n}\n",
    '{"version": 1, "hooks": {"stop": [{"command": "y"}]}}',
    '{"a": "}//{", "b": "/*"}',
    '{"hooks": {"Stop": [{"hooks": []}]}}',
    '   {"a"\n:\n1}   ',
    '{"a": [\n1\n]}',
]


@pytest.mark.parametrize("hooks", [HOOKS, FLAT], ids=["groups", "flat"])
@pytest.mark.parametrize("text", WRITTEN, ids=repr)
def test_what_was_added_comes_out_to_the_byte(hooks: Hooks, text: str) -> None:
    added, entry = entry_of(hooks, text)
    assert hooks.is_current(added) and not hooks.is_current(text)
    assert remove_ours(added, entry, hooks) == text


@pytest.mark.parametrize("hooks", [HOOKS, FLAT], ids=["groups", "flat"])
@pytest.mark.parametrize("text", WRITTEN, ids=repr)
def test_without_a_manifest_what_was_added_comes_out_in_meaning(hooks: Hooks, text: str) -> None:
    left = value(remove_ours(hooks.add(text).text, None, hooks)) or {}
    before = value(text) or {}
    lists = {event: items for event, items in before.get("hooks", {}).items() if items}
    assert {event: items for event, items in left.get("hooks", {}).items() if items} == lists
    assert {key: item for key, item in left.items() if key not in ("hooks", "version")} == {
        key: item for key, item in before.items() if key not in ("hooks", "version")
    }
    assert all(
        comment in remove_ours(hooks.add(text).text, None, hooks)
        for comment in re.findall(r"// \w+|/\* \w+ \*/", text)
    )


def test_an_edit_elsewhere_survives_and_the_rest_is_as_it_was() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2\n}\n'
    added, entry = entry_of(HOOKS, text)
    assert remove_ours(added.replace('"a": 1', '"a": 7'), entry, HOOKS) == text.replace(
        '"a": 1', '"a": 7'
    )


def test_members_that_a_person_put_behind_ours_stay() -> None:
    added, entry = entry_of(HOOKS, '{\n  "a": 1\n}\n')
    edited = added[: added.rindex("\n}")] + ',\n  "z": 9\n}\n'
    assert remove_ours(edited, entry, HOOKS) == '{\n  "a": 1,\n  "z": 9\n}\n'


def test_a_neighbour_that_a_person_took_out_stays_out() -> None:
    added, entry = entry_of(HOOKS, '{\n  "a": 1\n}\n')
    assert value(remove_ours(added.replace('  "a": 1,\n', ""), entry, HOOKS)) == {}


def test_a_changed_timeout_of_ours_goes_with_it() -> None:
    added, entry = entry_of(HOOKS, '{"a": 1}\n')
    assert value(remove_ours(added.replace('"timeout": 5', '"timeout": 50'), entry, HOOKS)) == {
        "a": 1
    }


def test_lists_that_were_there_and_empty_stay() -> None:
    text = '{"hooks": {"Stop": []}, "a": 1}'
    added, entry = entry_of(HOOKS, text)
    assert value(remove_ours(added.replace('"a": 1', '"a": 2'), entry, HOOKS)) == {
        "hooks": {"Stop": []},
        "a": 2,
    }


# Text that a person may have written: JSON with any blanks and comments between its parts.
_blank = st.text(" \t\n", max_size=3) | st.sampled_from(
    ["\r\n", "\n  ", " // remark\n", " /* a, [b] {c */ ", '\n\t// "x": 1,\r\n', ""]
)
_scalar = st.sampled_from(
    [
        "1",
        "-2.5e1",
        "true",
        "null",
        '"text"',
        '"a\\"b // c"',
        '"\u00e9\u2028"',
        '"/* no */"',
        "{}",
        "[]",
    ]
)


@st.composite
def _object(draw: st.DrawFn, inside: st.SearchStrategy[str], keys: st.SearchStrategy[str]) -> str:
    names = draw(st.lists(keys, max_size=3, unique=True))
    members = [
        f'{draw(_blank)}"{name}"{draw(_blank)}:{draw(_blank)}{draw(inside)}{draw(_blank)}'
        for name in names
    ]
    comma = "," if members and draw(st.booleans()) else ""
    return "{" + ",".join(members) + comma + draw(_blank) + "}"


@st.composite
def _array(draw: st.DrawFn, inside: st.SearchStrategy[str]) -> str:
    items = [f"{draw(_blank)}{draw(inside)}{draw(_blank)}" for _ in range(draw(st.integers(0, 3)))]
    comma = "," if items and draw(st.booleans()) else ""
    return "[" + ",".join(items) + comma + draw(_blank) + "]"


_names = st.sampled_from(["a", "b", "Other", "x y"])
_handler = _object(_scalar, st.sampled_from(["command", "timeout", "type"]))
_group = _object(_array(_handler), st.just("hooks")) | _handler
_hooks = _object(
    _array(_group), st.sampled_from(["SessionStart", "Stop", "Other", "sessionStart", "stop"])
)
_any = _scalar | _array(_scalar) | _object(_scalar, _names)


@st.composite
def _files(draw: st.DrawFn) -> str:
    members = [
        f'"{name}":{draw(_blank)}{draw(_any)}'
        for name in draw(st.lists(_names, max_size=3, unique=True))
    ]
    if draw(st.booleans()):
        members.insert(
            draw(st.integers(0, len(members))),
            f'"hooks"{draw(_blank)}:{draw(_blank)}{draw(_hooks)}',
        )
    body = ",".join(f"{draw(_blank)}{member}{draw(_blank)}" for member in members)
    comma = "," if members and draw(st.booleans()) else ""
    return (
        draw(st.sampled_from(["", "\ufeff"]))
        + draw(_blank)
        + "{"
        + body
        + comma
        + draw(_blank)
        + "}"
        + draw(_blank)
    )


@settings(max_examples=300)
@given(_files(), st.sampled_from([HOOKS, FLAT]))
def test_any_file_is_the_same_after_setup_and_undo(text: str, hooks: Hooks) -> None:
    added, entry = entry_of(hooks, text)
    before, after = value(text), value(added)
    assert hooks.is_current(added) and hooks.add(added).text == added
    assert {key: one for key, one in after.items() if key not in ("hooks", "version")} == {
        key: one for key, one in before.items() if key not in ("hooks", "version")
    }
    for event, items in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(items)] == items
    assert remove_ours(added, entry, hooks) == text


@settings(max_examples=300)
@given(
    _files(),
    st.sampled_from([HOOKS, FLAT]),
    st.sampled_from(['"later": [1]', '"later": {"x": 1} // by hand\n']),
)
def test_a_member_that_a_person_adds_in_between_is_all_that_is_left_over(
    text: str, hooks: Hooks, member: str
) -> None:
    added, entry = entry_of(hooks, text)
    root = parse_jsonc(added)
    assert root
    edited = (
        added[: root.start + 1]
        + member
        + (", " if "//" not in member else ",")
        + added[root.start + 1 :]
    )
    left = remove_ours(edited, entry, hooks)
    extra = {"later": value("{" + member + "}")["later"]}
    # What setup needed besides stays where somebody else has something in the file by now.
    assert {
        key: one for key, one in value(left).items() if key != "version" or "version" in value(text)
    } == {**value(text), **extra}


@settings(max_examples=300)
@given(_files(), st.sampled_from([HOOKS, FLAT]))
def test_without_a_manifest_no_hook_of_ours_is_left_and_all_others_are(
    text: str, hooks: Hooks
) -> None:
    left = value(remove_ours(hooks.add(text).text, None, hooks)) or {}
    kept = {event: items for event, items in (value(text).get("hooks") or {}).items() if items}
    assert {event: items for event, items in left.get("hooks", {}).items() if items} == kept
