"""An original that is kept beside its turns holds no secret that was taken out of them."""

from __future__ import annotations

import zlib

from bench import Bench
from corpus import SECRETS
from drawing import sample

from memctl.readers.base import Input
from memctl.store import erase

TOKEN = sample(SECRETS["github classic"], "original").secrets[0]
HEAD = (
    "From: Ottoline <o@kiln.example>\nTo: a@kiln.example\nDate: Mon, 02 Feb 2026 10:00:00 "
    "+0000\nMessage-ID: <1@kiln.example>\n"
)


def originals(bench: Bench) -> list[str | None]:
    return [
        None if row["raw"] is None else zlib.decompress(row["raw"]).decode()
        for row in erase.list_sources(bench.db)
    ]


def test_an_original_loses_pieces_of_its_secrets_too(bench: Bench) -> None:
    bench.settings(capture__keep_raw=True)
    bench.capture(
        ("user", f"the key is {TOKEN}"), ("assistant", f"it begins with {TOKEN[:22]}, I see")
    )
    (kept,) = originals(bench)
    assert (
        kept is not None
        and TOKEN[:12] not in kept
        and kept.count("[REDACTED:github:") == 2
        and ", I see" in kept
    )


def test_an_original_that_holds_a_secret_in_another_encoding_is_not_kept(bench: Bench) -> None:
    bench.settings(capture__keep_raw=True)
    form = (
        "MIME-Version: 1.0\nContent-Type: text/plain\nContent-Transfer-Encoding: "
        "quoted-printable\n\n"
    )
    bench.agent.capture_conversation(
        Input(data=f"{HEAD}{form}it is {TOKEN[:20]}=\n{TOKEN[20:]}.\n".encode())
    )
    bench.agent.capture_conversation(
        Input(data=f"{HEAD.replace('<1@', '<2@')}{form}it is in the box =\nbelow.\n".encode())
    )
    kept = originals(bench)
    assert [text is None for text in kept] == [True, False] and TOKEN[:12] not in str(kept)
