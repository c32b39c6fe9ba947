"""An operator's expression runs on anything, or is refused with the reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.text.safe_regex import UnsafePattern, compile_bounded


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        (r"KILN-\d{4}", "KILN-1234"),
        (r"[\w.]+@kiln\.example", "kim.doe@kiln.example"),
        (r"(?i)project (?:tide|moon)", "Project MOON"),
        (r"\b\d{3}-\d{2}-\d{4}\b", "123-45-6789"),
        (r"cust_[a-z]+_\d+", "cust_abc_12"),
        (r"(?:\d{4}[ -]){3}\d{4}", "1111 2222-3333 4444"),
        (r"a\+b", "a+b"),
        (r"[+*]{2,3}x", "+*x"),
    ],
)
def test_a_plain_expression_finds_what_it_says(text: str, sample: str) -> None:
    found = compile_bounded(text).search(f"so {sample} it is")
    assert found is not None and found[0] == sample


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"(a+)+$", "inside a repeat"),
        (r"(?:a|aa)+b", "inside a repeat"),
        (r"(\w+\s?)*x", "inside a repeat"),
        (r".*foo.*bar", "too many ways"),
        (r"\w+\w+\w+!", "too many ways"),
        (r"(x)\1+", "refers back"),
        (r"(?P<q>x)(?P=q)", "refers back"),
        (r"a{1,9999}", "at most"),
        (r"a*", "matches empty text"),
        (r"(unclosed", "no regular expression"),
        ("", "characters"),
        ("x" * 401, "characters"),
    ],
)
def test_an_expression_that_could_take_for_ever_is_refused_with_the_reason(
    text: str, why: str
) -> None:
    with pytest.raises(UnsafePattern, match=why):
        compile_bounded(text)


@pytest.mark.parametrize("text", [r"\w+@\w+\.com", r"a.*b", r"[a-z]+-[a-z]+-[a-z]+!"])
def test_an_accepted_expression_gets_over_hostile_text(text: str) -> None:
    for unit in ("a", "a@", "a-", "ab "):
        compile_bounded(text).findall(unit * (60_000 // len(unit)))


@given(st.text(alphabet="ab(|)*+?{1,}[]\\.^$-", max_size=12))
def test_any_text_is_taken_or_refused(text: str) -> None:
    try:
        compile_bounded(text).search("ab" * 40)
    except UnsafePattern:
        return
