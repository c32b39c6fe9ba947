"""Running a command once its options are parsed: its answer, its exit code, its errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from memctl.cli import exit_status, output
from memctl.cli.call import Call
from memctl.core.errors import Interrupted, InterruptedWithReport, MemctlError, UsageError
from memctl.core.system_errors import explain_failed_write
from memctl.core.typing_lite import Any

# The commands that look at all records, which takes more than a second of a large store, with what
# they do then. Those that ask something show their progress themselves, after the question.
_LOOKING_AT_ALL = {
    "conflicts": ("listing", "what contradicts each other"),
    "daily": ("telling", "what the day brought"),
    "digest": ("comparing", "what changed since you last looked"),
    "dream": ("choosing", "what a new MEMORY.md says"),
    "entity list": ("listing", "the names that records mention"),
    "export": ("exporting", "all records"),
    "list": ("listing", "the records that pass"),
    "log": ("listing", "what was noted"),
    "ls": ("listing", "what is in the folder"),
    "report": ("drawing", "all that is stored"),
    "stats": ("counting", "all that is stored"),
    "status": ("counting", "what is stored"),
    "timeline": ("telling", "the project's days"),
    "tree": ("listing", "what is in the folders"),
    "vault status": ("comparing", "the notes with the records"),
    "vault sync": ("comparing", "the notes with the records"),
}
# The commands after which a person is told what waits: those that only look.
_TELLING = ("search", "context", "list", "show", "status", "inbox")


def run_command(
    name: str,
    function: Callable[..., Any],
    db: Path | None,
    as_json: bool,
    options: Mapping[str, Any],
) -> int:
    """Run a command, print what it returns, and return the exit code."""
    call = Call(db, as_json)
    data: Any = None
    try:
        if options.get("view"):
            from memctl.cli import saved_view_options

            options = saved_view_options.apply_view(call, name, options)
        with _show_progress(call, name):
            data = function(call, **options)
        warnings = call.list_warnings()
        if not call.quiet or call.as_json or exit_status.list_problems(data):
            output.print_result(
                name, data, as_json=call.as_json, verbose=call.verbose, warnings=warnings
            )
        call.run_deferred_work()
        if name in _TELLING and not as_json:
            _tell_what_waits(call)
    except KeyboardInterrupt as error:
        raise _tell_interrupt(error, data, has_changed=call.has_changed_records) from error
    finally:
        call.close()
    return exit_status.compute_exit_code(data) or (exit_status.WITH_PROBLEMS if warnings else 0)


def _show_progress(call: Call, name: str) -> AbstractContextManager[object]:
    """Show a person that a command looks at all records, if it does and lasts."""
    told = _LOOKING_AT_ALL.get(name)
    return call.show_progress(*told) if told and output.is_watched() else nullcontext()


def _tell_what_waits(call: Call) -> None:
    """Tell a person at a terminal, once a day and in one line, that something waits for them."""
    if output.is_watched() and sys.stdout.isatty():
        notice = call.engine.background.find_notice()
        output.print_notice([notice] if notice else [])


def _tell_interrupt(error: KeyboardInterrupt, data: Any, *, has_changed: bool) -> Interrupted:
    """Say what was done before an interrupt: all that is known, and never that it was nothing."""
    report = error.report if isinstance(error, InterruptedWithReport) else data
    if report is not None or not has_changed:
        interrupted = Interrupted("interrupted")
        interrupted.report = report
        return interrupted
    return Interrupted(
        "interrupted, after changes had been written",
        hint="`memctl log changes` shows them; what is half done, `memctl maintain` finishes",
    )


def run_guarded(name: str, as_json: bool, action: Callable[[], int]) -> int:
    """Run an action; this is the one place that turns errors into a message and an exit code."""
    try:
        return action()
    except MemctlError as error:
        return report_error(name, as_json, error)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        return report_error(name, as_json, UsageError(f"{error.filename}: {error.strerror}"))
    except OSError as error:
        obstacle = explain_failed_write(error.errno, error.filename)
        if obstacle is not None:
            return report_error(name, as_json, obstacle)
        message = f"{error.filename or 'the system'}: {error.strerror or error}"
        return report_error(name, as_json, MemctlError(message))
    except KeyboardInterrupt:
        return report_error(name, as_json, Interrupted("interrupted"))


def report_error(name: str, as_json: bool, error: MemctlError) -> int:
    """Print an error and return its exit code."""
    if name == "hook":
        # Some agents erase the prompt when a hook fails, so it never does. Only somebody who tries
        # it at a terminal sees the error.
        output.print_notice([f"memctl hook: {error}"] if sys.stderr.isatty() else [])
        return 0
    problem = exit_status.to_problem(error.code, str(error), error.hint)
    done = error.report if isinstance(error, Interrupted) else None
    output.print_error(name, problem, as_json=as_json, done=done)
    return error.exit_code
