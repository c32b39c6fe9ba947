"""The parts that an episode of a session consists of, as its text names them. Pure."""

from __future__ import annotations

_OPENING = "Asked: "
# The parts that tell what came of a session.
_OUTCOMES = ("Done", "Files", "Ended")
# Without a task, the names of files tell nothing.
_FILES = "Files: "
_OUTCOMES_WITHOUT_TASK = ("Done", "Ended")


def parse_episode_parts(content: str) -> dict[str, str]:
    """The parts of an episode by label (`Asked`, `Then`, `Done`, `Files`, `Ended`).

    Final full stops are cut. An episode that a person or an agent wrote has no parts.
    """
    import re  # a start, which only asks for the outcome, does without

    parts: dict[str, str] = {}
    # A part begins at the start of the text, or after the sentence before.
    labels = list(re.finditer(r"(?:^|(?<=[.!?…] ))(Asked|Then|Done|Files|Ended): ", content))
    ends = [*(label.start() for label in labels), len(content)][1:]
    for label, end in zip(labels, ends, strict=False):
        parts.setdefault(label[1], content[label.end() : end].strip().removesuffix("."))
    return parts


def tells_outcome(content: str) -> bool:
    """Whether an episode tells what came of the session; what somebody wrote of one is taken to."""
    if content.startswith(_FILES):
        return any(f" {label}: " in content for label in _OUTCOMES_WITHOUT_TASK)
    return not content.startswith(_OPENING) or any(f" {label}: " in content for label in _OUTCOMES)
