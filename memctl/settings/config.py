"""Loading the settings: defaults, then the operator's config.yaml, then MEMCTL_* variables.

The only module that reads the environment. PyYAML is imported only if a config file exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from memctl.core.errors import ConfigError
from memctl.core.frozen import dataclass, field
from memctl.core.typing_lite import Any
from memctl.settings.definitions import BY_KEY, RENAMED, RETIRED, SETTINGS, Setting, name_variable

# Set for every model and helper that memctl starts: one that is an agent with our hooks in it must
# not call us back.
HOOK_ACTIVE = "MEMCTL_HOOK_ACTIVE"
_TRUE_WORDS = {"1", "true", "yes", "on"}
_FALSE_WORDS = {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, each with where it came from (`default`, the file, or a variable).

    `outdated` says, a sentence each, which names of settings are no longer the right ones.
    """

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    path: Path
    db: Path
    db_origin: str = "default"
    home: Path = field(default_factory=Path.home)
    outdated: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def spool(self) -> Path:
        """The folder that takes in captures while the store cannot."""
        return self.db.with_name(self.db.name + ".spool")

    @property
    def backups(self) -> Path:
        """The folder of automatic backups."""
        return self.db.with_name(self.db.name + ".backups")


def get_environment() -> Mapping[str, str]:
    """Return the process environment, for the few pure functions that are passed one."""
    return os.environ


def build_child_environment() -> Mapping[str, str]:
    """Return the environment for a program that memctl starts."""
    return {**os.environ, HOOK_ACTIVE: "1"}


def guard_children() -> None:
    """Mark this process for every program that a library starts on our behalf, to its end."""
    os.environ[HOOK_ACTIVE] = "1"


def find_temporary_folder() -> Path:
    """Return the system's folder for temporary files.

    `tempfile` would try to write there first.
    """
    return Path(
        next(
            (folder for name in ("TMPDIR", "TEMP", "TMP") if (folder := os.environ.get(name))),
            "/tmp",
        )
    )


def load_config(db: Path | None = None, env: Mapping[str, str] | None = None) -> Config:
    """Load the settings.

    Raises ConfigError, which names the file, the key and what would be right.
    """
    env = os.environ if env is None else env
    home = Path(env.get("HOME") or Path.home())
    path = (
        Path(env["MEMCTL_CONFIG"])
        if env.get("MEMCTL_CONFIG")
        else _locate_folder(env, home, "XDG_CONFIG_HOME", ".config") / "config.yaml"
    )
    values = {setting.key: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    outdated: list[str] = []
    for key, value in _use_new_names(_read_file(path), outdated).items():
        values[key] = value
        origins[key] = str(path)
    for setting in SETTINGS:
        variable = _find_variable(setting, env, outdated)
        if variable is not None:
            values[setting.key] = _parse_variable(setting, variable, env[variable])
            origins[setting.key] = variable
    store, origin = _locate_store(db, env, home)
    return Config(values, origins, path, store, origin, home, tuple(outdated))


def _use_new_names(values: Mapping[str, Any], outdated: list[str]) -> dict[str, Any]:
    """Return the settings of a file under their present names.

    The other names are noted in `outdated`.
    """
    present = {key: value for key, value in values.items() if key in BY_KEY}
    for key, value in values.items():
        if key in RETIRED:
            outdated.append(f"`{key}` no longer exists; see `{RETIRED[key]}`")
        elif key in RENAMED:
            outdated.append(_describe_rename(key, RENAMED[key], is_both=RENAMED[key] in values))
            present.setdefault(RENAMED[key], value)
    return present


def _find_variable(setting: Setting, env: Mapping[str, str], outdated: list[str]) -> str | None:
    """Return the variable that sets a setting, by its present name or an earlier one."""
    if setting.variable is None:
        return None
    found = setting.variable if setting.variable in env else None
    for old_key in _list_old_names(setting.key):
        old_variable = name_variable(old_key)
        if old_variable is not None and old_variable in env:
            outdated.append(
                _describe_rename(old_variable, setting.variable, is_both=found is not None)
            )
            found = found or old_variable
    return found


def _list_old_names(key: str) -> Iterator[str]:
    return (old for old, new in RENAMED.items() if new == key)


def _describe_rename(old: str, new: str, *, is_both: bool) -> str:
    sentence = f"`{old}` is now `{new}`"
    return f"{sentence}; both are set, and only `{new}` counts" if is_both else sentence


def find_agent_name(env: Mapping[str, str] | None = None) -> str | None:
    """Return the calling agent: MEMCTL_AGENT, or what its own variables tell; None without
    either.
    """
    env = os.environ if env is None else env
    if env.get("MEMCTL_AGENT"):
        return env["MEMCTL_AGENT"]
    marks = {
        "CLAUDECODE": "claude-code",
        "GEMINI_CLI": "gemini-cli",
        "CODEX_SANDBOX": "codex",
        "CURSOR_AGENT": "cursor",
    }
    return next((agent for variable, agent in marks.items() if env.get(variable)), None)


def find_editor(env: Mapping[str, str] | None = None) -> str:
    """Return the command that edits a text file: VISUAL, EDITOR, else vi."""
    env = os.environ if env is None else env
    return env.get("VISUAL") or env.get("EDITOR") or "vi"


def build_example() -> str:
    """Return a commented config.yaml with every setting at its default."""
    lines = ["# memctl settings; every line shows its default. Remove the # of those you change."]
    section = ""
    for setting in SETTINGS:
        group, _, name = setting.key.partition(".")
        if group != section:
            lines += ["", f"{group}:"]
            section = group
        lines += [f"  # {setting.help}", f"#  {name}: {_to_yaml(setting.default)}"]
    return "\n".join(lines) + "\n"


def _locate_folder(env: Mapping[str, str], home: Path, variable: str, fallback: str) -> Path:
    return Path(env.get(variable) or home / fallback) / "memctl"


def _locate_store(db: Path | None, env: Mapping[str, str], home: Path) -> tuple[Path, str]:
    if db is not None:
        return db.expanduser().absolute(), "--db"
    if env.get("MEMCTL_DB"):
        return Path(env["MEMCTL_DB"]).expanduser().absolute(), "MEMCTL_DB"
    return (
        _locate_folder(env, home, "XDG_DATA_HOME", ".local/share") / "memory.db"
    ).absolute(), "default"


def _read_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    return {
        key: _check_value(path, key, value)
        for key, value in _flatten_sections(path, _parse_yaml(path, text)).items()
    }


def _parse_yaml(path: Path, text: str) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def _flatten_sections(path: Path, tree: Any) -> dict[str, Any]:
    if tree is None:
        return {}
    if not isinstance(tree, dict) or not all(
        part is None or isinstance(part, dict) for part in tree.values()
    ):
        raise ConfigError(
            f"{path}: must hold sections with settings, as `memctl config --example` shows"
        )
    return {
        f"{section}.{name}": value
        for section, part in tree.items()
        for name, value in (part or {}).items()
    }


def _check_value(path: Path, key: str, value: Any) -> Any:
    if key in RETIRED:
        return value
    setting = BY_KEY.get(RENAMED.get(key, key))
    if setting is None:
        import difflib

        close = difflib.get_close_matches(key, BY_KEY, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise ConfigError(f"{path}: no setting is called {key}{hint}")
    wanted = type(setting.default)
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise ConfigError(f"{path}: {key} must be {_name_type(wanted)}, not {value!r}")
    if wanted is not dict:
        return value
    is_numbers = all(isinstance(item, int | float) for item in setting.default.values())
    return (
        _check_numbers(path, key, setting.default, value)
        if is_numbers
        else _check_lists(path, key, setting.default, value)
    )


def _check_numbers(
    path: Path, key: str, known: Mapping[str, Any], given: Mapping[Any, Any]
) -> dict[str, Any]:
    """Check a setting with numbers of 0 and more by name.

    Names left out keep their defaults; if there are no defaults, any name is allowed.
    """
    for name, item in given.items():
        if known and name not in known:
            raise ConfigError(f"{path}: {key} has {', '.join(known)}, not {name!r}")
        if (
            isinstance(item, bool)
            or not isinstance(item, int | float)
            or not 0 <= item < float("inf")
        ):
            raise ConfigError(f"{path}: {key}.{name} must be a number, 0 or more, not {item!r}")
    return {**known, **{str(name): item for name, item in given.items()}}


def _check_lists(
    path: Path, key: str, known: Mapping[str, Any], given: Mapping[Any, Any]
) -> dict[str, list[str]]:
    """Check a setting with lists of texts.

    Raises ConfigError, also for an expression that cannot be bounded.
    """
    for name, items in given.items():
        if name not in known:
            raise ConfigError(f"{path}: {key} has {', '.join(known)}, not {name!r}")
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ConfigError(f"{path}: {key}.{name} must be a list of texts, not {items!r}")
    for item in given.get("patterns", ()):
        _check_pattern(path, f"{key}.patterns", item)
    return {name: given.get(name, []) for name in known}


def _check_pattern(path: Path, key: str, text: str) -> None:
    from memctl.text.safe_regex import UnsafePattern, compile_bounded

    try:
        compile_bounded(text)
    except UnsafePattern as error:
        raise ConfigError(f"{path}: {key}: {text!r} cannot be used: {error}") from error


def _parse_variable(setting: Setting, variable: str, text: str) -> Any:
    wanted = type(setting.default)
    try:
        return _parse_boolean(text) if wanted is bool else wanted(text)
    except ValueError as error:
        raise ConfigError(f"{variable} must be {_name_type(wanted)}, not {text!r}") from error


def _parse_boolean(text: str) -> bool:
    word = text.lower()
    if word not in _TRUE_WORDS | _FALSE_WORDS:
        raise ValueError(text)
    return word in _TRUE_WORDS


def _name_type(wanted: type) -> str:
    return {
        bool: "true or false",
        int: "a whole number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a section",
    }[wanted]


def _to_yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {item}" for name, item in value.items()) + "}"
    return '""' if value == "" else str(value)
