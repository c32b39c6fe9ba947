"""What a note holds, what is read back from it, and how links in it are resolved."""

from __future__ import annotations

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from memctl.core.model import Evidence, Memory
from memctl.results.records import RecordView
from memctl.vault.note_text import (
    NoteState,
    build_state,
    canonicalise,
    format_scalar,
    parse_note,
    render_note,
)
from memctl.vault.wikilinks import NoteIndex, list_links

AT = "2026-03-01T10:00:00.000Z"
ID = "01JV3KQX2MABCDEFGHJKMNPQRS"
texts = st.text(min_size=1, max_size=200).filter(lambda text: canonicalise(text) != "")


def make_view(content: str, **more: object) -> RecordView:
    """A record as it is shown, with evidence that says the same."""
    memory = Memory(
        **{  # type: ignore[arg-type]
            "id": ID,
            "type": "project",
            "kind": "fact",
            "scope": "global",
            "status": "active",
            "title": content[:40],
            "content": content,
            "summary": content,
            "owner": "shared",
            "source_kind": "manual",
            "confidence": 0.9,
            "trust": 5,
            "observed_at": AT,
            "fingerprint": "f",
            "created_at": AT,
            "updated_at": AT,
            **more,
        }
    )
    proof = Evidence("E1", ID, content, "human", 5, AT, AT)
    return RecordView(memory, "01JV", evidence=(proof,), tags=("sea", "data/open"))


@given(texts, st.booleans(), st.sampled_from(("active", "inbox", "archived", "contradicted")))
@example("a\r\nb", False, "active")
@example("---\nid: x\n---", False, "active")
@example("<!-- memctl: end -->", False, "active")
@example(
    "<!-- memctl 0123456789abcdef: what follows is written by memctl and not read back -->\nx",
    True,
    "inbox",
)
def test_what_is_written_is_read_back(content: str, pinned: bool, status: str) -> None:
    view = make_view(content, always_load=pinned, status=status)
    text = render_note(view, {}, ["[[entities/person/Alice|Alice]]"])
    note = parse_note(text)
    assert note is not None and note.is_whole
    assert note.state == build_state(view)
    assert not note.is_touched
    again = parse_note(text.replace("\n", "\r\n").replace("\r\n", "\n"))
    assert again == note


@given(texts)
def test_front_matter_is_yaml_whatever_a_title_holds(title: str) -> None:
    text = render_note(make_view("x", title=title), {}, [])
    front = text.split("\n---\n")[0]
    read = yaml.safe_load(front)
    assert list(read)[:5] == ["id", "type", "kind", "status", "scope"]
    assert list(read)[-2:] == ["updated", "title"]


@given(st.text(max_size=80))
def test_a_scalar_is_read_as_the_text_it_was(text: str) -> None:
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert yaml.load(f"a: {format_scalar(text)}", Loader=yaml.SafeLoader)["a"] == text or (
            text.startswith("2026")
        )


def test_text_added_below_the_end_belongs_to_the_content() -> None:
    text = render_note(make_view("The cache is redis."), {}, [])
    note = parse_note(text + "\nIt runs on port 6379.\n")
    assert note is not None
    assert note.state.content == "The cache is redis.\n\nIt runs on port 6379."


def test_a_note_without_its_last_line_is_only_half_written() -> None:
    text = render_note(make_view("The cache is redis."), {}, [])
    for length in range(text.index("redis"), len(text) - 2):
        note = parse_note(text[:length])
        assert note is None or not note.is_whole


def test_an_edit_below_the_mark_is_seen() -> None:
    text = render_note(make_view("The cache is redis."), {}, [])
    note = parse_note(text.replace("> The cache is redis.", "> The cache is memcached."))
    assert note is not None and note.is_touched
    assert note.state.content == "The cache is redis."


def test_a_note_of_another_program_is_none_of_ours() -> None:
    for text in (
        "",
        "# A heading",
        "---\nid: 5\n---\n",
        f"---\nid: {ID}\n---\nno type",
        "---\n[a, b\n---\n",
        "---\n" + "a: &a [x]\n" + "b: *a\n" * 50 + "---\n",
        "---\nid: " + "[" * 5000,
    ):
        assert parse_note(text) is None


def test_what_contradicts_what_makes_no_other_state() -> None:
    state = NoteState("x", "fact", "active")
    assert state.compute_hash() == NoteState("x", "fact", "contradicted").compute_hash()
    assert state.compute_hash() != NoteState("x", "fact", "archived").compute_hash()


def test_a_link_is_resolved_as_obsidian_does() -> None:
    index = NoteIndex(
        ["a/deep/Note.md", "b/Note.md", "Über.md", "projects/x/_index.md", "_index.md"],
        {"b/Note.md": ["The other name"]},
    )
    assert index.resolve("Note") == "b/Note.md", "the shortest path of several"
    assert index.resolve("a/deep/note") == "a/deep/Note.md", "a path goes before a name"
    assert index.resolve("deep/Note") == "a/deep/Note.md", "the end of a path is enough"
    assert index.resolve("ÜBER") == "Über.md", "case and forms of letters do not matter"
    assert index.resolve("the other name") == "b/Note.md"
    assert index.resolve("_index") == "_index.md"
    assert index.resolve("nowhere") is None
    assert not index.is_unique("a/deep/Note.md")


def test_links_are_found_with_headings_and_labels_but_not_in_code() -> None:
    text = "See [[A]], [[b/C#Head|label]] and ![[D^block]].\n\n```\n[[not]]\n```\n`[[nor]]` [[E]]"
    assert [(link.target, link.part) for link in list_links(text)] == [
        ("A", ""),
        ("b/C", "#Head"),
        ("D", "^block"),
        ("E", ""),
    ]
