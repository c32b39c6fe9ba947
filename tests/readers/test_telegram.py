"""The reader of telegram keeps the contract of all readers."""

import json

from contract import ReaderContract

from memctl.readers.base import Input


class TestTelegram(ReaderContract):
    module = "telegram"

    def said(self, **message: object) -> list[tuple[str | None, str, str | None]]:
        whole = {
            "name": "x",
            "id": 1,
            "messages": [
                {"type": "message", "date_unixtime": "1772618400", "from": "Ines", **message}
            ],
        }
        return [
            (turn.speaker, turn.text, turn.ts)
            for t in self.read(Input(data=json.dumps(whole).encode()))
            for turn in t.turns
        ]

    def test_text_that_was_decoded_wrongly_is_repaired_and_other_text_is_not(self) -> None:
        assert self.said(text="fÃ¼r spÃ¤ter")[0][1] == "für später"
        assert self.said(text="itâ€™s late")[0][1] == "it’s late"
        assert self.said(text="SÃO PAULO, für später")[0][1] == "SÃO PAULO, für später"

    def test_the_pieces_of_a_text_are_joined(self) -> None:
        pieces = [
            "Read ",
            {"type": "link", "text": "https://quay.example"},
            " before noon",
            {"type": "custom_emoji", "text": "!"},
        ]
        assert self.said(text=pieces)[0][1] == "Read https://quay.example before noon!"
        assert (
            self.said(text="", text_entities=[{"type": "plain", "text": "alone"}])[0][1] == "alone"
        )

    def test_a_message_without_unix_time_has_the_machines_own(self) -> None:
        assert (
            self.said(date_unixtime=None, date="2026-03-04T10:00:00", text="hi")[0][2]
            == "2026-03-04T10:00:00.000Z"
        )
        assert self.said(date_unixtime="9" * 40, date="never", text="hi")[0][2] is None
