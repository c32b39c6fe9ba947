"""The reader of vscode_chat keeps the contract of all readers."""

from pathlib import Path

import pytest
from contract import SAMPLES, ReaderContract

from memctl.readers.base import Input
from memctl.readers.sidecars import parse_file_uri


class TestVscodeChat(ReaderContract):
    module = "vscode_chat"

    def test_the_folder_that_was_open_is_told_by_the_file_above(self, tmp_path: Path) -> None:
        (tmp_path / "chatSessions").mkdir()
        path = tmp_path / "chatSessions" / "s.json"
        path.write_bytes((SAMPLES / "vscode_chat" / "exported.json").read_bytes())
        (tmp_path / "workspace.json").write_text('{"folder": "file:///home/ada/my%20farm"}')
        assert [found.cwd for found in self.read(Input(path=path))] == ["/home/ada/my farm"]

    def test_two_exports_of_one_name_are_two_sessions(self, tmp_path: Path) -> None:
        path, found = tmp_path / "chat.json", set()
        exported = (SAMPLES / "vscode_chat" / "exported.json").read_text()
        for text in (exported, exported.replace("gate", "well")):
            path.write_text(text)
            found.add(self.read(Input(path=path))[0].session_id)
        assert len(found) == 2

    @pytest.mark.parametrize(
        ("uri", "path"),
        [
            ("file:///c%3A/Users/ada", "c:/Users/ada"),
            ("/home/ada", "/home/ada"),
            ("vscode-remote://ssh-remote%2Bfarm/home/ada", None),
            ("file://server/share", None),
            ("file://[", None),
            ("ada", None),
            (None, None),
        ],
    )
    def test_a_place_on_another_machine_is_no_folder(self, uri: object, path: str | None) -> None:
        assert parse_file_uri(uri) == path
