"""What the operator wants left out is refused before anything of it is written, by whatever way
it comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import Bench, jsonl
from conftest import Ran
from corpus import SECRETS
from drawing import sample

from memctl.core.errors import ConfigError, RefusedByPolicy
from memctl.core.model import NewMemory, Query
from memctl.hook import run_hook
from memctl.readers.base import Input
from memctl.settings.config import load_config
from memctl.store import sources, spool
from memctl.text.private_blocks import PRIVATE

SECRET = "the merger is called Bluebird"


def ignore(bench: Bench, **lists: list[str]) -> None:
    bench.settings(capture__ignore={"projects": [], "paths": [], "patterns": [], **lists})


def everything(folder: Path) -> bytes:
    """All bytes below a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize(
    "lists", [{"projects": ["Kiln"]}, {"paths": ["*/kiln"]}, {"paths": ["**/kil?"]}]
)
def test_a_session_of_an_ignored_place_is_refused_and_nothing_of_it_is_written(
    bench: Bench, lists: dict[str, list[str]]
) -> None:
    (bench.home / ".git").mkdir()
    ignore(bench, **lists)
    with pytest.raises(RefusedByPolicy, match=r"not stored: capture\.ignore"):
        bench.capture(("user", SECRET))
    assert b"Bluebird" not in everything(bench.path.parent) and b"kiln" not in everything(
        bench.path.parent
    )


def test_a_folder_below_an_ignored_one_is_ignored_too(bench: Bench) -> None:
    ignore(bench, paths=[str(bench.folder / "kiln")])
    source = Input(data=jsonl(("user", SECRET), cwd=str(bench.home / "deep" / "er")))
    with pytest.raises(RefusedByPolicy):
        bench.agent.capture_session(source)


def test_a_home_folder_is_written_with_a_tilde(bench: Bench, home: Path) -> None:
    ignore(bench, paths=["~/clients/*"])
    source = Input(data=jsonl(("user", SECRET), cwd=str(home / "clients" / "blue")))
    with pytest.raises(RefusedByPolicy):
        bench.agent.capture_session(source)


def test_a_transcript_that_lies_in_an_ignored_place_is_refused(bench: Bench) -> None:
    ignore(bench, paths=["*/secret-transcripts"])
    file = bench.folder / "secret-transcripts" / "a.jsonl"
    file.parent.mkdir()
    file.write_bytes(jsonl(("user", SECRET)))
    with pytest.raises(RefusedByPolicy):
        bench.agent.capture_conversation(file)


def test_a_marker_in_the_folder_keeps_memctl_out(bench: Bench) -> None:
    (bench.home / ".memctl.yaml").write_text("ignore: true\n")
    with pytest.raises(RefusedByPolicy, match=r"\.memctl\.yaml"):
        bench.capture(("user", SECRET))


def test_another_place_is_taken_in_as_ever(bench: Bench) -> None:
    ignore(bench, projects=["other"], paths=["/somewhere/else"])
    assert bench.capture(("user", "hello")).state == "captured"


def test_a_session_that_was_stored_before_is_refused_now(bench: Bench) -> None:
    bench.capture(("user", "hello"))
    ignore(bench, paths=[str(bench.home)])
    with pytest.raises(RefusedByPolicy):
        bench.capture(("user", "hello"))


def test_a_memory_for_an_ignored_project_is_refused(bench: Bench) -> None:
    bench.capture(("user", "hello"))
    (bench.home / ".memctl.yaml").write_text("project: kiln\n")
    bench.capture(("user", "hello again"), session="5e551011-0000-4000-8000-00000000000b")
    ignore(bench, projects=["kiln"])
    with pytest.raises(RefusedByPolicy):
        bench.operator.ingest([NewMemory("project", SECRET, project="kiln")])


def test_a_hook_says_nothing_and_leaves_no_request(bench: Bench, db: Path, home: Path) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("capture:\n  ignore:\n    paths: ['*/kiln']\n")
    transcript = bench.folder / "a.jsonl"
    transcript.write_bytes(jsonl(("user", SECRET), cwd=str(bench.home)))
    call = {
        "session_id": "5e551011-0000-4000-8000-00000000000a",
        "transcript_path": str(transcript),
        "cwd": str(bench.home),
    }
    bench.operator.config = load_config(db)
    bench.operator.init()
    for event in ("SessionEnd", "Stop"):
        assert (
            run_hook(
                "claude-code",
                event,
                json.dumps(
                    {**call, "hook_event_name": event, "last_assistant_message": SECRET}
                ).encode(),
            )
            == ""
        )
    assert spool.list_files(load_config(db)) == [] and b"Bluebird" not in everything(db.parent)


def test_what_an_own_expression_matches_goes_as_a_pattern(bench: Bench) -> None:
    ignore(bench, patterns=[r"KILN-\d{4}"])
    report = bench.capture(("user", "ticket KILN-4711 of KILN-4711"))
    text = sources.read_turns(bench.db, report.items[0].source_id)[0].text
    assert text.startswith("ticket [REDACTED:pattern:") and "4711" not in text
    assert len(set(text.split()) - {"ticket", "of"}) == 1


@pytest.mark.parametrize(
    ("section", "why"),
    [
        ("patterns: ['(a+)+']", "cannot be used"),
        ("patterns: ['(']", "no regular expression"),
        ("projects: kiln", "list of texts"),
        ("folders: []", "has projects, paths, patterns"),
    ],
)
def test_a_list_that_cannot_be_meant_is_an_error_of_the_config(
    home: Path, section: str, why: str
) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(f"capture:\n  ignore:\n    {section}\n")
    with pytest.raises(ConfigError, match=why):
        load_config()


def test_a_private_block_is_left_out_before_anything_is_written(bench: Bench) -> None:
    bench.settings(capture__keep_raw=True)
    said = f"fact the kiln is oil fired <private>{SECRET}</private> and old"
    report = bench.capture(("user", said), ("assistant", f"noted <private>{SECRET}"))
    bench.maintain()
    turns = sources.read_turns(bench.db, report.items[0].source_id)
    assert (
        turns[0].text == f"fact the kiln is oil fired {PRIVATE} and old"
        and turns[1].text == f"noted {PRIVATE}"
    )
    assert b"Bluebird" not in (sources.read_original(bench.db, report.items[0].source_id) or b"")
    bench.operator.close()
    bench.agent.close()
    assert b"Bluebird" not in everything(bench.path.parent)


def test_a_capture_says_how_many_secrets_it_took_out(
    bench: Bench, memctl: Callable[..., Ran]
) -> None:
    first, second = (sample(SECRETS["github classic"], seed) for seed in ("a", "b"))
    said = f"{first.text} and {first.secrets[0]} and {second.text}, password=hunter2!"
    report = bench.capture(("user", said), ("assistant", "never mind"))
    assert dict(report.items[0].redacted) == {"github": 2, "password": 1}
    again = bench.capture(("user", said), ("assistant", "never mind"), ("user", "more"))
    assert again.items[0].outcome == "grown" and dict(again.items[0].redacted) == {}
    file = bench.folder / "other.jsonl"
    file.write_bytes(jsonl(("user", said), session="5e551011-0000-4000-8000-00000000000b"))
    shown = memctl("capture-session", str(file), "--db", str(bench.path))
    assert "3 secrets removed (2 github, 1 password)" in shown.stdout


def test_what_is_asked_in_an_ignored_place_is_answered_and_not_kept(bench: Bench) -> None:
    bench.put("the merger is handled by Ottoline")
    ignore(bench, paths=["*/kiln"])
    assert bench.agent.search(Query(SECRET, place=bench.agent.place(bench.home / "deep"))).items
    bench.agent.write_logs()
    assert b"Bluebird" not in everything(bench.path.parent) and PRIVATE.encode() in everything(
        bench.path.parent
    )


def test_a_prompt_in_an_ignored_place_is_answered_and_not_kept(
    bench: Bench, db: Path, home: Path
) -> None:
    folder = home / ".config" / "memctl"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("capture:\n  ignore:\n    paths: ['*/kiln']\n")
    bench.operator.config = load_config(db)
    bench.put("the merger is handled by Ottoline")
    call = {"session_id": "s1", "cwd": str(bench.home), "prompt": SECRET}
    assert "Ottoline" in run_hook("claude-code", "UserPromptSubmit", json.dumps(call).encode())
    assert b"Bluebird" not in everything(db.parent) and PRIVATE.encode() in everything(db.parent)


def test_what_is_asked_elsewhere_is_kept(bench: Bench) -> None:
    ignore(bench, paths=["*/kilns"])
    bench.operator.init()
    bench.agent.search(Query(SECRET, place=bench.agent.place(bench.home)))
    bench.agent.write_logs()
    assert b"Bluebird" in everything(bench.path.parent)
