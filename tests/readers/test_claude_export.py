"""The reader of claude_export keeps the contract of all readers."""

from contract import ReaderContract

from memctl.readers.base import Input


class TestClaudeExport(ReaderContract):
    module = "claude_export"
    counts_garbage = False

    def test_a_prompt_that_the_terminal_broke_at_its_width_is_joined(self) -> None:
        width = 60
        rows = [
            "❯ Keep the tide table in SQLite and use the journal mode that",
            "  lets readers go on.",
            "",
            "  - a point",
        ]
        text = "".join(row.ljust(width + 4) + "\n" for row in rows) + "\n● Yes.\n"
        (transcript,) = self.read(Input(data=text.encode()))
        assert transcript.turns[0].text == (
            "Keep the tide table in SQLite and use the journal mode that lets readers go on."
            "\n\n- a point"
        )

    def test_a_plan_that_was_rejected_is_a_plan_that_failed(self) -> None:
        box = "     ╭──────╮\n     │ Plan │\n     ╰──────╯\n"
        text = (
            "❯ Plan it.\n\n● Updated plan\n  ⎿  /plan to preview\n"
            f"  ⎿  User rejected Claude's plan:\n{box}"
        )
        (transcript,) = self.read(Input(data=text.encode()))
        assert [(turn.kind, turn.text, turn.ok) for turn in transcript.turns] == [
            ("text", "Plan it.", None),
            ("plan", "Plan", False),
        ]
