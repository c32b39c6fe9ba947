"""`memctl.results` is a public path: each of its names is found there, and no name is left out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import memctl
from memctl import results
from memctl.core import errors

MODULES = sorted(Path(results.__file__).parent.glob("[a-z]*.py"))


def defined_in(path: Path) -> set[str]:
    """The public classes and functions of a module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    named = [node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return {node.name for node in named if not node.name.startswith("_")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_result_is_found_in_the_package(path: Path) -> None:
    assert {getattr(results, name).__module__ for name in defined_in(path)} == {
        f"memctl.results.{path.stem}"
    }


def test_the_package_names_nothing_else() -> None:
    assert set(dir(results)) == {name for path in MODULES for name in defined_in(path)}


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        results.Nothing  # noqa: B018


def test_the_errors_are_found_in_memctl() -> None:
    assert memctl.errors is errors
    assert "errors" in dir(memctl)
