"""The store in numbers, and accounts of quality: how much of what each agent and rule proposes is
kept, and which rules are muted.

Only the operator mutes a rule: by hand, or by accepting the proposal that maintenance makes when
hardly anything of a rule was kept. Only the operator's own decisions lead to that proposal. The
interval is Wilson's, which stays honest where little was decided.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from math import sqrt

from memctl.core import clock, timestamps
from memctl.core.bounded_work import BoundedWork
from memctl.core.errors import NotFound, RefusedByPolicy
from memctl.core.frozen import dataclass
from memctl.core.model import TRUST_NAMES, Actor
from memctl.core.typing_lite import Any
from memctl.records import drafts, proposals
from memctl.redact.redactor import Redactor
from memctl.results.quality import Account, MutedRule, MuteReport, QualityReport
from memctl.results.records import Proposal
from memctl.results.store import StatsReport
from memctl.settings import policy
from memctl.settings.config import Config
from memctl.store import event_log, projects, report
from memctl.store import quality as store
from memctl.store import stats as counted
from memctl.store.database import Database

# Standard normal quantile of the intervals that are shown: two-sided 95 %.
_SHOWN_Z = 1.959964
# The same for the proposal to mute a rule, which is only a proposal: one-sided 90 %.
_PROPOSED_Z = 1.281552
# Days. An approved record that stays unused longer counts as unused; chosen by hand.
UNUSED_DAYS = 30
_SUMS = (
    "proposed",
    "waiting",
    "approved",
    "rejected",
    "forgotten",
    "merged",
    "at_once",
    "lapsed",
    "by_policy",
    "contradicted",
    "superseded",
    "unused",
    "good",
    "bad",
)


@dataclass(frozen=True, slots=True)
class AccountFilter:
    """Which part of the accounts; None means all. `extractor` is a format, or the first word of
    rules.
    """

    since: str | None = None
    agent: str | None = None
    extractor: str | None = None
    rule: str | None = None


def compute_wilson(good: int, of: int, z: float = _SHOWN_Z) -> tuple[float, float]:
    """Compute the Wilson interval of a share of which `good` out of `of` were seen; 0 to 1 where
    none were.
    """
    if not of:
        return 0.0, 1.0
    share, square = good / of, z * z
    middle, width = (
        share + square / (2 * of),
        z * sqrt(share * (1 - share) / of + square / (4 * of * of)),
    )
    return max(0.0, (middle - width) / (1 + square / of)), min(
        1.0, (middle + width) / (1 + square / of)
    )


def report_quality(db: Database, wanted: AccountFilter) -> QualityReport:
    """Report the accounts by agent, format, extractor and rule, each with the most proposed
    first.
    """
    with db.snapshot():
        rows = [row for row in _read_rows(db, wanted.since) if _is_within(row, wanted)]
        unheard = list_muted_rules(db)
    return QualityReport(
        since=wanted.since,
        total=_build_account("all", rows),
        agents=_group_accounts(rows, lambda row: str(row["agent"])),
        formats=_group_accounts(rows, lambda row: str(row["format"])),
        extractors=_group_accounts(rows, lambda row: get_extractor(row["rule"])),
        rules=_group_accounts(rows, lambda row: row["rule"] or NO_RULE),
        muted=unheard,
    )


NO_RULE = "(none)"


def get_extractor(rule: str) -> str:
    """Return the extractor that a rule belongs to: `commands` for `commands.checks`."""
    return rule.partition(".")[0] or NO_RULE


def list_muted(db: Database) -> frozenset[str]:
    """List the rules whose candidates the operator does not want to see."""
    return frozenset(row["rule"] for row in store.list_muted(db))


def is_muted(db: Database, rule: str) -> bool:
    """Whether the operator does not want to see the candidates of this rule."""
    return rule in list_muted(db)


def list_muted_rules(db: Database) -> tuple[MutedRule, ...]:
    """List the muted rules, with those of their candidates that still wait."""
    rows = store.list_muted(db)
    waiting = store.count_waiting(db, [row["rule"] for row in rows])
    return tuple(
        MutedRule(row["rule"], row["reason"], row["actor"], row["created_at"], waiting[row["rule"]])
        for row in rows
    )


def set_muted(
    db: Database,
    actor: Actor,
    rule: str,
    redactor: Redactor,
    *,
    muted: bool,
    reason: str | None = None,
) -> MuteReport:
    """Mute or unmute a rule.

    Raises RefusedByPolicy for anybody but the operator, NotFound for a rule that proposed nothing.
    """
    if not actor.is_operator:
        raise RefusedByPolicy(f"muting a rule {policy.AT_A_TERMINAL}")
    with (
        db.write(),
        event_log.group_changes(db, actor=actor.name, cause="mute" if muted else "unmute"),
    ):
        if muted and not store.is_known(db, rule):
            raise NotFound(
                f"no record was ever proposed by a rule called {rule!r}; "
                "`memctl stats quality` lists them"
            )
        changed = (
            store.mute_rule(
                db, rule, reason=drafts.clean_reason(reason, redactor), actor=actor.name
            )
            if muted
            else store.unmute_rule(db, rule)
        )
        if muted:
            _answer_question(db, rule, actor)
        return MuteReport(rule, muted, changed, store.count_waiting(db, [rule])[rule])


def _answer_question(db: Database, rule: str, actor: Actor) -> None:
    """Withdraw the proposal to mute a rule that was muted by hand."""
    for asked in proposals.list_open(db, "mute"):
        if asked.about == rule:
            proposals.withdraw_proposal(db, asked, actor=actor.name)


def propose_mutes(db: Database, config: Config, work: BoundedWork | None = None) -> dict[str, int]:
    """Propose to mute every rule of which hardly anything was kept; counts `mutes_proposed`."""
    work = work or BoundedWork()
    work.count("mutes_proposed", 0)
    with db.snapshot():
        rows = _read_rows(db, None)
    for rule, kept, refused in find_rules_to_mute(
        rows, config["quality.mute_after"], config["quality.mute_below"]
    ):
        if work.must_stop():
            break
        if not is_muted(db, rule):
            offered = proposals.offer_proposal(
                db,
                "mute",
                rule,
                reason=_describe_mute_reason(rule, kept, refused),
                data={"kept": kept, "refused": refused},
                actor="maintain",
            )
            work.count("mutes_proposed", offered is not None)
    return dict(work.counts)


def find_rules_to_mute(rows: Iterable[Any], after: int, below: float) -> list[tuple[str, int, int]]:
    """Find the rules to mute, each with how many candidates were kept and refused.

    The operator has decided at least `after` of them, and surely keeps less than the share `below`.
    """
    kept, refused = defaultdict[str, int](int), defaultdict[str, int](int)
    for row in rows:
        kept[row["rule"]] += row["kept_by_you"]
        refused[row["rule"]] += row["refused_by_you"]
    return [
        (rule, kept[rule], refused[rule])
        for rule in sorted(kept)
        if rule
        and after
        and kept[rule] + refused[rule] >= after
        and compute_wilson(kept[rule], kept[rule] + refused[rule], _PROPOSED_Z)[1] < below
    ]


def accept_mute(db: Database, config: Config, actor: Actor, asked: Proposal) -> list[str]:
    """Mute the rule that was proposed; no record changes."""
    store.mute_rule(db, asked.about, reason=asked.reason, actor=actor.name)
    return []


def _describe_mute_reason(rule: str, kept: int, refused: int) -> str:
    return (
        f"of {kept + refused} candidates of the rule {rule} that you decided, "
        f"you kept {kept or 'none'}; muted, it proposes nothing more"
    )


def _read_rows(db: Database, since: str | None) -> list[Any]:
    return store.list_accounts(
        db, since=since, long_ago=timestamps.add_seconds(clock.now(), seconds=-86400 * UNUSED_DAYS)
    )


def _is_within(row: Any, wanted: AccountFilter) -> bool:
    return (
        wanted.agent in (None, row["agent"])
        and wanted.extractor in (None, row["format"], get_extractor(row["rule"]))
        and wanted.rule in (None, row["rule"] or NO_RULE)
    )


def _group_accounts(rows: Iterable[Any], key: Callable[[Any], str]) -> tuple[Account, ...]:
    groups: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    found = (_build_account(name, group) for name, group in groups.items())
    return tuple(sorted(found, key=lambda account: (-account.proposed, account.name)))


def _build_account(name: str, rows: list[Any]) -> Account:
    sums: dict[str, int] = {column: sum(row[column] or 0 for row in rows) for column in _SUMS}
    kept = sums["approved"] - sums["by_policy"]
    decided = kept + sums["rejected"] + sums["forgotten"]
    low, high = compute_wilson(kept, decided)
    return Account(
        name, decided=decided, rate=kept / decided if decided else None, low=low, high=high, **sums
    )


def read_stats(db: Database) -> StatsReport:
    """Read the store in numbers."""
    with db.snapshot():
        rows, names, week, month = (
            counted.count_in_force(db),
            projects.names(db),
            _count_recent(db, 7),
            _count_recent(db, 30),
        )
        quotes, origins = counted.count_evidence(db)
        oldest, asked = counted.count_waiting(db)
        return StatsReport(
            records=sum(row["count"] for row in rows),
            statuses=counted.count_by_name(db, "statuses"),
            types=_count_by(rows, lambda row: row["type"]),
            scopes=_count_by(rows, lambda row: row["scope"]),
            kinds=_count_by(rows, lambda row: row["kind"]),
            trust=_count_by(rows, lambda row: TRUST_NAMES[row["trust"]]),
            projects=_count_by(rows, lambda row: names.get(row["project_id"] or "", "(none)")),
            evidence=quotes,
            sources=origins,
            links=counted.count_by_name(db, "links"),
            entities=counted.count_by_name(db, "entities"),
            sessions=counted.count_by_name(db, "sessions"),
            turns=counted.count_turns(db),
            changes=(week[0], month[0]),
            captures=(week[1], month[1]),
            retrievals=(week[2], month[2]),
            never_served=sum(row["unused"] for row in rows),
            good=sum(row["good"] for row in rows),
            bad=sum(row["bad"] for row in rows),
            oldest_waiting=oldest,
            proposals=asked,
            muted=tuple(row["rule"] for row in store.list_muted(db)),
            months=_count_by(report.read_days(db, "created"), lambda row: row["day"][:7]),
        )


def _count_recent(db: Database, days: int) -> tuple[int, int, int]:
    return counted.count_since(db, timestamps.add_seconds(clock.now(), seconds=-86400 * days))


def _count_by(rows: Iterable[Any], key: Callable[[Any], str]) -> dict[str, int]:
    """Count records by a word of each row, the most first."""
    found = Counter[str]()
    for row in rows:
        found[key(row)] += row["count"]
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))
