"""What must hold after a command was cut off or failed, and after it was run again."""

from __future__ import annotations

from proofs.workshop import Scenario, Workshop, list_lost


def count_operations(workshop: Workshop, scenario: Scenario) -> int:
    """Run a scenario undisturbed; how many file operations it takes."""
    prepare(workshop, scenario)
    whole = workshop.run(scenario)
    assert whole.code == 0, (whole.stdout, whole.stderr)
    assert whole.operations > 0, "the shim saw no operation"
    return whole.operations


def prepare(workshop: Workshop, scenario: Scenario) -> dict[str, tuple[str, str]]:
    """Put the house back, do what comes before; what stands in the store then."""
    workshop.restore()
    if scenario.before:
        done = workshop.command(scenario.before)
        assert done.returncode == 0, done.stderr
    return workshop.contents()


def find_spared(
    workshop: Workshop, scenario: Scenario, before: dict[str, tuple[str, str]]
) -> set[str]:
    """The records that a scenario is told to change."""
    named = {workshop.ids[name] for name in scenario.touches if not name.startswith("*")}
    marks = tuple(name[1:] for name in scenario.touches if name.startswith("*"))
    return named | {
        each
        for each, (content, status) in before.items()
        if status in marks or ("profile" in marks and content.startswith("shell"))
    }


def judge(workshop: Workshop, scenario: Scenario, before: dict[str, tuple[str, str]]) -> None:
    """Assert that the store is sound and holds what was acknowledged."""
    assert workshop.find_faults() == []
    assert workshop.find_unregistered() == []
    spared = find_spared(workshop, scenario, before)
    assert list_lost(before, workshop.contents(), spared) == []


def judge_end(workshop: Workshop, scenario: Scenario) -> None:
    """Run it again, maintain two days later, and assert that nothing is left to do or to remove."""
    again = workshop.run(scenario)
    is_told = again.code == 1 and "was cut off" in again.stderr
    assert is_told or again.code in scenario.again, (again.code, again.stdout, again.stderr)
    if scenario.says:
        assert workshop.holds(scenario.says)
    maintain_to_the_end(workshop, clock=str(2 * 86_400))
    assert workshop.find_problems() == []
    assert workshop.find_faults() == []
    assert workshop.find_leftovers() == []
    if scenario.erases:
        told = [str(path.relative_to(workshop.root)) for path in workshop.config.backups.glob("*")]
        assert [name for name in workshop.find_bytes(scenario.erases) if name not in told] == []


def maintain_to_the_end(workshop: Workshop, **settings: str) -> None:
    """Maintain; what a kill had cut off is finished and told by the first run, not by a second."""
    done = workshop.maintain(**settings)
    assert done.code == 0 or "cut off" in done.stdout, (done.stdout, done.stderr)
    if done.code != 0:
        done = workshop.maintain(**settings)
    assert done.code == 0, (done.stdout, done.stderr)
