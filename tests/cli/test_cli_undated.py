"""A transcript without times is dated by what its prompts tell, else by its file; never by the day
of its capture.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
# 2026-02-03T12:00:00Z, long before any test runs.
WRITTEN = 1_770_120_000
RULE = "Never release without tests."


def make_cursor(prompt: str, *more: str) -> str:
    texts = [prompt, *more]
    lines: list[dict[str, Any]] = []
    for text in texts:
        for role, said in (("user", text), ("assistant", "Done.")):
            block = {"type": "text", "text": said}
            lines.append({"role": role, "message": {"content": [block]}})
    return "".join(json.dumps(line) + "\n" for line in lines)


def find_day(run: Run, path: Path, *options: str) -> str:
    """The day on which what a file tells was said, as its candidate has it."""
    os.utime(path, (WRITTEN, WRITTEN))
    assert run("init").code == 0
    assert run("capture-session", path, *options).code == 0
    assert run("maintain").code == 0
    items = run("inbox", "--all", "--json").data["items"]
    (day,) = {item["observed_at"][:10] for item in items if item["title"].startswith("Never")}
    return str(day)


@pytest.mark.parametrize(
    ("told", "day"),
    [
        ("Sunday, Aug 2, 2026, 3:51 AM (UTC-7)", "2026-08-02"),
        ("Sunday, Aug 2, 2026, 11:51 PM (UTC-7)", "2026-08-03"),
        ("Friday, Sep 4, 2026, 12:05 AM (UTC+5:30)", "2026-09-03"),
        ("2026-08-02T10:51:00Z", "2026-08-02"),
        ("no time at all", "2026-02-03"),
        ("Monday, Feb 30, 2026", "2026-02-03"),
    ],
)
def test_a_prompt_is_dated_by_its_tag(here: Run, tmp_path: Path, told: str, day: str) -> None:
    path = tmp_path / "one.jsonl"
    tagged = f"<timestamp>{told}</timestamp>\n<user_query>\n{RULE}\n</user_query>"
    path.write_text(make_cursor(tagged))
    assert find_day(here, path) == day


def test_a_prompt_without_a_tag_follows_the_one_before(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    first = "<timestamp>Aug 2, 2026, 3:51 AM (UTC)</timestamp>\n<user_query>Paint it.</user_query>"
    path.write_text(make_cursor(first, f"<user_query>\n{RULE}\n</user_query>"))
    assert find_day(here, path) == "2026-08-02"


def test_a_session_is_dated_by_what_it_is_told_of_the_machine(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    known = "<user_info>\nOS: linux\nToday's date: Tuesday Mar 17, 2026\n</user_info>"
    path.write_text(make_cursor(f"{known}\n<user_query>\n{RULE}\n</user_query>"))
    assert find_day(here, path) == "2026-03-17"


def test_what_tells_no_time_is_as_old_as_its_file(here: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(make_cursor(f"<user_query>\n{RULE}\n</user_query>"))
    assert find_day(here, path) == "2026-02-03"
