"""What people read is true: generated files are fresh, every command and snippet that is shown
works, every link leads somewhere.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from memctl.cli import command_table
from memctl.cli.declarations import EXAMPLES
from memctl.cli.main import COMMANDS, app
from memctl.cli.text.formatting import FLAG_MEANINGS
from memctl.core.errors import exit_codes
from memctl.core.frozen import is_dataclass
from tests.sync.postgres_server import Server, run_server

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
SESSION = ROOT / "scripts" / "demo-session.jsonl"
# Where pages show commands that only a person at a terminal can finish.
INTERACTIVE = ("--edit", "--review", "--editor", "restore memory-2026-03-09.db")


def test_generated_files_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "generate", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), "run scripts/generate"


def shown(page: Path) -> Iterator[str]:
    """Every command line that a page shows in a block: fenced or indented, with or without a
    prompt.
    """
    fence = ""
    for line in page.read_text().splitlines():
        if line.lstrip().startswith("```"):
            fence = "" if fence else line.strip()
            continue
        # A fence of `text` shows a picture; outside of fences a command is indented.
        if fence == "```text" or (not fence and not line.startswith("    ")):
            continue
        text = line.strip().removeprefix("$ ")
        if re.match(r"memctl(-hook)? [a-z-]", text) and not text.startswith(
            ("memctl: ", "memctl -")
        ):
            yield text.partition("  #")[0].strip()
        elif "| memctl " in text and not line.startswith("|") and "* * *" not in text:
            yield text


def spoken(page: Path) -> Iterator[str]:
    """Every command that a page names in a sentence."""
    plain = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    yield from (
        found
        for found in re.findall(r"`(memctl [^`\n]+)`", plain)
        if not found.startswith("memctl -")
    )


BLOCKS = sorted({(page.name, line) for page in PAGES for line in shown(page)})
SENTENCES = sorted({(page.name, line) for page in PAGES for line in spoken(page)})


PREPARE = """\
memctl ingest 'Tide data comes from the harbour office' --kind fact
memctl ingest 'The office bills each call' --kind fact
cd ../sea-charts && memctl ingest 'Charts are vectors' && cd ../harbor-tides
memctl view save rules --kind constraint
memctl view save planning --context --phase plan
memctl project alias sea-charts name harbor-tides-2
mkdir ../sky-charts && cd ../sky-charts
memctl ingest "Skies are charted too" && cd ../harbor-tides
memctl project alias harbor-tides name tides
memctl profile set editor vi
memctl ingest 'Vitaly draws the charts' --kind note --entity person:Vitaly
memctl ingest 'Vitya sails on Sundays' --kind note --entity person:Vitya --entity tool:Redis
memctl ingest 'Olga keeps the books' --kind note --entity person:Olga
memctl entity alias Olga Olya
memctl ingest 'Olya answers on Mondays' --kind note --entity person:Olya
memctl ingest 'Ines repairs the nets' --kind note --entity person:Ines
memctl ingest 'Inez has the keys' --kind note --entity person:Inez
memctl entity merge Ines Inez
memctl entity alias Ines 'my boss'
memctl backup memory-2026-03-09.db
memctl export memories.jsonl
memctl dream --stage
memctl vault init ~/notes/memory
mkdir ~/notes/old && echo '- Always run make check before a push.' > ~/notes/old/rules.md
mkdir ~/Sync
memctl sync ~/Sync/memctl --as Vera --yes
memctl sync ~/Sync/team --yes
memctl --db ~/ines/memory.db init
INES=$(memctl sync invite Ines --admin --json | CODE)
memctl --db ~/ines/memory.db sync join ~/Sync/team $INES --yes
memctl sync
"""
# Picks the invitation out of an answer.
CODE = 'python -c \'import json, sys; print(json.load(sys.stdin)["data"]["code"])\''


class House:
    """A project folder with the files that the pages name, beside a store that holds something;
    made new for each command.
    """

    def __init__(self, folder: Path) -> None:
        self.pristine, self.live = folder / "pristine", folder / "live"
        self.env = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.live),
            "MEMCTL_DB": str(self.live / "memory.db"),
            "MEMCTL_CONFIG": str(folder / "config.yaml"),
            "EDITOR": "true",
            # Elsewhere, so that this folder counts as no place for temporary files.
            "TMPDIR": str(folder / "scratch"),
        }
        (folder / "config.yaml").write_text("operator:\n  require_terminal: false\n")
        _commands(folder / "bin")
        _files(self.live / "harbor-tides")
        (self.live / "sea-charts").mkdir()
        self._shell(PREPARE.replace("CODE", CODE), check=True)
        self.ids = re.findall(
            r'"id": "(01\w{24})", "type"',
            self._shell("memctl list --kind fact --json", check=True).stdout,
        )
        self._shell(f"memctl link {self.ids[0]} related_to {self.ids[1]}", check=True)
        self._shell(f"memctl link {self.ids[0]} contradicts {self.ids[1]}", check=True)
        changes = json.loads(self._shell("memctl log changes --json", check=True).stdout)["data"][
            "changes"
        ]
        self.seq = next(change["seq"] for change in changes if change["memory_id"] == self.ids[0])
        self.retrieval = json.loads(
            self._shell("memctl search 'tide data' --json", check=True).stdout
        )["data"]["retrieval_id"]
        staged = self._shell("memctl dream --history --json", check=True).stdout
        self.version = json.loads(staged)["data"]["items"][0]["id"]
        shutil.copytree(self.live, self.pristine)

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        """A shown line, with the operator at work."""
        shutil.rmtree(self.live)
        shutil.copytree(self.pristine, self.live)
        text = (
            re.sub(r"(--seq|revert) 41", rf"\1 {self.seq}", filled(line, self.ids))
            .replace("01JV4P7W2C", self.retrieval)
            .replace("01JV6D2M7A", self.version)
        )
        return self._shell(f"set -o pipefail\n{text}", check=False)

    def _shell(self, script: str, *, check: bool) -> subprocess.CompletedProcess[str]:
        cwd = self.live / "harbor-tides"
        words = ["bash", "-e", "-c", script] if check else ["bash", "-c", script]
        return subprocess.run(
            words,
            cwd=cwd,
            env=self.env,
            capture_output=True,
            text=True,
            check=check,
            timeout=120,
            stdin=subprocess.DEVNULL,
        )


def _files(work: Path) -> None:
    work.mkdir(parents=True)
    text = SESSION.read_text().replace("/demo/harbor-tides", str(work))
    call = (
        f'{{"session_id": "5f1d2c3b", "transcript_path": "{work}/session.jsonl", '
        f'"cwd": "{work}", "hook_event_name": "SessionEnd"}}'
    )
    texts = {
        "session.jsonl": text,
        "rollout.jsonl": text,
        "chat-export.json": text,
        "memories.yaml": "- content: Tests run with pytest -q\n  kind: command\n",
        "notes.md": "# Notes\n\nAlways store times in UTC, because clocks change.\n",
        "CLAUDE.md": "# Harbor\n\n- Never round a depth up\n- Charts are vectors\n",
        "AGENTS.md": "# Harbor\n\n- Run `pytest -q` before a commit\n",
        "hook-input.json": call,
        "input.json": call,
    }
    for name, content in texts.items():
        (work / name).write_text(content)


def _commands(bins: Path) -> None:
    """The two commands as an installation would put them on the PATH."""
    bins.mkdir()
    for name, module in (("memctl", "memctl.cli.main"), ("memctl-hook", "memctl.hook")):
        start = f"import sys; sys.argv[0] = {name!r}; from {module} import main; main()"
        (bins / name).write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(start)} "$@"\n'
        )
        (bins / name).chmod(0o755)
    # A table of timers that lives in the house.
    (bins / "crontab").write_text(
        '#!/bin/sh\ncase "$1" in -l) cat "$HOME/crontab" ;; *) cat "${1:--}" > "$HOME/crontab" '
        ";; esac\n"
    )
    (bins / "crontab").chmod(0o755)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return House(tmp_path_factory.mktemp("shown"))


@pytest.fixture(scope="module")
def hub() -> Iterator[Server]:
    """A PostgreSQL server with room for a hub."""
    with run_server() as server:
        yield server


def filled(line: str, ids: list[str]) -> str:
    """A shown line with real ids and files in place of the invented ones."""
    line = re.sub(r"\b01JV3KQX2M\b|\bID\b", ids[0], line)
    line = re.sub(r"\b01JV3K[A-Z0-9]{4}\b|\b01JV3M[A-Z0-9]{4}\b|\bOTHER\b", ids[1], line)
    # A view that is shown being saved is shown in use elsewhere, so there is one already.
    line = re.sub(r"^memctl view save (\S+)", r"memctl view delete \1; memctl view save \1", line)
    # A rule is known once it has proposed something.
    line = re.sub(
        r"^memctl stats quality --mute",
        r"memctl capture-session session.jsonl && memctl maintain && \g<0>",
        line,
    )
    # Somebody who joins takes part nowhere yet, and holds a code; nobody is there to be asked.
    line = re.sub(
        r"^memctl sync join (\S+) CODE",
        rf"memctl sync leave --yes && memctl sync join \1 "
        rf'"$(memctl --db ~/ines/memory.db sync invite Otto --place ~/Sync/team --json | {CODE})"'
        " --yes",
        line.replace("memctl sync join ~/Sync/memctl", "memctl sync join ~/Sync/team"),
    )
    line = re.sub(r"^memctl sync (leave|remove)\b(?!.*--yes)", r"\g<0> --yes", line)
    line = line.replace("memctl sync invite Ines", "memctl sync invite Otto")
    # Nothing here is older than the test.
    line = re.sub(r"--as-of ('3 days ago'|2026-03-01)", "--as-of 0s", line).replace(
        "=repo", "=global"
    )
    line = line.replace("~/.claude/projects/harbor/5f1d2c3b.jsonl", "session.jsonl").replace(
        "/media/stick/", "./copy-"
    )
    return line.replace("/tmp/try.db", "try.db").replace(
        "git log -1 --format=%B", "echo 'Add the tide table'"
    )


@pytest.mark.parametrize(
    ("page", "line"), [pair for pair in BLOCKS if not pair[1].endswith(INTERACTIVE)], ids=str
)
def test_a_command_that_is_shown_works(
    house: House, page: str, line: str, request: pytest.FixtureRequest
) -> None:
    if "postgresql://" in line:
        address = request.getfixturevalue("hub").make_database()
        line = re.sub(r"postgresql://\S+", lambda _: shlex.quote(address), line) + " --yes"
    done = house.run(line)
    assert "Traceback" not in done.stderr
    # 1 and 21 say that something needs a look, such as a candidate that is active already; all else
    # means that the page is wrong.
    assert done.returncode in (0, 1, 21), f"{page}: {line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize(("page", "line"), SENTENCES, ids=str)
def test_a_command_that_is_named_exists_with_its_options(page: str, line: str) -> None:
    words = [word for word in shlex.split(line)[1:] if word != "..."]
    name, *rest = command_table.complete_words(words)
    assert name in COMMANDS, f"{page} names `{line}`"
    command = typer.main.get_command(app).get_command(None, name)  # type: ignore[attr-defined]
    if hasattr(command, "list_commands") and rest:
        command = command.get_command(None, rest.pop(0))
    known = {
        spelling for param in command.params for spelling in (*param.opts, *param.secondary_opts)
    } | {"--help", "--db", "--json"}
    assert {word for word in rest if word.startswith("--")} <= known


def snippets(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.S)


@pytest.mark.parametrize(
    "code",
    [code for page in PAGES for code in snippets(page)],
    ids=lambda code: code.splitlines()[0][:40],
)
def test_a_snippet_that_is_shown_runs(tmp_path: Path, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_library_example_finds_what_it_wrote(tmp_path: Path) -> None:
    first = snippets(ROOT / "docs" / "library.md")[0]
    done = subprocess.run(
        [sys.executable, "-c", first], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("Tests run with pytest -q") == 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    links = [
        link.partition("#")[0]
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text())
        if "://" not in link
    ]
    assert [link for link in links if link and not (page.parent / link).exists()] == []


def test_the_page_of_json_describes_what_every_command_answers_with() -> None:
    pages = (ROOT / "memctl" / "cli" / "commands").glob("[a-z]*.py")
    modules = [importlib.import_module(f"memctl.cli.commands.{page.stem}") for page in pages]
    commands = [
        thing for module in modules for thing in vars(module).values() if hasattr(thing, EXAMPLES)
    ]
    answers = {typing.get_type_hints(command)["return"] for command in commands}
    named = {
        part.__name__
        for answer in answers
        for part in (typing.get_args(answer) or (answer,))
        if is_dataclass(part)
    }
    text = (ROOT / "docs" / "json.md").read_text()
    assert len(named) > 20
    # Raw is what a command prints as it is.
    assert [name for name in sorted(named - {"Raw"}) if f"### {name}\n" not in text] == []


def test_the_page_of_exit_codes_names_every_code() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text()
    assert all(f"| {code} | {meaning} |" in text for code, meaning in exit_codes().items())


def test_the_first_page_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_every_flag_of_an_answer_is_explained() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    assert [flag for flag in FLAG_MEANINGS if f"| `{flag}` |" not in text] == []


GUIDES = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md")
TOP = ("memctl", "tests", "sql", "scripts", "benchmarks", "docs", "contrib", "completions")
PLACEHOLDERS = re.compile(r"NAME|NNNN")


def named_paths(page: Path) -> set[str]:
    """Every path of the repository that a page names, placeholders left out."""
    words = re.findall(r"[\w./-]+", page.read_text(encoding="utf-8"))
    paths = {word.rstrip(".") for word in words if word.split("/")[0] in TOP and "/" in word}
    return {path for path in paths if not PLACEHOLDERS.search(path)}


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_every_path_that_a_guide_names_exists(page: Path) -> None:
    assert {path for path in named_paths(page) if not (ROOT / path).exists()} == set()


def test_the_picture_of_the_packages_has_the_order_that_is_held() -> None:
    from test_architecture import LAYERS

    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = [name for name in LAYERS if (ROOT / "memctl" / name).is_dir() or name == "hook"]
    shown = re.findall(r"^[ a-z]{17}([a-z]+) {2,}\S", text.split("```")[1], re.MULTILINE)
    assert shown == list(reversed(packages))
