"""Settings in YAML as setup edits them: what they say, and where in the text they say it. Pure."""

from __future__ import annotations

from memctl.core.typing_lite import Any
from memctl.setup.textedit import Unfit


def find_value(text: str, *keys: str) -> Any:
    """The YAML node that holds a value, with its offsets in the text; None without."""
    import yaml

    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in keys:
        if node is None or node.id != "mapping":
            return None
        node = next((value for name, value in node.value if name.value == key), None)
    return node


def load_settings(text: str) -> dict[str, Any]:
    """The settings in the text. Raises Unfit for a text that is no mapping in YAML."""
    import yaml

    try:
        settings = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unfit("it is not YAML") from error
    if settings is not None and not isinstance(settings, dict):
        raise Unfit("it holds no settings")
    return settings or {}
