"""What an agent is told unasked: what a prompt calls for, in a store of three records as in one of
thousands, and nothing at idle talk.
"""

from __future__ import annotations

import pytest
from invented import House, told
from ways import WAYS, embed_all

from memctl.retrieve import certainty

_KINDS = ("crane", "barge", "pilot", "tug", "buoy", "ferry", "quay", "lock", "mast", "sluice")
_STATES = ("repainted", "inspected", "rented", "moved", "measured", "insured", "repaired")
IDLE = (
    "thanks!",
    "continue",
    "fix the typo in line 3",
    "write a haiku",
    "write a limerick about a slow pilot",
    "sounds good, do it",
    "rename this variable to total",
    "what is the capital of Peru?",
)


@pytest.fixture(params=WAYS)
def few(request: pytest.FixtureRequest, house: House) -> House:
    """Three records, found by words or by words and meaning."""
    house.add(
        "Windrose is the forwarder that we book freight with. They close their books on the 25th, "
        "and their interface takes forty calls a minute.",
        title="Windrose",
    )
    house.add("The API listens on port 8443 behind the proxy")
    house.add("Deploy with make ship from the release branch", kind="command")
    if request.param == "hybrid":
        embed_all(house)
    return house


def fill(house: House, many: int) -> None:
    """Many records about other things."""
    for number in range(many):
        kind = _KINDS[number % len(_KINDS)]
        state = _STATES[number // len(_KINDS) % len(_STATES)]
        house.add(f"The {kind} number {number} was {state} by the harbour office")


@pytest.mark.parametrize(
    ("prompt", "word"),
    [
        ("pull up my notes on Windrose before the call", "Windrose"),
        ("what's the deploy command", "Deploy"),
        ("which port does the API use", "port"),
    ],
)
def test_the_plainest_question_gets_exactly_its_record(few: House, prompt: str, word: str) -> None:
    (line,) = few.context(task=prompt, prompt_only=True).sections[0].items
    assert word in line.text


@pytest.mark.parametrize("prompt", IDLE)
def test_idle_talk_gets_nothing_in_a_small_store(few: House, prompt: str) -> None:
    assert few.context(task=prompt, prompt_only=True).text == ""


@pytest.mark.proof
def test_a_named_record_is_told_among_three_thousand_as_among_three(few: House) -> None:
    fill(few, 3000)
    (line,) = (
        few.context(task="pull up my notes on Windrose before the call", prompt_only=True)
        .sections[0]
        .items
    )
    assert "Windrose" in line.text
    assert [p for p in IDLE if few.context(task=p, prompt_only=True).text] == []


def test_a_word_of_every_day_is_no_name_however_few_records_hold_it(house: House) -> None:
    house.add("Functions above a complexity of fifteen are split")
    assert told(house.context(task="call the function twice", prompt_only=True)) == []


def test_a_question_about_something_else_of_the_same_matter_gets_nothing(house: House) -> None:
    house.add("The lighthouse keeper is called Aino")
    asked = "how tall is the second wing of the town library?"
    assert told(house.context(task=asked, prompt_only=True)) == []


def test_rarity_comes_from_english_where_the_store_is_too_small_to_know() -> None:
    words = certainty.weigh_prompt("", ["windrose", "call", "notes"], {"windrose": 1}, 3, 1000)
    said = words.information
    assert said["windrose"] > said["notes"] + 1 > said["call"] + 1


def test_a_large_store_knows_better_than_english_how_rare_a_word_is() -> None:
    few = certainty.weigh_prompt("", ["windrose"], {"windrose": 2}, 3, 1000)
    many = certainty.weigh_prompt("", ["windrose"], {"windrose": 9000}, 90_000, 1000)
    assert many.information["windrose"] < few.information["windrose"] / 2


def test_a_certainty_rises_with_each_word_and_with_meaning_and_falls_with_the_store() -> None:
    def sure(matched: list[str], semantic: float | None, size: int) -> float:
        words = {"windrose": 8.0, "freight": 6.0}
        prompt = certainty.PromptWords(words, sum(words.values()), size)
        record = certainty.RecordWords(matched, "Freight", semantic)
        return certainty.compute_certainty(prompt, record, certainty.PromptCrowd())

    both, one = ["windrose", "freight"], ["freight"]
    assert sure([], 0.0, 100) == 0 < sure(one, None, 100) < sure(both, None, 100) < 1
    assert sure(one, 0.1, 100) < sure(one, 0.5, 100)
    assert sure(one, None, 10_000) < sure(one, None, 100)


@pytest.mark.needs("weights")
def test_an_order_gets_the_rule_that_it_touches_without_naming_it(house: House) -> None:
    fill(house, 60)
    rule = house.add("Screenshots are taken at 800 pixels and named shot_", kind="convention")
    embed_all(house)
    order = "take a screenshot of the new price list for the brochure"
    assert told(house.context(task=order, prompt_only=True)) == [rule.id]


def test_what_is_no_rule_answers_an_order_only_where_it_is_surer() -> None:
    ordered = certainty.PromptWords({"streets": 5.0}, 10.0, 100)
    asked = certainty.PromptWords({"streets": 5.0}, 10.0, 100, is_question=True)
    for semantic in (None, 0.4):
        of_kind = {
            (prompt is asked, kind): certainty.compute_certainty(
                prompt,
                certainty.RecordWords(["streets"], "Map", semantic, kind),
                certainty.PromptCrowd((semantic or 0.0,)),
            )
            for prompt in (ordered, asked)
            for kind in ("constraint", "fact", "command")
        }
        assert of_kind[False, "constraint"] > of_kind[False, "fact"]
        assert of_kind[False, "command"] > of_kind[False, "fact"]
        assert of_kind[True, "constraint"] < of_kind[True, "fact"]


@pytest.mark.needs("weights")
@pytest.mark.parametrize(
    ("order", "word"),
    [
        ("put it into production", "Deploy"),
        ("write a test for the parser", "Tests"),
        ("does everything still pass the tests?", "Tests"),
        ("¿cómo ejecuto las pruebas?", "Tests"),
        ("wie starte ich die Tests?", "Tests"),
        ("commit what you have", "Commit"),
        ("save the password of the user", "keychain"),
    ],
)
def test_an_order_gets_what_is_laid_down_for_it_in_whatever_words(
    house: House, order: str, word: str
) -> None:
    fill(house, 60)
    house.add("Deploy with `make live ENV=prod`, only from a tagged commit", kind="command")
    house.add("Tests are run by `bin/check --quiet`", kind="command")
    house.add("Commit messages begin with the number of the berth", kind="convention")
    house.add("Secrets live in the keychain, never in a settings file", kind="constraint")
    embed_all(house)
    sections = house.context(task=order, prompt_only=True).sections
    assert any(word in line.text for section in sections for line in section.items)


@pytest.mark.needs("weights")
@pytest.mark.parametrize(
    "prompt",
    [
        "rename this local variable to total",
        "delete the last two lines",
        "looks good, thanks",
        "translate to French: the ferry is late",
        "what is 19 % of 84.50?",
        "what is a mutex?",
        "wie formatiert man ein Datum in Excel?",
        "start over",
        "keep going",
    ],
)
def test_what_touches_nothing_laid_down_gets_no_rule(house: House, prompt: str) -> None:
    fill(house, 60)
    house.add("Deploy with `make live ENV=prod`, only from a tagged commit", kind="command")
    house.add("Tests are run by `bin/check --quiet`", kind="command")
    house.add("Commit messages begin with the number of the berth", kind="convention")
    house.add("Prices are stored as whole cents", kind="convention")
    embed_all(house)
    assert told(house.context(task=prompt, prompt_only=True)) == []


def test_the_thresholds_of_prompts_are_settings(few: House) -> None:
    prompt = "which port does the API use"
    assert told(few.context(task=prompt, prompt_only=True))
    few.config.values["context.prompt_threshold"] = 1.0  # type: ignore[index]
    few.config.values["context.similarity_threshold"] = 1.0  # type: ignore[index]
    assert told(few.context(task=prompt, prompt_only=True)) == []
