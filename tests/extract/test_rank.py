"""What stays of all proposals, and what holds for every candidate whatever the turns."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

from extract_samples import agent, chat, found, human, session
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.model import SCOPES, TRUST_NAMES, TYPES, Span, Transcript, Turn
from memctl.extract import build, extract, extract_version, rank
from memctl.extract.transcript_view import TranscriptView

WORDS = st.sampled_from(
    [
        *(
            "Never push to main.",
            "We use `pnpm` here.",
            "Why is it 7? There are more.",
            "yes",
            "ok, but keep it small",
            "Which do you prefer?",
        ),
        *(
            "let's go with B",
            "A) one B) two",
            "```\ncode\n```",
            "# Plan\n\n- must stay offline\n- no new service",
            "https://a.example/x/pull/3",
        ),
        *(
            "we'll look at it later",
            "FAILED x",
            "<memctl-context>",
            "</memctl-context>",
            "make test",
            "\n\n",
            " ",
            "日本語です。",
            "\u2028",
        ),
        "The `a_b` does not support `cD` because it only accepts paths.",
    ]
)
KINDS = st.sampled_from(
    [
        *(("human", kind) for kind in ("text", "command", "answer", "rejection")),
        *(("assistant", kind) for kind in ("text", "plan", "tool_call")),
        *(("tool", "tool_result"), ("system", "link"), ("summary", "compact")),
    ]
)
TEXTS = st.one_of(st.text(max_size=120), st.lists(WORDS, min_size=1, max_size=6).map(" ".join))
DATA = st.sampled_from(
    [
        {},
        {"command": "make test"},
        {"questions": [{"question": "How?", "answer": "yes"}]},
        {"url": "x", "number": 3},
        {"shell": True},
    ]
)
TURNS = st.builds(
    lambda place, text, ok, data: Turn(0, place[0], place[1], text, ok=ok, data=data),
    KINDS,
    TEXTS,
    st.sampled_from([None, True, False]),
    DATA,
)
TRANSCRIPTS = st.builds(
    lambda turns, is_chat: Transcript(
        format="t",
        agent="t",
        session_id="s",
        turns=tuple(replace(turn, seq=n) for n, turn in enumerate(turns)),
        is_chat=is_chat,
    ),
    st.lists(TURNS, max_size=12),
    st.booleans(),
)


@settings(max_examples=150)
@given(TRANSCRIPTS)
def test_every_candidate_rests_on_exact_words_and_known_vocabulary(transcript: Transcript) -> None:
    for candidate in extract(transcript):
        spans = [*candidate.evidence, *([candidate.corrects] if candidate.corrects else [])]
        assert 1 <= len(candidate.evidence) <= 3
        assert all(
            transcript.turns[s.turn].text[s.start : s.end] == s.quote and s.quote for s in spans
        )
        assert candidate.type in TYPES
        assert candidate.scope in SCOPES
        assert candidate.trust in TRUST_NAMES
        assert 0 < candidate.confidence < 1
        assert candidate.rule
        assert candidate.kind
        assert 0 < len(candidate.title) <= 80
        assert 0 < len(candidate.summary) <= 200


@settings(max_examples=60)
@given(TRANSCRIPTS)
def test_the_same_turns_give_the_same_candidates(transcript: Transcript) -> None:
    assert extract(transcript) == extract(transcript)


@settings(max_examples=60)
@given(TRANSCRIPTS)
def test_no_evidence_comes_from_a_summary(transcript: Transcript) -> None:
    assert all(
        transcript.turns[s.turn].role != "summary" for c in extract(transcript) for s in c.evidence
    )


def test_a_statement_that_is_made_twice_is_proposed_once() -> None:
    assert (
        len(
            found(
                human("Never push to main without asking."),
                agent("Sure."),
                human("never push to main without asking!"),
            )
        )
        == 1
    )


def test_a_session_yields_only_so_many_candidates() -> None:
    many = [
        human(f"We must never call `part{n}` from `core{n * 7}` in a handler.") for n in range(60)
    ]
    assert len(found(*many)) <= 16


def test_a_short_session_yields_few() -> None:
    assert (
        len(
            found(
                human(
                    " ".join(
                        f"We must never call `part{n}` from `core{n * 7}` here." for n in range(20)
                    )
                )
            )
        )
        <= 8
    )


def test_candidates_come_in_the_order_of_the_transcript() -> None:
    kept = found(
        human("We should split the page."),
        agent("Sure."),
        human("Never push to main without asking."),
    )
    assert [c.evidence[0].turn for c in kept] == sorted(c.evidence[0].turn for c in kept)


def test_a_megabyte_of_anything_is_read_in_moderate_time() -> None:
    import time

    started = time.process_time()
    for text in (
        "a" * 1_000_000,
        ". " * 500_000,
        "- keep it short, please do not\n" * 30_000,
        "`" * 1_000_000,
        "if x " * 200_000,
        "<a-b>" * 200_000,
    ):
        extract(session(agent("Which do you prefer?"), human(text), agent(text)))
        extract(chat(("ann", text)))
    assert time.process_time() - started < 60


def test_the_version_of_the_rules_is_a_word() -> None:
    assert extract_version
    assert isinstance(extract_version, str)


def test_a_long_paste_of_rules_is_read_in_moderate_time() -> None:
    import time

    started = time.process_time()
    for end in ("\n", "\n\n", " "):
        extract(
            session(
                agent("Which do you prefer?"),
                human(
                    "".join(f"The part_{n} must stay small in the table.{end}" for n in range(3000))
                ),
            )
        )
    assert time.process_time() - started < 60


def test_what_was_typed_is_not_crowded_out_by_what_tools_ran() -> None:
    talk = session(
        human("Never push to main."),
        *(agent(f"I run check number {n}.") for n in range(9)),
    )
    view = TranscriptView(talk)
    length = len("I run check number 0")
    typed = build.build_candidate(
        view, "operator.statement", "project", "constraint", 0.4, 4, [Span(0, 0, 5, "Never")]
    )
    ran = [
        build.build_candidate(
            view,
            "commands.checks",
            "project",
            "command",
            0.9,
            2,
            [Span(n, 0, length, talk.turns[n].text[:length])],
            content=f"`make part{n}` checks the part with number {n} of the {n}th folder{n}.",
        )
        for n in range(1, 10)
    ]
    with patch.object(rank, "_is_agents", lambda view, candidate: False):
        chosen = rank.choose_proposals(view, [typed, *ran])
    assert len(chosen) == rank.compute_limit(view) < 10
    assert typed in chosen
