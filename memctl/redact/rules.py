"""All rules, in the order in which the more specific one names a secret that several find."""

from __future__ import annotations

from memctl.redact.names import NAMED
from memctl.redact.pattern import Rule
from memctl.redact.shapes import FOLDED_SHAPES, SHAPED_SHAPES
from memctl.redact.tokens import build_token_rules
from memctl.redact.told import TOLD

# Found in the text as it stands, and in its lower case.
SHAPED: tuple[Rule, ...] = (*build_token_rules(), *SHAPED_SHAPES)
FOLDED: tuple[Rule, ...] = (*FOLDED_SHAPES, *NAMED, *TOLD)
