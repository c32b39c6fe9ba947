"""The process in which a language model runs: one request on standard input, one answer, then it
ends.

Guarantees: it imports nothing of memctl, so it is started by its path and finds no module in the
working folder; only the answer reaches the stream that is read, whatever a plugin prints; it ends
by itself when its time is over; it uses no more memory than it was granted.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress

from memctl.core.typing_lite import Any

_GRACE_SECONDS = 5
_LONGEST_ERROR = 600


def answer_request() -> None:
    """Answer the request on standard input."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as out:
        # What plugins print is their affair.
        os.dup2(2, 1)
        request = json.load(sys.stdin)
        _set_limits(int(request["seconds"]), int(request["memory_mb"]))
        json.dump(_answer_or_describe_error(request), out)
        out.flush()
        # Threads of a plugin must not keep the process.
        os._exit(0)


def _set_limits(seconds: int, memory_mb: int) -> None:
    """Set limits that hold even when the parent process is gone.

    A system that runs out of memory ends this process first.
    """
    if hasattr(signal, "alarm"):
        signal.alarm(seconds + _GRACE_SECONDS)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")
    if memory_mb:
        with suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))


def _answer_or_describe_error(request: dict[str, Any]) -> dict[str, Any]:
    """The answer, or the error as text: a plugin may raise anything."""
    try:
        return _ask_model(request)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]}


def _ask_model(request: dict[str, Any]) -> dict[str, Any]:
    import llm

    model: Any = llm.get_model(request["model"])
    system, more = request["system"], {}
    if getattr(model, "supports_schema", False):
        more["schema"] = request["schema"]
    else:
        system = f"{system}\n{request['shape']}"
    response = model.prompt(
        request["prompt"], system=system, **more, **_read_model_options(llm, model)
    )
    text, was_cut = _read_answer(response, int(request["most_chars"]))
    usage = None if was_cut else response.usage()
    return {
        "text": text,
        "cut": was_cut,
        "model": str(model.model_id),
        "tokens_in": getattr(usage, "input", None),
        "tokens_out": getattr(usage, "output", None),
    }


def _read_model_options(llm: Any, model: Any) -> dict[str, Any]:
    """The options that the operator set for this model with `llm models options set`."""
    try:
        with open(llm.user_dir() / "model_options.json", encoding="utf-8") as file:
            return dict(json.load(file).get(model.model_id, {}))
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _read_answer(response: Any, most: int) -> tuple[str, bool]:
    """Read the answer as it comes, up to so many characters; whether there was more."""
    parts: list[str] = []
    length = 0
    for part in response:
        parts.append(str(part))
        length += len(parts[-1])
        if length > most:
            return "".join(parts)[:most], True
    return "".join(parts), False


if __name__ == "__main__":
    answer_request()
