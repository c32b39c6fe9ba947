"""Only words that name all projects make a statement hold in all of them."""

from __future__ import annotations

import pytest
from extract_samples import found, human, refusal

from memctl.extract.reach import choose_scope


@pytest.mark.parametrize(
    "words",
    [
        "in all my projects we use pnpm",
        "always use tabs in every repo",
        "for all of my repos, squash before merging",
        "across all my projects i want conventional commits",
        "in any repo i work in, run the linter first",
        "no matter which project, never push to main",
        "regardless of the project, ask before deleting",
        "wherever i work, answer in british english",
        "never force-push in any of my repositories",
        "don't use emojis in any repo",
        "not only in this repo: always sign commits",
    ],
)
def test_a_statement_that_names_all_projects_holds_in_all_of_them(words: str) -> None:
    assert choose_scope(words) == "global"


@pytest.mark.parametrize(
    "words",
    [
        "from now on ask me before you delete anything",
        "go back to rest everywhere",
        "run the linter in all projects of this workspace",
        "not in every project",
        "each repo has a readme",
        "in all tests use fixtures",
        "it does not hold in all projects",
        "any project file is ignored",
    ],
)
def test_a_statement_that_names_none_holds_where_it_was_said(words: str) -> None:
    assert choose_scope(words) == "project"


@pytest.mark.parametrize("words", ["always answer in english, everywhere", "no emojis, globally"])
def test_everywhere_means_all_projects_only_of_how_somebody_works(words: str) -> None:
    assert (choose_scope(words, is_conduct=True), choose_scope(words)) == ("global", "project")


def test_a_refused_tool_use_holds_in_the_project_it_was_refused_in() -> None:
    (kept,) = found(human("tidy up"), refusal("Never push to main without asking me."))
    assert (kept.type, kept.scope) == ("profile", "project")


def test_what_another_projects_document_says_reaches_no_further() -> None:
    (kept,) = found(human("In all my repos we use MIT, because it is the shortest licence."))
    assert kept.scope == "global"
