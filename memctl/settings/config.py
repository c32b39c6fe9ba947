"""Loading the settings: defaults, then the operator's config.yaml, then MEMCTL_* variables.

The only module that reads the environment. PyYAML is imported only if a config file exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from memctl.core.errors import ConfigError
from memctl.core.frozen import dataclass, field, replace
from memctl.core.typing_lite import Any
from memctl.core.user_folders import find_xdg_folder
from memctl.settings.definitions import BY_KEY, RENAMED, RETIRED, SETTINGS, Setting, name_variable

# Set for every model and helper that memctl starts: one that is an agent with our hooks in it must
# What `maintain --log`, which timers run, says of itself.
STARTED_BY_TIMER = "MEMCTL_STARTED_BY_TIMER"
# not call us back.
HOOK_ACTIVE = "MEMCTL_HOOK_ACTIVE"
# Characters of an unknown name that an error shows.
_MAX_NAME = 60


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, each with where it came from (`default`, the file, or a variable).

    `outdated` says, a sentence each, which names of settings are no longer the right ones,
    `faults` what is wrong and was replaced by its default (see `load_config`), and `odd_places`
    which places were given in a way that does not do what one would think.
    """

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    path: Path
    db: Path
    db_origin: str = "default"
    home: Path = field(default_factory=Path.home)
    outdated: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    odd_places: tuple[str, ...] = ()
    state_home: Path | None = None

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def state(self) -> Path:
        """The folder of what is noted of stores outside their own folders."""
        return self.state_home or self.home / ".local/state/memctl"

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


def mark_timer_run() -> None:
    """Say for the rest of this process that a timer runs it."""
    os.environ[STARTED_BY_TIMER] = "1"


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


def load_config(
    db: Path | None = None,
    env: Mapping[str, str] | None = None,
    *,
    is_tolerant: bool = False,
) -> Config:
    """Load the settings.

    Raises ConfigError, which names the file, the key and what would be right. If `is_tolerant`, the
    default stands for whatever is wrong, and the sentence goes to the `faults` of the result.
    """
    env = os.environ if env is None else env
    odd_places: list[str] = []
    faults: list[str] | None = [] if is_tolerant else None
    home = _find_home(env)
    path = (
        Path(env["MEMCTL_CONFIG"])
        if env.get("MEMCTL_CONFIG")
        else _locate_folder(env, home, "XDG_CONFIG_HOME", odd_places) / "config.yaml"
    )
    values = {setting.key: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    outdated: list[str] = []
    given = dict(_check_all(path, _read_or_note(path, faults), faults))
    for key, value in _use_new_names(given, outdated).items():
        values[key] = value
        origins[key] = str(path)
    for setting in SETTINGS:
        variable = _find_variable(setting, env, outdated)
        if variable is None:
            continue
        from memctl.settings.setting_values import parse_variable

        try:
            values[setting.key] = parse_variable(setting, variable, env[variable])
            origins[setting.key] = variable
        except ConfigError as error:
            if faults is None:
                raise
            faults.append(str(error))
    store, origin = _locate_store(db, env, home, odd_places)
    return Config(
        values,
        origins,
        path,
        store,
        origin,
        home,
        tuple(outdated),
        tuple(faults or ()),
        tuple(odd_places),
        _locate_folder(env, home, "XDG_STATE_HOME", []),
    )


def _read_or_note(path: Path, faults: list[str] | None) -> dict[str, Any]:
    """Return what the file says; nothing, and a note, if it cannot be read at all."""
    if _is_missing(path):
        return {}
    from memctl.settings.config_file import read_config_file  # most operators have no file

    try:
        return read_config_file(path)
    except ConfigError as error:
        if faults is None:
            raise
        faults.append(str(error))
        return {}


def _is_missing(path: Path) -> bool:
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):  # reading it says what is wrong
        return False
    return False


def _find_home(env: Mapping[str, str]) -> Path:
    """Return the home folder: HOME, unless it is no whole path, else what the system knows."""
    named = Path(env.get("HOME") or "")
    if named.is_absolute():
        return named
    try:
        import pwd

        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):
        return Path.home()


def find_login_name() -> str | None:
    """Return the name of this user on this system, or None."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        return None


def find_hook_deadline(env: Mapping[str, str] | None = None) -> float:
    """Return the deadline of a hook in seconds before the file is read: the variable, or the
    default.
    """
    setting = BY_KEY["hook.deadline_seconds"]
    variable = setting.variable
    env = os.environ if env is None else env
    if variable is not None and variable in env:
        from memctl.settings.setting_values import parse_variable

        with suppress(ConfigError):
            return float(parse_variable(setting, variable, env[variable]))
    return float(setting.default)


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
    return next(iter(list_agent_names(env)), None)


def list_agent_names(env: Mapping[str, str] | None = None) -> list[str]:
    """List the agents that may call: MEMCTL_AGENT alone, else all that marked the environment.

    An agent that another one started has the marks of both.
    """
    env = os.environ if env is None else env
    if env.get("MEMCTL_AGENT"):
        return [env["MEMCTL_AGENT"]]
    marks = {
        "CLAUDECODE": "claude-code",
        "GEMINI_CLI": "gemini-cli",
        "CODEX_SANDBOX": "codex",
        "CURSOR_AGENT": "cursor",
    }
    return [agent for variable, agent in marks.items() if env.get(variable)]


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
        takes = f" ({setting.low:g} to {setting.high:.12g})" if setting.high else ""
        lines += [f"  # {setting.help}{takes}", f"#  {name}: {_to_yaml(setting.default)}"]
    return "\n".join(lines) + "\n"


def _locate_folder(
    env: Mapping[str, str], home: Path, variable: str, odd_places: list[str]
) -> Path:
    """Return our folder below one of XDG's, whose rule says that a relative path is ignored."""
    named = env.get(variable)
    if named and not os.path.isabs(named):
        odd_places.append(
            f"{variable} is the relative path {named[:_MAX_NAME]!r}, so it is ignored"
        )
    return find_xdg_folder(env, variable, home) / "memctl"


def _locate_store(
    db: Path | None, env: Mapping[str, str], home: Path, odd_places: list[str]
) -> tuple[Path, str]:
    if db is not None:
        return _follow_link(db.expanduser().absolute()), "--db"
    named = env.get("MEMCTL_DB")
    if named:
        path = Path(named).expanduser()
        if not path.is_absolute():
            shown = named[:_MAX_NAME]
            odd_places.append(
                f"MEMCTL_DB is the relative path {shown!r}: another store in each folder"
            )
        return _follow_link(path.absolute()), "MEMCTL_DB"
    folder = _locate_folder(env, home, "XDG_DATA_HOME", odd_places)
    return _follow_link((folder / "memory.db").absolute()), "default"


def _follow_link(store: Path) -> Path:
    """The file that a link to a store leads to: whatever lies beside the store (spool, copies,
    drafts, key) is then found by every name that the store has. A link to a disk that is not there
    stays what it is, so that nothing is made in its place.
    """
    if not store.is_symlink():
        return store
    real = Path(os.path.realpath(store))
    return real if real.parent.is_dir() else store


def _check_all(
    path: Path, values: Mapping[str, Any], faults: list[str] | None
) -> Iterator[tuple[str, Any]]:
    """Yield what the file says, checked; what is wrong is noted, or raises ConfigError."""
    for key, value in values.items():
        try:
            yield key, _check_value(path, key, value)
        except ConfigError as error:
            if faults is None:
                raise
            faults.append(str(error))


def _check_value(path: Path, key: str, value: Any) -> Any:
    if key in RETIRED:
        return value
    setting = BY_KEY.get(RENAMED.get(key, key))
    if setting is None:
        import difflib

        close = difflib.get_close_matches(key, BY_KEY, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise ConfigError(f"{path}: no setting is called {key[:_MAX_NAME]}{hint}")
    from memctl.settings.setting_values import check_value

    return check_value(str(path), replace(setting, key=key), value)


def _to_yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {item}" for name, item in value.items()) + "}"
    return '""' if value == "" else str(value)
