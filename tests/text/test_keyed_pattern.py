"""An expression with keys finds what it would find without them: each of its matches holds one."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re

from hypothesis import given, settings
from hypothesis import strategies as st

import memctl.consolidate
from memctl.text.keyed_pattern import KeyedPattern, may_hold

for each in pkgutil.iter_modules(memctl.consolidate.__path__, "memctl.consolidate."):
    importlib.import_module(each.name)
PATTERNS = [each for each in gc.get_objects() if type(each) is KeyedPattern]
MOST_CHARACTERS = 200


def test_there_are_such_expressions() -> None:
    assert len(PATTERNS) > 20


@settings(max_examples=1000, deadline=None)
@given(st.data())
def test_whatever_an_expression_matches_holds_one_of_its_keys(data: st.DataObject) -> None:
    keyed = data.draw(st.sampled_from(PATTERNS))
    compiled = re.compile(keyed.pattern.pattern, keyed.pattern.flags)
    text = data.draw(st.from_regex(compiled, alphabet=st.characters(codec="ascii")))
    if compiled.search(text):
        assert may_hold(text, keyed.keys), (text[:MOST_CHARACTERS], keyed.keys)


def test_keys_count_in_any_case_and_letters_beyond_ascii_are_looked_at_always() -> None:
    keyed = KeyedPattern("since|kilo", r"\b(?:since|kilo)\b")
    assert keyed.search("SINCE Monday") and keyed.match("Kilo")
    assert keyed.search("\u017fince Monday"), "a long s is an s where case does not matter"
    assert keyed.search("one \u212ailo"), "the sign of Kelvin is a k"
    assert keyed.sub("_", "Since kilo, kilo", count=2) == "_ _, kilo"
    assert keyed.sub("_", "none of them") == "none of them"
