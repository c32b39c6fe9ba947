"""Reading config.yaml: a regular file of bounded size, flattened to settings by dotted key."""

from __future__ import annotations

from pathlib import Path

from memctl.core.errors import ConfigError
from memctl.core.regular_files import read_regular_file
from memctl.core.typing_lite import Any
from memctl.settings.plain_yaml import parse_plain_yaml

# Bytes. A file with every setting and a hundred promotion rules has a tenth of that.
MAX_BYTES = 1_000_000


def read_config_file(path: Path) -> dict[str, Any]:
    """Return the values of the file by dotted key, not yet checked; none where there is no file.

    Raises ConfigError for a file that cannot be read as sections with settings.
    """
    try:
        text = read_regular_file(path, most=MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: cannot be read: {reason}") from error
    plain = parse_plain_yaml(text)
    return _flatten_sections(path, parse_yaml(str(path), text) if plain is None else plain)


def parse_yaml(place: str, text: str) -> Any:
    """Parse YAML. Raises ConfigError, which names the place."""
    import yaml

    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    # A value that looks like a number or a date and is none raises ValueError or OverflowError.
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ConfigError(f"{place}: not valid YAML: {reason}") from error


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
