"""Every test runs in an empty house: no real HOME, XDG_*, MEMCTL_* or agent's environment, no
network, cwd in a temporary folder.

Fixtures: `home` (the empty HOME), `db` (where MEMCTL_DB points; no file is there yet), `memctl`
(the real command in a process of its own) and `pty_memctl` (the same with a controlling terminal,
as if a person sat there).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pexpect
import pytest
from bench import Bench
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# A busy machine is no reason to fail: no property has a deadline, and slow generation is no fault.
hypothesis_settings.register_profile(
    "memctl",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("memctl")

# What a process needs to start; all else is taken away, so that no agent, editor or operator shines
# through.
KEPT = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "SYSTEMROOT",
    "TMPDIR",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
)
COMMAND = (sys.executable, "-m", "memctl")
# What can be taken away from a whole run, and the settings that do it, in this process and in every
# child.
WITHOUT = {
    "extension": {"MEMCTL_EMBEDDING_EXTENSION": "false"},
    "weights": {"MEMCTL_EMBEDDING_WEIGHTS": os.devnull + "/missing"},
    "kernel": {"MEMCTL_EMBEDDING_BACKEND": "numpy"},
}
WITHOUT_NAMES = {name for settings in WITHOUT.values() for name in settings}


TESTS = Path(__file__).resolve().parent
# One file a package for `scripts/test --quick`: the one that would fail first.
QUICK = {
    "agents/test_hook_contracts.py",
    "benchmarks/test_loaders.py",
    "capture/test_session.py",
    "cli/test_cli_contract.py",
    "consolidate/test_relations.py",
    "core/test_frozen.py",
    "curate/test_approval.py",
    "embed/test_find.py",
    "engine/test_public.py",
    "erase/test_purge.py",
    "examples/test_examples.py",
    "exchange/test_merge.py",
    "extract/test_operator.py",
    "history/test_undo.py",
    "hook/test_hook.py",
    "importers/test_kinds.py",
    "journal/test_dream.py",
    "llm_plugin/test_llm_program.py",
    "llm/test_shape.py",
    "maintain/test_plan.py",
    "mcp/test_protocol.py",
    "patterns/test_pattern_candidates.py",
    "proofs/test_promises.py",
    "readers/test_claude_code.py",
    "records/test_projects.py",
    "redact/test_redact.py",
    "results/test_public_names.py",
    "retrieve/test_search.py",
    "settings/test_config.py",
    "setup/test_setup_jsonc.py",
    "store/test_records.py",
    "sync/test_applying.py",
    "test_architecture.py",
    "text/test_dates.py",
    "tools/test_toolset.py",
    "vault/test_plan.py",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--without weights`: the same tests where a part of what makes vectors is missing."""
    parser.addoption("--quick", action="store_true", help="one test file a package")
    parser.addoption("--without", choices=sorted(WITHOUT), help="run as if this were missing")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """With `--quick`, leave out every test file that is not in QUICK."""
    if not config.getoption("--quick") or not collection_path.name.startswith("test_"):
        return None
    return collection_path.relative_to(TESTS).as_posix() not in QUICK or None


def pytest_configure(config: pytest.Config) -> None:
    """Take it away before anything is collected."""
    config.addinivalue_line(
        "markers",
        "needs(part): the part itself is what is tested; such a test has no place in a run "
        "without it",
    )
    os.environ.update(WITHOUT.get(config.getoption("--without"), {}))
    # A shell starts what it puts into the background deaf to Ctrl-C, and every child is so too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of the very part that a run is without; a run that has everything runs
    everything.
    """
    missing = config.getoption("--without")
    kept = [
        item
        for item in items
        if not any(missing in mark.args for mark in item.iter_markers("needs"))
    ]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


# What runs a timer, in this machine's own tables: no test may see it, whatever it has installed.
TIMER_TOOLS = {"crontab", "launchctl", "systemctl"}


@pytest.fixture(scope="session")
def system_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The system's own programs (/usr/bin and /bin), as a PATH, but for those of TIMER_TOOLS."""
    if not any(shutil.which(name, path="/usr/bin:/bin") for name in TIMER_TOOLS):
        return "/usr/bin:/bin"
    folder = tmp_path_factory.mktemp("system")
    for program in (*Path("/bin").iterdir(), *Path("/usr/bin").iterdir()):
        link = folder / program.name
        if program.name not in TIMER_TOOLS and not link.is_symlink():
            link.symlink_to(program)
    return str(folder)


# No hook of a test starts a program beside it, and what waits is told where a test asks for it.
QUIET_HOOKS = {"MEMCTL_MAINTAIN_AUTO": "false", "MEMCTL_HOOK_NOTICES": "false"}


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run of the command left behind."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON value it must be."""
        return json.loads(self.stdout)

    @property
    def data(self) -> Any:
        """The envelope's data."""
        return self.json["data"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The empty folder that HOME points to."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def clean_house(
    home: Path, tmp_path: Path, system_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Empty the environment, then furnish it with an empty HOME and a working folder of the
    test's own.
    """
    for name in set(os.environ) - set(KEPT) - set(WITHOUT_NAMES):
        monkeypatch.delenv(name)
    kept = [
        folder
        for folder in os.environ.get("PATH", "").split(os.pathsep)
        if not any((Path(folder) / name).exists() for name in TIMER_TOOLS)
    ]
    furnished = {
        "PATH": os.pathsep.join([*kept, system_path]),
        "HOME": home,
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_CACHE_HOME": home / ".cache",
        "LLM_USER_PATH": home / ".llm",
        "GIT_CONFIG_GLOBAL": home / ".gitconfig",
        "GIT_CONFIG_NOSYSTEM": 1,
        # What tests make beside it counts as no temporary file.
        "TMPDIR": tmp_path / "scratch",
        "TZ": "UTC",
        "COLUMNS": 120,
        "TERM": "dumb",
        "NO_COLOR": 1,
        **QUIET_HOOKS,
    }
    for name, value in furnished.items():
        monkeypatch.setenv(name, str(value))
    work = tmp_path / "work"
    for folder in (work, tmp_path / "scratch"):
        folder.mkdir()
    monkeypatch.chdir(work)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt of this process to reach a host fails the test."""

    def refuse(*_args: object, **_kwargs: object) -> NoReturn:
        raise AssertionError("a test tried to reach the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "create_connection", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where MEMCTL_DB points for this test. The file does not exist until something makes it."""
    path = tmp_path / "store" / "memory.db"
    path.parent.mkdir(exist_ok=True)  # `bench` may have made it
    monkeypatch.setenv("MEMCTL_DB", str(path))
    return path


def run_command(
    *args: object,
    stdin: str | bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    timeout: float = 60,
) -> Ran:
    """Run the command in a process of its own, without a controlling terminal."""
    done = subprocess.run(
        [*COMMAND, *map(str, args)],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        timeout=timeout,
        start_new_session=True,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def memctl() -> Callable[..., Ran]:
    """`memctl("search", "x", "--json", stdin=..., env=..., cwd=...)` runs the real command and
    returns code, stdout, stderr, json.
    """
    return run_command


@pytest.fixture
def pty_memctl() -> Iterator[Callable[..., Ran]]:
    """The real command with a controlling terminal; `answers` are pairs of what to wait for (a
    regex) and the line to type then.
    """
    children: list[pexpect.spawn] = []

    def run(
        *args: object,
        answers: Sequence[tuple[str, str]] = (),
        env: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> Ran:
        child = pexpect.spawn(
            COMMAND[0],
            [*COMMAND[1:], *map(str, args)],
            encoding="utf-8",
            timeout=timeout,
            dimensions=(50, 120),
            env={**os.environ, "TERM": "xterm", **(env or {})},
        )
        children.append(child)
        seen = ""
        for wait_for, line in answers:
            child.expect(wait_for)
            seen += (child.before or "") + (child.after or "")
            child.sendline(line)
        child.expect(pexpect.EOF)
        child.close()
        code = child.exitstatus if child.exitstatus is not None else -(child.signalstatus or 0)
        return Ran(code, (seen + (child.before or "")).replace("\r\n", "\n"), "")

    yield run
    for child in children:
        child.close(force=True)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """One empty store with its operator, an agent, and an extractor that does as told (see
    `bench.py`).
    """
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.operator.close()
    made.agent.close()
