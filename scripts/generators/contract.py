"""docs/json.md: the envelope, every result's fields, and a real example of each, made by running
the real commands in an empty house.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import tempfile
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import typer

from memctl import results
from memctl.cli import cli_results as cli_data
from memctl.cli.main import app
from memctl.core import model
from memctl.core.frozen import fields
from memctl.setup import targets

SAMPLE = Path(__file__).resolve().parent.parent / "demo-session.jsonl"
# Result, the commands that answer with it, and the command line of the example (`ID`s are filled in
# from what came before).
SHAPES: tuple[tuple[type, str, str], ...] = (
    (results.StatusReport, "init, status", "memctl init"),
    (
        results.IngestReport,
        "ingest, profile set",
        'memctl ingest "Use SQLite" --type decision --rationale "one small box" --json',
    ),
    (results.SetupReport, "setup", "memctl setup windsurf --dry-run --json"),
    (results.UninstallReport, "uninstall", "memctl uninstall --dry-run --json"),
    (results.TimelineReport, "timeline", "memctl timeline harbor-tides --json"),
    (results.ReportFile, "report", "memctl report --json"),
    (
        results.CaptureReport,
        "capture-session, capture-conversation",
        "memctl capture-session session.jsonl --agent claude-code --json",
    ),
    (results.BackfillReport, "backfill", "memctl backfill --dry-run --json"),
    (
        results.MemoriesReport,
        "import-memories, vault import",
        "memctl import-memories CLAUDE.md --dry-run --json",
    ),
    (results.MaintainReport, "maintain", "memctl maintain --json"),
    (results.StepsReport, "maintain --steps", "memctl maintain --steps --json"),
    (results.Page, "list, inbox, profile list", "memctl inbox --limit 1 --json"),
    (
        results.ChangeReport,
        "inbox --approve, promote, edit, confirm, correct, forget, link",
        "memctl promote ID --json",
    ),
    (
        cli_data.ReviewReport,
        "inbox --edit, inbox --review",
        "memctl inbox --reject ID --approve OTHER --json",
    ),
    (results.FeedbackReport, "feedback", "memctl feedback good ID --json"),
    (results.PinReport, "pin, unpin", "memctl pin ID --json"),
    (results.RecordView, "show", "memctl show ID --json"),
    (results.SearchReport, "search", 'memctl search "harbour tide API" --limit 1 --json'),
    (results.WhyNot, "search --why-not", 'memctl search "harbour tide API" --why-not OTHER --json'),
    (
        results.ContextReport,
        "context",
        'memctl context --task "call the tide API" --budget 200 --json',
    ),
    (
        results.ViewReport,
        "view save, list, show, delete",
        'memctl view save rules "tide API" --kind constraint --since 30d --json',
    ),
    (results.MemoryExplanation, "explain (a record)", "memctl explain ID --json"),
    (results.RetrievalExplanation, "explain (a retrieval)", "memctl explain RETRIEVAL --json"),
    (results.ReplayReport, "explain --replay", "memctl explain RETRIEVAL --replay --json"),
    (results.RedactionReport, "redact", "memctl redact --scan --json"),
    (results.DigestReport, "digest", "memctl digest --peek --limit 1 --json"),
    (results.DailyReport, "daily", "memctl daily --json"),
    (results.DreamReport, "dream", "memctl dream --stage --json"),
    (
        results.RebuildReport,
        "maintain --rebuild-from-history",
        "memctl maintain --rebuild-from-history --dry-run --json",
    ),
    (results.RevertReport, "revert", "memctl revert ID --dry-run --json"),
    (results.PurgeReport, "purge", "memctl purge OTHER --dry-run --json"),
    (results.ConflictsReport, "conflicts", "memctl conflicts --json"),
    (results.ResolveReport, "resolve", "memctl resolve CONFLICT --dismiss --dry-run --json"),
    (results.TagList, "list --tags", "memctl list --tags --json"),
    (results.VaultReport, "vault init, sync, status", "memctl vault init notes --json"),
    (results.SyncReport, "sync, sync join", "memctl sync ./shared --as Vera --yes --json"),
    (results.SyncStatusReport, "sync status", "memctl sync status --json"),
    (results.ShareReport, "sync share", "memctl sync share --json"),
    (results.InviteReport, "sync invite", "memctl sync invite Ines --json"),
    (results.MembersReport, "sync members, remove", "memctl sync members --json"),
    (results.LeaveReport, "sync leave", "memctl sync leave --yes --json"),
    (results.BrowseReport, "ls, tree", "memctl ls / --limit 2 --json"),
    (results.PathNames, "ls --complete", "memctl ls --complete /pro --json"),
    (results.Reading, "cat", "memctl cat '/entities/tool/*' --limit 1 --json"),
    (
        results.ConversationList,
        "source list",
        "memctl source list --all-projects --limit 1 --json",
    ),
    (
        results.ConversationView,
        "source show",
        "memctl source show SOURCE --turn 0 --around 0 --json",
    ),
    (
        results.TurnSearchReport,
        "search --turns",
        "memctl search --turns season --all-projects --limit 1 --json",
    ),
    (results.EntityList, "entity list", "memctl entity list --limit 1 --json"),
    (results.EntityReport, "entity show", "memctl entity show SQLite --json"),
    (results.EntityChange, "entity merge, split, alias", "memctl entity alias SQLite lite --json"),
    (results.ConsolidationReport, "consolidate", "memctl consolidate --dry-run --json"),
    (results.LogReport, "log", "memctl log changes --limit 1 --json"),
    (
        results.ProjectReport,
        "project list, show, alias, link, adopt, apart, settle",
        "memctl project list --json",
    ),
    (
        results.TransferReport,
        "export, import, backup, restore",
        "memctl export memories.jsonl --json",
    ),
    (results.StatsReport, "stats", "memctl stats --json"),
    (results.QualityReport, "stats quality", "memctl stats quality --json"),
    (
        results.MuteReport,
        "stats quality --mute, --unmute",
        "memctl stats quality --mute commands.checks --json",
    ),
    (results.ModelReport, "model status", "memctl model status --json"),
    (results.DoctorReport, "doctor", "memctl doctor --json"),
    (cli_data.SettingsReport, "config", "memctl config --json"),
)
# Parts of results, described once.
PARTS: tuple[type, ...] = (
    results.SyncedPlace,
    results.SharedProject,
    results.SyncMember,
    results.SyncMachine,
    results.BrowseEntry,
    results.ConversationItem,
    results.ConversationTurn,
    results.TurnQuote,
    results.TurnHit,
    results.VaultChange,
    results.EntityItem,
    results.EntityRole,
    results.EntityGroup,
    results.RelatedEntity,
    results.EntitySource,
    results.Conflict,
    results.ConflictSide,
    results.ResolveStep,
    results.StepReport,
    results.StepState,
    results.Saved,
    results.KeptData,
    results.TimelineDay,
    results.TimelineItem,
    results.SetupItem,
    results.SetupFile,
    results.BackfillAgent,
    results.MemoryFile,
    results.Proposal,
    results.Captured,
    results.Refusal,
    results.Hit,
    results.NearMiss,
    results.RevertStep,
    results.MemoryDocument,
    results.MemoryLine,
    results.DiaryEntry,
    results.DigestEntry,
    results.Difference,
    results.DigestChange,
    results.SavedView,
    results.ContextSection,
    results.ContextItem,
    results.EvidenceCheck,
    results.ReplayChange,
    results.RedactionSpot,
    results.Account,
    results.MutedRule,
    results.ModelUse,
    results.ModelTrouble,
    results.SettingChange,
    results.ConsolidationStep,
    results.Check,
    results.ProjectView,
    results.Doubt,
    cli_data.SettingInForce,
    model.Memory,
    model.Evidence,
    model.Link,
    model.Event,
    model.Job,
    model.Source,
    model.Project,
    model.EntityRef,
)

HEAD = """\
<!-- Made by scripts/generate; do not edit. -->
# JSON output

Every command with `--json` prints one object on one line, whatever happened:

```json
{"memctl": 1, "command": "show", "status": "ok", "data": {}, "errors": []}
```

| key | what it holds |
|---|---|
| `memctl` | the version of the envelope, 1; it rises when one of these five keys goes or changes its meaning. Before memctl 1.0 fields inside `data` may be renamed: CHANGELOG.md lists each. New ones may come at any time |
| `command` | the command, such as `inbox` or `profile set`; empty if none was recognised |
| `status` | `ok`; `problems`: done, with something to look at (exit code 1, or 21 if all was refused); `error`: not done, `data` is null |
| `data` | the result; the main list of a result is called `items` |
| `errors` | `code`, `message` and `hint` (or null) of what went wrong; `code` is a class of [exit-codes.md](exit-codes.md), or `Problem` |

Times are ISO 8601 UTC. Trust is a word: `operator_said`, `operator_implied`, `tool_result`, `agent_claimed`, `fetched_text`. Characters
that could mislead a terminal are `\\u` escapes. `export` and `config --example` print their file itself when `--json` is not given;
`memctl hook` prints what the agent's contract asks for, never this envelope.

An error:

"""


def json_contract() -> str:
    """The document."""
    with tempfile.TemporaryDirectory() as folder, _house(Path(folder)):
        error, examples = _examples(Path(folder))
    shapes = "\n".join(
        _shape(cls, commands, line, example)
        for (cls, commands, line), example in zip(SHAPES, examples, strict=True)
    )
    parts = "\n".join(_part(cls) for cls in PARTS)
    return f"{HEAD}{_block(error)}\n## Results\n\n{shapes}\n## Parts\n\n{parts}"


def _shape(cls: type, commands: str, line: str, example: Any) -> str:
    said = f"`{line}` prints (here laid out, ids and times replaced, long lists cut):"
    return (
        f"### {cls.__name__}\n\n{_doc(cls)}\n\nAnswer "
        f"of: {commands}.\n\n{_table(cls)}\n{said}\n\n{_block(example)}"
    )


def _part(cls: type) -> str:
    return f"### {cls.__name__}\n\n{_doc(cls)}\n\n{_table(cls)}"


def _doc(cls: type) -> str:
    return " ".join((cls.__doc__ or "").split())


def _table(cls: type) -> str:
    kinds = typing.get_type_hints(cls)
    rows = [
        f"| `{f.name}` | {_kind(kinds[f.name])} |"
        for f in fields(cls)
        if not (cls in _FLAT and f.name == _FLAT[cls])
    ]
    flat = {"memory": "the fields of Memory", "record": "the fields of Memory and RecordView"}.get(
        _FLAT.get(cls, "")
    )
    return "\n".join(
        ["| field | kind |", "|---|---|", *([f"| ... | {flat} |"] if flat else []), *rows, ""]
    )


# Records are flattened: what belongs to a record stands beside its own fields.
_FLAT = {results.RecordView: "memory", results.Hit: "record"}
_PLAIN = {
    str: "text",
    int: "number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Any: "any",
}


def _kind(kind: Any) -> str:
    """A type in words."""
    arguments = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if origin is typing.Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is not Ellipsis:
        return f"pair of {' and '.join(map(_kind, arguments))}"
    if origin is tuple:
        return f"list of {_kind(arguments[0])}"
    if origin is not None and issubclass(
        origin if isinstance(origin, type) else int, typing.Mapping
    ):  # type: ignore[arg-type]
        return f"object of {_kind(arguments[1])} by name"
    if arguments:
        return " or ".join(_kind(part) for part in arguments)
    return str(kind.__name__)


@contextlib.contextmanager
def _house(folder: Path) -> Iterator[None]:
    """An empty HOME, a project folder to stand in, and the operator at work."""
    home, work = folder / "home", folder / "harbor-tides"
    # An agent that is here, whatever else is.
    (home / ".codeium" / "windsurf").mkdir(parents=True)
    work.mkdir()
    (work / "CLAUDE.md").write_text("# Harbor\n\n- Never round a depth up\n")
    past = home / ".codex" / "sessions" / "2026" / "03" / "01" / "rollout-1.jsonl"
    past.parent.mkdir(parents=True)
    past.write_text(
        '{"timestamp": "2026-03-01T09:00:00Z", "type": "session_meta", "payload": {"id": "T1"}}\n'
    )
    (work / "session.jsonl").write_text(SAMPLE.read_text().replace("/demo/harbor-tides", str(work)))
    before = Path.cwd()
    settings = folder / "config.yaml"
    settings.write_text("operator:\n  require_terminal: false\n")
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), "MEMCTL_CONFIG": str(settings)}
    # The page must not depend on where the checkout is: memctl warns of commands in a temporary
    # folder.
    env["TMPDIR"] = str(folder / "tmp")
    (folder / "tmp").mkdir()
    # What is found by meaning depends on what is installed.
    env["MEMCTL_EMBEDDING_MODEL"] = "none"
    with mock.patch.dict(os.environ, env, clear=True):
        os.chdir(work)
        try:
            yield
        finally:
            os.chdir(before)


def _examples(folder: Path) -> tuple[Any, list[Any]]:
    """What each example command prints, ids and times replaced."""
    tame, known, made = _Tamer(folder), {}, []
    for _, _, line in SHAPES:
        if known.get("ID") is None and "ID" in line:
            known = _candidates()
        if line.startswith("memctl show"):
            known["ID"] = _run("memctl list --type decision --json")["data"]["items"][0]["id"]
        if line.startswith("memctl source show"):
            listed = _run("memctl source list --all-projects --json")
            known["SOURCE"] = listed["data"]["items"][0]["id"]
        if line.startswith("memctl conflicts"):
            known["CONFLICT"] = _conflict(known)
        answer = _run(
            " ".join(known.get(word, word) for word in shlex.split(line))
            if '"' not in line
            else _filled(line, known)
        )
        known |= (
            {"RETRIEVAL": answer["data"]["retrieval_id"]}
            if "retrieval_id" in answer["data"]
            else {}
        )
        made.append(_cut(tame(answer)))
    return tame(_run("memctl show 01NONE --json")), made


def _filled(line: str, known: dict[str, str]) -> str:
    return re.sub(r"\b(ID|OTHER)\b", lambda found: known.get(found[0], found[0]), line)


def _candidates() -> dict[str, str]:
    items = _run("memctl inbox --all --json")["data"]["items"]
    wanted = [item["id"] for item in items if item["type"] != "decision"]
    return {"ID": wanted[0], "OTHER": wanted[1]}


def _conflict(known: dict[str, str]) -> str:
    _run(f"memctl link {known['ID']} contradicts {known['OTHER']}")
    return str(_run("memctl conflicts --json")["data"]["items"][0]["id"])


def _run(line: str) -> Any:
    said = io.StringIO()
    words = shlex.split(line)[1:]
    with contextlib.redirect_stdout(said):
        typer.main.get_command(app).main(
            [*words, *([] if "--json" in words else ["--json"])], standalone_mode=False
        )
    return json.loads(said.getvalue())


class _Tamer:
    """Replaces what differs from run to run by something that does not; all ids become one."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.scripts = str(
            (targets.find_command("memctl-hook") or Path("/nowhere/memctl-hook")).parent
        )

    def __call__(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict) and value and all(_ID.fullmatch(key) for key in value):
            value = dict(
                sorted(
                    value.items(),
                    key=lambda item: str(
                        item[1]["content"] if isinstance(item[1], dict) else item[1]
                    ),
                )[:1]
            )
        if isinstance(value, dict):
            return {self._text(key): self(item, key) for key, item in value.items()}
        if isinstance(value, list):
            # What was written in one millisecond has no order.
            return [
                self(item, name)
                for item in (sorted(value, key=_quote) if name == "evidence" else value)
            ]
        if name in _COUNTS and value:
            return 7
        if name in _STAND_INS and isinstance(value, str):
            return _STAND_INS[name]
        if name == "short":
            return _EXAMPLE_ID[:10]  # how long it must be to be unique is chance
        if isinstance(value, float) or name in _VARYING:
            return {"confidence": value}.get(name, 1000 if isinstance(value, int) else 0.5)
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        text = text.replace(self.folder, "/home/you").replace(self.scripts, "/home/you/.local/bin")
        text = _ID.sub(lambda found: _EXAMPLE_ID[: len(found[0])], text)
        text = re.sub(r"\b[0-9A-HJKMNP-TV-Z]{26}\b", _EXAMPLE_ID, text)
        text = re.sub(r"\bmemctl-[\w-]{100,}", "memctl-Al3WnOfc...", text)
        text = re.sub(r"-01[0-9a-hjkmnp-tv-z]{8}\.md\b", f"-{_EXAMPLE_ID[:10].lower()}.md", text)
        text = re.sub(
            r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-03-09T14:00:00.000Z", text
        )
        text = re.sub(
            r"\b20\d\d-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z", "2026-03-09T14-00-00.000Z", text
        )
        text = re.sub(r"\b(observed|last on) 20\d\d-\d\d-\d\d", r"\1 2026-03-09", text)
        # Days as a daily note and MEMORY.md write them, and the hashes of lines with ids in them.
        text = re.sub(r"^20\d\d-\d\d-\d\d$", "2026-03-09", text)
        text = re.sub(r"\bUTC[+-]\d\d:\d\d\b", "UTC+00:00", text)
        text = re.sub(r"\b\d{1,2} [A-Z][a-z]{2} 20\d\d\b", "9 Mar 2026", text)
        text = re.sub(r"\b20\d\d-\d\d-\d\d, [A-Z][a-z]+day\b", "2026-03-09, Monday", text)
        text = re.sub(
            r"(<!-- memctl daily )20[0-9-]{8}(?: [0-9a-f]{6})+", r"\g<1>2026-03-09 9f2c41", text
        )
        return re.sub(r"\b[0-9a-f]{64}\b", "9f2c...", text)


def _quote(evidence: Any) -> str:
    return str(evidence.get("quote") or evidence["evidence"]["quote"])


_ID = re.compile(r"\b01[0-9A-HJKMNP-TV-Z]{8}(?:[0-9A-HJKMNP-TV-Z]{16})?\b")
_EXAMPLE_ID = "01JV3KQX2M8Z4T6W1R5C7D9E0F"
# What depends on how much the extractors find in the sample.
_COUNTS = ("proposed", "inbox", "active", "total", "looked_at", "exported", "sent", "seq", "limit")
# What is made from keys, or names the machine.
_STAND_INS = {
    "machine": "26NEXT0GN0V4E2H6Y4BXR2PNEA",
    "group": "fbii52lgfikkuca2t7fqtq4zxqx4fww4",
    "label": "laptop",
}
_VARYING = ("bytes_out", "size_bytes", "stored_bytes", "original_bytes", "tokens", "duration_ms")


def _cut(value: Any) -> Any:
    """At most one item of a list."""
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item) for item in value[:1]]
    return value


def _block(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=1, ensure_ascii=False)}\n```\n"
