"""The hook entry: `memctl-hook AGENT EVENT` with the agent's JSON on stdin. Every agent waits for it, some erase a prompt when it fails.

Kept true here: the exit code is 0; stdout holds nothing or exactly one JSON object of that agent's contract; stderr stays empty;
trouble goes to `hook.log` beside the store. Where there is no store, none is made and nothing is said; a capture then waits in the spool.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl import agents, clock, config, leaving
from memctl.agents import Agent, HookCall
from memctl.errors import MemctlError
from memctl.typed import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from memctl.config import Config
    from memctl.engine import MemoryEngine

LOG_LIMIT, LINE_LIMIT = 1_000_000, 1000
MEGABYTE = 1024 * 1024
CHARACTERS_A_TOKEN = 4
# Writers among themselves are patient; what a hook cannot write by then waits in the spool.
PATIENCE_SECONDS = 0.8
_HELP = ("", "-h", "--help")
USAGE = f"""\
Usage: memctl-hook AGENT EVENT [JSON]

Serves one call of an agent's hook, with the agent's JSON on standard input. Always exits 0; trouble goes to hook.log beside the store.
Agents: {", ".join(agents.AGENTS)}.
Example: memctl-hook claude-code SessionStart < input.json
"""
# Enough of the environment to find the store when the settings themselves are at fault.
_PLACES = ("HOME", "XDG_DATA_HOME", "MEMCTL_DB")


class HookTrouble(Exception):
    """The hook was called in a way that cannot be served."""


def main() -> NoReturn:
    """The `memctl-hook` command. Codex's `notify` gives its JSON as the last argument instead of stdin."""
    leaving.this_process_ends_here()
    gc.disable()  # what would be collected goes with the process in a moment
    agent, event, given = (*sys.argv[1:4], "", "", "")[:3]
    # Whoever called may have gone or given up: then nobody is left to tell, and nothing of ours may look like a failure.
    with contextlib.suppress(OSError, KeyboardInterrupt):
        is_person = agent in _HELP and sys.stdout is not None and sys.stdout.isatty()
        answer = USAGE if is_person else run_hook(agent, event, os.fsencode(given) if given else _stdin())
        if answer and sys.stdout is not None:
            sys.stdout.write(answer)
            sys.stdout.flush()
    # The answer is out; taking the interpreter apart would cost a tenth of the whole call.
    os._exit(0)


def run_hook(agent: str, event: str, raw: bytes, db: Path | None = None) -> str:
    """Serve one hook call: the text to print, which is empty or one JSON object. Never raises; trouble is logged."""
    try:
        return _serve(agent, event, raw, db)
    except Exception as error:  # the outermost place: a hook must not fail its agent, whatever happened inside
        _log(db, f"{agent} {event}", error)
        return ""


def _serve(agent_name: str, event: str, raw: bytes, db: Path | None) -> str:
    agent = agents.find_agent(agent_name)
    if agent is None:
        raise HookTrouble(f"no such agent; known are {', '.join(agents.AGENTS)}")
    call = agents.read_call(agent, event, _payload(raw))
    # A model that memctl itself calls may be an agent with our hooks in it; an agent that goes on because of a hook stops twice.
    if call.meaning == "none" or call.is_repeat or config.environ().get("MEMCTL_HOOK_ACTIVE"):
        return ""
    settings = config.load(db)
    if call.meaning in ("start", "prompt"):
        return _context(agent, call, settings)
    _capture(agent, call, settings)
    return ""


def _context(agent: Agent, call: HookCall, settings: Config) -> str:
    """What this project, or this prompt, calls for, in the agent's own JSON."""
    is_prompt = call.meaning == "prompt"
    if not agents.takes_context(agent, call.event) or not settings.db.exists() or (is_prompt and not call.prompt):
        return ""
    engine = _engine(agent, settings)
    try:
        place = engine.place(Path(call.cwd) if call.cwd else None, agent=agent.name, session=call.session_id)
        # Within what the agent takes, so that nothing has to be cut off that the log then says was given.
        budget = min(settings["context.prompt_budget" if is_prompt else "context.budget"], agent.limit // CHARACTERS_A_TOKEN)
        report = engine.context_for(place=place, task=call.prompt, budget=budget, prompt_only=is_prompt, session_start=not is_prompt)
        answer = agents.render_output(agent, call.event, engine.format_for_injection(report))
        try:
            engine.write_logs()
        except MemctlError as error:
            _log(settings.db, f"{agent.name} {call.event}", error)
        return answer
    finally:
        leaving.release(engine)


def _capture(agent: Agent, call: HookCall, settings: Config) -> None:
    """Take the transcript in, or leave a request for it where that would take long or there is no store yet."""
    transcript = agents.locate_transcript(agent, call, config.environ())
    if transcript is None:
        raise HookTrouble(f"no transcript of session {call.session_id} at {call.transcript or 'its usual place'}")
    whose: dict[str, Any] = {"agent": agent.name, "session_id": call.session_id, "trigger": f"hook:{call.event}"}
    size, cwd = transcript.stat().st_size, Path(call.cwd) if call.cwd else None
    with _engine(agent, settings) as engine:
        if size > settings["capture.hook_limit_mb"] * MEGABYTE or not settings.db.exists():
            engine.request_capture(transcript, **whose)
            return
        with _safe_from_a_kill(engine, transcript, whose) if size > MEGABYTE else contextlib.nullcontext():
            engine.capture_session(transcript, cwd=cwd, **whose)


@contextlib.contextmanager
def _safe_from_a_kill(engine: MemoryEngine, transcript: Path, whose: Mapping[str, Any]) -> Iterator[None]:
    """A request that stays behind only if this process is killed: at the end of a session some agents wait no longer than 1.5 s."""
    request = engine.request_capture(transcript, **whose).spool_file
    try:
        yield
    finally:
        if request is not None:
            Path(request).unlink(missing_ok=True)


def _engine(agent: Agent, settings: Config) -> MemoryEngine:
    from memctl.engine import MemoryEngine
    from memctl.model import Actor

    return MemoryEngine(settings, Actor(f"agent:{agent.name}"), patience=PATIENCE_SECONDS)


def _stdin() -> bytes:
    """What the agent wrote, or nothing when a person called us from a terminal."""
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()


def _payload(raw: bytes) -> Mapping[str, Any]:
    """The agent's JSON object; nothing at all is an empty one."""
    try:
        value = json.loads(raw.decode("utf-8-sig", "replace")) if raw.strip() else {}
    except (ValueError, RecursionError) as error:
        raise HookTrouble("stdin is not JSON") from error
    if not isinstance(value, dict):
        raise HookTrouble("stdin is not a JSON object")
    return value


def _log(db: Path | None, call: str, error: BaseException) -> None:
    """One line in `hook.log` beside the store, without secrets and harmless to show; where that folder is missing or full, silence."""
    from memctl import secrecy

    try:
        place = _where(db)
        secrecy.enter(place)
        words = secrecy.redact(" ".join(f"{call}: {type(error).__name__}: {error}"[: 4 * LINE_LIMIT].split()))[:LINE_LIMIT]
        _append(place.db.parent / "hook.log", f"{clock.now()} {''.join(map(_shown, words))}\n")
    except (OSError, MemctlError):
        return


def _shown(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def _append(path: Path, line: str) -> None:
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_suffix(".log.1"))
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(line)


def _where(db: Path | None) -> Config:
    env = {name: value for name, value in config.environ().items() if name in _PLACES}
    return config.load(db, env={**env, "MEMCTL_CONFIG": os.devnull})
