"""The reader of slack keeps the contract of all readers."""

import json
from pathlib import Path

from contract import ReaderContract

from memctl.readers.base import Input


class TestSlack(ReaderContract):
    module = "slack"

    def test_mentions_links_and_escapes_are_spelled_as_people_see_them(self) -> None:
        text = "<@U7> see <https://x.example/a|the plan> in <#C1|harbour> &amp; reply &lt;soon&gt;"
        day = [
            {
                "type": "message",
                "user": "U7",
                "ts": "1772618400.000100",
                "text": "hello there",
                "user_profile": {"real_name": "Oto"},
            },
            {"type": "message", "user": "U8", "ts": "1772618401.000100", "text": text},
        ]
        (transcript,) = self.read(Input(data=json.dumps(day).encode()))
        assert (
            transcript.turns[1].text
            == "@Oto see the plan (https://x.example/a) in #harbour & reply <soon>"
        )

    def test_of_a_file_only_what_was_said_about_it_is_a_persons(self) -> None:
        link = "<https://x.example/f|tides.csv>"
        day = [
            {
                "type": "message",
                "subtype": "file_share",
                "user": "U7",
                "bot_id": None,
                "ts": "1772618400.000100",
                "text": f"<@U7> uploaded a file: {link}",
            },
            {
                "type": "message",
                "subtype": "file_share",
                "user": "U7",
                "ts": "1772618401.000100",
                "text": f"<@U7|oto> uploaded a file: {link} and commented: the new one",
            },
            {
                "type": "message",
                "subtype": "file_comment",
                "comment": {"user": "U8"},
                "ts": "1772618402.000100",
                "text": f"<@U8> commented on <@U7>’s file {link}: too old",
            },
            {
                "type": "message",
                "subtype": "file_share",
                "user": "U7",
                "ts": "1772618403.000100",
                "text": "see the plan",
            },
        ]
        (transcript,) = self.read(Input(data=json.dumps(day).encode()))
        assert [(turn.role, turn.speaker, turn.text) for turn in transcript.turns] == [
            ("human", "U7", "the new one"),
            ("human", "U8", "too old"),
            ("human", "U7", "see the plan"),
        ]

    def test_names_come_from_the_users_beside_the_channel(self, tmp_path: Path) -> None:
        (tmp_path / "quay").mkdir()
        (tmp_path / "users.json").write_text(
            '[{"id": "U7", "name": "oto", "profile": {"real_name": "Oto Brandt"}}]'
        )
        day = tmp_path / "quay" / "2026-03-04.json"
        day.write_text(
            '[{"type": "message", "user": "U7", "ts": "1772618400.000100", "text": "hi"}]'
        )
        (transcript,) = self.read(Input(path=day))
        assert transcript.turns[0].speaker == "Oto Brandt"
        assert transcript.session_id == "slack-quay-2026-03-04"
