"""What agents are told is judged by well-formed labels, and by what the real hook says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchmarks import served, served_data
from benchmarks.served_asking import Asker, HookFailed, Told
from benchmarks.served_judging import Judge, tally
from benchmarks.served_store import World

FOLDER = Path(served.__file__).parent / "served"
HEADS = {
    "projects": "name\tfolder\tfold\tlinked",
    "records": "project\tname\tkind\tstate\ttext\ttitle\tentities",
    "prompts": "project\tform\tmust\trule\tmay\tforbid\tprompt",
    "push": "project\tform\tmust\tmay\tprompt",
    "sessions": "project\tmust\tmay\tprompt",
    "aliases": "name\talias",
}
SMALL = {
    "projects": ("kiln\tkiln-control\tA\t", "barge\tbarge-tracker\tB\t"),
    "records": (
        "kiln\tport\tfact\tactive\tThe kiln controller listens on port 7071.\t\t",
        "kiln\tglaze\tconvention\trejected\tGlaze recipes are kept in a spreadsheet.\t\t",
        "kiln\tramp\tfact\tsuperseded:ramp2\tThe ramp is 80 degrees an hour.\t\t",
        "kiln\tramp2\tfact\tactive\tThe ramp is 120 degrees an hour.\t\t",
        "kiln\tdoor\tconstraint\tpinned\tThe door stays locked above 60 degrees.\t\t",
        "kiln\tcone\tfact\tprivate:codex\tThe cone test cannot run in my sandbox.\t\t",
        "barge\tdraught\tfact\tactive\tThe barge draws two metres of water when loaded.\t\t",
        "me\tname\tfact\tactive\tMy name is Ottilie.\t\t",
    ),
    "prompts": (
        "kiln\task\tport\t\t\t\twhich port does the kiln controller listen on?",
        "kiln\ttempt\t\t\t\tglaze\tare glaze recipes kept in a spreadsheet?",
        "kiln\tack\t\t\t\t\tthanks",
        "kiln\torder\t\tdoor\t\t\topen it at 90",
    ),
    "push": ("kiln\tone\tramp2\t\thow steep is the ramp?", "barge\tmath\t\t\t7 times 8"),
    "sessions": ("kiln\tport\t\twhich port?", "kiln\t\tport\tthe port again"),
    "aliases": (),
}


def write_set(folder: Path, **other: tuple[str, ...]) -> Path:
    """The small set, with the lines of some files replaced."""
    for name, lines in {**SMALL, **other}.items():
        (folder / f"{name}.tsv").write_text("\n".join((HEADS[name], *lines)) + "\n", "utf-8")
    return folder


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    """A judge over the small set, where each record has its key as its id."""
    data = served_data.load(write_set(tmp_path))
    world = World(tmp_path, data)
    for key in data.records:
        world.note(key, key)
    return Judge(world)


def test_the_published_set_is_well_formed_and_as_large_as_it_says() -> None:
    data = served_data.load(FOLDER)
    quiet = sum(prompt.is_quiet for prompt in data.push)
    assert len(data.projects) == 6
    assert len(data.records) >= 300
    assert len(data.prompts) >= 200
    assert (len(data.push) >= 90) and abs(quiet / len(data.push) - 0.5) < 0.05
    assert {record.state for record in data.records.values()} == served_data.STATES
    assert len({project.fold for project in data.projects.values()}) == 3


def test_every_record_that_prompts_ask_for_is_asked_for_in_few_of_them() -> None:
    data = served_data.load(FOLDER)
    asked = Counter(
        key for prompt in (*data.prompts, *data.push) for key in (*prompt.must, *prompt.rules)
    )
    assert max(asked.values()) <= 4


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("kiln\task\tglaze\t\t\t\twhat about glaze?", "kiln.glaze is rejected"),
        ("kiln\task\tbarge.draught\t\t\t\thow deep?", "barge.draught is of another project"),
        ("kiln\task\tcone\t\t\t\tthe cone?", "kiln.cone is private to another agent"),
        ("kiln\task\tramp\t\t\t\tthe ramp?", "kiln.ramp is superseded"),
        ("kiln\ttempt\t\t\t\tport\tthe port?", "nothing forbids kiln.port"),
        ("kiln\task\tport\t\tport\t\tthe port?", "a record is labelled twice"),
        ("kiln\tack\tport\t\t\t\tyes", "ack needs nothing"),
        ("kiln\task\tmissing\t\t\t\twhat?", "no such record: kiln.missing"),
    ],
)
def test_a_label_that_cannot_be_right_is_refused(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        served_data.load(write_set(tmp_path, prompts=(line,)))


def test_what_is_told_counts_as_right_beside_the_point_missing_or_forbidden(judge: Judge) -> None:
    asked, tempted, thanked, ordered = judge.data.prompts
    verdicts = [
        judge.judge(asked, Told("", ("kiln.port", "me.name"))),
        judge.judge(tempted, Told("", ("kiln.glaze", "barge.draught"))),
        judge.judge(thanked, Told("", ())),
        judge.judge(ordered, Told("", ()), start=Told("", ("kiln.door",))),
    ]
    assert (verdicts[0].right, verdicts[0].beside) == (("kiln.port",), ("me.name",))
    assert [reason for _, reason in verdicts[1].forbidden] == ["rejected", "of another project"]
    count = tally(verdicts)
    assert (count.precision, count.recall, count.silence, count.forbidden) == (0.25, 1.0, 0.5, 2)
    assert count.knowledge == 1.0


def test_a_rejected_statement_is_told_also_when_another_record_tells_its_words(
    judge: Judge,
) -> None:
    text = "- [01ABCDEFGH] Talked of this: glaze recipes are kept in a spreadsheet. Done."
    verdict = judge.judge(judge.data.prompts[0], Told(text, ()))
    assert [key for key, _ in verdict.forbidden] == ["kiln.glaze"]


def test_what_a_session_was_told_before_counts_as_told_again(judge: Judge) -> None:
    verdict = judge.judge(judge.data.prompts[0], Told("", ("kiln.port",)), before=["kiln.port"])
    assert verdict.again == ("kiln.port",)


def test_a_hook_that_failed_is_not_taken_for_a_silent_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = tmp_path / "set"
    sets.mkdir()
    world = World(tmp_path / "home", served_data.load(write_set(sets)))
    world.db.parent.mkdir(parents=True)
    with world.engine() as engine:
        engine.init()

    def fail(asker: Asker, db: Path, *_: object) -> str:
        (db.parent / "hook.log").write_text("now claude-code UserPromptSubmit: broken\n", "utf-8")
        return ""

    monkeypatch.setattr(Asker, "_run", fail)
    with pytest.raises(HookFailed, match="broken"):
        Asker(world).prompts(world.data.prompts[:1])


@pytest.mark.proof
def test_the_real_hook_answers_a_small_set_from_a_real_store(tmp_path: Path) -> None:
    sets = tmp_path / "set"
    sets.mkdir()
    run = served.run(served_data.load(write_set(sets)), tmp_path / "home")
    assert run.mishaps == []
    assert all(not verdict.forbidden for part in run.verdicts.values() for verdict in part)
    assert run.verdicts["prompts"][0].right == ("kiln.port",)
    assert all("kiln.door" in verdict.right for verdict in run.verdicts["contexts"])
