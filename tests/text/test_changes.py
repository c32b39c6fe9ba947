"""What a sentence says that changes, and what of an earlier statement it changes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memctl.text.changes import read_change
from memctl.text.overruled import changes_statement, is_other_value, judge_overruling
from memctl.text.typed_values import find_typed_values

PAIRS = [
    line.split("\t")
    for line in Path(__file__).with_name("changes_of_mind.tsv").read_text().splitlines()
    if not line.startswith("#")
]


def is_changed(older: str, said: str) -> bool:
    change = read_change(said)
    return change is not None and judge_overruling(change, said, older) in ("named", "asked")


@pytest.mark.parametrize(
    ("older", "said"), [(older, said) for answer, older, said in PAIRS if answer == "yes"]
)
def test_a_later_statement_changes_what_it_names_or_gives_another_value(
    older: str, said: str
) -> None:
    assert is_changed(older, said)


@pytest.mark.parametrize(
    ("older", "said"), [(older, said) for answer, older, said in PAIRS if answer == "no"]
)
def test_a_statement_about_something_else_changes_nothing(older: str, said: str) -> None:
    assert not is_changed(older, said)


def test_nothing_is_changed_by_what_is_said_of_another_statement_of_the_list() -> None:
    same = {(older, said) for _, older, said in PAIRS}
    olders = list(dict.fromkeys(older for _, older, _ in PAIRS))
    wrong = [
        (older, said)
        for _, _, said in PAIRS
        for older in olders
        if (older, said) not in same and is_changed(older, said)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("said", "sort", "new", "old"),
    [
        ("We drop gRPC again and go back to REST", "changes", "REST", "gRPC"),
        ("not 25, 40", "changes", "40", "25"),
        ("9464 is taken. take 9465", "changes", "9465", "9464"),
        ("tofu instead of terraform", "plain", "tofu", "terraform"),
        ("scrap that", "takes_back", "", ""),
        ("we don't need the queue after all", "takes_back", "", "queue"),
        ("let's stay with what we had", "returns", "", ""),
        ("never mind, keep it as it was", "returns", "", ""),
    ],
)
def test_a_change_names_what_takes_the_place_of_what(
    said: str, sort: str, new: str, old: str
) -> None:
    change = read_change(said)
    assert change is not None
    assert (change.sort, change.new, change.old) == (sort, new, old)


@pytest.mark.parametrize(
    "said",
    [
        "should we use ruff instead?",
        "maybe we could switch from npm to pnpm",
        "I'm thinking of celery instead of cron",
        "what do you think of Postgres instead?",
        "The tests run on every push.",
        "",
    ],
)
def test_what_is_only_weighed_changes_nothing(said: str) -> None:
    assert read_change(said) is None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("cap it at 30 seconds", [("number", "30", "second")]),
        ("15 %, not 10 %", [("number", "15", "percent"), ("number", "10", "percent")]),
        ("on the 8th of december at 04:15", [("day", "12-08", ""), ("clock", "04:15", "")]),
        ("12 September 2026 or 2026-09-19", [("day", "09-12", ""), ("day", "09-19", "")]),
        ("MSRV 1.80, Tuesdays, in English", ["version", "weekday", "language"]),
        ("port 8080, always", [("number", "8080", "")]),
        ("three retries", [("number", "3", "")]),
    ],
)
def test_values_are_told_apart_by_their_kind(text: str, kinds: list[object]) -> None:
    found = find_typed_values(text)
    told = [(v.kind, v.value, v.unit) if isinstance(kinds[0], tuple) else v.kind for v in found]
    assert told == kinds


def test_two_statements_but_for_one_value_change_each_other() -> None:
    one, other = "The upload limit is 30 MB.", "The upload limit is 50 MB."
    assert is_other_value(one, other) and changes_statement(one, other)
    assert not is_other_value(one, "The download timeout is 50 s.")


def test_hostile_text_is_read_in_no_time() -> None:
    texts = ("not " * 150, "switch " + "x " * 290, "move from " + "a to b " * 70, "make " * 120)
    begin = time.process_time()
    for text in (*texts, "drop this and use that. " * 25, "x, not y " * 70, "a.b:" * 150):
        read_change(text)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize(
    ("older", "said"),
    [
        (
            "Wir nutzen Jenkins für die Builds.",
            "Wir wechseln von Jenkins auf GitHub Actions für die Builds.",
        ),
        (
            "Commit-Nachrichten immer auf Deutsch.",
            "Commit-Nachrichten ab jetzt auf Englisch statt auf Deutsch",
        ),
        (
            "Die Logs liegen in Elasticsearch.",
            "Wir ersetzen Elasticsearch durch Loki, die Logs sind zu groß.",
        ),
        (
            "Das Backup läuft um 02:30.",
            "Das Backup läuft ab jetzt nicht um 02:30, sondern um 04:15.",
        ),
        ("Usamos MongoDB para los eventos.", "Cambiamos de MongoDB a Postgres para los eventos."),
        ("Los informes van en inglés.", "Los informes van en español en lugar de inglés"),
        ("Nous utilisons Jest pour les tests.", "On remplace Jest par Vitest pour les tests."),
        ("On déploie le jeudi.", "On déploie le mardi au lieu de jeudi"),
        ("Usamos Jenkins para os builds.", "Vamos trocar Jenkins por GitLab CI para os builds."),
        ("Мы используем Redis для очереди.", "Мы переходим с Redis на Postgres для очереди."),
        ("Отчёты на английском.", "Отчёты пишем на русском вместо английском"),
        ("我们用MySQL存储订单。", "我们把MySQL换成PostgreSQL来存储订单"),
        ("我们使用npm。", "不再用npm了，改用pnpm"),
        ("テストはJestを使います。", "テストはJestからVitestに変更します"),
        (
            "ログはElasticsearchに保存します。",
            "Elasticsearchの代わりにLokiを使ってログを保存します",
        ),
        ("우리는 MySQL을 사용합니다.", "MySQL에서 PostgreSQL로 전환합니다"),
        ("نستخدم MySQL لتخزين الطلبات.", "ننتقل من MySQL إلى PostgreSQL لتخزين الطلبات"),
    ],
)
def test_changes_are_read_in_other_languages_too(older: str, said: str) -> None:
    assert is_changed(older, said)


@pytest.mark.parametrize(
    ("said", "sort"),
    [
        ("vergiss das", "takes_back"),
        ("lass es so, wie es war", "returns"),
        ("olvida eso", "takes_back"),
        ("laisse tomber", "takes_back"),
        ("забудь об этом", "takes_back"),
        ("算了，当我没说", "takes_back"),
        ("esquece isso", "takes_back"),
        ("元のままで", "returns"),
    ],
)
def test_what_is_taken_back_is_read_in_other_languages_too(said: str, sort: str) -> None:
    change = read_change(said)
    assert change is not None and change.sort == sort
