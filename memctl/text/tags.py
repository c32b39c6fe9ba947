"""Tags: short words that records are filed under, one spelling each.

A tag is a concept that a record mentions, whose name begins with `#`. So it has all that an entity
has: history, undo, export, and a place in the full-text index.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from memctl.core.errors import UsageError
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import TAG_MARK, EntityRef

# Characters of a tag; chosen by hand.
LONGEST = 60
# Tags of one record; chosen by hand.
MOST = 50
_GAP = compile_later(r"[\s_]*-[\s_-]*|\s+")
_TAG = compile_later(r"[^\W_](?:[\w/-]*\w)?")


def normalise_tag(text: str) -> str:
    """Return a tag in its one spelling: lower case, blanks as hyphens, without the mark.

    Letters and digits of any script, `-`, `_`, and `/` between parts. Raises UsageError.
    """
    plain = unicodedata.normalize("NFKC", text).strip().removeprefix(TAG_MARK).strip()
    tag = _GAP.sub("-", unicodedata.normalize("NFC", plain.casefold()))
    if not _TAG.fullmatch(tag) or "//" in tag:
        raise UsageError(
            f"{text[:80]!r} is no tag", hint="letters, digits, - _ and / between parts"
        )
    if len(tag) > LONGEST:
        raise UsageError(f"a tag has {len(tag)} characters; the limit is {LONGEST}")
    if tag.isdigit():
        raise UsageError(f"{text!r} is no tag: it has digits only", hint="such as y2026")
    return tag


def normalise_tags(texts: Iterable[str]) -> tuple[str, ...]:
    """Return tags in their one spelling, each once, in order. Raises UsageError."""
    tags = tuple(sorted({normalise_tag(text) for text in texts}))
    if len(tags) > MOST:
        raise UsageError(f"{len(tags)} tags; a record has at most {MOST}")
    return tags


def read_tags(value: object) -> tuple[str, ...]:
    """Return the tags in a value of a note's front matter; what is no tag is left out."""
    return split_tags(value)[0][:MOST]


def split_tags(value: object) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tags in a value of a note's front matter, and why the rest of it are none."""
    listed = re.split(r"[,\s]+", value) if isinstance(value, str) else value
    found, why = set(), []
    for each in listed if isinstance(listed, list | tuple) else (listed,):
        try:
            if each:
                found.add(normalise_tag(str(each)))
        except UsageError as error:
            why.append(f"{error} ({error.hint})" if error.hint else str(error))
    return tuple(sorted(found)), tuple(why)


def is_tag(ref: EntityRef) -> bool:
    """Whether an entity is a tag."""
    return ref.kind == "concept" and ref.name.startswith(TAG_MARK)


def build_refs(tags: Iterable[str]) -> tuple[EntityRef, ...]:
    """Return tags as the entities that they are stored as."""
    return tuple(EntityRef("concept", TAG_MARK + tag) for tag in tags)


def split_refs(refs: Iterable[EntityRef]) -> tuple[tuple[EntityRef, ...], tuple[str, ...]]:
    """Return the entities among what a record mentions, and its tags."""
    mentioned = tuple(refs)
    entities = tuple(ref for ref in mentioned if not is_tag(ref))
    return entities, tuple(sorted({ref.name[1:] for ref in mentioned if is_tag(ref)}))
