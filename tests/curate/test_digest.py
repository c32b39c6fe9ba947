"""The digest tells what changed, by whom and why, once; only the operator's own look counts."""

from __future__ import annotations

import pytest
from bench import Bench

from memctl.cli.text import history
from memctl.core.errors import NotFound, UsageError
from memctl.core.model import EntityRef, NewMemory
from memctl.curate import digest

KILN = "The kiln is oil fired"


def told(bench: Bench, **given: object) -> list[tuple[str, str, str | None]]:
    report = bench.operator.history.digest(**given)
    return [
        (entry.section, change.verb, change.title)
        for entry in report.entries
        for change in entry.changes
    ]


def test_what_agents_changed_of_what_is_shared_comes_first(bench: Bench) -> None:
    bench.put("The roof leaks")
    bench.put(KILN, by=bench.agent)
    bench.agent.ingest([NewMemory("task_hint", "Fire it at night")])
    assert told(bench) == [
        ("shared", "created", KILN),
        ("operator", "created", "The roof leaks"),
        ("agents", "created", "Fire it at night"),
    ]


def test_changes_made_as_one_are_one_entry_whose_number_undoes_it(bench: Bench) -> None:
    old = bench.put(KILN)
    bench.operator.records.correct(
        old.id, "The kiln is gas fired", reason="it was converted in May"
    )
    entry = bench.operator.history.digest().entries[0]
    assert [change.verb for change in entry.changes] == [
        "created",
        "superseded",
    ] and entry.why == "it was converted in May"
    bench.operator.revert(str(entry.seq))
    assert bench.state(old) == "active"


def test_an_edit_says_what_it_changed(bench: Bench) -> None:
    memory = bench.put(KILN)
    bench.operator.records.edit(memory.id, {"kind": "constraint"})
    assert bench.operator.history.digest().entries[0].changes[0].what == (
        "kind: fact -> constraint",
    )


def test_what_was_read_is_not_told_again(bench: Bench) -> None:
    bench.put(KILN)
    assert (
        bench.operator.history.digest(mark=True).entries
        and bench.operator.history.digest().entries == ()
    )
    bench.put("The roof leaks")
    assert [title for *_, title in told(bench)] == ["The roof leaks"]
    assert digest.count_unread(bench.db)["changes"] > 0
    assert len(told(bench, since="2020-01-01T00:00:00.000Z")) == 2, (
        "a time of one's own looks back further"
    )


def test_the_first_digest_goes_back_to_the_beginning_also_where_it_is_taken_as_read(
    bench: Bench,
) -> None:
    bench.put(KILN)
    assert bench.operator.history.digest(mark=True).since is None
    looked = bench.operator.history.digest(mark=True).since
    assert looked, "the second one says when the first was read"
    assert bench.operator.history.digest().since >= looked


def test_only_the_operators_look_counts(bench: Bench) -> None:
    bench.put(KILN)
    with pytest.raises(UsageError):
        bench.agent.history.digest(mark=True)
    assert bench.agent.history.digest().entries and bench.operator.history.digest().entries


def test_a_limit_says_how_much_it_leaves_out(bench: Bench) -> None:
    for number in range(5):
        bench.put(f"Shelf {number} is full")
    report = bench.operator.history.digest(limit=2)
    assert (len(report.entries), report.left_out, report.counts) == (2, 3, {"created": 5})


def test_an_unknown_project_is_an_error(bench: Bench) -> None:
    bench.put(KILN)
    with pytest.raises(NotFound):
        bench.operator.history.digest(project="nowhere")


def test_stored_words_are_no_markup_in_markdown(bench: Bench) -> None:
    bench.put("# [click](http://example.org) `rm -rf` <b>")
    text = "\n".join(history.render_digest(bench.operator.history.digest(format="markdown")))
    assert "\\# \\[click\\](http://example.org) \\`rm -rf\\` \\<b\\>" in text


def test_the_digest_says_what_waits(bench: Bench) -> None:
    bench.take(("user", f"fact {KILN}"))
    report = bench.operator.history.digest()
    assert report.waiting["inbox"] == 1 and "maintenance" in {
        entry.section for entry in report.entries
    }


def test_names_that_became_one_are_told_and_their_number_parts_them(bench: Bench) -> None:
    bench.put("Olga fires the kiln", entities=(EntityRef("person", "Olga"),))
    bench.put("Olya glazes", entities=(EntityRef("person", "Olya"),))
    bench.operator.entities.merge("Olga", "Olya")
    bench.operator.entities.alias("Olga", "my boss")
    named, merged = bench.operator.history.digest().entries[:2]
    assert [(change.verb, change.title, change.what) for change in named.changes] == [
        ("also known", "Olga", ("my boss",))
    ]
    assert [(change.verb, change.title, change.what) for change in merged.changes] == [
        ("merged", "Olya", ("into Olga",))
    ]
    bench.operator.revert(str(merged.seq))
    assert {item.name for item in bench.operator.entities.list().items} == {"Olga", "Olya"}
    assert [
        change.verb
        for entry in bench.operator.history.digest(limit=1).entries
        for change in entry.changes
    ] == ["reverted"]


def test_a_contradiction_that_was_dismissed_has_its_number_too(bench: Bench) -> None:
    one = bench.put(KILN)
    bench.take(("user", "fact The roof leaks"))
    two = bench.one("inbox")
    bench.operator.records.link(one.id, "contradicts", two.id)
    bench.operator.history.digest(mark=True)
    bench.operator.records.link(one.id, "contradicts", two.id, remove=True)
    [entry] = bench.operator.history.digest().entries
    assert entry.section == "operator" and any(
        "dismissed" in f"{change.verb} {change.what}" for change in entry.changes
    )


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_person_reads_that_a_candidate_was_approved(bench: Bench, form: str) -> None:
    bench.agent.ingest([NewMemory("project", KILN, kind="convention", scope="global")])
    (waiting,) = bench.operator.inbox.list().items
    bench.operator.promote([waiting.memory.id])
    text = "\n".join(history.render_digest(bench.operator.history.digest(format=form)))
    assert "1 approved" in text and "approved " in text and "promoted" not in text
