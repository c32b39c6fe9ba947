"""What memctl gave an agent never comes back as something that was found: in no format, on no
way, in no other words.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from bench import SESSION, Bench
from contract import OWN_CONTEXT, SAMPLES, join_strings
from hypothesis import given
from hypothesis import strategies as st

from memctl.consolidate.restatement import is_restatement
from memctl.core import clock
from memctl.core.model import CONTEXT_NOTICE, Memory, Query
from memctl.engine.memory_engine import MemoryEngine
from memctl.readers import READERS, load_reader
from memctl.readers.base import Input
from memctl.readers.memctl_calls import is_memctl_call
from memctl.store import evidence, sources

SAMPLE_FILES = [
    path
    for name in READERS
    for path in sorted((SAMPLES / name).glob("*"))
    if path.is_file() and path.name != "expected.json"
]
OTHER = "5e551011-0000-4000-8000-00000000000b"


# -- in every format ----------------------------------------------------------


def texts_of(module: str, source: Input) -> list[str]:
    """Every text that a reader makes of an input, what stands beside the turns included."""
    reader = load_reader(module)
    found = list(reader.read(source))
    return [
        text
        for transcript in found
        for turn in transcript.turns
        for text in (turn.text, json.dumps(dict(turn.data)))
    ]


def with_context_beside_every_text(raw: bytes, texts: list[str]) -> bytes:
    """The file with our context put before every text that its reader made of it, wherever the
    file has that text.
    """
    is_json = raw.lstrip()[:1] in (b"{", b"[")
    for first in sorted(
        {text.split("\n")[0] for text in texts if len(text.split("\n")[0]) > 3},
        key=len,
        reverse=True,
    ):
        for needle in {
            json.dumps(first)[1:-1].encode(),
            json.dumps(first, ensure_ascii=False)[1:-1].encode(),
            first.encode(),
        }:
            fence = (json.dumps(OWN_CONTEXT)[1:-1] if is_json else OWN_CONTEXT).encode()
            raw = raw.replace(needle, fence + needle) if fence + needle not in raw else raw
    return raw


@pytest.mark.parametrize("path", SAMPLE_FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_context_beside_any_text_of_any_format_is_left_out(path: Path) -> None:
    raw = path.read_bytes()
    spoken = [
        text for text in texts_of(path.parent.name, Input(path=path)) if not text.startswith("{")
    ]
    inserted = with_context_beside_every_text(raw, spoken)
    assert not [
        text
        for text in texts_of(path.parent.name, Input(data=inserted))
        if "green lanterns" in text.lower()
    ]


def test_the_samples_do_take_the_context_in() -> None:
    taken = [
        path
        for path in SAMPLE_FILES
        if b"green lanterns" in with_context_beside_every_text(path.read_bytes(), _spoken(path))
    ]
    assert len(taken) > len(SAMPLE_FILES) * 0.8
    assert "green lanterns" in join_strings(taken[0].read_bytes() + OWN_CONTEXT.encode())


def _spoken(path: Path) -> list[str]:
    return texts_of(path.parent.name, Input(path=path))


# -- on every way -------------------------------------------------------------

FACT = "The kiln room has green lanterns above the north door."
BLOCK = f"<memctl-context>\n{CONTEXT_NOTICE}\n- [01JV3KQX2M] {FACT}\n</memctl-context>"


def claude(*entries: dict[str, Any]) -> bytes:
    """Lines of a Claude Code session around some entries."""
    base = {
        "sessionId": SESSION,
        "cwd": "/w/kiln",
        "version": "2.1.2",
        "isSidechain": False,
        "timestamp": "2026-01-02T03:04:05.000Z",
    }
    every = [
        {
            "type": "user",
            "message": {"role": "user", "content": "Look at the kiln."},
            "promptSource": "typed",
        },
        *entries,
    ]
    return b"".join(
        json.dumps({**base, "uuid": f"u{place}", **entry}).encode() + b"\n"
        for place, entry in enumerate(every)
    )


def codex(*payloads: dict[str, Any]) -> bytes:
    """Lines of a Codex rollout around some response items."""
    head = {
        "type": "session_meta",
        "payload": {"id": SESSION, "cwd": "/w/kiln", "cli_version": "0.140.0", "source": "cli"},
    }
    said = {
        "type": "event_msg",
        "payload": {"type": "user_message", "message": "Look at the kiln.", "images": []},
    }
    items = [{"type": "response_item", "payload": payload} for payload in payloads]
    every = [head, said, *items]
    return b"".join(
        json.dumps({"timestamp": "2026-01-02T03:04:05.000Z", **entry}).encode() + b"\n"
        for entry in every
    )


def attached(**attachment: Any) -> bytes:
    return claude({"type": "attachment", "attachment": attachment})


def called(tool: str, given_: dict[str, Any], result: str) -> bytes:
    """A tool call of Claude Code and its result, which is not marked by anything."""
    call = {
        "role": "assistant",
        "id": "m1",
        "content": [{"type": "tool_use", "id": "t1", "name": tool, "input": given_}],
    }
    answer = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t1", "content": result}],
    }
    return claude(
        {"type": "assistant", "message": call},
        {"type": "user", "message": answer, "toolUseResult": {"stdout": result}},
    )


def answered(text: str) -> bytes:
    """An answer of Claude Code."""
    return claude(
        {
            "type": "assistant",
            "message": {
                "role": "assistant",
                "id": "m1",
                "content": [{"type": "text", "text": text}],
            },
        }
    )


def called_by_codex(command: str, result: str) -> bytes:
    return codex(
        {
            "type": "function_call",
            "name": "exec_command",
            "arguments": json.dumps({"cmd": command}),
            "call_id": "c1",
        },
        {"type": "function_call_output", "call_id": "c1", "output": result},
    )


def message(role: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


NAKED = f"{FACT}\n  why: it matches your words"
GEMINI = {
    "sessionId": SESSION,
    "projectHash": "ab",
    "startTime": "2026-01-02T03:04:05.000Z",
    "lastUpdated": "2026-01-02T03:04:05.000Z",
}
SERVED = {
    "id": "t",
    "name": "memctl__search",
    "args": {"q": "x"},
    "status": "success",
    "result": [{"functionResponse": {"id": "t", "name": "search", "response": {"output": NAKED}}}],
}
WAYS = {
    "claude: a hook's output": attached(
        type="hook_success", hookName="SessionStart", stdout=json.dumps({"x": BLOCK}), stderr=""
    ),
    "claude: a hook's context": attached(type="hook_additional_context", content=[FACT, BLOCK]),
    "claude: a reminder": claude(
        {
            "type": "user",
            "message": {"role": "user", "content": f"<system-reminder>{BLOCK}</system-reminder>"},
        }
    ),
    "claude: before a prompt": claude(
        {"type": "user", "message": {"role": "user", "content": f"{BLOCK}\nGo on."}}
    ),
    "claude: a shell": called("Bash", {"command": "memctl search lanterns"}, NAKED),
    "claude: a shell, further on": called(
        "Bash", {"command": "cd /w && MEMCTL_DB=x /opt/bin/memctl list --json | head"}, NAKED
    ),
    "claude: a server": called("mcp__memctl__search", {"query": "x"}, NAKED),
    "claude: a rules file": called(
        "Read", {"file_path": "/w/kiln/.windsurf/rules/memctl.md"}, f"# Rules\n{BLOCK}"
    ),
    "claude: the agent repeats it": answered(BLOCK),
    "claude: the agent quotes a line": answered(f"> - [01JV3KQX2M] {FACT}"),
    "codex: a developer's message": codex(message("developer", FACT)),
    "codex: instructions": codex(message("user", f"# AGENTS.md instructions for /w/kiln\n{BLOCK}")),
    "codex: a hook's context": codex(message("user", f"<hook_context>{BLOCK}</hook_context>")),
    "codex: a shell": called_by_codex(
        "memctl context --task lanterns --json", json.dumps({"data": {"text": FACT}})
    ),
    "codex: a script": called_by_codex(
        "uv run memctl why-not x; memctl-hook codex SessionStart", NAKED
    ),
    "gemini: a hook's context": "\n".join(
        map(
            json.dumps,
            [
                GEMINI,
                {
                    "id": "1",
                    "type": "user",
                    "content": [{"text": f"Look.\n<hook_context>{BLOCK}</hook_context>"}],
                },
            ],
        )
    ).encode(),
    "gemini: a server": "\n".join(
        map(
            json.dumps,
            [
                GEMINI,
                {"id": "1", "type": "user", "content": "Look."},
                {"id": "2", "type": "gemini", "toolCalls": [SERVED]},
            ],
        )
    ).encode(),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_was_handed_out_is_not_taken_in_on_any_way(way: str, db: Path) -> None:
    with MemoryEngine.open(db, actor="operator") as engine:
        engine.capture_session(Input(data=WAYS[way]))
        engine.maintain()
        db_ = engine.open_to_read()
        told = [
            turn.text
            for row in db_.all("sources.everything")
            for turn in sources.read_turns(db_, row["id"])
        ]
        assert told and not [text for text in told if "green lanterns" in text.lower()]
        assert not [
            view
            for view in (*engine.inbox.list(limit=-1).items, *engine.records.list().items)
            if "green lanterns" in view.memory.content
        ]


@pytest.mark.parametrize(
    "command",
    [
        "memctl search x",
        "  memctl list",
        "cd /w/app && memctl context",
        "A=1 B='2' memctl show 01",
        "/usr/bin/memctl explain 01J",
        "true; memctl",
        "python -m memctl search x",
        "python3 -m memctl log",
        "uvx memctl search",
        "sudo -n true | memctl ingest",
        "$(memctl context)",
        "x=`memctl why`",
        "memctl-hook codex Stop",
        "~/.local/bin/memctl search 'a b' | head -5",
        "time memctl doctor",
        '"memctl" list',
    ],
)
def test_a_command_that_asks_memctl_is_known(command: str) -> None:
    assert is_memctl_call("Bash", command, "")


@pytest.mark.parametrize(
    "command",
    [
        "cd memctl && make test",
        "grep memctl notes.md",
        "ls ~/memctl",
        "pytest tests/memctl",
        "pip install memctl",
        "memctl.py",
        "memctlx search",
        "git commit -m 'memctl search'",
        "cat memctl/hook.py",
        "which memctl",
        "",
    ],
)
def test_a_command_that_only_speaks_of_memctl_is_not(command: str) -> None:
    assert not is_memctl_call("Bash", command, "")


@pytest.mark.parametrize(
    ("tool", "is_ours"),
    [
        ("mcp__memctl__search", True),
        ("memctl", True),
        ("memctl.search", True),
        ("memctl__context", True),
        ("plugin:memctl:memctl", True),
        ("memctl_search", True),
        ("Bash", False),
        ("mcp__other__search", False),
        ("notmemctl", False),
    ],
)
def test_a_tool_of_memctl_is_known_by_its_name(tool: str, is_ours: bool) -> None:
    assert is_memctl_call(tool, None, "x") == is_ours


@pytest.mark.parametrize(
    "piece", ["a=b ", ";", "sudo ", "/", "memct", "'memctl'", "A=" + "x" * 199 + " ", "( memctl"]
)
def test_a_hostile_command_is_judged_in_a_blink(piece: str) -> None:
    started = time.process_time()
    is_memctl_call("exec", piece * (1_000_000 // len(piece)), "")
    is_memctl_call("exec", None, piece * (1_000_000 // len(piece)) + "memctl")
    assert time.process_time() - started < 5


# -- in other words -----------------------------------------------------------

GIVEN = [
    "The project uses pnpm for packages, because npm broke the lock file.",
    "Tests run with pytest -q and never call the billing API.",
    "The release branch is cut every 14 days.",
]


@pytest.mark.parametrize(
    "said",
    [
        *GIVEN,
        "the project uses pnpm",
        "Uses **pnpm** for packages.",
        "Packages: the project uses pnpm.",
        "Run tests with `pytest -q`.",
        "The release branch is cut every 14 days",
        "A release branch is cut every 14 days here.",
    ],
)
def test_the_given_words_said_again_are_an_echo(said: str) -> None:
    assert is_restatement(said, GIVEN)


@pytest.mark.parametrize(
    "said",
    [
        "The project uses npm for packages.",
        "The project does not use pnpm.",
        "The release branch is cut every 7 days.",
        "Tests always call the billing API.",
        "Tests run with pytest -x.",
        "The server listens on port 8080.",
        "The deploy script needs node 20 and pnpm.",
        "",
        "...",
        "The release branch is cut by the night job in the harbor pipeline.",
    ],
)
def test_what_says_more_or_other_is_none(said: str) -> None:
    assert not is_restatement(said, GIVEN)


words = st.lists(
    st.sampled_from(
        (
            "kiln oil gas port 8080 9090 never uses not enabled disabled main.py billing --fast "
            "tests"
        ).split()
    ),
    max_size=8,
)
sentences = words.map(" ".join)


@given(sentences, st.lists(sentences, max_size=4), st.lists(sentences, max_size=3))
def test_an_echo_stays_one_whatever_else_was_given_and_in_whatever_order(
    said: str, given_: list[str], more: list[str]
) -> None:
    before = is_restatement(said, given_)
    assert is_restatement(said, given_[::-1]) == before
    assert is_restatement(said, [*more, *given_]) or not before


@given(sentences)
def test_nothing_given_has_no_echo_and_the_very_words_always_have_one(said: str) -> None:
    assert not is_restatement(said, [])
    assert is_restatement(said, [said])


@given(sentences, sentences)
def test_an_echo_never_brings_a_number_or_a_name_that_was_not_given(said: str, given_: str) -> None:
    if is_restatement(said, [given_]):
        assert {
            word for word in said.split() if word in ("8080", "9090", "main.py", "--fast")
        } <= set(given_.split())


def given_to(bench: Bench, session: str = SESSION) -> Memory:
    """A record that a session was given at its start."""
    memory = known(bench)
    place = bench.agent.place(bench.home, agent="claude-code", session=session)
    assert memory.content in bench.agent.context_for(place=place, session_start=True).text
    bench.agent.write_logs()
    return memory


def known(bench: Bench) -> Memory:
    """A record that the operator approved."""
    bench.take(
        ("user", "fact the kiln is fired with oil"), session="5e551011-0000-4000-8000-00000000000c"
    )
    memory = bench.one("inbox")
    bench.operator.promote([memory.id])
    return bench.get(memory)


@pytest.mark.parametrize(
    "said", ["claim the kiln is fired with oil", "claim The kiln: fired with oil"]
)
def test_an_agent_that_repeats_what_it_was_given_proves_nothing(bench: Bench, said: str) -> None:
    memory = given_to(bench)
    before = bench.get(memory)
    report = bench.take(("user", "hello"), ("assistant", said))
    assert (report.proposed, report.duplicates) == (0, 1)
    assert bench.get(memory) == before
    assert len(evidence.list_of_memory(bench.db, memory.id)) == 1
    bench.check()


def test_an_agent_that_found_it_by_itself_corroborates_it(bench: Bench) -> None:
    memory = given_to(bench, session=OTHER)
    bench.take(("user", "hello"), ("assistant", "claim the kiln is fired with oil"))
    assert len(evidence.list_of_memory(bench.db, memory.id)) == 2


def test_an_agent_that_says_something_else_is_heard(bench: Bench) -> None:
    given_to(bench)
    assert (
        bench.take(("user", "hello"), ("assistant", "claim the kiln is fired with gas")).proposed
        == 1
    )


def test_the_operators_own_word_counts_whatever_the_agent_was_given(bench: Bench) -> None:
    memory = given_to(bench)
    bench.take(("user", "hello"), ("user", "fact the kiln is fired with oil"))
    assert len(evidence.list_of_memory(bench.db, memory.id)) == 2


def test_what_an_agent_asked_for_itself_while_it_ran_was_given_to_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = known(bench)
    monkeypatch.setattr(clock, "now", lambda: "2026-03-04T05:06:01.500Z")
    assert bench.agent.search(Query("kiln oil", bench.agent.place(bench.home))).items
    bench.agent.write_logs()
    monkeypatch.undo()
    bench.take(("user", "hello"), ("assistant", "claim the kiln is fired with oil"))
    assert len(evidence.list_of_memory(bench.db, memory.id)) == 1


# -- a fork replays its parent ------------------------------------------------


def test_a_fork_proposes_nothing_of_what_its_parent_told_and_lends_it_no_weight(
    bench: Bench,
) -> None:
    told = (("user", "fact the kiln is fired with oil"), ("assistant", "claim the door is north"))
    assert bench.take(*told).proposed == 2
    before = [memory for memory in bench.all() if memory.type != "episode"]
    report = bench.take(*told, ("user", "fact the glaze is blue"), session=OTHER)
    assert (report.proposed, report.duplicates) == (1, 2)
    assert [bench.get(memory) for memory in before] == before
    assert [len(evidence.list_of_memory(bench.db, memory.id)) for memory in before] == [1, 1]
    bench.check()


def test_a_fork_does_not_bring_back_what_the_operator_corrected_meanwhile(bench: Bench) -> None:
    told = (("user", "fact the kiln is fired with oil"), ("assistant", "noted"))
    bench.take(*told)
    memory = bench.one("inbox")
    bench.operator.promote([memory.id])
    bench.operator.records.edit(memory.id, {"content": "The kiln burns gas since March."})
    assert bench.take(*told, session=OTHER).proposed == 0


def test_the_same_words_at_another_time_are_another_word_for_it(bench: Bench) -> None:
    bench.take(("user", "fact the kiln is fired with oil"))
    bench.take(("assistant", "hello"), ("user", "fact the kiln is fired with oil"), session=OTHER)
    assert len(evidence.list_of_memory(bench.db, bench.one("inbox").id)) == 2
