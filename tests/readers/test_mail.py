"""The reader of mail keeps the contract of all readers."""

import base64

import pytest
from contract import ReaderContract

from memctl.readers.base import Input
from memctl.readers.mail import remove_quotes

HEAD = "From: Ines <ines@quay.example>\nMessage-ID: <1@quay.example>\nMIME-Version: 1.0\n"


class TestMail(ReaderContract):
    module = "mail"
    counts_garbage = False

    def said(self, mail: str | bytes) -> list[str]:
        raw = mail if isinstance(mail, bytes) else mail.encode()
        return [turn.text for transcript in self.read(Input(data=raw)) for turn in transcript.turns]

    def test_encodings_are_undone(self) -> None:
        body = base64.b64encode("Flut um fünf.".encode("latin-1")).decode()
        kind = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: "
        assert self.said(f"{HEAD}{kind}base64\n\n{body}\n") == ["Flut um fünf."]
        assert self.said(f"{HEAD}{kind}quoted-printable\n\nFlut um=\n f=FCnf.\n") == [
            "Flut um fünf."
        ]

    def test_a_page_alone_is_read_without_tags_and_quotations(self) -> None:
        page = (
            "<style>p {}</style><p>High tide &amp; <b>wind</b>.</p><blockquote>Old "
            "<blockquote>older</blockquote> words</blockquote>"
            "<!-- <p>no</p> --><div>Stay in.</div>"
            '<div class="gmail_quote">On Monday<br>old words</div>'
        )
        assert self.said(f"{HEAD}Content-Type: text/html\n\n{page}\n") == [
            "High tide & wind.\nStay in."
        ]

    def test_names_of_attachments_are_decoded_and_lose_their_folders(self) -> None:
        named = "Content-Disposition: attachment; filename*=utf-8''..%2F..%2Fpl%C3%A4ne.pdf"
        part = f"--b\nContent-Type: application/pdf\n{named}\n\nAAAA\n--b--\n"
        mail = f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee the plan.\n{part}"
        (transcript,) = self.read(Input(data=mail.encode()))
        assert transcript.turns[0].data == {"attached": ["pläne.pdf"]}

    def test_messages_join_a_thread_by_what_they_answer_or_by_their_subject(self) -> None:
        def letter(number: int, subject: str, more: str = "") -> str:
            mark = "From a@quay.example Wed Mar  4 10:00:00 2026\n"
            date = f"Date: Wed, 4 Mar 2026 10:0{number}:00 +0000\n"
            return (
                f"{mark}From: a@quay.example\nSubject: {subject}\nMessage-ID: <{number}@q>\n"
                f"{date}{more}\nText {number}.\n\n"
            )

        box = (
            letter(1, "Tides")
            + letter(2, "Other")
            + letter(3, "New name", "In-Reply-To: <1@q>\n")
            + letter(4, "AW: Re: other")
        )
        threads = self.read(Input(data=box.encode()))
        assert [[turn.text for turn in thread.turns] for thread in threads] == [
            ["Text 1.", "Text 3."],
            ["Text 2.", "Text 4."],
        ]

    def test_mail_without_a_sender_is_somebodys(self) -> None:
        head = b"Subject: x\nMIME-Version: 1.0\nDate: Wed, 4 Mar 2026 10:00:00 +0000\n"
        (transcript,) = self.read(Input(data=head + b"\nHello.\n"))
        assert [(turn.speaker, turn.text) for turn in transcript.turns] == [("unknown", "Hello.")]

    def test_files_of_one_message_each_stay_apart(self) -> None:
        first = self.read(Input(data=f"{HEAD}\nOne.\n".encode()))[0]
        answer = (
            "From: oto@quay.example\nMessage-ID: <2@quay.example>\n"
            "References: <1@quay.example>\nMIME-Version: 1.0\n\nTwo.\n"
        )
        assert first.session_id != self.read(Input(data=answer.encode()))[0].session_id

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("Yes.\n\nAm Mi., 4. März 2026 um 10:00 Uhr schrieb Ines <i@q>:\n> Flut?\n", "Yes."),
            ("Yes.\n\nLe mer. 4 mars 2026 à 10:00, Ines <i@q> a écrit :\n\nMarée ?\n", "Yes."),
            (
                "Yes.\n\nFrom: Ines Falk\nSent: Wednesday, March 4\nTo: Oto\nSubject: x\n\nTide?\n",
                "Yes.",
            ),
            ("Yes.\n________________________________\nFrom: Ines\nTide?\n", "Yes."),
            ("Begin here.\n\nBegin forwarded message:\n\nTide?\n", "Begin here."),
            ("> Tide?\nYes.\n> Wind?\nNo.\n", "Yes.\nNo."),
            ("Yes.\n--\nInes\nQuay\n", "Yes."),
            ("Options:\n--\n" + "A line.\n" * 20, "Options:\n--\n" + "A line.\n" * 19 + "A line."),
            (
                "Note this: on time we wrote:\nall of it.",
                "Note this: on time we wrote:\nall of it.",
            ),
            ("Yes.\nVon meinem iPhone gesendet\n", "Yes."),
        ],
    )
    def test_only_the_writers_own_words_are_left(self, text: str, left: str) -> None:
        assert remove_quotes(text) == left

    @pytest.mark.parametrize(
        "head",
        [
            'Content-Type: multipart/mixed; boundary=""\n',
            "Content-Type: multipart/mixed; boundary*=nowhere''%ZZ\n",
            "Content-Type: text/plain; charset=no-such-thing\n",
            "Content-Type: text/plain; charset=rot13\nContent-Transfer-Encoding: base64\n",
            "Content-Type: text/plain; charset*1*=x; charset*0=y\n",
            "Content-Disposition: attachment; filename*0*=x''%; filename*9=y\n",
            "Subject: =?utf-8?b?A?= =?nope?q?=ZZ?= =?utf-8?x?y?=\n",
            "Date: Mon, 99 Foo 99999 99:99:99 +9999\n",
            "References: <<<>>> <a <b\n",
        ],
    )
    def test_mail_that_is_wrong_in_any_place_is_read_as_far_as_it_goes(self, head: str) -> None:
        self.said(f"{HEAD}{head}\nHello.\n")
        self.said(
            f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n{head}\nHello.\n--b--\n"
        )

    def test_parts_within_parts_end_at_a_depth(self) -> None:
        nested = "".join(
            f"--b{n}\nContent-Type: multipart/mixed; boundary=b{n + 1}\n\n" for n in range(3000)
        )
        self.said(f"{HEAD}Content-Type: multipart/mixed; boundary=b0\n\n{nested}")
