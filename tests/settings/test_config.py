"""Settings: a default, then the file, then a variable; a wrong one names the place, the key and
what would be right.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memctl.core.errors import ConfigError
from memctl.maintain.doctor import doctor
from memctl.settings import config
from memctl.settings.config import load_config
from memctl.settings.definitions import RENAMED, SETTINGS
from memctl.store.migrate import open_store


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.yaml"


def env(tmp_path: Path, **more: object) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "MEMCTL_CONFIG": str(tmp_path / "config.yaml")} | {
        key: str(value) for key, value in more.items()
    }


def test_without_anything_every_setting_is_its_default(tmp_path: Path) -> None:
    found = load_config(env={"HOME": str(tmp_path)})
    assert dict(found.values) == {setting.key: setting.default for setting in SETTINGS}
    assert set(found.origins.values()) == {"default"}
    assert found.db == tmp_path / ".local/share/memctl/memory.db" and found.db_origin == "default"
    assert found.path == tmp_path / ".config/memctl/config.yaml"


def test_the_file_wins_over_the_default_and_a_variable_over_the_file(
    tmp_path: Path, file: Path
) -> None:
    file.write_text("search:\n  limit: 7\ncontext:\n  budget: 100\n")
    found = load_config(env=env(tmp_path, MEMCTL_SEARCH_LIMIT=3))
    assert (found["search.limit"], found["context.budget"], found["context.level"]) == (3, 100, 1)
    assert [found.origins[key] for key in ("search.limit", "context.budget", "context.level")] == [
        "MEMCTL_SEARCH_LIMIT",
        str(file),
        "default",
    ]


def test_the_store_is_where_one_says_else_where_the_variable_says(tmp_path: Path) -> None:
    given = env(tmp_path, MEMCTL_DB=tmp_path / "b.db")
    assert (
        load_config(tmp_path / "a.db", given).db,
        load_config(tmp_path / "a.db", given).db_origin,
    ) == (
        tmp_path / "a.db",
        "--db",
    )
    assert (load_config(env=given).db, load_config(env=given).db_origin) == (
        tmp_path / "b.db",
        "MEMCTL_DB",
    )
    assert load_config(env=env(tmp_path, XDG_DATA_HOME="/data")).db == Path(
        "/data/memctl/memory.db"
    )


def test_spool_and_backups_stand_beside_the_store(tmp_path: Path) -> None:
    found = load_config(tmp_path / "a.db", env(tmp_path))
    assert (found.spool, found.backups) == (tmp_path / "a.db.spool", tmp_path / "a.db.backups")


def test_a_relative_store_is_made_absolute(tmp_path: Path) -> None:
    assert load_config(Path("x.db"), env(tmp_path)).db == Path.cwd() / "x.db"


WRONG = {
    "an unknown key": ("search:\n  limitt: 3\n", "did you mean search.limit"),
    "a key of another world": ("qqq:\n  zzz: 3\n", "no setting is called qqq.zzz"),
    "another type": ("search:\n  limit: many\n", "must be a whole number"),
    "true for a number": ("search:\n  limit: true\n", "must be a whole number"),
    "a number for text": ("embedding:\n  model: 3\n", "must be text"),
    "text for a list": ("operator:\n  names: Ada\n", "must be a list"),
    "no sections": ("search: 3\n", "sections with settings"),
    "a list": ("- 3\n", "sections with settings"),
    "broken YAML": ("a: [\n", "not valid YAML"),
    "an object of Python": (
        "search:\n  limit: !!python/object/apply:os.system ['true']\n",
        "not valid YAML",
    ),
}


@pytest.mark.parametrize(("text", "why"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_named_with_what_would_be_right(
    tmp_path: Path, file: Path, text: str, why: str
) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(env=env(tmp_path))
    assert (
        str(file) in str(caught.value) and why in str(caught.value) and caught.value.exit_code == 2
    )


def test_a_file_that_is_no_text_is_named(tmp_path: Path, file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(env=env(tmp_path))


def test_an_empty_file_changes_nothing(tmp_path: Path, file: Path) -> None:
    for text in ("", "# nothing\n", "search:\n"):
        file.write_text(text)
        assert set(load_config(env=env(tmp_path)).origins.values()) == {"default"}


def test_a_whole_number_will_do_where_a_number_is_wanted(tmp_path: Path, file: Path) -> None:
    file.write_text("search:\n  relevance_threshold: 1\n")
    assert type(load_config(env=env(tmp_path))["search.relevance_threshold"]) is float


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("MEMCTL_REDACT_DEEP", "yes", True),
        ("MEMCTL_REDACT_DEEP", "0", False),
        ("MEMCTL_SEARCH_RELEVANCE_THRESHOLD", "0.5", 0.5),
        ("MEMCTL_EMBEDDING_MODEL", "x", "x"),
    ],
)
def test_a_variable_is_read_as_its_setting_is(
    tmp_path: Path, name: str, text: str, value: object
) -> None:
    key = next(setting.key for setting in SETTINGS if setting.variable == name)
    assert load_config(env=env(tmp_path, **{name: text}))[key] == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("MEMCTL_REDACT_DEEP", "perhaps"),
        ("MEMCTL_SEARCH_LIMIT", "1.5"),
        ("MEMCTL_SEARCH_RELEVANCE_THRESHOLD", ""),
    ],
)
def test_a_wrong_variable_is_named(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load_config(env=env(tmp_path, **{name: text}))


def test_the_example_shows_every_setting_and_changes_none(tmp_path: Path, file: Path) -> None:
    text = config.build_example()
    file.write_text(text)
    assert set(load_config(env=env(tmp_path)).origins.values()) == {"default"}
    uncommented = "\n".join(
        line[1:] if line.startswith("#  ") else line
        for line in text.splitlines()
        if not line.startswith("# memctl")
    )
    tree = yaml.safe_load(uncommented)
    assert {
        f"{section}.{name}": value for section, part in tree.items() for name, value in part.items()
    } == {setting.key: setting.default for setting in SETTINGS}


def test_every_setting_has_a_sentence_and_a_variable_of_its_own() -> None:
    assert [setting.key for setting in SETTINGS if not setting.help.endswith(".")] == []
    variables = [setting.variable for setting in SETTINGS if setting.variable]
    assert len(set(variables)) == len(variables)


def test_what_decides_on_trust_is_set_in_the_file_and_by_no_variable(tmp_path: Path) -> None:
    given = {
        "MEMCTL_OPERATOR_REQUIRE_TERMINAL": "false",
        "MEMCTL_OPERATOR_NAMES": "Eve",
        "MEMCTL_MAINTAIN_MODEL": "far-away",
    }
    loaded = load_config(env=env(tmp_path, **given))
    assert loaded["maintain.model"] == ""
    assert (
        loaded["operator.require_terminal"],
        loaded["operator.names"],
        loaded["promotion.rules"],
    ) == (True, [], [])
    assert [
        key
        for setting in SETTINGS
        if not setting.variable and not (key := setting.key).startswith("maintain.model")
    ] == [
        "operator.names",
        "operator.require_terminal",
        "capture.ignore",
        "promotion.episodes",
        "promotion.rules",
        "sync.others",
        "sync.encrypt",
        "sync.seconds",
        "sync.most_megabytes",
    ]


@pytest.mark.parametrize(
    ("given", "agent"),
    [
        ({"CLAUDECODE": "1"}, "claude-code"),
        ({"CODEX_SANDBOX": "x"}, "codex"),
        ({"MEMCTL_AGENT": "mine", "CLAUDECODE": "1"}, "mine"),
        ({}, None),
    ],
)
def test_the_calling_agent_is_known_by_its_variables(
    given: dict[str, str], agent: str | None
) -> None:
    assert config.find_agent_name(given) == agent


def test_the_editor_is_the_operators() -> None:
    assert [
        config.find_editor(given) for given in ({"VISUAL": "a", "EDITOR": "b"}, {"EDITOR": "b"}, {})
    ] == ["a", "b", "vi"]


def test_a_setting_that_is_gone_is_passed_over_and_doctor_says_so(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("decay:\n  half_life_days: 90\n")
    found = config.load_config(
        tmp_path / "m.db", {"MEMCTL_CONFIG": str(path), "HOME": str(tmp_path)}
    )
    assert "decay.half_life_days" not in found.values
    open_store(found.db, create=True).close()
    [check] = [one for one in doctor(found, repair=False).checks if one.name == "config"]
    assert check.state == "note" and "decay.rates" in check.detail


@pytest.mark.parametrize(("old", "new"), RENAMED.items(), ids=RENAMED)
def test_an_earlier_name_of_a_setting_is_read_and_named(
    tmp_path: Path, file: Path, old: str, new: str
) -> None:
    default = next(setting.default for setting in SETTINGS if setting.key == new)
    value = not default if isinstance(default, bool) else type(default)(1)
    section, _, name = old.partition(".")
    file.write_text(yaml.safe_dump({section: {name: value}}))
    found = load_config(env=env(tmp_path))
    assert (found[new], found.origins[new]) == (value, str(file))
    assert found.outdated == (f"`{old}` is now `{new}`",)
    assert old not in found.values and old not in config.build_example()


@pytest.mark.parametrize(("old", "new"), RENAMED.items(), ids=RENAMED)
def test_a_variable_of_an_earlier_name_is_read_and_named(
    tmp_path: Path, old: str, new: str
) -> None:
    old_variable, variable = (f"MEMCTL_{key.upper().replace('.', '_')}" for key in (old, new))
    found = load_config(env=env(tmp_path, **{old_variable: "1"}))
    assert (found[new], found.origins[new]) == (1, old_variable)
    assert found.outdated == (f"`{old_variable}` is now `{variable}`",)


def test_of_both_names_the_new_one_counts(tmp_path: Path, file: Path) -> None:
    file.write_text("search:\n  relevance_threshold: 0.3\n  floor: 0.2\n")
    found = load_config(env=env(tmp_path))
    assert found["search.relevance_threshold"] == 0.3
    assert "both are set, and only `search.relevance_threshold` counts" in found.outdated[0]
    given = env(tmp_path, MEMCTL_SEARCH_RELEVANCE_THRESHOLD=0.5, MEMCTL_SEARCH_FLOOR=0.4)
    assert load_config(env=given)["search.relevance_threshold"] == 0.5


def test_a_wrong_value_under_an_earlier_name_is_named(tmp_path: Path, file: Path) -> None:
    file.write_text("search:\n  floor: high\n")
    with pytest.raises(ConfigError, match=r"search\.floor must be a number"):
        load_config(env=env(tmp_path))


def test_doctor_names_the_earlier_names_in_use(tmp_path: Path, file: Path) -> None:
    file.write_text("search:\n  floor: 0.2\ntiers:\n  days: 4\n")
    found = load_config(tmp_path / "m.db", env(tmp_path))
    open_store(found.db, create=True).close()
    [check] = [one for one in doctor(found, repair=False).checks if one.name == "config"]
    assert "`search.floor` is now `search.relevance_threshold`" in check.detail
    assert "`tiers.days` is now `patterns.days`" in check.detail
