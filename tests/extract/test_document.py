"""Plans and specifications that were pasted in."""

from __future__ import annotations

from extract_samples import contents, found, human, plan, proposed

SPEC = """# Faster product import

## Context

The nightly import reads the supplier's feed and writes it row by row, which takes four hours.
It has grown with the catalogue and nobody has looked at it since the shop moved.

## Problem

Rows are compared by their display name, so a renamed product never matches and is imported twice.

## Implementation steps

1. Add a column for the supplier's key to the table.
2. Change the reader so that it looks up the key in `readFeed` first.
3. Update the admin page to show the key.
4. Create a migration for the old rows.

## Acceptance criteria

- No new service at runtime.
- Existing exports are unaffected.

## Out of scope

The price import is handled separately. Keep the current file names.

## Verification

Run `make test-import` and look at the counts.
"""


def test_constraints_and_scope_of_a_specification_are_kept() -> None:
    kept = contents(proposed(human(SPEC)))
    assert "No new service at runtime." in kept
    assert "Existing exports are unaffected." in kept
    assert "Keep the current file names." in kept


def test_the_cause_of_a_problem_is_kept_under_its_heading() -> None:
    cause = next(c for c in proposed(human(SPEC)) if c.rule == "document.causes")
    assert cause.title == "Problem"
    assert "a renamed product never matches" in cause.content


def test_the_steps_of_a_plan_are_the_task_and_are_left_alone() -> None:
    kept = contents(proposed(human(SPEC)))
    assert "Add a column" not in kept
    assert "admin page" not in kept


def test_the_check_that_a_document_names_is_a_command() -> None:
    check = next(c for c in proposed(human(SPEC)) if c.kind == "command")
    assert check.evidence[0].quote == "make test-import"


def test_a_plan_that_was_not_approved_gives_nothing() -> None:
    assert found(plan(SPEC, ok=False)) == []
    assert "No new service at runtime." in contents(found(plan(SPEC, ok=True)))
