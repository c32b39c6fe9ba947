"""Which way upkeep runs, and when it last did."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memctl.core import clock, timestamps
from memctl.results.store import UpkeepState
from memctl.settings.config import STARTED_BY_TIMER, Config
from memctl.store import meta
from memctl.store.database import Database

TIMERS = ("cron", "systemd", "launchd")
HOOKS = "hooks"
NOTHING = "nothing"
# The keys of what is noted of the last whole run: when it began, and who started it.
LAST_RUN = "last_maintained"
STARTED_BY = "maintained_by"
# What a hook, and `maintain --log`, which timers run, leave in the environment.
BY_HOOK = "MEMCTL_STARTED_BY_HOOK"
BY_TIMER = STARTED_BY_TIMER
_LAUNCHD_LABEL = "memctl.maintain"
# Days for which a run that a timer started shows that there is one. Chosen by hand.
_FRESH_DAYS = 2.0
_TIMER = "timer"
_AGENTS_WITH_HOOKS = frozenset(
    ("claude-code", "codex", "gemini-cli", "cursor", "copilot", "opencode", "windsurf")
)
_MCP = "mcp-"


def name_starter(environ: Mapping[str, str], process: int) -> str:
    """Name what started a run: `hook`, a timer, or nothing (a person or a program of theirs)."""
    if BY_HOOK in environ:
        return "hook"
    # systemd names the process that it started, not those that come of it.
    if environ.get("SYSTEMD_EXEC_PID") == str(process):
        return "systemd"
    if environ.get("XPC_SERVICE_NAME") == _LAUNCHD_LABEL:
        return "launchd"
    return "cron" if BY_TIMER in environ else ""


def find_upkeep(db: Database, config: Config) -> UpkeepState:
    """Find which way upkeep runs here: by a timer, by hooks, or not at all."""
    last_run = meta.get_time(db, LAST_RUN)
    started_by = meta.get_note(db, STARTED_BY) or ""
    timer, has_hooks = _read_setup(config)
    is_fresh = (
        last_run is not None and timestamps.days_between(last_run, clock.now()) <= _FRESH_DAYS
    )
    if timer is None and is_fresh and started_by in TIMERS:
        timer = started_by  # one that the person wrote
    has_hooks = has_hooks or (is_fresh and started_by == "hook")
    way = timer or (HOOKS if has_hooks and config["maintain.auto"] else NOTHING)
    return UpkeepState(way, last_run, started_by or None)


def _read_setup(config: Config) -> tuple[str | None, bool]:
    """Read which timer setup installed, and whether it connected an agent that has hooks."""
    if not config.db.with_name(f"{config.db.name}.setup.json").exists():
        return None, False
    from memctl.setup import manifest  # only where there is one

    entries = manifest.load_manifest(config).entries
    timers = [_name_timer(Path(entry.path)) for entry in entries if entry.agent == _TIMER]
    has_hooks = any(
        entry.agent in _AGENTS_WITH_HOOKS and not entry.editor.startswith(_MCP) for entry in entries
    )
    return (timers[0] if timers else None), has_hooks


def _name_timer(path: Path) -> str:
    if path.suffix == ".plist":
        return "launchd"
    return "systemd" if path.suffix in (".service", ".timer") else "cron"
