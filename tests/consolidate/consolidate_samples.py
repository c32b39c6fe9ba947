"""Invented pairs of statements with their relation, and strategies that make more of them."""

from __future__ import annotations

from hypothesis import strategies as st

from memctl.records.statement import Statement

DUPLICATES = [
    ("Use pnpm for installing packages.", "use **pnpm** for installing packages"),
    ("Don't push to main on Fridays", "Do not push to main on Fridays."),
    ("The request timeout is 30 seconds", "Request timeout is 30s"),
    ("The staging database runs on PostgreSQL 16", "The staging database runs on Postgres 16"),
    ("Always run the linter before committing", "Run the linter before committing."),
    ("In CI, the snapshots are rebuilt nightly", "The snapshots are rebuilt nightly in CI"),
    (
        "The exporter stores reports in the shared folder",
        "Reports are stored in the shared directory by the exporter",
    ),
    ("Never skip the migration check", "Do not skip the migration check"),
]

CONTRADICTIONS = [
    ("Use npm", "Use pnpm"),
    ("The package manager is yarn", "We use pnpm here"),
    ("Avoid npm", "Use npm"),
    ("Use pnpm, not npm.", "Always use npm"),
    ("Test runner: jest", "Use vitest"),
    ("Use black for formatting", "Use yapf for formatting"),
    ("Use tabs", "Use spaces for indentation"),
    ("My editor is vim", "My editor is VS Code"),
    ("I prefer vim", "I prefer emacs"),
    ("Default branch: main", "The default branch is develop"),
    ("trunk is the default branch", "The default branch is main"),
    ("The server listens on port 8080", "The server listens on port 8081"),
    ("Python version: 3.11", "The project uses Python 3.12"),
    ("The session timeout is 15 minutes", "The session timeout is 30 minutes"),
    ("Query caching is enabled", "Query caching is disabled"),
    ("Code review is required", "Code review is optional"),
    ("Always squash commits", "Never squash commits"),
    ("Commit generated files", "Do not commit generated files"),
    ("Prefer composition over inheritance", "Prefer inheritance over composition"),
    ("The fixtures live in tests/data", "The fixtures live in spec/data"),
    ("RETRY_MODE defaults to fast", "RETRY_MODE defaults to slow"),
    ("Log level is debug", "The log level is info"),
    ("Olga is my manager", "Pavel is my manager"),
]

UPDATES = [
    ("We switched from npm to pnpm", "Use npm"),
    ("Switched the formatter from black to yapf", "Use black"),
    ("Replaced webpack with vite", "The bundler is webpack"),
    ("Correction: the server listens on port 9000", "The server listens on port 8080"),
    ("The release date was moved to June 3", "The release date is May 20"),
    ("The default branch is now main", "The default branch is master"),
]

UNRELATED = [
    ("The project uses redis", "The project uses postgres"),
    ("I like tea", "I like coffee"),
    ("Supports Python 3.11", "Supports Python 3.12"),
    ("Issue 12 is closed", "Issue 13 is open"),
    ("The suite runs on Linux", "The suite runs on macOS"),
    ("Use npm in the docs folder", "Use pnpm in the frontend"),
    ("Also use yarn", "Use npm"),
    ("The team uses vim", "The team uses emacs"),
    ("Use ruff", "Use black"),
    ("Use pip", "Use pnpm"),
    ("Run the tests before pushing", "Run the tests after pushing"),
    ("Deploy to staging", "Deploy to production"),
    ("Python 3.11 is installed", "Node 20 is installed"),
    ("Inna is a designer", "Inna is a pilot"),
    ("Requires Python >= 3.10", "Uses Python 3.12"),
    ("Use pnpm", "Use pnpm, but only for the website"),
    ("The parser calls the lexer", "The lexer calls the parser"),
    ("The importer feeds the exporter", "The importer is fed by the exporter"),
    ("Run pytest -q", "Run pytest -x"),
    ("Set MAX_ROWS for exports", "Set MAX_COLS for exports"),
    ("Do not forget to tag the release", "Do not tag the release on Fridays"),
    ("Write comments in English", "Write comments in German when the customer is German"),
    ("Fixed the race in the queue", "Found the race in the queue"),
    ("Use fixtures for tests", "Use mocks for tests"),
    ("The nightly job failed", "The hourly job failed"),
    ("The API returns JSON", "The CLI returns JSON"),
    ("Ship on Mondays", "Ship on Thursdays"),
]


def a_statement(identity: str, content: str, **rest: object) -> Statement:
    return Statement(identity, content, **rest)  # type: ignore[arg-type]


_subjects = st.sampled_from(
    [
        "the server",
        "the default branch",
        "query caching",
        "the timeout",
        "my editor",
        "",
        "the parser",
    ]
)
_verbs = st.sampled_from(
    [
        "is",
        "is not",
        "uses",
        "use",
        "do not use",
        "never use",
        "prefer",
        "avoid",
        "listens on",
        "runs on",
        "switched from",
    ]
)
_values = st.sampled_from(
    [
        "npm",
        "pnpm",
        "port 8080",
        "port 8081",
        "main",
        "develop",
        "enabled",
        "disabled",
        "30 s",
        "vim over emacs",
        "npm to pnpm",
        "redis",
        "tests/a",
    ]
)
_tails = st.sampled_from(
    [
        "",
        " for tests",
        " in ci",
        " only on fridays",
        ", not yarn",
        " because it is fast",
        " now",
        " also",
    ]
)
sentences = st.one_of(
    st.builds(lambda s, v, o, t: f"{s} {v} {o}{t}".strip(), _subjects, _verbs, _values, _tails),
    st.sampled_from(
        [text for pair in DUPLICATES + CONTRADICTIONS + UPDATES + UNRELATED for text in pair]
    ),
    st.text(max_size=30),
)
