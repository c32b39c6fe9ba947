"""The house in which the week is lived: a home with three repositories, the agents' settings as
`memctl setup` writes them, a store, and a clock that is moved for every process.

The commands in the agents' settings are run as the agents run them: by `sh -c`, their JSON on the
standard input. What the operator does, she does at a terminal.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pexpect

from benchmarks.week_files import WeekTranscript
from benchmarks.week_judge import HookAnswer, normalise
from benchmarks.week_talk import Exchange, WeekSession

COMMAND = (sys.executable, "-m", "memctl")
SHIM = Path(__file__).resolve().parent.parent / "tests/proofs/shim.c"
# What each agent calls a start, a prompt, the end of a turn, a compaction and the end.
EVENTS: Mapping[str, tuple[str, str, str | None, str | None, str | None]] = {
    "claude-code": ("SessionStart", "UserPromptSubmit", None, "PreCompact", "SessionEnd"),
    "codex": ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", None),
    "gemini-cli": ("SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd"),
}
SETTINGS = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
}
# A folder that is no repository: what is said there belongs to nothing that the store knows.
NO_REPOSITORY = "scratch"
# What she is asked about a candidate of no known project; what she approves of those holds anywhere.
WHERE_TO = r"Which project does it belong to\?[^\n]*\) $"
# Hours of the day (UTC) at which maintenance runs and the operator reads the inbox.
NIGHT = 2
MORNING = 7
# Seconds after which a process counts as hanging on a busy machine.
PATIENCE = 240


@dataclass(frozen=True)
class Ruling:
    """What the operator decides about a candidate: approve, reject, leave, or edit and approve;
    `instead`: approve it in the place of what it is shown to stand against.

    The `new_words` of an edit are the new content; those of an approval its reason, which a
    decision needs.
    """

    verdict: str
    project: str
    text: str
    new_words: str = ""


class WeekHouse:
    """One life of the week. Counts what happened; `problems` are what a user would stumble over."""

    def __init__(self, home: Path, data: Path) -> None:
        self.home = home.resolve()
        self.home.mkdir(parents=True, exist_ok=True)
        self.data = data
        self.asked = self.answered = self.captures = 0
        self.seen = self.approved = self.refused = 0
        self.undecided: list[str] = []
        self.problems: list[str] = []
        self.review: list[str] = []
        self.rules_files: dict[tuple[str, str], str] = {}
        self._decisions = list(_read_decisions(data / "decisions.tsv"))
        self.refused_texts = [each.text for each in self._decisions if each.verdict == "reject"]
        self._known: set[str] = set()
        self._moment = datetime(2026, 11, 16, 6, tzinfo=UTC)
        self._shim = self._build()
        self._furnish()

    def live(self, sessions: Sequence[WeekSession], until: str) -> list[HookAnswer]:
        """Live through the sessions, the nights and the mornings; every answer of a hook."""
        told: list[HookAnswer] = []
        days = sorted({talk.start[:10] for talk in sessions})
        for day in days:
            self._wake(day)
            for talk in [each for each in sessions if each.start[:10] == day]:
                told.extend(self._hold(talk))
        self._moment = datetime.fromisoformat(until).replace(tzinfo=UTC) + timedelta(
            days=1, hours=NIGHT
        )
        self._maintain()
        self._read_inbox()
        return told

    # The house

    def _build(self) -> Path:
        compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
        if compiler is None:
            raise SystemExit("week: the clock cannot be moved without a C compiler")
        made = self.home / "shim.so"
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-w", str(SHIM), "-o", str(made), "-ldl"],
            check=True,
        )
        return made

    def _furnish(self) -> None:
        for folder in ("src", ".claude", ".codex", ".gemini"):
            (self.home / folder).mkdir(exist_ok=True)
        for repository in sorted((self.data / "repositories").iterdir()):
            target = self.home / "src" / repository.name
            shutil.copytree(repository, target)
            if repository.name == NO_REPOSITORY:
                continue
            for words in (
                ("init", "-q", "-b", "main"),
                ("remote", "add", "origin", f"git@git.kolbe.example:ines/{repository.name}.git"),
                ("add", "-A"),
                (
                    "-c",
                    "user.name=Ines",
                    "-c",
                    "user.email=i@kolbe.example",
                    "commit",
                    "-qm",
                    "Begin",
                ),
            ):
                subprocess.run(["git", *words], cwd=target, check=True, env=self._environment())
            for agent, name in (
                ("claude-code", "CLAUDE.md"),
                ("codex", "AGENTS.md"),
                ("gemini-cli", "GEMINI.md"),
            ):
                if (target / name).exists():
                    self.rules_files[repository.name, agent] = (target / name).read_text()
        slugs = {
            str(self.home / "src" / name.name): name.name for name in (self.home / "src").iterdir()
        }
        (self.home / ".gemini/projects.json").write_text(json.dumps({"projects": slugs}))
        self._run_as_operator("init")
        self._run_as_operator("setup", "claude-code", "codex", "gemini", "--yes")
        for line in (self.data / "first_day.txt").read_text("utf-8-sig").splitlines():
            if line and not line.startswith("#"):
                folder, *words = line.split("\t")
                self._run_as_operator(*words, cwd=self.home / folder)

    def _environment(self) -> dict[str, str]:
        shift = int(self._moment.timestamp() - time.time())
        kept = {
            name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ
        }
        return {
            **kept,
            "HOME": str(self.home),
            "TZ": "Europe/Berlin",
            "LD_PRELOAD": str(self._shim),
            "SHIM_CLOCK": str(shift),
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    # A session

    def _hold(self, talk: WeekSession) -> Iterator[HookAnswer]:
        self._moment = datetime.fromisoformat(talk.start).replace(tzinfo=UTC)
        transcript = WeekTranscript(talk, self.home / "src" / talk.project, self.home, self._moment)
        begin, prompt, after_turn, compaction, end = EVENTS[talk.agent]
        said = self._ask(transcript, begin, source="startup")
        yield HookAnswer(talk.name, 0, talk, "", said, False)
        transcript.begin(said)
        for number, turn in enumerate(talk.turns, 1):
            if turn.after_compaction and compaction:
                self._ask(transcript, compaction, trigger="auto")
                transcript.add_compaction()
                if talk.agent != "gemini-cli":
                    said = self._ask(transcript, begin, source="compact")
                    yield HookAnswer(talk.name, number, talk, "", said, True)
            said = self._ask(transcript, prompt, prompt=turn.prompt)
            yield HookAnswer(talk.name, number, talk, turn.prompt, said, False)
            self._answer(transcript, turn, said, after_turn)
        if end:
            self._ask(
                transcript,
                end,
                reason="exit" if talk.agent == "gemini-cli" else "prompt_input_exit",
            )
        self._age(transcript)

    def _answer(
        self, transcript: WeekTranscript, turn: Exchange, said: str, after_turn: str | None
    ) -> None:
        transcript.add_prompt(turn, said)
        transcript.add_deeds(turn)
        transcript.moment += timedelta(seconds=75)
        self._moment = transcript.moment
        self._age(transcript)
        if after_turn:
            last = next((each.text for each in reversed(turn.deeds) if each.kind == "ai"), "")
            self._ask(
                transcript,
                after_turn,
                stop_hook_active=False,
                **(
                    {"prompt": turn.prompt, "prompt_response": last}
                    if after_turn == "AfterAgent"
                    else {"last_assistant_message": last}
                ),
            )

    def _age(self, transcript: WeekTranscript) -> None:
        """Give the transcript the time of the week, not that of this run."""
        if transcript.path.exists():
            seconds = transcript.moment.timestamp()
            os.utime(transcript.path, (seconds, seconds))

    def _ask(self, transcript: WeekTranscript, event: str, **more: Any) -> str:
        """Run the commands that setup wrote for an event; the context they answer with."""
        given = {
            "session_id": transcript.session,
            "transcript_path": str(transcript.path),
            "cwd": str(transcript.cwd),
            "hook_event_name": event,
            **({"timestamp": transcript.stamp()} if transcript.talk.agent == "gemini-cli" else {}),
            **({"model": "gpt-5.3-codex"} if transcript.talk.agent == "codex" else {}),
            **more,
        }
        said = []
        for command in self._commands(transcript.talk.agent, event):
            done = subprocess.run(
                ["sh", "-c", command],
                input=json.dumps(given),
                cwd=transcript.cwd,
                env=self._environment(),
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            where = f"{transcript.talk.name} {event}"
            if done.returncode or done.stderr.strip():
                self.problems.append(
                    f"{where}: exit {done.returncode}: {done.stderr.strip()[-300:]}"
                )
            if done.stdout.strip():
                answer = json.loads(done.stdout)["hookSpecificOutput"]
                if answer["hookEventName"] != event:
                    self.problems.append(f"{where}: answered as {answer['hookEventName']}")
                said.append(answer["additionalContext"])
        if "prompt_response" not in more and ("prompt" in more or "source" in more):
            self.asked += 1
            self.answered += bool(said)
        else:
            self.captures += 1
        return "\n".join(said)

    def _commands(self, agent: str, event: str) -> list[str]:
        settings = json.loads((self.home / SETTINGS[agent]).read_text())["hooks"]
        return [each["command"] for group in settings.get(event, []) for each in group["hooks"]]

    # The nights and the mornings

    def _wake(self, day: str) -> None:
        morning = datetime.fromisoformat(day).replace(tzinfo=UTC)
        self._moment = morning + timedelta(hours=NIGHT)
        self._maintain()
        self._moment = morning + timedelta(hours=MORNING)
        self._read_inbox()

    def _maintain(self) -> None:
        done = subprocess.run(
            [*COMMAND, "maintain", "--quiet"],
            cwd=self.home,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE * 4,
            check=False,
        )
        if done.returncode or done.stdout.strip() or done.stderr.strip():
            self.problems.append(
                f"maintain {self._moment:%m-%d}: exit {done.returncode}: "
                f"{(done.stdout + done.stderr).strip()[-500:]}"
            )

    def _read_inbox(self) -> None:
        """Read every candidate that is new, and decide."""
        data = json.loads(self._run_as_operator("inbox", "--all", "--json"))["data"]
        approved, refused = [], []
        for item in data["items"]:
            decision = self._decide(item.get("project") or "-", item["content"])
            verdict = decision.verdict
            if item["id"] not in self._known:
                self._known.add(item["id"])
                self.seen += 1
                self.review.append(
                    "\t".join(
                        (
                            f"{self._moment:%m-%d}",
                            verdict,
                            item.get("project") or f"({item['scope']})",
                            f"{item['type']}/{item['kind']}",
                            str(item.get("title")),
                            item["content"].replace("\n", " / "),
                        )
                    )
                )
            if verdict == "edit":
                words = decision.new_words
                self._run_as_operator("edit", item["id"], "--content", words, "--title", words)
            if verdict == "approve" and decision.new_words:
                why = ("--reason", decision.new_words)
                self._run_as_operator("inbox", "--approve", item["id"], *why)
                self.approved += 1
            elif verdict == "instead" and item.get("contradicted_by"):
                for other in item["contradicted_by"]:
                    self._run_as_operator("resolve", item["id"], other, "--keep", item["id"])
                self.approved += 1
            elif verdict in ("approve", "edit", "instead"):
                approved.append(item["id"])
            elif verdict == "reject":
                refused.append(item["id"])
            elif verdict == "undecided":
                self.undecided.append(f"{item.get('project')}\t{item['content']}")
        self._note_proposals(data)
        if refused:
            self._run_as_operator("inbox", *refused, "--reject", refused[0])
            self.refused += len(refused)
        if approved:
            self._run_as_operator("inbox", *approved, "--approve", approved[0])
            self.approved += len(approved)
        (self.home / "review.tsv").write_text("\n".join(self.review) + "\n")

    def _note_proposals(self, data: Mapping[str, Any]) -> None:
        for name in data:
            if "proposal" in name and data[name]:
                for each in data[name]:
                    text = json.dumps(each)[:400]
                    if text not in self._known:
                        self._known.add(text)
                        self.problems.append(f"proposal {self._moment:%m-%d}: {text}")

    def _decide(self, project: str, content: str) -> Ruling:
        wanted = normalise(content)
        for decision in self._decisions:
            if decision.project in ("*", project) and normalise(decision.text) == wanted:
                return decision
        return Ruling("undecided", project, content)

    def _run_as_operator(self, *words: str, cwd: Path | None = None) -> str:
        """Run a command at a terminal, as she does; what it printed."""
        child = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *words],
            encoding="utf-8",
            codec_errors="replace",
            timeout=PATIENCE,
            dimensions=(50, 400),
            cwd=str(cwd or self.home),
            env={**self._environment(), "TERM": "xterm"},
        )
        printed = ""
        while child.expect([pexpect.EOF, WHERE_TO]) == 1:
            printed += f"{child.before}{child.after}"
            child.sendline("g")
        child.close()
        printed = (printed + str(child.before or "")).replace("\r\n", "\n")
        if child.exitstatus:
            self.problems.append(
                f"{' '.join(words)[:120]}: exit {child.exitstatus}: {printed[-600:]}"
            )
        return printed


def _read_decisions(path: Path) -> Iterator[Ruling]:
    for line in path.read_text("utf-8-sig").splitlines():
        if line and not line.startswith("#"):
            yield Ruling(*line.split("\t"))
