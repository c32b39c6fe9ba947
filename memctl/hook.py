"""The hook entry: `memctl-hook AGENT EVENT` with the agent's JSON on standard input.

Every agent waits for it, and some erase a prompt when it fails. So the exit code is always 0,
standard output holds nothing or exactly one JSON object of that agent's contract, standard error
stays empty, and errors go to `hook.log` beside the store.

A hook never creates a store. Where there is none, it prints nothing, and a capture waits in the
spool. It also waits there while the transcript lacks what the agent's JSON says was said, while the
settings are wrong (what is to be ignored is not known then), and once the deadline has passed.
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
from memctl.core import clock, deadline, process_exit, timestamps
from memctl.core.deadline import DeadlinePassed
from memctl.core.errors import ConfigError, MemctlError, NoStore, NothingInIt, RefusedByPolicy
from memctl.core.regular_files import open_regular_file
from memctl.core.typing_lite import TYPE_CHECKING, Any, NoReturn
from memctl.settings import config

if TYPE_CHECKING:
    from memctl.engine.memory_engine import MemoryEngine
    from memctl.settings.config import Config

# At this size hook.log is moved to hook.log.1.
LOG_LIMIT_BYTES = 1_000_000
# A longer line of the log is cut.
LINE_LIMIT_CHARACTERS = 1000
MEGABYTE = 1024 * 1024
CHARACTERS_PER_TOKEN = 4
# A hook at the end of a turn does not read a transcript again that is larger than SMALL_BYTES and
# was captured less than PAUSE_SECONDS ago; it requests a capture for later.
SMALL_BYTES = 256 * 1024
PAUSE_SECONDS = 60.0
# How much of a transcript's end is searched for what was said last.
TAIL_BYTES = 256 * 1024
# How long a hook waits for a busy store. What it cannot write by then waits in the spool.
PATIENCE_SECONDS = 0.8
# A hook that takes a session in may run this many times longer than one that a person waits for:
# `memctl setup` gives it 30 s instead of 5 s.
CAPTURE_FACTOR = 5
# Bytes. An agent's JSON holds at most a turn, and a tool's answer is cut long before this.
MAX_PAYLOAD_BYTES = 64 * MEGABYTE
# Bytes read from standard input at once, as much as a pipe holds.
_CHUNK_BYTES = 64 * 1024
_HELP_WORDS = ("", "-h", "--help")
USAGE = f"""\
Usage: memctl-hook AGENT EVENT [JSON]

Serves one call of an agent's hook, with the agent's JSON on standard input. Always exits 0;
errors go to hook.log beside the store.
Agents: {", ".join(hook_contracts.AGENTS)}.
Example: memctl-hook claude-code SessionStart < input.json
"""


class HookTrouble(Exception):
    """The hook was called in a way that cannot be served."""


def main() -> NoReturn:
    """Run the `memctl-hook` command and end the process.

    Codex's `notify` passes its JSON as the last argument instead of on standard input.
    """
    process_exit.allow_fast_exit()
    gc.disable()  # the process ends before a collection would pay
    agent, event, argument = (*sys.argv[1:4], "", "", "")[:3]
    # The caller may have gone. Then nobody is left to tell, and it must not look like a failure.
    with contextlib.suppress(OSError, KeyboardInterrupt):
        is_person = agent in _HELP_WORDS and sys.stdout is not None and sys.stdout.isatty()
        answer = USAGE if is_person else run_within_deadline(agent, event, argument)
        if answer and sys.stdout is not None:
            sys.stdout.write(answer)
            sys.stdout.flush()
    # The answer is out. An ordinary exit would cost a tenth of the whole call.
    os._exit(0)


def run_within_deadline(agent: str, event: str, argument: str, db: Path | None = None) -> str:
    """Serve the hook call of this process; once the deadline has passed, the answer is empty.

    The deadline covers all of it: standard input, settings, store, log and spool. It is the setting
    `hook.deadline_seconds`, which defaults to less than the shortest time that `memctl setup` tells
    an agent to wait (5 s, at a prompt).
    """
    deadline.begin(config.find_hook_deadline())
    try:
        raw = os.fsencode(argument) if argument else _read_stdin()
        return run_hook(agent, event, raw, db)
    except (DeadlinePassed, HookTrouble) as error:
        deadline.acknowledge()
        _log_trouble(db, f"{agent} {event}", error)
        return ""
    finally:
        deadline.end()


def run_hook(agent: str, event: str, raw: bytes, db: Path | None = None) -> str:
    """Serve one hook call and return the text to print: nothing, or one JSON object.

    Never raises; errors are logged.
    """
    try:
        return _serve_call(agent, event, raw, db)
    # Whatever happened, a hook must not fail its agent.
    except (Exception, DeadlinePassed) as error:
        deadline.acknowledge()
        _log_trouble(db, f"{agent} {event}", error)
        return ""


def _serve_call(agent_name: str, event: str, raw: bytes, db: Path | None) -> str:
    agent = hook_contracts.find_agent(agent_name)
    if agent is None:
        raise HookTrouble(f"no such agent; known are {', '.join(hook_contracts.AGENTS)}")
    payload = _parse_payload(raw)
    call = hook_contracts.read_call(agent, event, payload)
    # The model that memctl itself calls may be an agent with our hooks in it, and an agent that
    # goes on because of a hook stops twice.
    is_our_own = config.get_environment().get(config.HOOK_ACTIVE)
    if call.meaning == "none" or call.is_repeat or is_our_own:
        return ""
    settings = config.load_config(db, is_tolerant=True)
    is_capture = call.meaning not in ("start", "prompt")
    deadline.move(settings["hook.deadline_seconds"] * (CAPTURE_FACTOR if is_capture else 1))
    for fault in settings.faults:
        _log_trouble(db, f"{agent_name} {event}", ConfigError(fault))
    if not is_capture:
        return _build_context(agent, call, settings)
    owner = hook_contracts.identify_agent(agent, payload, config.get_environment())
    if owner is not agent:
        call = hook_contracts.read_call(owner, event, payload)
    # The operator may exclude folders and projects from captures; that is no error.
    with contextlib.suppress(RefusedByPolicy):
        _capture(owner, call, settings)
    return ""


def _build_context(agent: AgentContract, call: HookCall, settings: Config) -> str:
    """Return the context for this project, or for this prompt, in the agent's own JSON."""
    is_prompt = call.meaning == "prompt"
    if (
        not hook_contracts.accepts_context(agent, call.event)
        or not settings.db.exists()
        or (is_prompt and not call.prompt)
    ):
        return ""
    engine = _open_engine(agent, settings)
    try:
        place = engine.place(
            Path(call.cwd) if call.cwd else None, agent=agent.name, session=call.session_id
        )
        # Within the agent's limit: what were cut off later would still be logged as served.
        budget = min(
            settings["context.prompt_budget" if is_prompt else "context.budget"],
            agent.limit // CHARACTERS_PER_TOKEN,
        )
        report = engine.context_for(
            place=place,
            task=call.prompt,
            budget=budget,
            prompt_only=is_prompt,
            session_start=hook_contracts.begins_anew(agent, call),
        )
        notice = _find_notice(engine) if agent.notice and not is_prompt else None
        answer = hook_contracts.render_output(
            agent, call.event, engine.format_for_injection(report), notice
        )
        _write_log_and_requests(agent, call, settings, engine)
        return answer
    finally:
        process_exit.close_later(engine)


def _find_notice(engine: MemoryEngine) -> str | None:
    """Find what the person is told in passing; the context matters more."""
    with contextlib.suppress(MemctlError, OSError):
        return engine.background.find_notice()
    return None


def _write_log_and_requests(
    agent: AgentContract, call: HookCall, settings: Config, engine: MemoryEngine
) -> None:
    """Log what was served; at a start, request sessions that ended without a hook."""
    try:
        engine.write_logs()
        if call.meaning == "start":
            engine.captures.request_missed(call, config.get_environment())
            engine.background.start_maintenance_if_due(only_for_spool=True)
    except (MemctlError, OSError) as error:
        _log_trouble(settings.db, f"{agent.name} {call.event}", error)


def _capture(agent: AgentContract, call: HookCall, settings: Config) -> None:
    """Capture the transcript, or request it for later.

    It is requested where reading takes long, and where no store or no transcript exists yet.
    """
    environ = config.get_environment()
    transcript = hook_contracts.locate_transcript(agent, call, environ)
    expected = transcript or hook_contracts.read_transcript_path(call, environ)
    if expected is None and (call.is_sub or not hook_contracts.is_safe_session_id(call.session_id)):
        raise HookTrouble(_describe_missing_transcript(call))
    # The file of a sub-agent names its own session; the call names that of its parent.
    session: dict[str, Any] = {
        "agent": agent.name,
        "session_id": None if call.is_sub else call.session_id,
        "cwd": Path(call.cwd) if call.cwd else None,
        "trigger": f"hook:{call.event}",
    }
    engine = _open_engine(agent, settings)
    if hook_contracts.precedes_compaction(call) and settings.db.exists():
        # Without this mark the session is told nothing twice, which is no reason not to capture.
        with contextlib.suppress(MemctlError):
            engine.note_compaction(agent.name, call.session_id)
    if settings.faults:
        # What must not be stored is not known: not even the words that the hook was told.
        engine.captures.request(expected, **session)
        return
    try:
        with engine:
            if transcript is None or not settings.db.exists():
                report = engine.captures.request(expected, said=call.said, **session)
                if not settings.db.exists():
                    # The home or MEMCTL_DB may be another than the operator's.
                    told = NoStore(report.describe_missing_store(str(settings.db)))
                    _log_trouble(settings.db, f"{agent.name} {call.event}", told)
            else:
                _capture_or_request(engine, call, settings, transcript, session)
            if settings.db.exists():
                engine.background.start_maintenance_if_due()
    except DeadlinePassed:
        deadline.acknowledge()
        engine.captures.request(expected, said=call.said, **session)
        raise


def _capture_or_request(
    engine: MemoryEngine,
    call: HookCall,
    settings: Config,
    transcript: Path,
    session: Mapping[str, Any],
) -> None:
    """Capture the transcript now unless it is too large; request what is not in it yet."""
    if _should_defer(engine, call, transcript, settings):
        engine.captures.request(transcript, said=call.said, **session)
        return
    is_at_risk = call.meaning == "end" or transcript.stat().st_size > MEGABYTE
    if is_at_risk:
        with _keep_request_meanwhile(engine, transcript, session):
            has_turns = _capture_now(engine, transcript, session)
    else:
        has_turns = _capture_now(engine, transcript, session)
    if not has_turns or _is_behind(transcript, call):
        engine.captures.request(transcript, said=call.said, **session)


def _describe_missing_transcript(call: HookCall) -> str:
    if call.session_id is None and call.transcript is None:
        return "neither a session nor a transcript was named"
    return f"no transcript of session {call.session_id} at {call.transcript or 'its usual place'}"


def _capture_now(engine: MemoryEngine, transcript: Path, session: Mapping[str, Any]) -> bool:
    """Capture the transcript; return whether it holds a turn yet."""
    try:
        engine.capture_session(transcript, **session)
    except NothingInIt:
        return False
    return True


def _should_defer(engine: MemoryEngine, call: HookCall, transcript: Path, settings: Config) -> bool:
    """Whether to read a transcript later: it is very large, or large and was just captured."""
    size = transcript.stat().st_size
    if _is_database(transcript) or size <= SMALL_BYTES:
        return False
    if size > settings["capture.hook_limit_mb"] * MEGABYTE:
        return True
    if call.meaning != "stop" or call.session_id is None or call.is_sub:
        return False
    # A store that cannot be read cannot be written either; the capture handles that.
    with contextlib.suppress(MemctlError):
        last = engine.captures.find_last(call.agent, call.session_id)
        recent = timestamps.add_seconds(clock.now(), seconds=-PAUSE_SECONDS)
        return last is not None and last > recent
    return False


def _is_behind(transcript: Path, call: HookCall) -> bool:
    """Whether the transcript lacks what the agent says was said; it is written with a delay."""
    if not call.said or _is_database(transcript):
        return False
    with open_regular_file(transcript) as stream:
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - TAIL_BYTES))
        tail = stream.read()
    for _, text in call.said:
        spellings = [form.encode("utf-8", "surrogatepass") for form in _list_spellings(text)]
        if not any(spelling in tail for spelling in spellings):
            return True
    return False


def _list_spellings(text: str) -> Iterator[str]:
    """Yield the ways in which a transcript may write a text: plain, or as JSON."""
    text = text.strip()
    yield from (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])


def _is_database(transcript: Path) -> bool:
    return transcript.suffix in (".db", ".vscdb")


@contextlib.contextmanager
def _keep_request_meanwhile(
    engine: MemoryEngine, transcript: Path, session: Mapping[str, Any]
) -> Iterator[None]:
    """Keep a request that stays in the spool only if this process is killed.

    At the end of a session some agents wait no longer than 1.5 s.
    """
    request = engine.captures.request(transcript, **session)
    yield
    engine.captures.withdraw(request)


def _open_engine(agent: AgentContract, settings: Config) -> MemoryEngine:
    from memctl.core.model import Actor
    from memctl.engine.memory_engine import MemoryEngine

    return MemoryEngine(settings, Actor(f"agent:{agent.name}"), patience=PATIENCE_SECONDS)


def _read_stdin() -> bytes:
    """Return what the agent wrote; nothing where a person sits at the terminal.

    Some callers leave their end open: a whole JSON object is enough.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    raw = bytearray()
    stream: Any = sys.stdin.buffer
    while chunk := stream.read1(_CHUNK_BYTES):
        raw += chunk
        if chunk.rstrip().endswith(b"}") and _is_whole(raw):
            break
        if len(raw) > MAX_PAYLOAD_BYTES:
            raise HookTrouble(f"stdin holds more than {MAX_PAYLOAD_BYTES} bytes")
    return bytes(raw)


def _is_whole(raw: bytearray) -> bool:
    try:
        _parse_payload(bytes(raw))
    except HookTrouble:
        return False
    return True


def _parse_payload(raw: bytes) -> Mapping[str, Any]:
    """Return the agent's JSON object; empty input is an empty object."""
    try:
        value = json.loads(raw.decode("utf-8-sig", "replace")) if raw.strip() else {}
    except (ValueError, RecursionError) as error:
        raise HookTrouble("stdin is not JSON") from error
    if not isinstance(value, dict):
        raise HookTrouble("stdin is not a JSON object")
    return value


def _log_trouble(db: Path | None, call: str, error: BaseException) -> None:
    """Add a line to `hook.log`, without secrets and harmless to show; never fails."""
    from memctl.redact.redactor import make_redactor

    try:
        settings = config.load_config(db, is_tolerant=True)
        # Cut before the redaction too, so that a huge message costs little.
        message = f"{call}: {type(error).__name__}: {error}"[: 4 * LINE_LIMIT_CHARACTERS]
        message = make_redactor(settings).redact(" ".join(message.split()))[:LINE_LIMIT_CHARACTERS]
        line = f"{clock.now()} {''.join(map(_make_visible, message))}\n"
        _append_line(settings.db.parent / "hook.log", line)
    except (OSError, MemctlError):
        return


def _make_visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()


def _append_line(path: Path, line: str) -> None:
    if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
        path.replace(path.with_suffix(".log.1"))
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
        stream.write(line)
