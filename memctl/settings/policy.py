"""What an actor may do. Pure.

The operator may do everything; others only what raises no trust, touches nothing of the operator's,
and neither tells agents what to do nor reaches beyond its project: that the operator decides.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.errors import ConfigError
from memctl.core.model import AGENT_CLAIMED, TRUST_RANKS, TYPES, Actor, Memory
from memctl.core.typing_lite import Any

AT_A_TERMINAL = (
    "needs the operator at a terminal (or operator.require_terminal: false in the config)"
)
# Kinds of records that tell agents what to do.
INSTRUCTING_KINDS = frozenset(
    ("constraint", "convention", "correction", "command", "preference", "workflow")
)
# How sure an agent's own statement can be. Chosen by hand.
AGENT_CONFIDENCE = 0.6
_RULE_KEYS = {"type", "kind", "min_confidence", "min_trust", "project"}


def why_not_promote(
    memory: Memory, actor: Actor, *, has_evidence: bool, is_own: bool = False
) -> str | None:
    """Why this actor may not make the record active, or None; `is_own`: it stated the record."""
    if lacks_rationale(memory):
        return (
            "a decision becomes active only with a rationale: approve it with --reason, "
            "or `memctl edit ID --rationale`"
        )
    if memory.type == "decision" and not (memory.source_ref or has_evidence):
        return "a decision becomes active only with a source"
    if actor.is_operator:
        return None
    if actor.name == "policy":
        # A rule speaks of a project; who captured a session may have asked for more.
        is_wider = memory.scope == "global" and memory.type != "profile"
        return f"what holds in every project {AT_A_TERMINAL}" if is_wider else None
    if memory.type == "profile":
        return f"a profile fact {AT_A_TERMINAL}"
    if memory.trust > AGENT_CLAIMED or not is_own:
        return f"approving what it did not claim itself {AT_A_TERMINAL}"
    return why_operator_decides(memory)


def instructs(memory: Memory) -> bool:
    """Whether a record tells agents what to do, beyond the session that wrote it."""
    return memory.kind in INSTRUCTING_KINDS and memory.scope != "session"


def reaches_beyond(memory: Memory) -> bool:
    """Whether a record is served beyond its project, or in every context."""
    return memory.scope == "global" or memory.always_load


def why_operator_decides(memory: Memory) -> str | None:
    """Why only the operator may put this record in force, or None."""
    if instructs(memory):
        return f"what tells agents what to do (a {memory.kind}) {AT_A_TERMINAL}"
    if memory.always_load:
        return f"what every context begins with {AT_A_TERMINAL}"
    return f"what holds in every project {AT_A_TERMINAL}" if reaches_beyond(memory) else None


def why_not_in_force(memory: Memory, actor: Actor) -> str | None:
    """Why what this actor writes waits in the inbox, or None."""
    if memory.type == "profile" and not actor.is_operator:
        return f"a profile fact {AT_A_TERMINAL}"
    if lacks_rationale(memory):
        return "a decision becomes active only with a rationale"
    return None if actor.is_operator else why_operator_decides(memory)


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
    if not actor.is_operator and is_operators_choice(memory, actor):
        return why_operator_decides(memory)
    return why_not_correct(memory, actor)


def is_operators_choice(memory: Memory, actor: Actor) -> bool:
    """Whether a record is in force because the operator put it there."""
    is_wide = reaches_beyond(memory) and memory.trust > actor.trust
    return is_in_force(memory) and (instructs(memory) or is_wide)


def why_not_edit(before: Memory, after: Memory, actor: Actor) -> str | None:
    """Why this actor may not change a record to this, or None."""
    if actor.is_operator:
        return None
    if after.confidence > max(before.confidence, AGENT_CONFIDENCE):
        return f"confidence above {AGENT_CONFIDENCE} {AT_A_TERMINAL}"
    is_raised = (
        (after.always_load and not before.always_load)
        or (reaches_beyond(after) and not reaches_beyond(before))
        or (instructs(after) and not instructs(before))
    )
    if is_raised and (is_in_force(after) or after.always_load):
        return why_operator_decides(after)
    return None


def why_not_correct(memory: Memory, actor: Actor) -> str | None:
    """Why this actor may not even propose to replace the record, or None."""
    if actor.is_operator or memory.owner != "operator":
        return None
    return f"a profile fact {AT_A_TERMINAL}"


def why_not_act_as(agent: str | None, actor: Actor) -> str | None:
    """Why this actor may not speak for that agent, whose notes are private, or None."""
    if agent is None or actor.is_operator or agent == actor.agent:
        return None
    return f"what is private to {agent} is read and written by {agent} alone"


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
        # A rule with a list for a name cannot even be looked up.
        if isinstance(rule, Mapping) and not all(map(_is_plain, rule.values())):
            raise ConfigError("promotion.rules: the values of a rule are texts and numbers")
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
        named = (rule.get(name) for name in ("kind", "project"))
        if not all(isinstance(name, str | None) for name in named):
            raise ConfigError(f"promotion.rules: kind and project are texts, not as in {rule!r}")
        sure = rule.get("min_confidence", 0)
        if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
            raise ConfigError(
                f"promotion.rules: min_confidence is a number from 0 to 1, not {sure!r}"
            )
    return list(config_value)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | None)


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
