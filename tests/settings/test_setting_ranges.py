"""Every setting has a range: a value outside it is an error that names place, setting and range."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from memctl.core.errors import ConfigError
from memctl.core.model import TYPES
from memctl.llm.settings import PURPOSES
from memctl.settings.config import load_config
from memctl.settings.definitions import BY_KEY, SETTINGS, Setting

NUMBERS = [setting for setting in SETTINGS if type(setting.default) in (int, float)]
# As YAML writes them, and as a variable does.
HOSTILE = {
    "zero": "0",
    "minus one": "-1",
    "huge": "999999999999999999999999",
    "thousands of digits": "1" + "0" * 5000,
    "not a number": ".nan",
    "without end": ".inf",
    "minus without end": "-.inf",
    "empty": "''",
    "nothing": "",
    "a word": "many",
    "another script": "٣",
    "full width": "5",
    "a date": "2026-01-31",
    "a time": "12:30:45",
    "a list": "[1, 2]",
    "a section": "{a: 1}",
    "nested": "[" * 40 + "]" * 40,
    "very long": "x" * 100_000,
    "true": "true",
    "a tag": "!!python/object/apply:os.system ['true']",
    "a binary": "!!binary aGVsbG8=",
    "NUL": '"a\\0b"',
}


def write(folder: Path, key: str, text: str) -> dict[str, str]:
    section, name = key.split(".")
    (folder / "config.yaml").write_text(f"{section}:\n  {name}: {text}\n", encoding="utf-8")
    return {"HOME": str(folder), "MEMCTL_CONFIG": str(folder / "config.yaml")}


def is_right(setting: Setting, value: Any) -> bool:
    """Whether a value is of the setting's type and within its range."""
    if type(value) is not type(setting.default):
        return False
    if type(value) in (int, float):
        return bool(setting.low <= value <= setting.high)
    if isinstance(value, dict) and setting in (BY_KEY["decay.rates"], BY_KEY["limits.max_active"]):
        return all(setting.low <= item <= setting.high for item in value.values())
    if setting.choices:
        return all(
            item in setting.choices for item in (value if isinstance(value, list) else [value])
        )
    return True


@pytest.mark.parametrize("key", [setting.key for setting in SETTINGS])
def test_a_hostile_value_in_the_file_is_right_or_an_error_that_names_file_and_setting(
    tmp_path: Path, key: str
) -> None:
    for name, text in HOSTILE.items():
        env = write(tmp_path, key, text)
        try:
            found = load_config(env=env)
        except ConfigError as error:
            assert error.exit_code == 2
            assert str(tmp_path / "config.yaml") in str(error), (key, name)
            assert key in str(error) or "not valid YAML" in str(error), (key, name)
            assert len(str(error)) < 1000, (key, name)
        else:
            assert is_right(BY_KEY[key], found[key]), (key, name, found[key])


@pytest.mark.parametrize("key", [setting.key for setting in SETTINGS if setting.variable])
def test_a_hostile_value_in_a_variable_is_right_or_an_error_that_names_it(
    tmp_path: Path, key: str
) -> None:
    setting = BY_KEY[key]
    variable = setting.variable
    assert variable is not None
    for name, text in {**HOSTILE, "nan": "nan", "inf": "inf", "1e999": "1e999"}.items():
        env = {"HOME": str(tmp_path), variable: text}
        try:
            found = load_config(env=env)
        except ConfigError as error:
            assert error.exit_code == 2 and variable in str(error), (key, name)
            assert len(str(error)) < 1000, (key, name)
        else:
            assert is_right(setting, found[key]), (key, name, found[key])


@pytest.mark.parametrize("setting", NUMBERS, ids=lambda setting: setting.key)
def test_the_ends_of_a_range_are_in_it_and_what_lies_beyond_is_an_error_with_the_range(
    tmp_path: Path, setting: Setting
) -> None:
    kind = type(setting.default)
    assert setting.low < setting.high and setting.low <= setting.default <= setting.high
    for end in (setting.low, setting.high):
        assert load_config(env=write(tmp_path, setting.key, repr(kind(end))))[setting.key] == end
    for beyond in (kind(setting.low) - 1, kind(setting.high) + 1):
        with pytest.raises(ConfigError) as caught:
            load_config(env=write(tmp_path, setting.key, repr(beyond)))
        message = str(caught.value)
        assert f"from {setting.low:g} to {setting.high:.12g}" in message
        assert setting.key in message and f"not {beyond!r}" in message


@pytest.mark.parametrize("value", [-1, 101, float("inf"), float("nan"), "fast", True, None, [1]])
def test_a_number_in_a_section_has_a_range_too(tmp_path: Path, value: object) -> None:
    text = yaml.safe_dump({"project": value}, default_flow_style=True).strip()
    with pytest.raises(ConfigError, match=r"decay\.rates\.project must be a number from 0 to 100"):
        load_config(env=write(tmp_path, "decay.rates", text))


@pytest.mark.parametrize(
    "name", ["tasks", "planet/project", "project/", "/", "'*'", "planet/*", "''", "3"]
)
def test_a_limit_for_what_is_no_type_is_an_error_where_settings_are_read(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(ConfigError, match="no type, scope/type or"):
        load_config(env=write(tmp_path, "limits.max_active", f"{{{name}: 3}}"))


@pytest.mark.parametrize(
    "rule",
    [
        {"type": "belief"},
        {"type": ["project"]},
        {"type": "project", "min_confidence": 7},
        {"type": "project", "min_confidence": float("nan")},
        {"type": "project", "min_confidence": -1},
        {"type": "project", "min_trust": "me"},
        {"type": "project", "surely": True},
        {"kind": 3},
        {"min_confidence": 0.9},
        "project",
        None,
        [],
    ],
)
def test_a_promotion_rule_that_makes_no_sense_is_an_error_where_settings_are_read(
    tmp_path: Path, rule: object
) -> None:
    text = yaml.safe_dump([rule], default_flow_style=True).strip()
    with pytest.raises(ConfigError) as caught:
        load_config(env=write(tmp_path, "promotion.rules", text))
    assert "promotion.rules" in str(caught.value) and "config.yaml" in str(caught.value)


def test_a_variable_for_a_list_is_read_as_a_list(tmp_path: Path) -> None:
    for text in ("episode", "[episode]", "episode, task_hint", "[episode, task_hint]"):
        found = load_config(env={"HOME": str(tmp_path), "MEMCTL_DECAY_IN_RANKING": text})
        assert found["decay.in_ranking"] == text.strip("[]").split(", ")
    found = load_config(env={"HOME": str(tmp_path), "MEMCTL_DECAY_RATES": "{project: 0.1}"})
    assert found["decay.rates"]["project"] == 0.1


def test_the_words_of_settings_are_those_of_the_program() -> None:
    assert set(BY_KEY["decay.in_ranking"].choices) == set(BY_KEY["decay.rates"].default)
    assert set(BY_KEY["decay.in_ranking"].choices) < set(TYPES)
    assert BY_KEY["maintain.model_purposes"].choices == tuple(PURPOSES)


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "too large"])
def test_a_config_that_is_no_small_regular_file_is_an_error_at_once(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "config.yaml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text("# " + "x" * 1_000_000)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(env={"HOME": str(tmp_path), "MEMCTL_CONFIG": str(path)})


def test_a_tolerant_reading_takes_the_default_for_what_is_wrong_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "search:\n  limit: -5\n  neighbour_boost: 0.5\nqueue:\n  attempts: 3\n"
    )
    env = {
        "HOME": str(tmp_path),
        "MEMCTL_CONFIG": str(tmp_path / "config.yaml"),
        "MEMCTL_CONTEXT_LEVEL": "9",
    }
    found = load_config(env=env, is_tolerant=True)
    assert (found["search.limit"], found["search.neighbour_boost"]) == (10, 0.5)
    assert found["context.level"] == 1
    assert [fault.partition(":")[2].split()[0] for fault in found.faults[:1]] == ["search.limit"]
    assert len(found.faults) == 3 and "MEMCTL_CONTEXT_LEVEL" in found.faults[2]


@pytest.mark.parametrize("text", ["a: [", "- 1", "\x00", "a: &a [*a]"])
def test_a_tolerant_reading_of_what_is_no_config_takes_every_default(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "config.yaml").write_text(text)
    env = {"HOME": str(tmp_path), "MEMCTL_CONFIG": str(tmp_path / "config.yaml")}
    found = load_config(env=env, is_tolerant=True)
    assert dict(found.values) == {setting.key: setting.default for setting in SETTINGS}
    assert len(found.faults) == 1


def test_a_relative_folder_of_xdg_is_ignored_and_named(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_DATA_HOME": "rel", "XDG_CONFIG_HOME": "./conf"}
    found = load_config(env=env)
    assert found.db == tmp_path / ".local/share/memctl/memory.db"
    assert found.path == tmp_path / ".config/memctl/config.yaml"
    assert [place.split()[0] for place in found.odd_places] == ["XDG_CONFIG_HOME", "XDG_DATA_HOME"]


def test_a_relative_store_in_a_variable_is_named(tmp_path: Path) -> None:
    found = load_config(env={"HOME": str(tmp_path), "MEMCTL_DB": "memory.db"})
    assert (
        "MEMCTL_DB" in found.odd_places[0]
        and "another store in each folder" in (found.odd_places[0])
    )


@pytest.mark.parametrize("named", ["", "rel", None])
def test_a_home_that_is_no_whole_path_is_that_of_the_system(named: str | None) -> None:
    env = {} if named is None else {"HOME": named}
    assert load_config(env=env).home.is_absolute()
