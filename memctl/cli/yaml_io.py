"""Reading and writing YAML. PyYAML is imported only when it is needed."""

from __future__ import annotations

from memctl.cli import terminal_safety
from memctl.core.errors import UsageError
from memctl.core.typing_lite import Any


def load_yaml(text: str) -> tuple[Any, list[int]]:
    """Return the value of a YAML text and the lines on which the items of its list begin.

    In an object, its list is `items`. Raises UsageError.
    """
    import yaml

    try:
        # The reader looks for characters that YAML does not allow as soon as it is made.
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        value = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as error:
        raise UsageError(f"not valid YAML: {' '.join(str(error).split())}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"not valid YAML: {error}") from error
    return value, _find_item_lines(node)


def dump_yaml(value: Any) -> str:
    """Return block YAML with keys in the given order.

    Text with characters that could mislead a reader is escaped.
    """
    import yaml

    text = str(yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110))
    if all(terminal_safety.make_line_safe(line) == line for line in text.split("\n")):
        return text
    return str(yaml.safe_dump(value, sort_keys=False, allow_unicode=False, width=110))


def _find_item_lines(node: Any) -> list[int]:
    kind = getattr(node, "id", "")
    if kind == "mapping":
        node = next((value for key, value in node.value if key.value == "items"), None)
    return (
        [item.start_mark.line + 1 for item in node.value]
        if getattr(node, "id", "") == "sequence"
        else []
    )
