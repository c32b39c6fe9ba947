"""The process in which a language model runs: one request in on standard input, one answer out, and then it ends.

Kept true: it needs nothing of memctl, so that it is started by its path and finds no module in the folder it happens to stand in; only
the answer reaches the stream that is read, whatever a plugin prints; it ends by itself when its time is over, even if nobody is left to
end it; it asks for no more memory than it was granted.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any

_GRACE_SECONDS = 5
_LONGEST_ERROR = 600


def main() -> None:
    """Answer the request on standard input."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace") as out:
        # What plugins print is their affair.
        os.dup2(2, 1)
        request = json.load(sys.stdin)
        _bound(int(request["seconds"]), int(request["memory_mb"]))
        json.dump(_answered(request), out)
        out.flush()
        # Threads of a plugin must not keep the process.
        os._exit(0)


def _bound(seconds: int, memory_mb: int) -> None:
    """Set the limits that hold even when whoever started this is gone; a system that runs out of memory takes this process first."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds + _GRACE_SECONDS)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")
    if memory_mb:
        with suppress(ImportError, ValueError, OSError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))


def _answered(request: dict[str, Any]) -> dict[str, Any]:
    """The answer, or what went wrong: a plugin may raise anything."""
    try:
        return _ask(request)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]}


def _ask(request: dict[str, Any]) -> dict[str, Any]:
    import llm

    model: Any = llm.get_model(request["model"])
    system, more = request["system"], {}
    if getattr(model, "supports_schema", False):
        more["schema"] = request["schema"]
    else:
        system = f"{system}\n{request['shape']}"
    response = model.prompt(request["prompt"], system=system, **more, **_options(llm, model))
    text, was_cut = _read(response, int(request["most_chars"]))
    usage = None if was_cut else response.usage()
    return {
        "text": text,
        "cut": was_cut,
        "model": str(model.model_id),
        "tokens_in": getattr(usage, "input", None),
        "tokens_out": getattr(usage, "output", None),
    }


def _options(llm: Any, model: Any) -> dict[str, Any]:
    """What the operator set for this model with `llm models options set`."""
    try:
        with open(llm.user_dir() / "model_options.json", encoding="utf-8") as file:
            return dict(json.load(file).get(model.model_id, {}))
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _read(response: Any, most: int) -> tuple[str, bool]:
    """The answer as it comes, up to so many characters; whether there was more."""
    parts: list[str] = []
    length = 0
    for part in response:
        parts.append(str(part))
        length += len(parts[-1])
        if length > most:
            return "".join(parts)[:most], True
    return "".join(parts), False


if __name__ == "__main__":
    main()
