"""A namespace is read as it was written, or refused with its reason; nothing in between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.errors import UsageError
from memctl.core.namespaces import Namespace, format_namespace, read_namespace

NAMES = st.text(min_size=1).filter(lambda text: bool(text.strip()))
FOLDERS = NAMES.map(lambda text: Path("/code") / text.replace("\0", "").replace("/", "-"))
OPTIONAL = st.none() | NAMES
WORDS = st.sampled_from(
    ["global", "project", "repo", "agent", "session", "user", "user_id", "tenant", "org", ""]
)


@st.composite
def namespaces(draw: st.DrawFn) -> Namespace:
    """Every namespace that there is."""
    scope = draw(st.sampled_from(["global", "project", "repo", "agent", "session"]))
    if scope == "global":
        return Namespace("global")
    if scope == "repo":
        return Namespace("repo", folder=draw(st.none() | FOLDERS))
    project = draw(OPTIONAL)
    folder = None if project else draw(st.none() | FOLDERS)
    agent = draw(OPTIONAL) if scope in ("agent", "session") else None
    session = draw(OPTIONAL) if scope == "session" else None
    return Namespace(scope, project, folder, agent, session)


@given(namespaces())
def test_what_is_written_is_read_again(namespace: Namespace) -> None:
    assert read_namespace(format_namespace(namespace)) == namespace


@given(st.lists(WORDS | NAMES | FOLDERS | st.none() | st.integers()).map(tuple) | st.text())
def test_anything_is_a_namespace_or_a_usage_error(value: Any) -> None:
    try:
        namespace = read_namespace(value)
    except UsageError as refusal:
        assert str(refusal)
        return
    assert read_namespace(format_namespace(namespace)) == namespace


@given(st.integers() | st.none() | st.dictionaries(NAMES, NAMES) | st.sets(NAMES))
def test_what_is_no_tuple_is_no_namespace(value: Any) -> None:
    with pytest.raises(UsageError, match="is no namespace"):
        read_namespace(value)


@pytest.mark.parametrize("word", ["user", "user_id", "tenant"])
def test_a_user_is_refused_with_the_reason(word: str) -> None:
    with pytest.raises(UsageError, match="a store is the memory of one operator"):
        read_namespace((word, "ada"))


@pytest.mark.parametrize(
    ("value", "namespace"),
    [
        (("global",), Namespace("global")),
        ("project", Namespace("project")),
        (("project", "kiln"), Namespace("project", "kiln")),
        (("project", Path("/code/kiln")), Namespace("project", folder=Path("/code/kiln"))),
        (("agent", "codex"), Namespace("agent", agent="codex")),
        (("project", "kiln", "agent"), Namespace("agent", "kiln")),
        (["project", "kiln", "session", "s1"], Namespace("session", "kiln", session="s1")),
        (("repo", Path("/code/kiln")), Namespace("repo", folder=Path("/code/kiln"))),
    ],
)
def test_the_last_word_is_the_scope(value: Any, namespace: Namespace) -> None:
    assert read_namespace(value) == namespace


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (("agent", "codex", "project", "kiln"), "'project' stands behind what is narrower"),
        (("project", "a", "project", "b"), "stands behind what is narrower"),
        (("global", "kiln"), "what is global has no name"),
        (("global", None, "project", "kiln"), "belongs to no project"),
        (("project", ""), "names no project"),
        (("project", 5), "5 names no project"),
        (("repo", "kiln"), "named by its folder"),
        (("project", "kiln", "repo", Path("/code")), "a repository's folder tells its project"),
        (("folder", "kiln"), "'folder' begins no namespace"),
        ((), "is no namespace"),
    ],
)
def test_what_does_not_fit_is_said(value: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        read_namespace(value)
