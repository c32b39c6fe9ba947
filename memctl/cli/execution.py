"""What becomes of a call once its options are read: the command's function, its answer and exit code; and what becomes of a failure."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memctl.cli import outcome, render
from memctl.cli.call import Call
from memctl.core.errors import Interrupted, MemctlError, UsageError


def answer(
    name: str,
    function: Callable[..., Any],
    db: Path | None,
    as_json: bool,
    options: Mapping[str, Any],
) -> int:
    """Run a command and print what it returns; the exit code."""
    call = Call(db, as_json)
    try:
        if options.get("view"):
            from memctl.cli import saved_view_options

            options = saved_view_options.applied(call, name, options)
        data = function(call, **options)
        if not call.quiet or call.as_json or outcome.problems(data):
            render.show(name, data, as_json=call.as_json, verbose=call.verbose)
        call.finish()
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted") from error
    finally:
        call.close()
    return outcome.exit_code(data)


def guarded(name: str, as_json: bool, action: Callable[[], int]) -> int:
    """The one place where errors become an answer and an exit code."""
    try:
        return action()
    except MemctlError as error:
        return failed(name, as_json, error)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        return failed(name, as_json, UsageError(f"{error.filename}: {error.strerror}"))
    except OSError as error:
        return failed(
            name,
            as_json,
            MemctlError(f"{error.filename or 'the system'}: {error.strerror or error}"),
        )
    except KeyboardInterrupt:
        return failed(name, as_json, Interrupted("interrupted"))


def failed(name: str, as_json: bool, error: MemctlError) -> int:
    """Say what went wrong; the exit code."""
    if name == "hook":
        # Some agents erase the prompt when a hook fails; the person who tries it by hand is told all the same.
        render.say([f"memctl hook: {error}"] if sys.stderr.isatty() else [])
        return 0
    render.fail(name, outcome.problem(error.code, str(error), error.hint), as_json=as_json)
    return error.exit_code
