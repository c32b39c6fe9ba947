"""What takes secrets out of text for one store: its key and the operator's settings in one value.

Whatever redacts is passed a `Redactor`. There is no default one, so text cannot be redacted without
the operator's `capture.ignore.patterns`, `redact.deep` and the key of the store.
"""

from __future__ import annotations

import re
from pathlib import Path

from memctl.core.frozen import dataclass, replace
from memctl.core.typing_lite import TYPE_CHECKING, Any
from memctl.redact import store_key
from memctl.settings.config import Config

if TYPE_CHECKING:
    from memctl.redact.secret_pieces import RememberingReplacer
    from memctl.redact.secret_replacer import RuleSelection, SecretReplacer

_COMPILED: dict[str, re.Pattern[str]] = {}


@dataclass(frozen=True, slots=True)
class Redactor:
    """How one store redacts.

    `store` is the path of the store whose key hashes secrets in placeholders; None leaves the hash
    out. `patterns` are the operator's own expressions. `is_deep`: the package redact-secret, if
    installed, looks too. The rules are loaded when the first text is redacted.
    """

    store: Path | None
    patterns: tuple[str, ...]
    is_deep: bool

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the built-in rules applies."""
        return not (self.patterns or self.is_deep)

    def redact(self, text: str, *, rules: RuleSelection | None = None) -> str:
        """Return the text without secrets; the same object if it holds none."""
        return self.make_replacer().redact(text, rules=rules)

    def redact_value(self, value: Any, *, rules: RuleSelection | None = None) -> Any:
        """Redact every string in nested lists and mappings, keys included."""
        return self.make_replacer().redact_value(value, rules=rules)

    def make_replacer(self) -> SecretReplacer:
        """Make a replacer for many texts: it keeps the placeholders it made."""
        from memctl.redact.secret_replacer import SecretReplacer

        return SecretReplacer(self.read_key, self._compile_patterns(), is_deep=self.is_deep)

    def make_remembering_replacer(self) -> RememberingReplacer:
        """Make a replacer that also finds pieces of the secrets it replaced before."""
        from memctl.redact.secret_pieces import RememberingReplacer

        return RememberingReplacer(self.read_key, self._compile_patterns(), is_deep=self.is_deep)

    def read_key(self) -> bytes | None:
        """Return the key of the store, made if there is none; None if that is impossible."""
        return None if self.store is None else store_key.load_key(self.store)

    def without_key(self) -> Redactor:
        """The same redactor without a key, for texts that are only shown: no key file is made."""
        return replace(self, store=None)

    def _compile_patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple([_compile_pattern(text) for text in self.patterns])


def make_redactor(config: Config) -> Redactor:
    """The redactor of the store and the settings of `config`."""
    patterns = tuple(config["capture.ignore"]["patterns"])
    return Redactor(config.db, patterns, is_deep=bool(config["redact.deep"]))


def _compile_pattern(text: str) -> re.Pattern[str]:
    from memctl.text.safe_regex import compile_bounded

    return _COMPILED.get(text) or _COMPILED.setdefault(text, compile_bounded(text))
