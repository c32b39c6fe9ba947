"""Secrets that are in the store already: found wherever they stand, told without being shown, and replaced where they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memctl.core.errors import RefusedByPolicy
from memctl.core.model import Actor
from memctl.erase import leftovers
from memctl.erase.rewrite import Spot, Walk
from memctl.redact import Marks, marks_in, store_key
from memctl.redact.secret_pieces import RememberingReplacer
from memctl.results.erasure import RedactionReport, RedactionSpot
from memctl.settings.config import Config
from memctl.settings.policy import AT_A_TERMINAL
from memctl.store import erase
from memctl.store.database import Database
from memctl.text.placeholders import PLACEHOLDER, counted

VERB = "redacted"


class Secrets:
    """Redaction as words set anew: with the key and settings of the store at hand, for texts that may belong together."""

    def __init__(self, hand: RememberingReplacer, marks: Marks | None = None) -> None:
        self._hand, self._marks = hand, marks

    def text(self, text: str) -> str:
        """The text without secrets."""
        return self._hand.pieces(self._hand.text(text, among=self._marks))

    def value(self, value: Any) -> Any:
        """The same for every text in nested lists and mappings."""
        return self._hand.value_pieces(self._hand.value(value, among=self._marks))

    def among(self, pieces: Iterable[str]) -> Secrets:
        """The same, looking only for what stands in these pieces."""
        return Secrets(self._hand, marks_in(pieces) if not self._hand.patterns else None)


def scan(db: Database, config: Config) -> RedactionReport:
    """Everything in the store and beside it that redaction would replace now; nothing is written."""
    words = Secrets(_acquainted(db, config))
    with db.snapshot():
        spots = list(Walk(db, words, write=False).everything())
    spots += leftovers.walk(config, words, write=False)
    return RedactionReport(tuple(map(_told, spots)))


def _acquainted(db: Database, config: Config) -> RememberingReplacer:
    """Redaction that knows every secret of the store and its files, so that it finds pieces of them too."""
    store_key.enter(config)
    hand = store_key.remembering()
    words = Secrets(hand)
    with db.snapshot():
        for _ in Walk(db, words, write=False).everything():
            pass
    for _ in leftovers.walk(config, words, write=False):
        pass
    return hand


def apply(db: Database, config: Config, actor: Actor) -> RedactionReport:
    """Replace all of it in place, history included, for good. Raises RefusedByPolicy for anybody but the operator."""
    if not actor.is_operator:
        raise RefusedByPolicy(f"rewriting what is stored {AT_A_TERMINAL}")
    words = Secrets(_acquainted(db, config))
    with db.write(), erase.rewriting(db):
        spots = list(Walk(db, words, write=True, verb=VERB, actor=actor.name).everything())
    spots += leftovers.walk(config, words, write=True)
    is_clean = not spots or erase.settle(db)
    notes = (
        ()
        if is_clean
        else (
            "another process reads the store: its write-ahead log still holds the old words until it is done",
        )
    )
    older = [str(path) for path in leftovers.backups(config)] if spots else []
    return RedactionReport(
        tuple(map(_told, spots)), applied=True, backups=tuple(older), notes=notes
    )


def filtered(config: Config, text: str) -> RedactionReport:
    """A text without secrets, and how many of each kind were taken out."""
    store_key.enter(config)
    new = store_key.redact(text)
    known = counted([text])
    return RedactionReport(
        text=new,
        applied=True,
        kinds={kind: many for kind, many in counted([new]).items() if many > known.get(kind, 0)},
    )


def _told(spot: Spot) -> RedactionSpot:
    """A place with the kinds of what stands there, and not a character of it."""
    new = counted(text for _, text in spot.changes.values())
    old = {
        match[0] for before, _ in spot.changes.values() for match in PLACEHOLDER.finditer(before)
    }
    known = counted(old)
    kinds = {
        kind: many - known.get(kind, 0) for kind, many in new.items() if many > known.get(kind, 0)
    }
    return RedactionSpot(spot.place, spot.id, tuple(sorted(spot.changes)), kinds)
