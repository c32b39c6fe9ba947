"""`memctl inbox --review`: one candidate after the other on a plain terminal, by key and Enter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memctl.cli import ask_place, prompts, yaml_editor
from memctl.cli.cli_results import ReviewReport
from memctl.cli.review_groups import ReviewGroup, find_groups
from memctl.cli.review_items import ReviewItem, describe_candidate
from memctl.cli.review_session import EVERYWHERE, KEPT, ReviewOutcome, ReviewSession, rank_candidate
from memctl.cli.text.formatting import flatten
from memctl.cli.text.record_parts import format_proposal
from memctl.cli.text.review import render_candidate
from memctl.core.errors import MemctlError, UsageError
from memctl.core.frozen import replace
from memctl.core.model import Filter, Place
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.records import ChangeReport, Page, Proposal, RecordView

_KEYS = "[a]pprove  [r]eject  [e]dit  [p]roject  [s]kip  [u]ndo  [?] more  [q]uit:"
# Of one that stands against a record or resembles one.
_BESIDE_KEYS = (
    "[a]pprove  [i]nstead  [b]oth hold  [m]erge  [r]eject  [s]kip  [u]ndo  [?] more  [q]uit:"
)
_PROPOSAL_KEYS = "[a]pprove  [r]eject  [s]kip  [q]uit:"
_HELP = (
    "  a makes it active, r archives it for good (`r REASON` says why), e opens it in your editor,"
    " p says which project it belongs to, s leaves it for later, u undoes your last answer,"
    " q stops here. A and R approve and reject all that are left of its session, of its project, or"
    " of the whole list. For one shown beside a record: m merges the two, i approves it"
    " instead of that record, b keeps both."
)
_WIDTH_QUESTION = (
    "Merge, and let that record hold [e]verywhere, or [k]eep it where it is? (Enter: no)"
)
_WIDTHS = {"e": EVERYWHERE, "k": KEPT}
# What an answer did, by the status that a candidate has afterwards.
_VERBS = {
    "active": "approved",
    "contradicted": "approved",
    "archived": "rejected",
    "superseded": "merged",
}


def review_page(engine: MemoryEngine, page: Page, place: Place | None) -> ReviewReport:
    """Ask about one candidate after the other, those of the place's project first.

    Without a place they keep the order of the page. Each answer is carried out at once.

    Raises UsageError where nobody is there to answer.
    """
    if not prompts.is_person():
        raise UsageError(
            "--review needs you at a terminal", hint="use: memctl approve ID, or memctl reject ID"
        )
    if page.items or page.proposals:
        prompts.say("Each answer takes effect at once. Nothing that you skip is lost.")
    if place is not None:
        views = sorted(page.items, key=lambda view: rank_candidate(view, place))
        page = replace(page, items=tuple(views))
    return _LineReview(engine, page).run()


class _LineReview:
    """The candidates of a page, and the answers so far."""

    def __init__(self, engine: MemoryEngine, page: Page) -> None:
        self._engine = engine
        self._page = page
        self._session = ReviewSession(engine, Place(), Filter(statuses=("inbox",)))
        self._ids = [view.memory.id for view in page.items]
        self._edited: set[str] = set()

    def run(self) -> ReviewReport:
        """Go through the page until its end or until the person stops."""
        index: int | None = 0
        while index is not None and index < len(self._ids):
            # An earlier answer may have settled where it belongs, or that it was known already.
            view = self._engine.records.show(self._ids[index])
            if view.memory.status != "inbox":
                index += 1
                continue
            heading = f"{index + 1} of {len(self._ids)}"
            explained = self._engine.explain(view.memory.id)
            nearest = self._session.find_nearest(view)
            prompts.say("", heading, *render_candidate(view, explained, nearest))
            index = self._ask(index)
        reports = [] if index is None else [*self._review_proposals()]
        return self._report(reports)

    def _ask(self, index: int) -> int | None:
        """Ask about one candidate until it is answered; return the next to ask about, or None."""
        while True:
            item = self._describe(index)
            keys = _BESIDE_KEYS if self._session.stands_beside(item) else _KEYS
            answer = prompts.ask(keys)
            key = answer[:1]
            if key in ("A", "R"):
                return index if self._answer_group(index, key) else index + 1
            key = key.lower()
            if key == "q":
                return None
            if key == "u":
                return self._undo(index)
            if key == "s" or self._answer(item, key, answer):
                return index + 1
            if self._engine.records.show(item.id).memory.status != "inbox":
                return index + 1

    def _describe(self, index: int) -> ReviewItem:
        return describe_candidate(self._engine.records.show(self._ids[index]))

    def _answer(self, item: ReviewItem, key: str, answer: str) -> bool:
        """Carry an answer out; return whether the candidate needs no other one."""
        session = self._session
        acts: dict[str, Callable[..., ReviewOutcome]] = {
            "a": session.approve,
            "i": session.replace_others,
            "b": session.keep_both,
            "m": session.merge,
        }
        if key == "r":
            # `r` and Enter reject; `r was a joke` says why.
            return _say(session.reject(item, answer.partition(" ")[2].strip()))
        if key in acts:
            return self._carry_out(item, acts[key])
        if key == "p":
            self._settle_place(item)
        elif key == "e" and item.view is not None:
            changes = yaml_editor.edit_record(item.view)
            if changes:
                self._edit(item, changes)
        else:
            prompts.say(_HELP)
        return False

    def _carry_out(self, item: ReviewItem, act: Callable[..., ReviewOutcome]) -> bool:
        """Carry an answer out, after what it asks for first."""
        outcome = act(item)
        if outcome.wants == "place":
            if not self._settle_place(item):
                return False
            item = describe_candidate(self._engine.records.show(item.id))
            outcome = act(item)
        if outcome.wants == "rationale":
            why = prompts.ask("Why was it decided so?")
            if not why:
                return False
            outcome = act(item, why)
        elif outcome.wants == "width":
            prompts.say(f"  {outcome.message}")
            width = _WIDTHS.get(prompts.ask(_WIDTH_QUESTION).lower()[:1])
            if width is None:
                return False
            outcome = act(item, width)
        return _say(outcome)

    def _settle_place(self, item: ReviewItem) -> bool:
        """Ask where a candidate belongs, and put it there; return whether that was done."""
        answer = ask_place.ask_place(self._engine, item.view) if item.view else None
        return answer is not None and self._edit(item, answer.to_changes())

    def _edit(self, item: ReviewItem, changes: dict[str, str]) -> bool:
        outcome = self._session.edit(item, **changes)
        if outcome.message.startswith("refused"):
            prompts.say(f"  {outcome.message}")
            return False
        self._edited.add(item.id)
        return True

    def _answer_group(self, index: int, key: str) -> bool:
        """Ask which candidates to answer together; return whether this one waits still."""
        left = [self._describe(place) for place in range(index, len(self._ids))]
        waiting = [item for item in left if item.view and item.view.memory.status == "inbox"]
        groups = {group.key: group for group in find_groups(waiting, 0)}
        group = _choose_group(groups, "Approve" if key == "A" else "Reject")
        if group is not None:
            act = self._session.approve_all if key == "A" else self._session.reject_all
            _say(act(group))
        return self._engine.records.show(self._ids[index]).memory.status == "inbox"

    def _undo(self, index: int) -> int:
        """Take the last answer back; return the candidate that it was about."""
        outcome = self._session.undo()
        prompts.say(f"  {outcome.message}")
        undone = outcome.item_key[1]
        return self._ids.index(undone) if undone in self._ids else index

    def _review_proposals(self) -> Iterator[ChangeReport]:
        """Ask about what maintenance proposes, one after the other."""
        total = len(self._page.proposals)
        for number, proposal in enumerate(self._page.proposals, 1):
            _show_proposal(proposal, f"proposal {number} of {total}")
            key = prompts.ask(_PROPOSAL_KEYS).lower()[:1]
            if key == "a":
                yield self._engine.inbox.accept_proposals([proposal.id])
            elif key == "r":
                yield self._engine.inbox.decline_proposals([proposal.id])
            elif key == "q":
                return

    def _report(self, about_proposals: Sequence[ChangeReport]) -> ReviewReport:
        """Report what became of the candidates, as they are now: what was undone is not named."""
        changed: dict[str, list[RecordView]] = {}
        kept = self._page.total
        for record_id in self._ids:
            try:
                view = self._engine.records.show(record_id)
            except MemctlError:
                continue  # erased by another program meanwhile
            status = view.memory.status
            kept -= status != "inbox"
            if status != "inbox" or record_id in self._edited:
                changed.setdefault(_VERBS.get(status, "edited"), []).append(view)
        reports = [ChangeReport(verb, tuple(views)) for verb, views in changed.items()]
        return ReviewReport((*reports, *about_proposals), kept=kept)


def _say(outcome: ReviewOutcome) -> bool:
    prompts.say(f"  {outcome.message}")
    return outcome.is_settled


def _choose_group(groups: dict[str, ReviewGroup], verb: str) -> ReviewGroup | None:
    """Ask which group is meant; None where none is, or there is none."""
    if not groups:
        prompts.say("  no other candidate that is left is like this one")
        return None
    offered = ", ".join(f"[{key}] {len(each.items)} {each.label}" for key, each in groups.items())
    return groups.get(prompts.ask(f"{verb} all: {offered}? (Enter: none)").lower()[:1])


def _show_proposal(proposal: Proposal, heading: str) -> None:
    prompts.say("", heading, format_proposal(proposal), f"  {flatten(proposal.reason)}")
