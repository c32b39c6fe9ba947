"""What the agent found out, and what it only supposed, announced or reported."""

from __future__ import annotations

import pytest
from extract_samples import agent, edited, found, human, ran

from memctl.core.model import AGENT_CLAIMED, TOOL_RESULT, Turn


@pytest.mark.parametrize(
    "words",
    [
        "The root cause is that `readFeed` drops the last row because the file has no newline.",
        "The `Importer` class does not support gzip files, only plain text.",
        "The lack of `t.Parallel()` is intentional because of `t.Chdir`.",
        "`loadConfig` only accepts absolute paths and silently ignores others.",
    ],
)
def test_a_root_cause_or_a_limit_that_a_person_confirms_is_a_claim_of_low_trust(words: str) -> None:
    kept = found(human("look into it"), agent(words), human("yes, exactly"))
    assert [(c.evidence[0].quote, c.trust) for c in kept] == [(words, AGENT_CLAIMED)]
    assert kept[0].confidence <= 0.55


def test_what_nothing_speaks_for_is_no_claim() -> None:
    words = "The root cause is that `readFeed` drops the last row because it has no newline."
    mended = [edited("feed.py"), ran("pytest -q", "3 passed")]
    assert found(human("look into it"), agent(words), human("hm, look again")) == []
    assert found(human("look into it"), agent(words), edited("feed.py")) == []
    failed = ran("pytest -q", "1 failed", ok=False)
    assert _claims(human("look into it"), agent(words), edited("feed.py"), failed) == []
    assert _claims(human("look into it"), agent(words), *mended) == [words]


def _claims(*turns: Turn | list[Turn]) -> list[str]:
    return [c.evidence[0].quote for c in found(*turns) if c.rule == "claims.finding"]


@pytest.mark.parametrize(
    "words",
    [
        "Let me check why `readFeed` does not support gzip files.",
        "I'll fix `readFeed` because it does not handle gzip files.",
        "The problem might be that `readFeed` does not handle gzip files.",
        "Does `readFeed` not support gzip files because of the header?",
        "Fixed `readFeed`, which did not handle gzip files and fails because of it.",
        "All tests pass because `readFeed` does not skip rows any more.",
        "The weather is not supported here because it rains.",
    ],
)
def test_guesses_announcements_questions_and_reports_are_no_claims(words: str) -> None:
    assert found(human("look into it"), agent(words)) == []


def test_a_guess_that_the_agent_goes_on_to_check_is_no_claim() -> None:
    assert (
        found(
            human("look"),
            agent("The issue is that `readFeed` does not handle gzip files. Let me verify that."),
        )
        == []
    )


def test_a_claim_that_a_tool_result_shows_has_that_line_as_evidence() -> None:
    kept = found(
        human("look"),
        ran("cat importer.py", "import gzip\ndef readFeed(fileName): return openPlain(fileName)\n"),
        agent("`readFeed` uses `openPlain` and does not support gzip files."),
        human("right"),
    )
    assert kept[0].trust == TOOL_RESULT
    assert kept[0].evidence[1].quote == "def readFeed(fileName): return openPlain(fileName)"


def test_one_long_answer_does_not_fill_the_session() -> None:
    many = "\n".join(
        f"- `part{n}` does not support mode {n} because `core{n}` rejects it." for n in range(30)
    )
    assert len(found(human("look"), agent(many))) <= 2
