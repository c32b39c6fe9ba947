"""The reader of cline keeps the contract of all readers."""

import json
from pathlib import Path

from contract import SAMPLES, ReaderContract

from memctl.readers.base import Input


class TestCline(ReaderContract):
    module = "cline"

    def test_a_task_has_the_name_of_its_folder(self, tmp_path: Path) -> None:
        task = tmp_path / "kilocode.kilo-code" / "tasks" / "1775124000000"
        task.mkdir(parents=True)
        path = task / "api_conversation_history.json"
        path.write_bytes((SAMPLES / "cline" / "native.json").read_bytes())
        assert [(found.agent, found.session_id) for found in self.read(Input(path=path))] == [
            ("kilo-code", "1775124000000")
        ]

    def test_the_file_beside_the_messages_tells_folder_and_title(self, tmp_path: Path) -> None:
        path = tmp_path / "s1.messages.json"
        path.write_bytes((SAMPLES / "cline" / "messages.json").read_bytes())
        about = {"session_id": "s1", "cwd": "/home/ada/kiln", "metadata": {"title": "Tuning"}}
        (tmp_path / "s1.json").write_text(json.dumps(about))
        assert [
            (found.session_id, found.cwd, found.title) for found in self.read(Input(path=path))
        ] == [("s1", "/home/ada/kiln", "Tuning")]
