"""Ask an agent's own program one question, as a language model is asked.

Guarantees: it runs in an empty folder of its own, marked so that memctl's hooks in it do nothing;
no argument and no file holds a word of the question; whatever the program does, this returns or
raises shortly after the time limit, and nothing of its process group stays behind.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memctl.core import process_identity
from memctl.core.model import OWN_QUESTION
from memctl.core.typing_lite import Any
from memctl.llm import agent_contracts, runner
from memctl.llm.agent_contracts import (
    AgentCall,
    AgentFailed,
    AgentOutput,
    AgentUnavailable,
    HeadlessAgent,
)
from memctl.llm.runner import ModelAnswer, ModelFailed, ModelUnavailable
from memctl.settings import config

PROCESS = Path(__file__).with_name("agent_process.py")
# What a program may print in all: Codex tells every thought. Chosen by hand.
_MAX_OUTPUT_BYTES = 4 << 20
# What an agent sets for the programs it starts: with it, another agent believes to be one of them.
_OF_ANOTHER_SESSION = (
    "CLAUDECODE",
    "CLAUDE_CODE_CHILD_SESSION",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_SSE_PORT",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PROJECT_DIR",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
)
# Where programs of a person are put that cron's PATH does not name.
_USUAL_FOLDERS = (
    ".local/bin",
    ".claude/local",
    ".npm-global/bin",
    ".bun/bin",
    ".volta/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
)
_GEMINI_SETTINGS = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"


def find_program(contract: HeadlessAgent, given: str, home: Path) -> Path | None:
    """Find an agent's program: where the settings say, on the PATH, or where such programs are."""
    if given:
        found = shutil.which(str(Path(given).expanduser()))
        return Path(found) if found else None
    folders = [str(home / folder) for folder in _USUAL_FOLDERS]
    search = os.pathsep.join((config.get_environment().get("PATH", os.defpath), *folders))
    found = shutil.which(contract.program, path=search)
    return Path(found) if found else None


def run_agent(
    contract: HeadlessAgent,
    program: Path,
    model: str | None,
    request: Mapping[str, Any],
    *,
    seconds: float,
) -> ModelAnswer:
    """Return the agent's answer within so many seconds. Raises ModelFailed."""
    system = f"{request['system']}\n{request['shape']}"
    call = contract.build(f"{OWN_QUESTION}\n{system}", request["prompt"], model)
    with _make_folders(call) as (empty, environment):
        _add_own_path(environment, program)
        asked = {
            "command": [str(program), *call.arguments],
            "input": call.text,
            "folder": str(empty),
            "seconds": int(seconds) + 1,
            "memory_mb": request["memory_mb"],
            "most_bytes": _MAX_OUTPUT_BYTES,
        }
        said = runner.ask_child(
            asked,
            seconds,
            script=PROCESS,
            environment=environment,
            most_bytes=2 * _MAX_OUTPUT_BYTES,
        )
    return _read_answer(contract, said)


def _read_answer(contract: HeadlessAgent, said: Mapping[str, Any]) -> ModelAnswer:
    output = AgentOutput(str(said["stdout"]), str(said["stderr"]), int(said["code"]))
    try:
        reply = contract.read(output)
    except AgentUnavailable as error:
        raise ModelUnavailable(f"{contract.title}: {error}") from error
    except AgentFailed as error:
        raise ModelFailed(f"{contract.title}: {error}") from error
    text, most = reply.text, runner.MAX_ANSWER_CHARS
    return ModelAnswer(text[:most], reply.tokens_in, reply.tokens_out, len(text) > most, reply.cost)


@contextmanager
def _make_folders(call: AgentCall) -> Iterator[tuple[Path, dict[str, str]]]:
    """An empty folder to run in and the environment; gone, with what came into it, at the end."""
    prefix, parent = process_identity.name_temporary(), config.find_temporary_folder()
    root = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        empty, control = root / "empty", root / "control"
        empty.mkdir()
        control.mkdir()
        inherited = config.build_child_environment()
        environment = {
            name: value for name, value in inherited.items() if name not in _OF_ANOTHER_SESSION
        }
        for name, text in call.files.items():
            if name == "settings.json":
                text = _put_over_system_settings(text, inherited)
            (control / name).write_text(text, encoding="utf-8")
        for name, value in call.environment.items():
            environment[name] = value.replace("{control}", str(control))
        yield empty, environment
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _put_over_system_settings(text: str, environment: Mapping[str, str]) -> str:
    """Gemini CLI's settings of the system with ours over them: they may hold what a firm demands.

    Raises ModelUnavailable where they cannot be read.
    """
    path = Path(environment.get(_GEMINI_SETTINGS, "") or "/etc/gemini-cli/settings.json")
    if not path.exists():
        return text
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        merged = {**known}
        for section, values in json.loads(text).items():
            merged[section] = {**merged.get(section, {}), **values}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelUnavailable(
            f"{agent_contracts.AGENTS['gemini-cli'].title}: the settings in {path} cannot be read"
        ) from error
    return json.dumps(merged)


def _add_own_path(environment: dict[str, str], program: Path) -> None:
    """Let a program that is a script find the machine that runs it, which stands beside it."""
    own = dict.fromkeys((str(program.parent), str(program.resolve().parent)))
    environment["PATH"] = os.pathsep.join((environment.get("PATH", os.defpath), *own))
