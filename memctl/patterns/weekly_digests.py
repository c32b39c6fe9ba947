"""Write one digest of each project and week with enough sessions: what was done, and how it ended.

A digest is rewritten in place while its week changes. It leaves out episodes that were rejected or
forgotten. A digest that was forgotten, or changed by hand, is left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from memctl.core import clock
from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.core.model import OWNER_OF, Evidence, Memory
from memctl.extract import build
from memctl.patterns.wording import format_period
from memctl.records import drafts, relations
from memctl.redact.redactor import make_redactor
from memctl.settings.config import Config
from memctl.store import event_log, evidence, links, records, tombstones
from memctl.store import patterns as store
from memctl.store.database import Database
from memctl.text.dates import ENGLISH_MONTHS
from memctl.text.episode_parts import parse_episode_parts, tells_outcome

RULE = "tiers.week"
ACTOR = "maintain"
CAUSE = "tiers"
# Sessions described, sessions quoted, and files named in one digest. Chosen by hand.
_MAX_SESSIONS = 12
_MAX_QUOTED = 12
_MAX_FILES = 5
# Lengths of parts of a session's line, in characters. Chosen by hand.
_DONE_LENGTH = 140
_TITLE_LENGTH = 80
_OUTCOME_LENGTH = 60
# Events that say that somebody changed a digest by hand.
_BY_HAND = ("edited", "confirmed", "reverted", "restored")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def write_digests(db: Database, config: Config, work: BoundedWork, *, since: str | None) -> None:
    """Write the digest of every week of which an episode changed since a time.

    Counts `digests_written` and `digests_rewritten`.
    """
    work.counts.update(digests_written=0, digests_rewritten=0)
    if not config["patterns.digest_after"]:
        return
    weeks = {(project, find_monday(at)) for project, at in store.list_weeks(db, RULE, since)}
    for project_id, monday in sorted(weeks):
        if work.must_stop():
            return
        with db.write(), event_log.group_changes(db, actor=ACTOR, cause=CAUSE):
            result = _update_digest(db, config, project_id, monday)
        if result:
            work.count(result)


def find_monday(at: str) -> str:
    """The Monday of the week of a time."""
    day = date.fromisoformat(at[:10])
    return (day - timedelta(days=day.weekday())).isoformat()


def format_week(monday: str) -> str:
    """The ISO week that begins on a day: `2026-W11`."""
    year, week, _ = date.fromisoformat(monday).isocalendar()
    return f"{year}-W{week:02d}"


def _update_digest(db: Database, config: Config, project_id: str, monday: str) -> str:
    """Bring one week's digest in line with its episodes.

    The result is `digests_written`, `digests_rewritten` or "".
    """
    after = (date.fromisoformat(monday) + timedelta(days=7)).isoformat()
    told = store.list_episodes(db, project_id, RULE, monday, after)
    subject = drafts.normalise_subject(f"week {format_week(monday)}", make_redactor(config))
    known = next(
        (
            memory
            for memory in store.list_derived(db, project_id, [RULE])
            if memory.subject == subject
        ),
        None,
    )
    if known is None:
        return (
            _insert_digest(db, config, project_id, monday, told)
            if len(told) >= max(2, config["patterns.digest_after"])
            else ""
        )
    if known.status not in ("active", "inbox") or any(
        event.verb in _BY_HAND for event in event_log.list_of_memory(db, known.id)
    ):
        return ""
    if not told:
        relations.set_status(
            db,
            known,
            "archived",
            reason="none of its sessions is remembered",
            verb="archived",
            actor=ACTOR,
            cause=CAUSE,
        )
        return ""
    return _rewrite_digest(
        db, known, word_digest(known, monday, told), [episode for episode, _ in told]
    )


def _insert_digest(
    db: Database, config: Config, project_id: str, monday: str, told: Sequence[tuple[Memory, str]]
) -> str:
    now = clock.now()
    blank = Memory(
        id=clock.new_id(),
        type="episode",
        kind="summary",
        scope="project",
        status="active" if config["promotion.episodes"] else "inbox",
        title="",
        content="",
        summary="",
        owner=OWNER_OF["episode"],
        source_kind="conversation",
        confidence=0.8,
        trust=1,
        observed_at=now,
        fingerprint="",
        created_at=now,
        updated_at=now,
        project_id=project_id,
        subject=drafts.normalise_subject(f"week {format_week(monday)}", make_redactor(config)),
        source_ref=f"derived:{RULE}",
        rule=RULE,
        decay_rate=1.0,
    )
    memory = word_digest(blank, monday, told)
    if tombstones.find_tombstone(db, memory.fingerprint, []) is not None:
        return ""
    episodes = [episode for episode, _ in told]
    proof = _copy_first_quotes(db, memory, episodes)
    records.insert_record(
        db,
        replace(memory, evidence_ref=proof[0].id if proof else None),
        actor=ACTOR,
        cause=CAUSE,
        verb="told",
    )
    evidence.insert_evidence(db, proof)
    _link_episodes(db, memory, episodes)
    return "digests_written"


def _rewrite_digest(db: Database, old: Memory, new: Memory, episodes: Sequence[Memory]) -> str:
    if new.content == old.content:
        return ""
    proof = _copy_first_quotes(db, old, episodes)
    standing = {(item.source_id, item.quote): item for item in evidence.list_of_memory(db, old.id)}
    wanted = {(item.source_id, item.quote) for item in proof}
    evidence.withdraw_evidence(
        db, old.id, [item.id for key, item in standing.items() if key not in wanted]
    )
    evidence.insert_evidence(
        db, [item for item in proof if (item.source_id, item.quote) not in standing]
    )
    kept = [standing.get((item.source_id, item.quote), item) for item in proof]
    records.replace_record(
        db,
        old,
        replace(new, evidence_ref=kept[0].id if kept else None, updated_at=clock.now()),
        verb="retold",
        actor=ACTOR,
        cause=CAUSE,
    )
    for link in links.list_of_memory(db, old.id):
        if (
            link.from_id == old.id
            and link.relation == "derived_from"
            and link.to_id not in {episode.id for episode in episodes}
        ):
            links.delete_link(db, old.id, "derived_from", link.to_id)
    _link_episodes(db, old, episodes)
    return "digests_rewritten"


def _link_episodes(db: Database, memory: Memory, episodes: Iterable[Memory]) -> None:
    for episode in episodes:
        relations.add_link(
            db,
            memory.id,
            "derived_from",
            episode.id,
            reason="one of the week's sessions",
            actor=ACTOR,
        )


def _copy_first_quotes(db: Database, memory: Memory, episodes: Sequence[Memory]) -> list[Evidence]:
    """The first words of each session, as its episode quotes them.

    Their trust is at most that of the digest.
    """
    proof = evidence.list_by_memory(db, [episode.id for episode in episodes])
    firsts = [
        item
        for episode in episodes
        for item in proof.get(episode.id, [])
        if item.id == episode.evidence_ref
    ]
    trust = min(episode.trust for episode in episodes)
    return [
        replace(item, id=clock.new_id(), memory_id=memory.id, trust=trust, created_at=clock.now())
        for item in firsts[:_MAX_QUOTED]
    ]


def word_digest(memory: Memory, monday: str, told: Sequence[tuple[Memory, str]]) -> Memory:
    """Word a digest of episodes and their agents; its trust is the lowest of theirs. Pure."""
    episodes = [episode for episode, _ in told]
    start = date.fromisoformat(monday)
    week = f"Week of {start.day} {ENGLISH_MONTHS[start.month - 1]} {start.year}"
    title = f"{week}: {_format_session_count(len(told))}"
    outcomes = "; ".join(
        dict.fromkeys(name_outcome(one) for one in episodes if tells_outcome(one.content))
    )
    changed = replace(
        memory,
        title=title,
        content=write_content(told),
        summary=build.shorten(f"{title}: {outcomes}" if outcomes else title, drafts.SUMMARY_LENGTH),
        trust=min(episode.trust for episode in episodes),
        observed_at=max(episode.observed_at for episode in episodes),
    )
    return drafts.set_fingerprint(changed)


def write_content(told: Sequence[tuple[Memory, str]]) -> str:
    """Write what was done, session by session, and which files changed most. Pure.

    Sessions that came to nothing are counted: their questions answer nobody's.
    """
    episodes = [episode for episode, _ in told]
    agents = Counter(agent for _, agent in told if agent)
    by = (
        f" ({', '.join(f'{agent} {many}' for agent, many in agents.most_common())})"
        if agents
        else ""
    )
    period = format_period(episodes[0].observed_at, episodes[-1].observed_at)
    lines = [f"{_format_session_count(len(told))} {period}{by}."]
    done = [episode for episode in episodes if tells_outcome(episode.content)]
    lines += [_format_episode(episode) for episode in done[:_MAX_SESSIONS]]
    if len(done) > _MAX_SESSIONS:
        lines.append(f"- and {_format_session_count(len(done) - _MAX_SESSIONS)} more")
    if len(done) < len(episodes):
        idle = _format_session_count(len(episodes) - len(done))
        lines.append(f"- and {idle} with nothing reported as done")
    files = Counter(name for episode in episodes for name in _list_files(episode))
    often = [
        f"{name} ({many})"
        for name, many in sorted(files.items(), key=lambda item: (-item[1], item[0]))
        if many > 1
    ]
    if often:
        lines.append(f"Changed in several: {', '.join(often[:_MAX_FILES])}.")
    return "\n".join(lines)


def name_outcome(episode: Memory) -> str:
    """What came of a session in a few words: what was done, or what it was about. Pure."""
    done = parse_episode_parts(episode.content).get("Done", episode.title)
    return build.shorten(done, _OUTCOME_LENGTH).rstrip(".")


def _format_episode(episode: Memory) -> str:
    day = date.fromisoformat(episode.observed_at[:10])
    parts = parse_episode_parts(episode.content)
    told = [build.shorten(episode.title, _TITLE_LENGTH)]
    told += [f"Done: {build.shorten(parts['Done'], _DONE_LENGTH)}"] if "Done" in parts else []
    told += [f"Ended {parts['Ended']}"] if "Ended" in parts else []
    return f"- {_WEEKDAYS[day.weekday()]} {day.day}: {' '.join(map(_end_sentence, told))}"


def _end_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _list_files(episode: Memory) -> list[str]:
    names = parse_episode_parts(episode.content).get("Files", "")
    return [name.partition(" and ")[0] for name in names.split(", ") if name]


def _format_session_count(many: int) -> str:
    return f"{many} session{'' if many == 1 else 's'}"
