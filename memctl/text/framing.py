"""Stored text made harmless for whatever frames it: signs of chat templates and of agents' own
wrappers are broken, so that no record can speak as the system, the operator or a tool. Pure.

Kept true: every replaced character becomes one other character that looks alike, so that people and
models still read every word, positions stay, and the text can be restored. What is stored never
changes. Ordinary code is left alone: `a < b`, `Promise<User>`, `<div>`.
"""

from __future__ import annotations

# What stands for the first character of a broken sign.
_OPEN = "‹"
# What stands for the last character of a broken tag.
_CLOSE = "›"
_BRACKETS = str.maketrans("[]", "⟦⟧")
_COLON = "\ua789"
_HASH = "♯"
# Longer names and attributes belong to no template.
_MOST_NAME = 60
_MOST_TAG = 200
_NAME_SIGNS = frozenset("_-:‐‑")
_NAME_ENDS = frozenset(" \t\n/>")

# Tags of one word that some agent or template gives a meaning to.
_TAGS = frozenset(
    "s bos eos pad unk system user human assistant developer operator model tool tools function "
    "functions invoke parameter parameters thinking think thought reasoning scratchpad "
    "antthinking antartifact reminder instruction instructions task result results feedback "
    "environment env context rules hook skill skills plan prompt query memory memories eot eom "
    "permissions analysis final userrequest commentary repocontext editorcontext "
    "attachments".split()
)
# Parts of tags of several words, such as `system-reminder`, `tool_result` or `userQuery`.
_PARTS = frozenset(
    "system reminder user human assistant developer operator tool tools function functions command "
    "bash hook instruction instructions environment session context agent subagent skill skills "
    "permission permissions prompt conversation notification ephemeral message messages thinking "
    "memory memories rules mode turn task diagnostics selection opened persisted compact plan "
    "plugins antml caveat query request additional metadata attached ide mcp snapshot".split()
)
# What `[NAME]` and `[/NAME` mean to a template, and what such a name begins with.
_BRACKETED = frozenset("inst sys system human user assistant developer think img".split())
_BRACKETED_STARTS = ("tool_", "available_tools", "system_", "request interrupted", "system message")
# Who a line may claim to be spoken by.
_SPEAKERS = frozenset(
    "human assistant user system developer tool ai instruction instructions response".split()
)
_LOWER_SPEAKERS = frozenset(("human", "assistant", "user"))
_MOST_SPEAKER = 24
_HEADINGS = _SPEAKERS | {"input", "task"}
# aider's blocks of edits.
_EDIT_SIGNS = ("<<<<<<< SEARCH", ">>>>>>> REPLACE")


def break_markers(text: str) -> str:
    """Return the text with every sign of a template or wrapper broken; its length stays."""
    if "<" in text:
        text = _break_tags(text)
    if "[" in text:
        text = _break_brackets(text)
    if ":" in text or "#" in text or ">>>>>>>" in text:
        text = "\n".join(map(_break_line_head, text.split("\n")))
    return text


def _break_tags(text: str) -> str:
    """Break tags such as `</system-reminder>`, and special tokens such as `<|im_start|>`."""
    parts, start = [], 0
    at = text.find("<")
    while at >= 0:
        end = _find_sign_end(text, at)
        if end:
            body = text[at + 1 : end]
            if body.endswith(">"):
                body = body[:-1] + _CLOSE
            parts += [text[start:at], _OPEN, body]
            start = end
        at = text.find("<", max(at + 1, start))
    return "".join([*parts, text[start:]])


def _find_sign_end(text: str, at: int) -> int:
    """Return where the sign that begins with this `<` ends; 0 if it is none."""
    after = text[at + 1 : at + 2 + _MOST_NAME]
    if after.startswith(("|", "｜")) or after.lower().startswith(("<sys>>", "</sys>>")):
        return at + 1
    if text.startswith(_EDIT_SIGNS[0], at):
        return at + 1
    body = after.lstrip(" \t\n/")
    name = _read_name(body)
    rest = body[len(name) :]
    if after[:1].isspace() and not rest.lstrip(" /").startswith(">"):
        return 0  # a comparison
    is_whole = not rest or rest[0] in _NAME_ENDS
    if not is_whole or _is_type(text[max(at - 1, 0)], name) or not _is_tag_name(name):
        return 0
    close = text.find(">", at, at + _MOST_TAG)
    inner = text.find("<", at + 1, at + _MOST_TAG)
    return close + 1 if close >= 0 and not 0 <= inner < close else at + 1


def _is_type(before: str, name: str) -> bool:
    """Whether this is `Promise<User>` or `Vec<S>`: no template has such names."""
    is_acronym = name.isupper() and len(name) > 2
    return before.isidentifier() and name[:1].isupper() and not is_acronym


def _read_name(text: str) -> str:
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] in _NAME_SIGNS):
        end += 1
    return text[:end]


def _is_tag_name(name: str) -> bool:
    lower = name.lower()
    if lower in _TAGS or lower.startswith(("ctrl", "unused", "extra_id_", "antml")):
        return True
    words = _split_words(name)
    return len(words) > 1 and any(word in _PARTS for word in words)


def _split_words(name: str) -> list[str]:
    """Return the words of `tool_result`, `tool-result` or `toolResult`, in lower case."""
    spaced = "".join(
        f" {char}" if char.isupper() and name[at - 1 : at].islower() else char
        for at, char in enumerate(name)
    )
    for sign in _NAME_SIGNS:
        spaced = spaced.replace(sign, " ")
    return spaced.lower().split()


def _break_brackets(text: str) -> str:
    """Break bracketed signs such as `[INST]`, `[/INST]` and `[TOOL_CALLS]`."""
    at = text.find("[")
    while at >= 0:
        inside = text[at + 1 : at + 2 + _MOST_NAME].partition("]")[0]
        name = inside.strip(" /").lower()
        if name in _BRACKETED or name.startswith(_BRACKETED_STARTS):
            end = at + 2 + len(inside)
            text = text[:at] + text[at:end].translate(_BRACKETS) + text[end:]
        at = text.find("[", at + 1)
    return text


def _break_line_head(line: str) -> str:
    """Break `Human:` or `### Instruction` at the beginning of a line."""
    head = line[:_MOST_NAME].lstrip(" \t>|*_-")
    if head.startswith("#"):
        words = head.lstrip("# *_").partition(":")[0].rstrip(" *_\t").lower()
        is_sign = words in _HEADINGS or words.startswith("my request for")
        at = line.index("#")
        return line[:at] + _HASH + line[at + 1 :] if is_sign else line
    if line.lstrip().startswith(_EDIT_SIGNS[1]):
        return line.replace(">", _CLOSE, 1)
    name, colon, said = head[:_MOST_SPEAKER].partition(":")
    name = name.strip(" *_")
    if not colon or name.lower() not in _SPEAKERS:
        return line
    # `user: 1000` is a line of YAML.
    is_spoken = not name.islower() or (name in _LOWER_SPEAKERS and not said.strip(" *_"))
    return line.replace(":", _COLON, 1) if is_spoken else line
