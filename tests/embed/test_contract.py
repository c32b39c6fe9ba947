"""Every backend gives unit vectors for any text, equal for one text and near for one meaning."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import Embedder, find_embedder, find_slot_reader, kernel, minilm, slot_path

ODD = [
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800 lone \udfff",
    "🙂👩‍👩‍👧",
    "x" * 1_000_000,
    "word " * 200_000,
    "\n" * 5000,
    "[CLS] [SEP]",
    "\u202e\ufeff\ufffd",
    "é" * 300,
]
BLOCKS = [
    "".join(chr(code) for code in range(start, start + 40)) for start in range(0, 0x30000, 0x200)
]
PAIRS = [
    (
        "How do we deploy to staging?",
        "Releasing to the test environment",
        "The cat sleeps in the sun",
    ),
    ("Use pnpm instead of npm", "The package manager is pnpm", "Paris lies on the Seine"),
    (
        "The database was locked by a writer",
        "SQLite reported a busy error",
        "Bake the bread for an hour",
    ),
]
LANGUAGES = [
    "Der Zug nach München fährt um neun",
    "Le déploiement a échoué hier soir",
    "数据库被锁定了",
    "テストは夜に実行される",
    "서버가 응답하지 않습니다",
    "ฐานข้อมูลถูกล็อก",
    "База данных заблокирована",
    "قاعدة البيانات مقفلة",
    "डेटाबेस बंद है",
    "Η βάση κλειδώθηκε ΟΔΟΣ",
    "El servidor no responde",
]
CODE = [
    "def f(x): return x + 1",
    "SELECT id FROM t WHERE x = 1",
    "src/app/main.py:42: E501",
    "--no-cache",
    "snake_case camelCase a.b.c",
    "ENOENT",
]
NOUNS = (
    "cache store hook session prompt vector index queue token lock branch release schema reader "
    "ranking budget"
).split()
VERBS = "breaks keeps loses rewrites needs replaces delays hides repeats".split()


def cosine(one: bytes, other: bytes) -> float:
    return (
        math.sumprod(numbers(one), numbers(other))
        if hasattr(math, "sumprod")
        else sum(map(float.__mul__, numbers(one), numbers(other)))
    )


def numbers(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def invent_texts(count: int) -> list[str]:
    """Texts of many lengths, languages and kinds, the same each time."""
    dice = random.Random(7)

    def sentence() -> str:
        subject, verb, target = dice.choice(NOUNS), dice.choice(VERBS), dice.choice(NOUNS)
        return f"The {subject} {verb} the {target} {dice.randint(0, 9999)}."

    kinds = [
        lambda: dice.choice(LANGUAGES),
        lambda: dice.choice(CODE),
        lambda: dice.choice(BLOCKS)[:12],
        sentence,
    ]
    return [
        " ".join(dice.choice(kinds)() for _ in range(dice.choice([1, 1, 1, 1, 2, 4])))
        for _ in range(count)
    ]


@pytest.fixture(scope="module")
def slow() -> Embedder:
    return find_embedder(backend="numpy")


@pytest.fixture(scope="module")
def fast() -> Embedder:
    return find_embedder(backend="kernel")


@pytest.fixture
def model(request: pytest.FixtureRequest, slow: Embedder, fast: Embedder) -> Embedder:
    """The model that the class of tests is about."""
    return {"numpy": slow, "kernel": fast}[request.cls.backend]


class Contract:
    """The tests of every backend; a subclass names its own."""

    def test_every_text_has_a_unit_vector(self, model: Embedder) -> None:
        vectors = model.embed(ODD)
        assert [len(vector) for vector in vectors] == [4 * model.dimensions] * len(ODD)
        assert all(abs(cosine(vector, vector) - 1) < 1e-5 for vector in vectors)

    def test_every_block_of_unicode_has_one(self, model: Embedder) -> None:
        for block in BLOCKS[::29]:
            (vector,) = model.embed([block])
            assert abs(cosine(vector, vector) - 1) < 1e-5

    def test_no_text_gives_no_vector(self, model: Embedder) -> None:
        assert model.embed([]) == []

    def test_the_same_text_has_the_same_vector_alone_and_in_company(self, model: Embedder) -> None:
        texts = invent_texts(6)
        together = model.embed([*texts, *reversed(texts)])
        assert (
            together[:6]
            == list(reversed(together[6:]))
            == [model.embed([text])[0] for text in texts]
        )

    def test_it_says_what_it_is(self, model: Embedder) -> None:
        assert model.name and model.fingerprint and model.backend and model.dimensions > 0


class MiniLM(Contract):
    """What the two ways to run the built-in model have in common."""

    @pytest.mark.parametrize(("text", "near", "far"), PAIRS)
    def test_what_means_the_same_is_nearer_than_what_does_not(
        self, model: Embedder, text: str, near: str, far: str
    ) -> None:
        one, same, other = model.embed([text, near, far])
        assert cosine(one, same) > cosine(one, other) + 0.1

    def test_a_known_sentence_has_its_published_vector(self, model: Embedder) -> None:
        (vector,) = model.embed(["This is an example sentence"])
        assert numbers(vector)[:4] == pytest.approx((0.0677, 0.0635, 0.0487, 0.0793), abs=0.004)

    def test_what_lies_beyond_the_cut_changes_nothing(self, model: Embedder) -> None:
        one, other = model.embed(["tide " * 254 + "a", "tide " * 254 + "b"])
        assert one == other


class TestNumpy(MiniLM):
    backend = "numpy"


class TestKernel(MiniLM):
    backend = "kernel"


def test_both_ways_share_a_fingerprint() -> None:
    assert find_embedder(backend="kernel").fingerprint == find_embedder(backend="numpy").fingerprint


def test_the_kernel_comes_first() -> None:
    assert find_embedder().backend == "kernel"


def test_kernel_and_numpy_give_the_same_vectors(fast: Embedder, slow: Embedder) -> None:
    texts = [*invent_texts(190), *LANGUAGES, *CODE]
    pairs = zip(fast.embed(texts), slow.embed(texts), strict=True)
    assert min(cosine(one, other) for one, other in pairs) >= 0.9999


@settings(max_examples=40)
@given(st.text(max_size=150))
def test_kernel_and_numpy_agree_on_any_text(fast: Embedder, slow: Embedder, text: str) -> None:
    assert cosine(fast.embed([text])[0], slow.embed([text])[0]) >= 0.9999


def runnable() -> list[str]:
    """The instruction sets that this machine has."""
    return [name for name in kernel.INSTRUCTION_SETS if runs(name)]


def runs(name: str) -> bool:
    forward = kernel.load_kernel(find_embedder(backend="kernel").stamp.rsplit(" ", 2)[0], name)
    assert forward is not None
    try:
        forward([[101, 102]])
    except ValueError:
        return False
    return True


def test_every_instruction_set_gives_the_same_vectors(slow: Embedder) -> None:
    sets, path = runnable(), slow.stamp.rsplit(" ", 2)[0]
    assert {"best", "plain"} <= set(sets)
    texts = [*invent_texts(3), *LANGUAGES[::4], "a", "tide " * 30]
    wanted = slow.embed(texts)
    for name in sets:
        forward = kernel.load_kernel(path, name)
        assert forward is not None
        made = minilm.MiniLM("minilm", "", "kernel", "", forward).embed(texts)
        assert min(map(cosine, made, wanted)) >= 0.9999, name


class TestSlots:
    """The reader of slots: the same model with a low-rank path beside its matrices."""

    def test_kernel_and_numpy_read_alike(self) -> None:
        texts = [*invent_texts(60), *LANGUAGES, *CODE, "tide " * 300]
        fast, slow = find_slot_reader(backend="kernel"), find_slot_reader(backend="numpy")
        assert fast.fingerprint == slow.fingerprint
        pairs = zip(fast.embed(texts), slow.embed(texts), strict=True)
        assert min(cosine(one, other) for one, other in pairs) >= 0.9999

    def test_every_instruction_set_reads_alike(self) -> None:
        reader = find_slot_reader(backend="numpy")
        texts = [*invent_texts(3), *LANGUAGES[::4], "a", "tide " * 30]
        wanted, beside = reader.embed(texts), slot_path.read_slot_path()
        for name in runnable():
            forward = kernel.load_kernel(reader.stamp.rsplit(" ", 2)[0], name, beside=beside)
            assert forward is not None
            made = minilm.MiniLM("slots", "", "kernel", "", forward).embed(texts)
            assert min(map(cosine, made, wanted)) >= 0.9999, name

    def test_a_text_is_read_the_same_alone_and_in_company(self) -> None:
        reader, texts = find_slot_reader(), invent_texts(9)
        assert reader.embed(texts) == [reader.embed([text])[0] for text in texts]

    def test_the_vectors_of_searches_stay_what_they_were(self) -> None:
        reader, model = find_slot_reader(), find_embedder()
        assert reader.fingerprint != model.fingerprint
        (read,), (found,) = reader.embed(["We use pnpm"]), model.embed(["We use pnpm"])
        assert cosine(read, found) < 0.999

    def test_another_answer_to_one_question_is_nearer_than_another_question(self) -> None:
        reader = find_slot_reader()
        one, same, other = reader.embed(
            [
                "Uploaded pictures are kept in a bucket at Hetzner.",
                "We moved the uploaded pictures to the NAS in the office.",
                "Uploaded pictures are scanned by ClamAV.",
            ]
        )
        assert cosine(one, same) > cosine(one, other) + 0.1


def test_a_low_rank_path_of_another_version_is_refused(
    tmp_path: Path,
) -> None:
    changed = bytearray(slot_path.read_slot_path())
    changed[0] ^= 1
    (tmp_path / "changed").write_bytes(changed)
    with pytest.raises(EmbeddingUnavailable, match="damaged, or of another version") as refused:
        slot_path.read_slot_path(str(tmp_path / "changed"))
    assert refused.value.flag == "bad_slot_path"
    with pytest.raises(EmbeddingUnavailable) as missing:
        slot_path.read_slot_path(str(tmp_path / "nowhere"))
    assert missing.value.flag == "no_slot_path"


def test_a_kernel_without_the_low_rank_path_is_not_asked_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel.ctypes, "CDLL", lambda _path: object())
    assert kernel.load_kernel("weights", beside=b"x") is None
