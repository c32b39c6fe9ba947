"""Sessions in other languages than English, through the real commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def make_session(path: Path, *said: str) -> Path:
    """A session of Claude Code in which a person said these."""
    lines = []
    for n, text in enumerate(said):
        common = {"cwd": "/home/ana/code/harbor", "sessionId": "5f0c1b52-0000-4000-8000-0000000017"}
        common |= {"version": "2.1.0", "isSidechain": False, "userType": "external"}
        lines.append(
            common
            | {"type": "user", "uuid": f"u{n}", "parentUuid": None if not n else f"a{n - 1}"}
            | {"timestamp": f"2026-09-20T09:{2 * n:02}:00.000Z"}
            | {"message": {"role": "user", "content": text}}
        )
        lines.append(
            common
            | {"type": "assistant", "uuid": f"a{n}", "parentUuid": f"u{n}"}
            | {"timestamp": f"2026-09-20T09:{2 * n + 1:02}:00.000Z"}
            | {
                "message": {
                    "role": "assistant",
                    "model": "m",
                    "content": [{"type": "text", "text": "OK."}],
                }
            }
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    "said",
    [
        (
            "Schreib Commit-Nachrichten ab jetzt immer auf Englisch.",
            "Wir nehmen SQLite für den Gezeiten-Cache, weil eine Datei reicht.",
            "Veröffentliche nie ohne Tests.",
        ),
        (
            "以后提交信息一律用英文写。",
            "我们用 SQLite 存潮汐缓存，因为一个文件就够了。",
            "不要在发布前跳过测试。",
        ),
        (
            "앞으로 커밋 메시지는 항상 영어로 작성해줘.",
            "조석 캐시에는 SQLite를 씁니다. 파일 하나면 충분하기 때문입니다.",
            "테스트 없이 절대 릴리스하지 마.",
        ),
        (
            "D'ora in poi scrivi sempre i messaggi di commit in inglese.",
            "Usiamo SQLite per la cache delle maree perché basta un file.",
            "Non pubblicare mai senza test.",
        ),
        (
            "Schrijf commit-berichten vanaf nu altijd in het Engels.",
            "We gebruiken SQLite voor de getijdencache omdat één bestand genoeg is.",
            "Breng nooit een release uit zonder tests.",
        ),
        (
            "Od teraz zawsze pisz komunikaty commitów po angielsku.",
            "Używamy SQLite do cache pływów, bo wystarczy jeden plik.",
            "Nigdy nie wydawaj wersji bez testów.",
        ),
        (
            "Bundan sonra commit mesajlarını her zaman İngilizce yaz.",
            "Gelgit önbelleği için SQLite kullanıyoruz, çünkü tek dosya yetiyor.",
            "Testler olmadan asla sürüm yayınlama.",
        ),
        (
            "Từ giờ luôn viết commit message bằng tiếng Anh.",
            "Chúng tôi dùng SQLite cho bộ nhớ đệm thủy triều vì một tệp là đủ.",
            "Không bao giờ phát hành khi chưa có test.",
        ),
        (
            "अब से commit संदेश हमेशा अंग्रेज़ी में लिखो।",
            "हम ज्वार कैश के लिए SQLite का उपयोग करते हैं, क्योंकि एक फ़ाइल काफ़ी है।",
            "टेस्ट के बिना कभी रिलीज़ मत करो।",
        ),
    ],
    ids=["de", "zh", "ko", "it", "nl", "pl", "tr", "vi", "hi"],
)
def test_a_session_in_another_language_fills_the_inbox(
    here: Run, tmp_path: Path, said: tuple[str, ...]
) -> None:
    assert here("init").code == 0
    file = make_session(tmp_path / "s.jsonl", "Make the exporter write CSV.", *said)
    assert here("capture-session", file).code == 0
    assert here("maintain").code == 0
    items = [one for one in here("inbox", "--json").data["items"] if one["type"] != "episode"]
    assert {one["kind"] for one in items} == {"preference", "decision", "constraint"}
    assert len(items) == 3


def test_a_password_told_in_words_leaves_no_command(here: Run) -> None:
    told = "mein Passwort für die Datenbank lautet Fruehling!2026, 密码是Qiu2026kiln"
    done = here("redact", "-", stdin=told)
    assert "Fruehling" not in done.stdout and "Qiu2026" not in done.stdout
