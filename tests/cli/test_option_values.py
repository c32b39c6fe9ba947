"""Every option of every command takes a hostile value in its stride: it works, or it says what is
wrong with a documented exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from memctl.cli.main import COMMANDS, load_command
from memctl.core.errors import exit_codes

HOSTILE = (
    "0",
    "-1",
    "1001",
    "2049",
    "999999999999999999999999",
    "1" + "0" * 5000,
    "nan",
    "inf",
    "1e999",
    "٣",
    "",
    "many",
    "a\nb",
)
# Quick ones of a usual run: they ask the vector index, and the store, for so many.
NUMBERS = [
    ("search", "tide", "--limit"),
    ("search", "tide", "--min-confidence"),
    ("list", "--limit"),
    ("list", "--offset"),
    ("context", "--budget"),
    ("context", "--level"),
    ("inbox", "--limit"),
    ("log", "--limit"),
    ("maintain", "--dry-run", "--budget"),
]
# What would leave the machine as it is, or ask somebody, or never end.
UNFIT = ("hook", "setup", "restore", "config")


def list_options() -> Iterator[tuple[str, ...]]:
    """Yield a command line up to each option that takes a value."""
    for name in COMMANDS:
        if name in UNFIT:
            continue
        command = load_command(name)
        for words, each in (
            [((name, word), sub) for word, sub in command.commands.items()]
            if hasattr(command, "commands")
            else [((name,), command)]
        ):
            arguments = tuple("x" for param in each.params if param.param_type_name == "argument")
            for param in each.params:
                if param.param_type_name == "option" and not getattr(param, "is_flag", False):
                    yield (*words, *arguments, param.opts[0])


def check(here: Callable, words: tuple[str, ...]) -> None:
    for value in HOSTILE:
        done = here(*words[:-1], f"{words[-1]}={value}")
        assert done.code in exit_codes(), (words, value[:20])
        assert "Traceback" not in done.stderr, (words, value[:20])
        assert done.code in (0, 1) or done.stderr.startswith("memctl: "), (words, value[:20])
        assert len(done.stderr) < 2000, (words, value[:20])


@pytest.fixture
def store(here: Callable) -> None:
    assert here("ingest", "The tide cache is a SQLite file").code == 0


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("words", NUMBERS, ids=" ".join)
def test_a_number_out_of_its_range_is_refused_with_the_range(
    here: Callable, words: tuple[str, ...]
) -> None:
    check(here, words)
    done = here(*words[:-1], f"{words[-1]}=-1")
    assert done.code == 2 and words[-1].lstrip("-") in done.stderr


@pytest.mark.usefixtures("store")
def test_a_search_takes_as_many_results_as_it_says(here: Callable) -> None:
    assert here("search", "tide", "--limit", "1000").code == 0
    done = here("search", "tide", "--limit", "1001")
    assert done.code == 2 and "from 0 to 1000" in done.stderr


@pytest.mark.proof
@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("words", list(list_options()), ids=" ".join)
def test_a_hostile_value_of_any_option_works_or_is_refused(
    here: Callable, words: tuple[str, ...]
) -> None:
    check(here, words)


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "words",
    [
        ("search", "tide", "--since"),
        ("search", "tide", "--as-of"),
        ("list", "--all", "--as-of"),
        ("context", "--as-of"),
        ("digest", "--since"),
        ("log", "--since"),
        ("ingest", "The tide tables are printed", "--valid-until"),
    ],
    ids=" ".join,
)
def test_a_time_may_lie_in_any_year_that_a_calendar_has(
    here: Callable, words: tuple[str, ...]
) -> None:
    for value in ("0001-01-01", "1000-01-01", "1799-12-31", "2200-01-01", "9999-12-31"):
        assert here(*words, value).code == 0, value
    for value in ("0000-01-01", "10000-01-01", "999999w", "999999 years ago"):
        done = here(*words, value)
        assert done.code == 2 and "the years 1 to 9999" in done.stderr, (value, done.stderr)


def test_the_last_day_of_the_calendar_is_for_ever(here: Callable) -> None:
    assert here("ingest", "The mole is stone", "--valid-until", "9999-12-31").code == 0
    for moment in ("2199-12-31", "9999-12-30"):
        (found,) = here("search", "mole stone", "--as-of", moment, "--json").data["items"]
        assert found["valid_until"] == "9999-12-31T00:00:00.000Z"
