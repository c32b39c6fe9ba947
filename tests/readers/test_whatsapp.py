"""The reader of whatsapp keeps the contract of all readers."""

from pathlib import Path

import pytest
from contract import ReaderContract

from memctl.core.errors import UnknownFormat
from memctl.readers.base import Input
from memctl.readers.detect import detect_reader


class TestWhatsapp(ReaderContract):
    module = "whatsapp"
    counts_garbage = False

    def first(self, header: str) -> tuple[str | None, str, str | None]:
        (transcript,) = self.read(Input(data=f"{header}hello\n".encode()))
        return transcript.turns[0].speaker, transcript.turns[0].text, transcript.turns[0].ts

    @pytest.mark.parametrize(
        "header",
        [
            *[
                "14/03/26, 22:05 - Ines: ",
                "14/3/2026 22:05 - Ines: ",
                "14.03.26, 22:05 - Ines: ",
                "14-03-2026 22:05 - Ines: ",
            ],
            *[
                "3/14/26, 10:05 PM - Ines: ",
                "3/14/26, 10:05 PM - Ines: ",
                "14/3/26, 10:05 p. m. - Ines: ",
                "14/3/26 10:05 p.m. - Ines: ",
            ],
            *[
                "2026-03-14, 22:05 - Ines: ",
                "2026/03/14 22:05 - Ines: ",
                "2026. 3. 14. 오후 10:05, Ines: ",
                "2026/3/14 下午10:05 - Ines: ",
            ],
            *[
                "14.3.2026 klo 22.05 - Ines: ",
                "14/03/2026 às 22:05 - Ines: ",
                "14.03.26, 22:05 Uhr - Ines: ",
                "14/03/26, 22:05: Ines: ",
            ],
            *[
                "[14/03/2026, 22:05:00] Ines: ",
                "[14.03.26, 22:05:00] Ines: ",
                "[3/14/26, 10:05:00 PM] Ines: ",
                "[2026-03-14, 22:05:00] Ines: ",
            ],
            *[
                "\u200e[14/03/2026, 22:05:00] ~\u202fInes: ",
                "\u200f14\u200f/3\u200f/2026, 22:05 - Ines: ",
                "[22:05, 14.3.2026] Ines: ",
            ],
        ],
    )
    def test_every_spelling_of_a_header_is_read(self, header: str) -> None:
        assert self.first(header) == ("Ines", "hello", "2026-03-14T22:05:00.000Z")

    def dates(self, *dates: str) -> tuple[list[str], dict[str, int]]:
        lines = "".join(f"{date} 10:00 - Ines: hi\n" for date in dates)
        (transcript,) = self.read(Input(data=lines.encode()))
        return [(turn.ts or "")[:10] for turn in transcript.turns], dict(transcript.unknown)

    def test_a_field_that_can_be_no_month_decides_the_order_of_dates(self) -> None:
        assert self.dates("03/04/26", "13/04/26") == (["2026-04-03", "2026-04-13"], {})
        assert self.dates("03/04/26", "03/14/26") == (["2026-03-04", "2026-03-14"], {})

    def test_time_that_never_runs_backwards_decides_the_order_of_dates(self) -> None:
        assert self.dates("12/01/26", "01/02/26") == (["2026-01-12", "2026-02-01"], {})
        assert self.dates("01/12/26", "02/01/26") == (["2026-01-12", "2026-02-01"], {})

    def test_an_order_of_dates_that_the_file_does_not_tell_is_assumed_and_said(self) -> None:
        assert self.dates("03/04/26") == (
            ["2026-04-03"],
            {"order of dates, taken to be day/month/year": 1},
        )
        (transcript,) = self.read(Input(data=b"3/4/26, 10:00 PM - Ines: hi\n"))
        assert transcript.unknown == {"order of dates, taken to be month/day/year": 1}

    @pytest.mark.parametrize(
        "log",
        [
            "2026-03-04 10:00:00 - INFO: started\n2026-03-04 10:00:01 - ERROR: no lamp\n",
            "[2026-03-04 10:00:00] app.ERROR: no lamp\n[2026-03-04 10:00:01] app.INFO: lamp\n",
            "2026-03-04 10:00:00,123 - root - INFO - started\n",
        ],
    )
    def test_a_log_is_no_chat(self, log: str) -> None:
        with pytest.raises(UnknownFormat):
            detect_reader(Input(data=log.encode()))

    def test_a_chat_in_a_file_that_names_it_keeps_its_id_when_it_grows(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "WhatsApp Chat with Oto.txt"
        path.write_text("14/03/26, 22:05 - Oto: hello\n", "utf-8")
        (transcript,) = self.read(Input(path=path))
        assert transcript.session_id == "whatsapp-WhatsApp Chat with Oto"
        assert transcript.title == "WhatsApp Chat with Oto"
