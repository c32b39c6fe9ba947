"""A log line is redacted, although the start of a session, which holds only words of memctl, is not
looked through by every rule.
"""

from __future__ import annotations

from typing import Any

import pytest
from bench import Bench
from hypothesis import given
from hypothesis import strategies as st

from memctl.core.model import Place
from memctl.redact.redactor import Redactor
from memctl.store import logs, spool

HARMLESS = st.one_of(
    st.from_regex(r"[a-z_:.\-]{1,32}", fullmatch=True),
    st.from_regex(r"[01][0-9A-HJKMNP-TV-Z]{25}", fullmatch=True),
    st.from_regex(r"[0-9:.TZ\-]{24}", fullmatch=True),
    st.from_regex(r"[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?", fullmatch=True),
)
SECRET = "ghp_" + "R8sK2mQ9vT4xW7yZ1aB3cD5eF6gH0jLpNuVw"


@given(HARMLESS)
def test_what_is_passed_without_the_rules_no_rule_would_change(text: str) -> None:
    redactor = Redactor(None, (), is_deep=False)
    assert spool._is_harmless(text)
    value = {"session_id": text, "filters": {"place": {"session_id": text}, "texts": [text]}}
    assert redactor.redact_value(value) == value


@pytest.mark.parametrize("session", [SECRET, f"token={SECRET}", "<private>a</private>"])
def test_a_session_that_is_called_like_a_secret_is_not_stored(bench: Bench, session: str) -> None:
    bench.put("The kiln has nine valves")
    place = Place(session_id=session)
    bench.operator.context_for(place=place, session_start=True)
    bench.operator.write_logs()
    (line,) = logs.list_recent(bench.db, limit=1)
    assert session not in repr(line)


def test_the_operators_own_patterns_hold_for_a_start(bench: Bench) -> None:
    ignore: dict[str, Any] = {"paths": [], "projects": [], "patterns": ["harbor-[a-z]+"]}
    bench.settings(capture__ignore={**bench.config["capture.ignore"], **ignore})
    bench.put("The kiln has nine valves")
    bench.operator.context_for(place=Place(session_id="harbor-east"), session_start=True)
    bench.operator.write_logs()
    (line,) = logs.list_recent(bench.db, limit=1)
    assert "harbor-east" not in repr(line)
