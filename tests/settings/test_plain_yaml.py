"""Plainly written settings are read without the YAML library, and mean what they mean in YAML."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memctl.settings.config import load_config
from memctl.settings.plain_yaml import parse_plain_yaml

NAMES = ("search", "limit", "a_b", "on", "No", "y", "3", "a.b", "null", "<<", "=", "- a", "é")
WORDS = (
    *("true", "True", "yes", "off", "NULL", "~", "none", "0", "7", "007", "0x1f", "0b1", "1_000"),
    *("1.5", "1.", ".5", "0.25", "00.5", "1e3", "1.0e+3", "-3", "+2", "12:30", "2026-01-02"),
    *(".inf", ".nan", "potion-base-8M", "a/b.c", "a b", "a: b", "a:b", "a #b", "a#b", "'q'"),
    *('"q"', '"a', "[]", "{}", "[a]", "[a, b]", "[a,b]", "[ 1 , true ]", "[a,]", "[,]", "[", "]"),
    *("[[a]]", "[a]]", "{a: 1}", "{", "*a", "&a b", "!a b", "|", ">", "%a", "@a", "`a", "-", "-a"),
    *("?", ":", "a\tb", "\t", "é", "\x7f", "a\x85b", "", " ", "#", "a  ", "y", "N", "=", "<<"),
    *(
        "1.5.2",
        "9" * 9999,
        "v1.2",
        "9" * 400,
        "9" * 400 + ".5",
        "a-",
        "a_",
        "a.",
        "a/",
        "_a",
        "._",
        "1a",
        "²",
    ),
)
LINES = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(("", "", " ", "  ", "  ", "  ", "    ", "\t", "# ", "  # ")),
    st.sampled_from(NAMES),
    st.sampled_from((":", ": ", ": ", ":  ", "", " : ")),
    st.sampled_from(WORDS),
    st.sampled_from(("", "", " # why", "# no", " ", "\r")),
)
SECTIONS = st.sampled_from(("search:", "limits:", "search: # what", "x:  ", "---", "...", "", "{}"))


def read_by_library(text: str) -> object:
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError):
        return "not YAML"


def describe(value: object) -> object:
    """The value with the types of all its parts, since True == 1 == 1.0."""
    if isinstance(value, dict):
        return {name: describe(part) for name, part in value.items()}
    if isinstance(value, list):
        return [describe(part) for part in value]
    return type(value), value


@settings(max_examples=1500, deadline=None)
@given(st.lists(LINES | SECTIONS, max_size=6))
@example(["search:", "  limit: 5"])
@example(["search:", "  # only a remark", "limits:"])
@example(["search:", "  limit: 5", "    more: 6"])
@example(["search:", "  limit: 5", " more: 6"])
def test_what_is_read_without_the_library_means_what_it_means_in_yaml(lines: list[str]) -> None:
    text = "\n".join(lines)
    plain = parse_plain_yaml(text)
    if plain:
        assert describe(plain) == describe(read_by_library(text))
    elif plain is not None:
        assert not read_by_library(text)


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet="ab:# -\n\t[]{},.'\"01_/\r&*!|>%@?=<~", max_size=40))
def test_no_odd_text_is_read_otherwise_than_in_yaml(text: str) -> None:
    plain = parse_plain_yaml(text)
    if plain:
        assert describe(plain) == describe(read_by_library(text))
    elif plain is not None:
        assert not read_by_library(text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", WORDS)
def test_each_name_and_value_alone_means_what_it_means_in_yaml(name: str, value: str) -> None:
    text = f"search:\n  {name}: {value}\n"
    plain = parse_plain_yaml(text)
    assert plain is None or describe(plain) == describe(read_by_library(text))


def test_the_usual_file_needs_no_library(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "# mine\noperator:\n  names: [Dana, Jo]   # in chats\n  require_terminal: false\n\n"
        "search:\n  limit: 5\n  relevance_threshold: 0.25\nembedding:\n  model: none\n"
    )
    found = load_config(env={"MEMCTL_CONFIG": str(file), "HOME": str(tmp_path)})
    assert found["operator.names"] == ["Dana", "Jo"]
    assert found["search.limit"] == 5
    script = (
        "import sys\nfrom memctl.settings.config import load_config\nload_config()\n"
        "assert 'yaml' not in sys.modules"
    )
    env = {"MEMCTL_CONFIG": str(file), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], env=env, check=True)
