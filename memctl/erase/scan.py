"""Secrets that are stored already: found everywhere, reported without being shown, and replaced."""

from __future__ import annotations

from collections.abc import Iterable

from memctl.core.errors import RefusedByPolicy
from memctl.core.model import Actor
from memctl.core.typing_lite import Any
from memctl.erase import leftovers
from memctl.erase.purge_run import KIND, REDACTION, begin_alone, clear_remains, clear_vectors
from memctl.erase.rewrite import RewrittenSpot, StoreRewrite, list_spots, rewrite_store
from memctl.redact.redactor import make_redactor
from memctl.redact.secret_pieces import RememberingReplacer
from memctl.redact.secret_replacer import RuleSelection, select_rules
from memctl.results.erasure import RedactionReport, RedactionSpot
from memctl.settings.config import Config
from memctl.settings.policy import AT_A_TERMINAL
from memctl.store import erase, witness
from memctl.store.database import Database
from memctl.store.unfinished import RunningOperation, UnfinishedOperation
from memctl.text.placeholders import PLACEHOLDER, count_secrets

VERB = "redacted"
_NOT_CLEAN = (
    "another process reads the store: until it is done, the write-ahead log holds the old words"
)


class SecretRewriter:
    """Rewrites secrets with the key and settings of the store, also their pieces."""

    def __init__(self, replacer: RememberingReplacer, rules: RuleSelection | None = None) -> None:
        self._replacer = replacer
        self._rules = rules

    def rewrite_text(self, text: str) -> str:
        """The text without secrets."""
        return self._replacer.redact_pieces(self._replacer.redact(text, rules=self._rules))

    def rewrite_value(self, value: Any) -> Any:
        """The same for every text in nested lists and mappings."""
        return self._replacer.redact_value_pieces(
            self._replacer.redact_value(value, rules=self._rules)
        )

    def narrow_to(self, pieces: Iterable[str]) -> SecretRewriter:
        """A rewriter that looks only for what these pieces may hold."""
        return SecretRewriter(
            self._replacer, None if self._replacer.patterns else select_rules(pieces)
        )


def find_secrets(db: Database, config: Config) -> RedactionReport:
    """Report what redaction would replace now, in the store and beside it; nothing is written."""
    rewriter = SecretRewriter(_make_acquainted_replacer(db, config))
    with db.snapshot():
        spots = list_spots(StoreRewrite(db, rewriter).find_edits())
    spots += leftovers.rewrite_files(config, rewriter, write=False)
    return RedactionReport(tuple(map(_describe_spot, spots)))


def _make_acquainted_replacer(db: Database, config: Config) -> RememberingReplacer:
    """A replacer that has seen every secret of the store, to find pieces of them too."""
    replacer = make_redactor(config).make_remembering_replacer()
    rewriter = SecretRewriter(replacer)
    with db.snapshot():
        for _ in StoreRewrite(db, rewriter).find_edits():
            pass
    for _ in leftovers.rewrite_files(config, rewriter, write=False):
        pass
    return replacer


def replace_secrets(db: Database, config: Config, actor: Actor) -> RedactionReport:
    """Replace all secrets in place, history included.

    Raises RefusedByPolicy unless the operator; StoreLocked while another erasure is at work.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"rewriting what is stored {AT_A_TERMINAL}")
    spots, notes = _replace_all(db, config, begin_alone(db, {REDACTION: True}, actor))
    older = [str(path) for path in leftovers.list_backups(config)] if spots else []
    return RedactionReport(
        tuple(map(_describe_spot, spots)), applied=True, backups=tuple(older), notes=tuple(notes)
    )


def finish_redaction(db: Database, config: Config, begun: UnfinishedOperation) -> None:
    """Finish a redaction that was cut off and is claimed."""
    running = RunningOperation(db, KIND, begun.data, actor=begun.actor, id=begun.id, begun=True)
    _replace_all(db, config, running)


def _replace_all(
    db: Database, config: Config, running: RunningOperation
) -> tuple[list[RewrittenSpot], list[str]]:
    """Replace secrets in short transactions until none is left.

    Returns where they stood, and what may hold one yet.
    """
    witness.announce_rewriting(config, "redaction")
    rewriter = SecretRewriter(_make_acquainted_replacer(db, config))
    spots: list[RewrittenSpot] = []

    def note(_done: int) -> None:
        running.note(is_done=False)

    rewrite = StoreRewrite(db, rewriter, verb=VERB, actor=running.actor)
    for written in rewrite_store(db, rewrite, note):
        spots += written
    erase.rebuild_chain(db, note)
    spots += leftovers.rewrite_files(config, rewriter, write=True)
    notes = clear_vectors(db)
    if spots and not clear_remains(db, config, ())[1]:
        notes.append(_NOT_CLEAN)
    running.end()
    return spots, [*notes, *leftovers.explain_untouched(config)]


def redact_text(config: Config, text: str) -> RedactionReport:
    """Redact a text and count what was replaced, by kind."""
    new = make_redactor(config).redact(text)
    known = count_secrets([text])
    return RedactionReport(
        text=new,
        applied=True,
        kinds={
            kind: many for kind, many in count_secrets([new]).items() if many > known.get(kind, 0)
        },
    )


def _describe_spot(spot: RewrittenSpot) -> RedactionSpot:
    """The place of a secret and its kinds, without a character of it."""
    new = count_secrets(text for _, text in spot.changes.values())
    old = {
        match[0] for before, _ in spot.changes.values() for match in PLACEHOLDER.finditer(before)
    }
    known = count_secrets(old)
    kinds = {
        kind: many - known.get(kind, 0) for kind, many in new.items() if many > known.get(kind, 0)
    }
    return RedactionSpot(spot.place, spot.id, tuple(sorted(spot.changes)), kinds)
