"""The hook entry: `memctl-hook AGENT EVENT` with the agent's JSON on stdin. Every agent waits for it, some erase a prompt when it fails.

Kept true here: the exit code is 0; stdout holds nothing or exactly one JSON object of that agent's contract; stderr stays empty;
trouble goes to `hook.log` beside the store. Where there is no store, none is made and nothing is said; a capture then waits in the spool,
as it does where the transcript is not written yet, or lacks what the agent's JSON says was said.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.agents import hook_contracts
from memctl.agents.hook_contracts import AgentContract, HookCall
from memctl.core import clock, process_exit, timestamps
from memctl.core.errors import MemctlError, NothingInIt, RefusedByPolicy
from memctl.core.typing_lite import TYPE_CHECKING, Any, NoReturn
from memctl.settings import config

if TYPE_CHECKING:
    from memctl.engine.memory_engine import MemoryEngine
    from memctl.settings.config import Config

LOG_LIMIT, LINE_LIMIT = 1_000_000, 1000
MEGABYTE = 1024 * 1024
CHARACTERS_A_TOKEN = 4
# A per-turn hook does not read a large transcript again that was read a moment ago; it leaves a request.
SMALL_BYTES, PAUSE_SECONDS = 256 * 1024, 60.0
TAIL_BYTES = 256 * 1024
# Writers among themselves are patient; what a hook cannot write by then waits in the spool.
PATIENCE_SECONDS = 0.8
_HELP = ("", "-h", "--help")
USAGE = f"""\
Usage: memctl-hook AGENT EVENT [JSON]

Serves one call of an agent's hook, with the agent's JSON on standard input. Always exits 0; trouble goes to hook.log beside the store.
Agents: {", ".join(hook_contracts.AGENTS)}.
Example: memctl-hook claude-code SessionStart < input.json
"""
# Enough of the environment to find the store when the settings themselves are at fault.
_PLACES = ("HOME", "XDG_DATA_HOME", "MEMCTL_DB")


class HookTrouble(Exception):
    """The hook was called in a way that cannot be served."""


def main() -> NoReturn:
    """The `memctl-hook` command. Codex's `notify` gives its JSON as the last argument instead of stdin."""
    process_exit.this_process_ends_here()
    gc.disable()  # what would be collected goes with the process in a moment
    agent, event, given = (*sys.argv[1:4], "", "", "")[:3]
    # Whoever called may have gone or given up: then nobody is left to tell, and nothing of ours may look like a failure.
    with contextlib.suppress(OSError, KeyboardInterrupt):
        is_person = agent in _HELP and sys.stdout is not None and sys.stdout.isatty()
        answer = (
            USAGE
            if is_person
            else run_hook(agent, event, os.fsencode(given) if given else _stdin())
        )
        if answer and sys.stdout is not None:
            sys.stdout.write(answer)
            sys.stdout.flush()
    # The answer is out; taking the interpreter apart would cost a tenth of the whole call.
    os._exit(0)


def run_hook(agent: str, event: str, raw: bytes, db: Path | None = None) -> str:
    """Serve one hook call: the text to print, which is empty or one JSON object. Never raises; trouble is logged."""
    try:
        return _serve(agent, event, raw, db)
    except (
        Exception
    ) as error:  # the outermost place: a hook must not fail its agent, whatever happened inside
        _log(db, f"{agent} {event}", error)
        return ""


def _serve(agent_name: str, event: str, raw: bytes, db: Path | None) -> str:
    agent = hook_contracts.find_agent(agent_name)
    if agent is None:
        raise HookTrouble(f"no such agent; known are {', '.join(hook_contracts.AGENTS)}")
    payload = _payload(raw)
    call = hook_contracts.read_call(agent, event, payload)
    # A model that memctl itself calls may be an agent with our hooks in it; an agent that goes on because of a hook stops twice.
    if call.meaning == "none" or call.is_repeat or config.environ().get(config.HOOK_ACTIVE):
        return ""
    settings = config.load(db)
    if call.meaning in ("start", "prompt"):
        return _context(agent, call, settings)
    owner = hook_contracts.identify_agent(agent, payload, config.environ())
    with contextlib.suppress(RefusedByPolicy):  # what the operator wants left out is no trouble
        _capture(
            owner,
            call if owner is agent else hook_contracts.read_call(owner, event, payload),
            settings,
        )
    return ""


def _context(agent: AgentContract, call: HookCall, settings: Config) -> str:
    """What this project, or this prompt, calls for, in the agent's own JSON."""
    is_prompt = call.meaning == "prompt"
    if (
        not hook_contracts.accepts_context(agent, call.event)
        or not settings.db.exists()
        or (is_prompt and not call.prompt)
    ):
        return ""
    engine = _engine(agent, settings)
    try:
        place = engine.place(
            Path(call.cwd) if call.cwd else None, agent=agent.name, session=call.session_id
        )
        # Within what the agent takes, so that nothing has to be cut off that the log then says was given.
        budget = min(
            settings["context.prompt_budget" if is_prompt else "context.budget"],
            agent.limit // CHARACTERS_A_TOKEN,
        )
        report = engine.context_for(
            place=place,
            task=call.prompt,
            budget=budget,
            prompt_only=is_prompt,
            session_start=not is_prompt,
        )
        answer = hook_contracts.render_output(
            agent, call.event, engine.format_for_injection(report)
        )
        _afterwards(agent, call, settings, engine)
        return answer
    finally:
        process_exit.release(engine)


def _afterwards(agent: AgentContract, call: HookCall, settings: Config, engine: MemoryEngine) -> None:
    """What must not cost the answer: its log line, and at a start a look for sessions that ended without a word."""
    try:
        engine.write_logs()
        if call.meaning == "start":
            engine.captures.request_missed(call, config.environ())
    except (MemctlError, OSError) as error:
        _log(settings.db, f"{agent.name} {call.event}", error)


def _capture(agent: AgentContract, call: HookCall, settings: Config) -> None:
    """Take the transcript in, or leave a request for it where that would take long, or there is no store or no transcript yet."""
    environ = config.environ()
    transcript = hook_contracts.locate_transcript(agent, call, environ)
    expected = transcript or hook_contracts.read_transcript_path(call, environ)
    if expected is None and (call.is_sub or not hook_contracts.is_safe_session_id(call.session_id)):
        raise HookTrouble(_nowhere(call))
    cwd = Path(call.cwd) if call.cwd else None
    # A sub-agent's file tells its own id; the one that the call names is its parent's.
    whose: dict[str, Any] = {
        "agent": agent.name,
        "session_id": None if call.is_sub else call.session_id,
        "cwd": cwd,
    }
    whose["trigger"] = f"hook:{call.event}"
    with _engine(agent, settings) as engine:
        if (
            transcript is None
            or not settings.db.exists()
            or _may_wait(engine, call, transcript, settings)
        ):
            engine.captures.request(expected, said=call.said, **whose)
            return
        is_at_risk = call.meaning == "end" or transcript.stat().st_size > MEGABYTE
        with (
            _safe_from_a_kill(engine, transcript, whose) if is_at_risk else contextlib.nullcontext()
        ):
            is_told = _taken(engine, transcript, whose)
        if not is_told or _lags(transcript, call):
            engine.captures.request(transcript, said=call.said, **whose)


def _nowhere(call: HookCall) -> str:
    if call.session_id is None and call.transcript is None:
        return "neither a session nor a transcript was named"
    return f"no transcript of session {call.session_id} at {call.transcript or 'its usual place'}"


def _taken(engine: MemoryEngine, transcript: Path, whose: Mapping[str, Any]) -> bool:
    """Capture now; False where nothing is told yet."""
    try:
        engine.capture_session(transcript, **whose)
    except NothingInIt:
        return False
    return True


def _may_wait(engine: MemoryEngine, call: HookCall, transcript: Path, settings: Config) -> bool:
    """Whether reading it now would take long: it is very large, or it is large and was read a moment ago."""
    size = transcript.stat().st_size
    if _is_database(transcript) or size <= SMALL_BYTES:
        return False
    if size > settings["capture.hook_limit_mb"] * MEGABYTE:
        return True
    if call.meaning != "stop" or call.session_id is None or call.is_sub:
        return False
    with contextlib.suppress(
        MemctlError
    ):  # a store that cannot be asked cannot take it in either; the capture knows what to do then
        last = engine.captures.find_last(call.agent, call.session_id)
        return last is not None and last > timestamps.add_seconds(
            clock.now(), seconds=-PAUSE_SECONDS
        )
    return False


def _lags(transcript: Path, call: HookCall) -> bool:
    """Whether the transcript does not hold yet what the agent says was said; it is written beside the conversation, not before it."""
    if not call.said or _is_database(transcript):
        return False
    with transcript.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL_BYTES))
        tail = stream.read()
    return any(
        not any(form.encode("utf-8", "surrogatepass") in tail for form in _written(text))
        for _, text in call.said
    )


def _written(text: str) -> Iterator[str]:
    """How a text may stand in a transcript."""
    text = text.strip()
    yield from (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])


def _is_database(transcript: Path) -> bool:
    return transcript.suffix in (".db", ".vscdb")


@contextlib.contextmanager
def _safe_from_a_kill(
    engine: MemoryEngine, transcript: Path, whose: Mapping[str, Any]
) -> Iterator[None]:
    """A request that stays behind only if this process is killed: at the end of a session some agents wait no longer than 1.5 s."""
    request = engine.captures.request(transcript, **whose)
    yield
    engine.captures.withdraw(request)


def _engine(agent: AgentContract, settings: Config) -> MemoryEngine:
    from memctl.core.model import Actor
    from memctl.engine.memory_engine import MemoryEngine

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
    from memctl.redact import store_key

    try:
        place = _where(db)
        store_key.enter(place)
        words = store_key.redact(
            " ".join(f"{call}: {type(error).__name__}: {error}"[: 4 * LINE_LIMIT].split())
        )[:LINE_LIMIT]
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
