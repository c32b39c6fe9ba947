"""What `memctl review` shows and does, without the screen: the items, their lines, the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from memctl.cli.review_groups import ReviewGroup
from memctl.cli.review_items import (
    ReviewItem,
    ReviewLine,
    describe_candidate,
    describe_conflict,
    describe_proposal,
    render_conflict,
)
from memctl.cli.text.formatting import flatten, format_count, indent_lines
from memctl.cli.text.record_parts import (
    format_location,
    format_proposal,
    format_quote,
    render_other_sides,
)
from memctl.cli.text.review import render_nearest
from memctl.core.errors import MemctlError
from memctl.core.frozen import dataclass, replace
from memctl.core.model import Filter, Place
from memctl.core.typing_lite import Any
from memctl.engine.memory_engine import MemoryEngine
from memctl.results.history import RevertStep
from memctl.results.records import ChangeReport, RecordView

# Turns shown before and after the one that is quoted, and characters of each.
_TURNS_AROUND = 1
_LONGEST_TURN = 240
# What is done with a record of another project that a candidate is merged into.
EVERYWHERE = "everywhere"
KEPT = "kept"
_WIDTHS = (EVERYWHERE, KEPT)
# What an edit says that changed something.
CHANGED = "changed"
# What a person has read of a candidate when they decide.
_SHOWN_FIELDS = ("content", "type", "kind", "scope", "project_id", "rationale")


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """What an answer did. `wants` names what has to be asked first: `rationale`, `place` or `width`
    (of a merge with a record of another project); `item_key` is what an undoing brought back.
    """

    message: str
    is_settled: bool = False
    wants: str = ""
    item_key: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class _Answer:
    """What was answered: about which item (the first of several), the numbers of the changes that
    undo it, and how many items it settled.
    """

    item_key: tuple[str, str]
    changes: tuple[int, ...]
    settled: int


def rank_candidate(view: RecordView, place: Place) -> tuple[bool, float]:
    """Return what candidates are sorted by: the place's project first, then best first."""
    is_here = place.project_id is not None and view.memory.project_id == place.project_id
    return (not is_here, -view.memory.confidence)


class ReviewSession:
    """What waits for the operator, this project first, and the answers."""

    def __init__(self, engine: MemoryEngine, place: Place, wanted: Filter) -> None:
        self._engine = engine
        self._place = place
        self._wanted = wanted
        self._answers: list[_Answer] = []
        # Where each item was listed first: an edit that moves a record does not move its line.
        self._positions: dict[tuple[str, str], int] = {}
        # What each candidate was shown beside: `m` merges it into that and nothing else.
        self._nearest: dict[str, RecordView | None] = {}
        names = {each.project.id: each.project.name for each in engine.projects.list().items}
        # The project of the folder in which the review was begun.
        self.project = names.get(place.project_id or "", "")

    @property
    def decided(self) -> int:
        """How many items were settled here and were not taken back."""
        return sum(answer.settled for answer in self._answers)

    def list_items(self) -> list[ReviewItem]:
        """List what waits: candidates (this project's first, best first), proposals, conflicts."""
        page = self._engine.inbox.list(self._wanted, limit=-1)
        views = sorted(page.items, key=lambda view: rank_candidate(view, self._place))
        conflicts = self._engine.conflicts.list_undecided(
            self._place if self._wanted.project_id else None
        )
        listed = {view.memory.id for view in views}
        items = [
            *map(describe_candidate, views),
            *map(describe_proposal, page.proposals),
            # What a candidate stands against is decided where that is.
            *(
                describe_conflict(each)
                for each in conflicts.items
                if listed.isdisjoint(side.id for side in each.sides)
            ),
        ]
        for item in items:
            self._positions.setdefault(item.key, len(self._positions))
        return sorted(items, key=lambda item: self._positions[item.key])

    def render_item(self, item: ReviewItem) -> list[ReviewLine]:
        """Render all that helps to decide on an item."""
        if item.view is not None:
            return list(self._render_candidate(item.view))
        if item.proposal is not None:
            return [
                ReviewLine(format_proposal(item.proposal)),
                ReviewLine(flatten(item.proposal.reason), "aside"),
            ]
        return list(render_conflict(item.conflict)) if item.conflict is not None else []

    def _render_candidate(self, view: RecordView) -> Iterator[ReviewLine]:
        memory = view.memory
        yield from (ReviewLine(line.strip()) for line in indent_lines(memory.content))
        location = format_location(view)
        scope = "" if location == memory.scope else f"  scope {memory.scope}"
        yield ReviewLine(
            f"{memory.type}/{flatten(memory.kind)}  {location}{scope}"
            f"  confidence {memory.confidence:.2f}",
            "aside",
        )
        if memory.rationale:
            yield ReviewLine(f"because: {flatten(memory.rationale)}")
        yield from (ReviewLine(line, "warning") for line in render_other_sides(view))
        nearest = self.find_nearest(view)
        yield from (ReviewLine(line, "near") for line in render_nearest(view, nearest))
        for evidence in view.evidence:
            yield ReviewLine(format_quote(evidence, beside=memory.content), "quote")
            if evidence.source_id and evidence.turn is not None:
                yield from self._render_turns(evidence.source_id, evidence.turn)

    def find_nearest(self, view: RecordView) -> RecordView | None:
        """Find the record that a candidate resembles, and remember it as what was shown."""
        nearest = self._engine.inbox.find_nearest(view)
        self._nearest[view.memory.id] = nearest
        return nearest

    def stands_beside(self, item: ReviewItem) -> bool:
        """Whether a candidate was shown beside a record that it resembles or stands against."""
        view = item.view
        return view is not None and bool(view.others or self._nearest.get(item.id))

    def _render_turns(self, source_id: str, turn: int) -> Iterator[ReviewLine]:
        """Yield what was said just before and after a quote."""
        try:
            shown = self._engine.conversations.show(source_id, turn=turn, around=_TURNS_AROUND)
        except MemctlError:
            return  # an original that cannot be read helps nobody to decide
        for each in shown.turns:
            text = flatten(each.text)
            cut = f"{text[:_LONGEST_TURN]}…" if len(text) > _LONGEST_TURN else text
            mark = ">" if each.number == turn else " "
            yield ReviewLine(f" {mark} {each.speaker or each.role}: {cut}", "aside")

    # -- answers; each is carried out at once ------------------------------------------------------

    def approve(self, item: ReviewItem, rationale: str = "") -> ReviewOutcome:
        """Make a candidate active or carry out a proposal; of a conflict, keep the newer side."""
        if item.conflict is not None:
            return self.keep_side(item, newer=True)
        if item.proposal is not None:
            return self._do(
                item, lambda: self._engine.inbox.accept_proposals([item.id]), "carried out"
            )
        return self._find_question(item, rationale) or self._do(
            item, lambda: self._engine.promote([item.id], reason=rationale or None), "approved"
        )

    def reject(self, item: ReviewItem, reason: str = "") -> ReviewOutcome:
        """Archive a candidate for good, decline a proposal, or say that two records agree."""
        if item.conflict is not None:
            return self.keep_both(item)
        if item.proposal is not None:
            return self._do(
                item, lambda: self._engine.inbox.decline_proposals([item.id]), "declined"
            )
        return self._find_change(item) or self._do(
            item, lambda: self._engine.inbox.reject([item.id], reason=reason or None), "rejected"
        )

    def approve_all(self, group: ReviewGroup) -> ReviewOutcome:
        """Approve all of a group that need no look of their own, as one answer.

        Left are those that stand against a record or resemble one, and those that lack a project
        or a reason.
        """
        plain = [item for item in group.items if self._is_plain(item)]
        return self._do_all(
            plain,
            lambda ids: self._engine.promote(ids),
            "approved",
            left=len(group.items) - len(plain),
        )

    def reject_all(self, group: ReviewGroup) -> ReviewOutcome:
        """Reject all of a group, as one answer."""
        same = [item for item in group.items if self._find_change(item) is None]
        return self._do_all(
            same,
            lambda ids: self._engine.inbox.reject(ids),
            "rejected",
            left=len(group.items) - len(same),
        )

    def _is_plain(self, item: ReviewItem) -> bool:
        """Whether a candidate can be approved unread beside others: nothing has to be asked."""
        if item.view is None or item.view.others or item.view.replaces:
            return False
        return self._find_question(item, "") is None and self.find_nearest(item.view) is None

    def _do_all(
        self,
        items: Sequence[ReviewItem],
        act: Callable[[list[str]], ChangeReport],
        verb: str,
        *,
        left: int,
    ) -> ReviewOutcome:
        if not items:
            return ReviewOutcome("none: each of them needs a look of its own")
        try:
            before = self._engine.history.find_last_change()
            report = act([item.id for item in items])
            changes = tuple(reversed(self._engine.history.list_changes_after(before)))
        except MemctlError as error:
            return ReviewOutcome(f"refused: {error}")
        left += len(report.refused)
        if changes:
            self._answers.append(_Answer(items[0].key, changes, len(report.changed)))
        rest = f"; {left} left: each needs a look of its own" if left else ""
        return ReviewOutcome(f"{len(report.changed)} {verb}{rest}", is_settled=True)

    def keep_both(self, item: ReviewItem, rationale: str = "") -> ReviewOutcome:
        """Say that a candidate or a record and what it stands against both hold."""
        if item.conflict is not None:
            sides = [side.id for side in item.conflict.sides]
            return self._do(
                item,
                lambda: self._engine.conflicts.resolve(sides, Place(), dismiss=True),
                "both hold",
            )
        return self._approve_among_others(
            item,
            rationale,
            lambda other: self._engine.conflicts.resolve([item.id, other], Place(), dismiss=True),
            item.view.contradicted_by if item.view else (),
        )

    def replace_others(self, item: ReviewItem, rationale: str = "") -> ReviewOutcome:
        """Approve a candidate in the place of what it contradicts."""
        if item.view is None:
            return ReviewOutcome("this key is for candidates")
        nearest = self._nearest.get(item.id)
        if not item.view.contradicted_by and not item.view.replaces and nearest is not None:
            return self._replace_nearest(item, nearest, rationale)
        # What a candidate proposes to replace gives way when it is approved.
        others = [other for other in item.view.contradicted_by if other not in item.view.replaces]
        return self._approve_among_others(
            item,
            rationale,
            lambda other: self._engine.conflicts.resolve([item.id, other], Place(), keep=item.id),
            others or item.view.replaces,
        )

    def _replace_nearest(
        self, item: ReviewItem, nearest: RecordView, rationale: str
    ) -> ReviewOutcome:
        """Approve a candidate in the place of the record that it was shown beside."""
        if item.view and not nearest.memory.holds_where(item.view.memory):
            return ReviewOutcome(
                f"the nearest belongs to {format_location(nearest)}: approve this one beside it"
            )
        question = self._find_question(item, rationale)
        if question is not None:
            return question
        begun = len(self._answers)
        outcome = self.approve(item, rationale)
        if outcome.is_settled:
            replaced = self._do(
                item,
                lambda: self._engine.records.link(item.id, "supersedes", nearest.memory.id),
                f"approved, in the place of {nearest.short}",
                settles=False,
            )
            outcome = replace(replaced, is_settled=True)
        self._join_answers(begun)
        return outcome

    def _approve_among_others(
        self,
        item: ReviewItem,
        rationale: str,
        settle: Callable[[str], object],
        others: Sequence[str],
    ) -> ReviewOutcome:
        """Settle a candidate with each record that it contradicts, then approve it: one answer.

        What has to be asked is asked before anything is done.
        """
        if not others:
            return ReviewOutcome("it contradicts nothing")
        question = self._find_question(item, rationale)
        if question is not None:
            return question
        begun = len(self._answers)
        outcome = ReviewOutcome("")
        for other in others:
            if item.view is None or other in item.view.replaces:
                continue
            outcome = self._do(item, lambda other=other: settle(other), "", settles=False)  # type: ignore[misc]
            if not outcome.is_settled:
                break
        else:
            fresh = self.refresh_item(item)
            if fresh.view is not None and fresh.view.memory.status == "active":
                # Where it was kept in the place of another, that has approved it.
                self._answers.append(_Answer(item.key, (), 1))
                outcome = ReviewOutcome("approved", is_settled=True)
            else:
                outcome = self.approve(fresh, rationale)
        self._join_answers(begun)
        return outcome

    def keep_side(self, item: ReviewItem, *, newer: bool) -> ReviewOutcome:
        """Of two records at odds, keep the newer or the older one."""
        if item.conflict is None:
            return ReviewOutcome("this key is for two records that contradict each other")
        older_side, newer_side = item.conflict.sides
        kept, gone = (newer_side, older_side) if newer else (older_side, newer_side)
        if item.conflict.kind == "mark" and newer:
            return self._do(
                item,
                lambda: self._engine.conflicts.resolve([], Place(), supersede=(kept.id, gone.id)),
                "the newer one holds",
            )
        if item.conflict.kind == "mark":
            return self.keep_both(item)
        return self._do(
            item,
            lambda: self._engine.conflicts.resolve([kept.id, gone.id], Place(), keep=kept.id),
            f"the {'newer' if newer else 'older'} one holds",
        )

    def merge(self, item: ReviewItem, width: str = "") -> ReviewOutcome:
        """Merge a candidate into the record that it was shown beside.

        If that belongs to another project, `width` says whether it holds `everywhere` from now on,
        or is `kept` where it is.
        """
        if item.view is None:
            return ReviewOutcome("only a candidate is merged")
        nearest = self._nearest.get(item.id)
        if nearest is None:
            return ReviewOutcome("nothing resembles it")
        is_elsewhere = not nearest.memory.holds_where(item.view.memory)
        if is_elsewhere and width not in _WIDTHS:
            return ReviewOutcome(f"{nearest.short} is of {format_location(nearest)}", wants="width")
        widens = width == EVERYWHERE if is_elsewhere else None
        return self._find_change(item) or self._do(
            item,
            lambda: self._engine.records.merge(item.id, nearest.memory.id, widens=widens),
            f"merged into {nearest.short}" + (", which holds everywhere now" if widens else ""),
        )

    def edit(self, item: ReviewItem, **changes: Any) -> ReviewOutcome:
        """Change fields of a candidate: content, scope, project."""
        if item.view is None:
            return ReviewOutcome("only a candidate is edited")
        done = self._find_change(item) or self._do(
            item, lambda: self._engine.records.edit(item.id, changes), CHANGED, settles=False
        )
        return replace(done, is_settled=False)

    def undo(self) -> ReviewOutcome:
        """Take the last answer of this review back, and nothing that was done before it."""
        if not self._answers:
            return ReviewOutcome(
                "nothing was answered here yet (what came before: memctl undo, outside)"
            )
        answer = self._answers[-1]
        if not answer.changes:
            return ReviewOutcome("refused: the last answer cannot be taken back")
        steps: list[RevertStep] = []
        try:
            for change in reversed(answer.changes):
                steps += self._engine.revert(str(change)).steps
        except MemctlError as error:
            return ReviewOutcome(f"refused: {error}")
        self._answers.pop()
        if not steps:
            return ReviewOutcome("it was taken back already")
        title = flatten(steps[0].title or "")
        more = f" and {format_count(answer.settled - 1, 'other')}" if answer.settled > 1 else ""
        return ReviewOutcome(f"undone: {title}{more}", item_key=answer.item_key)

    def refresh_item(self, item: ReviewItem) -> ReviewItem:
        """Read a candidate again after it was changed."""
        return describe_candidate(self._engine.records.show(item.id)) if item.view else item

    def list_projects(self) -> Sequence[str]:
        """List the names of the known projects."""
        return [each.project.name for each in self._engine.projects.list().items]

    def _find_question(self, item: ReviewItem, rationale: str) -> ReviewOutcome | None:
        """Say what has to be asked or read again before a candidate can be approved, else None."""
        changed = self._find_change(item)
        if changed is not None or item.view is None:
            return changed
        memory = item.view.memory
        if item.view.place_unknown:
            return ReviewOutcome("which project does it belong to?", wants="place")
        if memory.type == "decision" and not (memory.rationale or rationale):
            return ReviewOutcome("why was it decided so?", wants="rationale")
        return None

    def _find_change(self, item: ReviewItem) -> ReviewOutcome | None:
        """Say what another program did to a candidate since it was shown; None if nothing.

        Nobody approves words that they have not seen.
        """
        if item.view is None:
            return None
        shown = item.view.memory
        try:
            memory = self._engine.records.show(item.id).memory
        except MemctlError as error:
            return ReviewOutcome(f"refused: {error}")
        if memory.status != shown.status:
            return ReviewOutcome(f"it was decided elsewhere in the meantime: {memory.status}")
        if any(getattr(memory, name) != getattr(shown, name) for name in _SHOWN_FIELDS):
            return ReviewOutcome("it was changed elsewhere in the meantime: read it again")
        return None

    def _join_answers(self, begun: int) -> None:
        """Make the answers from the `begun`th on a single one, which is undone as a whole."""
        parts = self._answers[begun:]
        if not parts:
            return
        changes = tuple(change for part in parts for change in part.changes)
        settled = max(part.settled for part in parts)
        self._answers[begun:] = [_Answer(parts[0].item_key, changes, settled)]

    def _do(
        self, item: ReviewItem, act: Callable[[], object], message: str, *, settles: bool = True
    ) -> ReviewOutcome:
        try:
            before = self._engine.history.find_last_change()
            report = act()
            after = self._engine.history.find_last_change()
        except MemctlError as error:
            hint = f" ({error.hint})" if error.hint else ""
            return ReviewOutcome(f"refused: {error}{hint}")
        refused = getattr(report, "refused", ())
        if refused:
            return ReviewOutcome(f"refused: {refused[0].reason}")
        changes = () if after is None or after == before else (after,)
        if not settles and not changes:
            return ReviewOutcome("it is so already", is_settled=True)
        self._answers.append(_Answer(item.key, changes, int(settles)))
        return ReviewOutcome(message, is_settled=True)
