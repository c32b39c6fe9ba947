"""Two things said of one subject are two answers to two questions, and both hold."""

from __future__ import annotations

import pytest
from consolidate_samples import a_statement

from memctl.consolidate.compare import relation_of

TWO_QUESTIONS = [
    ("Uploads are scanned by ClamAV.", "Uploads are stored in S3 now."),
    ("Docs are built from the gh-pages branch.", "Documentation tool changed to Antora."),
    ("Backups are stored in S3.", "Backups are stored encrypted."),
    ("The parser is written in Rust.", "The parser is written by Ines now."),
    ("The shed door is locked.", "The shed door is a sliding one now."),
    ("The kiln is heated with gas.", "The kiln moved to Bergen."),
    ("The ledger uses double entry.", "The ledger switched to Postgres."),
    ("The forum is in Danish.", "The forum runs on Discourse now."),
    ("Slides are kept in Markdown.", "Slides are kept in Dropbox now."),
    ("Plates are valid for a year.", "Plates are printed in Oslo now."),
    ("The mart has six tables.", "The mart has two readers now."),
    ("Glazes are mixed by hand.", "Glazes moved from the cellar to the attic."),
]
ONE_QUESTION = [
    ("Uploads are stored in S3.", "Uploads are stored in Ceph now."),
    ("The parser is written in Rust.", "The parser was rewritten in Zig."),
    ("Plates are valid for a year.", "Plates are valid for two years now."),
    ("The cache is Memcached.", "The cache is Valkey now."),
    ("The forum is in the cellar.", "The forum is in the attic now."),
    ("The mart has six tables.", "The mart has nine tables now."),
    ("The broker is RabbitMQ.", "The broker changed to NATS."),
    ("The oven is on Kanalstrasse.", "The oven moved to Seestrasse."),
]


@pytest.mark.parametrize(("older", "newer"), TWO_QUESTIONS)
def test_what_answers_another_question_replaces_and_contradicts_nothing(
    older: str, newer: str
) -> None:
    one, other = a_statement("1", older), a_statement("2", newer)
    assert relation_of(other, one) is relation_of(one, other) is None


@pytest.mark.parametrize(("older", "newer"), ONE_QUESTION)
def test_another_answer_to_the_same_question_replaces_the_older(older: str, newer: str) -> None:
    assert relation_of(a_statement("2", newer), a_statement("1", older)) == "updates"
