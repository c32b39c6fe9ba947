"""Expressions are compiled when first used, and then do what compiled ones do."""

from __future__ import annotations

import gc
import importlib
import pickle
import pkgutil
import re

import pytest

import memctl
from memctl.core.lazy_pattern import LazyPattern, compile_later


def test_an_expression_is_compiled_by_its_first_use_and_only_then() -> None:
    wrong = compile_later("(")  # the fault shows at the first use
    with pytest.raises(re.error):
        wrong.search("x")
    word = LazyPattern(r"\w+")
    assert "compiled" not in vars(word)
    assert word.findall("to be") == ["to", "be"]
    assert "compiled" in vars(word)


def test_it_does_what_a_compiled_expression_does() -> None:
    source, text = r"(?P<key>[a-z]+)=(\d+)", "x Port=80, rate=9"
    at_once, later = re.compile(source, re.I), compile_later(source, re.I)
    assert (later.pattern, later.flags, later.groups) == (source, at_once.flags, 2)
    assert later.groupindex == at_once.groupindex
    for _ in range(2):  # the first use and a later one
        assert later.sub(r"\2", text) == at_once.sub(r"\2", text) == "x 80, 9"
        assert later.split(text) == at_once.split(text)
        found, expected = later.search(text, 3), at_once.search(text, 3)
        assert found and expected and found.span() == expected.span()
        assert found.re == at_once
        assert [each.span() for each in later.finditer(text)] == [(2, 9), (11, 17)]
        assert later.fullmatch("a=1") and not later.match(" a=1")


def test_bytes_are_searched_too() -> None:
    assert compile_later(rb"\d+").findall(b"1 22") == [b"1", b"22"]


def test_an_unknown_name_is_an_attribute_error_as_elsewhere() -> None:
    with pytest.raises(AttributeError):
        _ = compile_later("a").surch  # type: ignore[attr-defined]


def test_an_expression_can_be_pickled_before_and_after_its_use() -> None:
    word = compile_later(r"\w+")
    assert pickle.loads(pickle.dumps(word)).findall("a b") == ["a", "b"]
    assert word.findall("a b") == ["a", "b"]
    assert pickle.loads(pickle.dumps(word)).findall("a b") == ["a", "b"]


def test_every_expression_of_the_program_compiles() -> None:
    for module in pkgutil.walk_packages(memctl.__path__, "memctl."):
        if not module.name.endswith(("__main__", "._kernel")):
            importlib.import_module(module.name)
    found = [each for each in gc.get_objects() if type(each) is LazyPattern]
    ours = [each for each in found if each.source != "("]
    assert len(ours) > 100
    for each in ours:
        assert each.compiled.pattern == each.source
