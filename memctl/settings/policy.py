"""What an actor may do. Pure.

The operator may do everything; others only what raises no trust and touches nothing of the
operator's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memctl.core.errors import ConfigError
from memctl.core.model import OPERATOR_IMPLIED, TRUST_RANKS, TYPES, Actor, Memory

AT_A_TERMINAL = (
    "needs the operator at a terminal (or operator.require_terminal: false in the config)"
)
_RULE_KEYS = {"type", "kind", "min_confidence", "min_trust", "project"}


def why_not_promote(memory: Memory, actor: Actor, *, has_evidence: bool) -> str | None:
    """Why this actor may not make the record active, or None."""
    if lacks_rationale(memory):
        return (
            "a decision becomes active only with a rationale: approve it with --reason, "
            "or `memctl edit ID --rationale`"
        )
    if memory.type == "decision" and not (memory.source_ref or has_evidence):
        return "a decision becomes active only with a source"
    if actor.is_operator or actor.name == "policy":
        return None
    if memory.type == "profile":
        return f"a profile fact {AT_A_TERMINAL}"
    if memory.trust < OPERATOR_IMPLIED:
        return f"what the operator did not say {AT_A_TERMINAL}"
    return None


def lacks_rationale(memory: Memory) -> bool:
    """Whether this is a decision without a rationale, which may wait but not be active."""
    return memory.type == "decision" and not memory.rationale


def is_in_force(memory: Memory) -> bool:
    """Whether agents are served this record."""
    return memory.status in ("active", "contradicted")


def why_not_stand(memory: Memory, actor: Actor) -> str | None:
    """Why a record may not be left in this state by this actor, or None."""
    if memory.type == "profile" and memory.status != "inbox" and not actor.is_operator:
        return f"a profile fact {AT_A_TERMINAL}"
    if is_in_force(memory) and lacks_rationale(memory):
        return "a decision in force needs a rationale"
    return None


def why_not_change(memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not edit, reject, forget, weaken or revert the record, or None."""
    if (
        not actor.is_operator
        and (memory.always_load or memory.protected)
        and memory.trust > actor.trust
    ):
        return f"taking away what was pinned on better authority {AT_A_TERMINAL}"
    return why_not_correct(memory, actor)


def why_not_correct(memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not even propose to replace the record, or None."""
    if actor.is_operator or memory.owner != "operator":
        return None
    return f"a profile fact {AT_A_TERMINAL}"


def why_not_supersede(new: Memory, old: Memory, actor: Actor) -> str | None:
    """Why this actor may not let one record supersede another, or None.

    Only the operator may supersede a record by one that is trusted less.
    """
    if not actor.is_operator and new.trust < old.trust:
        return f"superseding what is trusted more {AT_A_TERMINAL}"
    return why_not_change(old, actor)


def read_promotion_rules(config_value: Any) -> list[Mapping[str, Any]]:
    """Return the promotion rules of the config. Raises ConfigError for a rule that makes no
    sense.
    """
    for rule in config_value:
        if (
            not isinstance(rule, Mapping)
            or set(rule) - _RULE_KEYS
            or not set(rule) & {"type", "kind"}
        ):
            keys = ", ".join(sorted(_RULE_KEYS))
            raise ConfigError(
                f"promotion.rules: {rule!r} must name a type or a kind; keys are {keys}"
            )
        if rule.get("type", "project") not in TYPES:
            raise ConfigError(
                f"promotion.rules: type is one of {', '.join(TYPES)}, not {rule['type']!r}"
            )
        if rule.get("min_trust", "operator_said") not in TRUST_RANKS:
            raise ConfigError(f"promotion.rules: min_trust is one of {', '.join(TRUST_RANKS)}")
        sure = rule.get("min_confidence", 0)
        if isinstance(sure, bool) or not isinstance(sure, int | float):
            raise ConfigError(
                f"promotion.rules: min_confidence is a number from 0 to 1, not {sure!r}"
            )
    return list(config_value)


def find_promotion_rule(
    memory: Memory, project: str | None, all_rules: list[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return the first rule that promotes a candidate, or None.

    A profile fact needs a rule that names `type: profile`.
    """
    for rule in all_rules:
        if memory.type == "profile" and rule.get("type") != "profile":
            continue
        fits = (
            rule.get("type") in (None, memory.type)
            and rule.get("kind") in (None, memory.kind)
            and memory.confidence >= rule.get("min_confidence", 0)
            and memory.trust >= TRUST_RANKS[rule.get("min_trust", "operator_said")]
            and rule.get("project") in (None, project)
        )
        if fits:
            return rule
    return None
