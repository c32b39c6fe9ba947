"""The reader of copilot_cli keeps the contract of all readers."""

import json
from pathlib import Path
from typing import Any

import pytest
from contract import ReaderContract

from memctl.readers.base import Input


class TestCopilotCli(ReaderContract):
    module = "copilot_cli"

    def test_the_file_beside_the_events_tells_title_folder_and_branch(self, tmp_path: Path) -> None:
        session = tmp_path / "session-state" / "s1"
        session.mkdir(parents=True)
        (session / "events.jsonl").write_bytes(make_event("user.message", content="Prune it"))
        notes = [
            "id: s1",
            'cwd: "/home/ada/orchard"',
            "branch: graft # mine",
            "summary: |-",
            "  Pruning",
            "  more",
            "repository: ada/orchard",
        ]
        (session / "workspace.yaml").write_text("\n".join(notes))
        (found,) = self.read(Input(path=session / "events.jsonl"))
        assert (found.session_id, found.cwd, found.git_branch, found.title) == (
            "s1",
            "/home/ada/orchard",
            "graft",
            "Pruning",
        )
        assert found.remote == "https://github.com/ada/orchard"

    def test_a_session_is_known_by_its_folder_where_nothing_else_names_it(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "s2").mkdir()
        (tmp_path / "s2" / "events.jsonl").write_bytes(
            make_event("user.message", content="Prune it")
        )
        assert [
            found.session_id for found in self.read(Input(path=tmp_path / "s2" / "events.jsonl"))
        ] == ["s2"]

    @pytest.mark.parametrize(
        "origin", ["skill-pdf", "system", "autopilot", "command-plan", "schedule-1"]
    )
    def test_what_was_put_in_the_users_place_is_no_humans_word(self, origin: str) -> None:
        assert (
            self.human_turns(Input(data=make_event("user.message", content="Go on", source=origin)))
            == []
        )

    def test_a_refusal_with_a_reason_is_the_users_word(self) -> None:
        refused = make_event(
            "permission.completed",
            requestId="p",
            result={"kind": "denied-interactively-by-user", "feedback": "Not that tree"},
        )
        assert [(turn.kind, turn.text) for turn in self.human_turns(Input(data=refused))] == [
            ("rejection", "Not that tree")
        ]

    def test_a_plan_that_was_turned_down_says_so(self) -> None:
        plan = make_event("exit_plan_mode.requested", id="1", planContent="1. Cut") + make_event(
            "exit_plan_mode.completed", id="2", approved=False, feedback="No"
        )
        (found,) = self.read(Input(data=plan))
        assert [(turn.kind, turn.text, turn.ok) for turn in found.turns] == [
            ("plan", "1. Cut", False),
            ("rejection", "No", None),
        ]

    def test_a_command_that_failed_says_with_what(self) -> None:
        shell: dict[str, Any] = {"toolCallId": "t", "success": True, "result": {"content": "no"}}
        (found,) = self.read(
            Input(
                data=make_event("tool.execution_complete", **shell, shellExecution={"exitCode": 3})
            )
        )
        assert [(turn.ok, dict(turn.data)) for turn in found.turns] == [(False, {"exit_code": 3})]

    def test_an_early_session_without_a_timeline_is_read_from_what_the_model_saw(self) -> None:
        old = {
            "sessionId": "o",
            "chatMessages": [
                {"role": "user", "content": "Shear it"},
                {"role": "assistant", "content": "Shorn."},
            ],
        }
        (found,) = self.read(Input(data=json.dumps(old).encode()))
        assert [(turn.role, turn.text) for turn in found.turns] == [
            ("human", "Shear it"),
            ("assistant", "Shorn."),
        ]


def make_event(kind: str, id: str = "e", **data: Any) -> bytes:
    return (
        json.dumps(
            {"type": kind, "data": data, "id": id, "timestamp": "2026-04-02T10:00:00.000Z"}
        ).encode()
        + b"\n"
    )
