"""What memctl is for, in nine stories, each told through the real command in processes of its
own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from bench import jsonl
from conftest import Ran, run_command

Command = Callable[..., Ran]


@pytest.fixture
def folders(tmp_path: Path, db: Path) -> dict[str, Path]:
    """Two projects of one operator: a harbour's tide tables and a mill's web shop."""
    made = {name: tmp_path / name for name in ("tides", "mill")}
    for folder in made.values():
        folder.mkdir()
    return made


@pytest.fixture
def operator(pty_memctl: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The operator's own hand: the command at a controlling terminal, in a folder if one is
    named.
    """

    def run(*words: object, cwd: Path | None = None, **given: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.chdir(cwd or Path.cwd())
            done = pty_memctl(*words, "--json", **given)
        assert done.code == 0, done.stdout
        # At a terminal a progress bar may stand before the answer.
        return json.loads(done.stdout[done.stdout.index('{"memctl"') :])["data"]

    return run


def done(*words: object, code: int = 0, **given: Any) -> Any:
    """The data of a command that an agent runs; its exit code must be as said."""
    ran = run_command(*words, "--json", **given)
    assert ran.code == code, (words, ran.stdout, ran.stderr)
    return ran.data


def record(data: Any) -> Any:
    return data["items"][0]["record"]


def contents(items: list[Any]) -> list[str]:
    return [item["content"] for item in items]


def cited(context: Any) -> str:
    return " ".join(item["text"] for section in context["sections"] for item in section["items"])


def test_1_an_agent_gets_the_global_preferences_and_its_projects_conventions_without_anothers_noise(
    folders: dict[str, Path], operator: Command
) -> None:
    operator("profile", "set", "language", "Answer in British English")
    # What instructs other agents waits until the operator has seen it.
    done("ingest", "Heights are kept in centimetres", "--kind", "convention", cwd=folders["tides"])
    done("ingest", "Run the checks with make check", "--kind", "command", cwd=folders["tides"])
    for n in range(20):
        done(
            "ingest",
            f"Prices of flour number {n} are kept in cents",
            "--kind",
            "convention",
            cwd=folders["mill"],
        )
    before = done("context", "--task", "add a port to the table of heights", cwd=folders["tides"])
    assert "centimetres" not in before["text"] and "make check" not in before["text"]
    assert len(operator("inbox", "--approve-all")["changed"]) == 22
    told = done("context", "--task", "add a port to the table of heights", cwd=folders["tides"])
    assert told["project"] == "tides"
    for wanted in ("British English", "centimetres", "make check"):
        assert wanted in told["text"]
    assert "flour" not in told["text"]
    assert told["tokens"] <= told["budget"]


def test_2_a_decision_of_one_project_appears_in_another_only_when_linked_or_strongly_relevant(
    folders: dict[str, Path], operator: Command
) -> None:
    decision = "Store every timestamp in UTC and convert at the edge"
    done(
        "ingest",
        decision,
        "--type",
        "decision",
        "--rationale",
        "local times repeat when clocks change",
        cwd=folders["tides"],
    )
    done("ingest", "The shop is written in Go", cwd=folders["mill"])
    weak = done("search", "which timestamp does the invoice show", cwd=folders["mill"])
    assert decision not in contents(weak["items"])
    assert decision not in cited(
        done("context", "--task", "show the invoice's timestamp", cwd=folders["mill"])
    )
    strong = done(
        "search", "store every timestamp in UTC and convert at the edge", cwd=folders["mill"]
    )
    assert contents(strong["items"])[:1] == [decision]
    operator("project", "link", "mill", "tides", "--reason", "one API")
    linked = done("search", "which timestamp does the invoice show", cwd=folders["mill"])
    assert decision in contents(linked["items"])


def test_3_a_preference_saved_by_hand_is_there_at_once_before_any_embedding(
    folders: dict[str, Path], operator: Command
) -> None:
    operator("profile", "set", "commits", "Write commit messages in the imperative")
    found = done("search", "commit messages", cwd=folders["tides"])
    assert "imperative" in contents(found["items"])[0] and "no_vectors" in found["flags"]
    assert "imperative" in done("context", cwd=folders["mill"])["text"]
    assert done("list", "--type", "profile")["items"][0]["trust"] == "operator_said"


SESSION = (
    ("user", "Always use pnpm in this project, never npm."),
    ("assistant", "Understood. I will use pnpm from now on."),
    (
        "user",
        "And we decided to keep the sessions in Redis because Postgres was too slow for them.",
    ),
    ("assistant", "I moved the session store to Redis and ran the checks; all 41 passed."),
)


def test_4_an_imported_conversation_stays_raw_until_extracted_then_waits_and_is_then_promoted(
    folders: dict[str, Path], operator: Command
) -> None:
    source = jsonl(*SESSION, cwd=str(folders["mill"]))
    captured = done("capture-conversation", "-", stdin=source)
    assert (captured["state"], captured["items"][0]["turns"]) == ("captured", 4)
    assert done("search", "pnpm", cwd=folders["mill"])["items"] == []
    assert done("inbox", "--all")["total"] == 0
    assert done("maintain")["proposed"] >= 1
    waiting = next(item for item in done("inbox", "--all")["items"] if "pnpm" in item["content"])
    assert (waiting["status"], waiting["project"]) == ("inbox", "mill")
    assert done("search", "pnpm", "--type", waiting["type"], cwd=folders["mill"])["items"] == []
    assert (
        "pnpm" in waiting["evidence"][0]["quote"]
        and waiting["evidence"][0]["source_id"] == captured["items"][0]["source_id"]
    )
    operator("promote", waiting["short"])
    assert waiting["id"] in [
        item["id"] for item in done("search", "pnpm", cwd=folders["mill"])["items"]
    ]
    explained = done("explain", waiting["id"])
    assert {check["state"] for check in explained["evidence"]} == {"intact"}


def test_5_capture_at_the_end_of_a_session_returns_without_extracting(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    long = [(role, f"{text} ({n})") for n in range(400) for role, text in SESSION]
    transcript = tmp_path / "session.jsonl"
    transcript.write_bytes(
        jsonl(*long, cwd=str(folders["mill"])).replace(b"2026-03-04T05:06:", b"2026-03-04T05:")
    )
    done("init")
    hook = {
        "session_id": "s",
        "transcript_path": str(transcript),
        "cwd": str(folders["mill"]),
        "hook_event_name": "SessionEnd",
    }
    ran = run_command("hook", "claude-code", "SessionEnd", stdin=json.dumps(hook))
    assert (ran.code, ran.stdout) == (0, "")
    status = done("status")
    assert (status["sources"], status["records"], status["queue"]) == (1, {}, {"queued": 1})
    assert done("maintain")["jobs_done"] == 1
    assert done("status")["queue"] == {"done": 1}


def test_6_two_facts_that_contradict_each_other_stand_side_by_side_with_state_and_evidence(
    folders: dict[str, Path],
) -> None:
    one = record(done("ingest", "The default branch is main", cwd=folders["mill"]))
    two = record(done("ingest", "The default branch is trunk", cwd=folders["mill"]))
    for first, second in ((one, two), (two, one)):
        shown = done("show", first["id"])
        assert (shown["status"], shown["contradicted_by"]) == ("contradicted", [second["id"]])
        assert shown["evidence"][0]["quote"] == first["content"]
    told = done("context", "--task", "which is the default branch", cwd=folders["mill"])["text"]
    assert f"disputed by [{one['short']}]" in told and f"disputed by [{two['short']}]" in told
    done("correct", two["id"], "The default branch is main, as everywhere")
    assert done("show", one["id"])["status"] == "active"


def test_7_results_explain_their_parts(folders: dict[str, Path]) -> None:
    done("ingest", "The importer retries three times", cwd=folders["mill"])
    found = done("search", "how often does the importer retry", cwd=folders["mill"])
    hit = found["items"][0]
    assert {"lexical", "semantic", "scope", "freshness", "confidence", "trust"} <= set(hit["parts"])
    assert (
        hit["matched_scope"] == "project"
        and hit["why"]
        and hit["evidence"]
        and 0 < hit["score"] <= 1
    )
    explained = done("explain", found["retrieval_id"])
    assert explained["retrieval"]["query"] == "how often does the importer retry"
    assert hit["id"] in json.dumps(explained["retrieval"]["candidates"])
    why_not = done(
        "search", "how often does the importer retry", "--why-not", hit["id"], cwd=folders["tides"]
    )
    assert why_not["sentence"]


def test_8_export_and_import_preserve_everything(
    folders: dict[str, Path], operator: Command, tmp_path: Path
) -> None:
    operator("profile", "set", "language", "Answer in British English")
    operator("profile", "set", "language", "Answer in Portuguese")
    done("ingest", "The default branch is main", "--entity", "tool:git", cwd=folders["mill"])
    done("ingest", "The default branch is trunk", cwd=folders["mill"])
    gone = record(done("ingest", "Ünïcode “quotes” 漢字 \u202e and a secret", cwd=folders["mill"]))
    operator("forget", gone["id"], "--reason", "private")
    done("capture-session", "--agent", "claude-code", _written(tmp_path, folders["mill"]))
    done("maintain")
    operator("project", "link", "mill", _registered(folders["tides"]))
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    operator("export", first)
    other = {"MEMCTL_DB": str(tmp_path / "other" / "memory.db")}
    assert operator("import", first, "--from", "mine", env=other)["problems"] == []
    operator("export", second, env=other)
    (head, mark, *lines), (other_head, other_mark, *others) = map(_split_export, (first, second))
    assert (head, lines) == (other_head, others) and lines
    assert mark and other_mark, "each store marks its own exports with its own key"
    assert done("search", "default branch", cwd=folders["mill"], env=other)["items"]
    assert done("doctor", env=other)


def _split_export(path: Path) -> list[bytes]:
    """An export's first line without its mark, the mark, and all other lines as they are."""
    head, *lines = path.read_bytes().splitlines(keepends=True)
    mark = json.loads(head)["mark"].encode()
    return [head.replace(mark, b""), mark, *lines]


def _written(tmp_path: Path, project: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(jsonl(*SESSION, cwd=str(project)))
    return path


def _registered(folder: Path) -> str:
    done("ingest", "The gauge is read every six minutes", cwd=folder)
    return folder.name


@pytest.mark.proof
def test_9_sixteen_processes_capture_ingest_search_and_build_context_at_once_and_nothing_is_lost(
    folders: dict[str, Path], db: Path
) -> None:
    done("init")

    def work(n: int) -> Iterator[Ran]:
        turns = [(role, f"{text} (worker {n})") for role, text in SESSION]
        source = jsonl(*turns, session=f"session-{n}", cwd=str(folders["mill"]))
        yield run_command(
            "capture-session",
            "--agent",
            "claude-code",
            _file(folders["tides"], n, source),
            "--json",
        )
        yield run_command("ingest", f"Silo {n} holds {n + 1} tonnes", "--json", cwd=folders["mill"])
        yield run_command("search", f"silo {n}", "--json", cwd=folders["mill"])
        yield run_command("context", "--task", f"empty silo {n}", "--json", cwd=folders["mill"])

    with ThreadPoolExecutor(16) as pool:
        ran = [each for some in pool.map(lambda n: list(work(n)), range(16)) for each in some]
    assert len(ran) == 64
    assert [(each.code, each.stdout, each.stderr) for each in ran if each.code] == []
    report = done("maintain")
    assert report["problems"] == []
    status = done("status")
    assert (status["sources"], status["spool"], status["projects"]) == (16, 0, 1)
    kept = contents(done("list", "--type", "project", "--limit", 100)["items"])
    assert {f"Silo {n} holds {n + 1} tonnes" for n in range(16)} <= set(kept)
    assert len(done("log", "retrievals", "--limit", 100)["retrievals"]) == 32
    assert done("doctor")


def _file(folder: Path, n: int, content: bytes) -> Path:
    path = folder.parent / f"session-{n}.jsonl"
    path.write_bytes(content)
    return path
