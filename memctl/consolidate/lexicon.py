"""Closed lists of words that comparison and claims rest on. Data only.

A slot is a question with one answer at a time (which package manager?). Two answers to a `strict` slot contradict each other however they
are put; to a soft one only where both are directions, for people do keep two editors. What many things can be true of at once (databases,
queues, clouds, likes) is no slot and must not be added here: a false contradiction annoys, a missed one loses little.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Slot(NamedTuple):
    """A question with one answer at a time, and the answers known by name."""

    name: str
    strict: bool
    values: frozenset[str]


def _slot(name: str, strict: bool, values: str) -> Slot:
    return Slot(name, strict, frozenset(values.split()))


SLOTS: tuple[Slot, ...] = (
    _slot("package manager", True, "npm pnpm yarn bun"),
    _slot("python package manager", True, "pip uv poetry pipenv pdm conda mamba pixi"),
    _slot("test runner", True, "jest vitest mocha ava jasmine karma"),
    _slot("python test runner", True, "pytest unittest nose nose2"),
    _slot("end-to-end runner", False, "playwright cypress puppeteer selenium webdriverio"),
    _slot("linter", False, "eslint biome oxlint tslint jshint standardjs"),
    _slot("python linter", False, "ruff flake8 pylint pycodestyle"),
    _slot("formatter", True, "prettier dprint"),
    _slot("python formatter", True, "black yapf autopep8 blue"),
    _slot("type checker", False, "mypy pyright pyre basedpyright"),
    _slot("editor", False, "vim neovim nvim emacs vscode zed helix nano sublime intellij pycharm webstorm"),
    _slot("shell", False, "bash zsh fish nushell powershell"),
    _slot("bundler", True, "webpack vite rollup parcel esbuild rspack turbopack"),
    _slot("orm", False, "sqlalchemy prisma drizzle typeorm sequelize tortoise peewee hibernate"),
    _slot("migration tool", True, "alembic aerich flyway liquibase"),
    _slot("ci", False, "circleci jenkins travis buildkite github-actions gitlab-ci"),
    _slot("indentation", True, "tabs tab spaces space"),
    _slot("merge style", False, "rebase squash merge-commits"),
    _slot("container tool", False, "docker podman"),
)

# Ways to write one value, so that `use vs code` and `use vscode` agree. Longer spellings first where one holds another.
PHRASES: tuple[tuple[str, str], ...] = (
    ("visual studio code", "vscode"),
    ("vs code", "vscode"),
    ("github actions", "github-actions"),
    ("gitlab ci", "gitlab-ci"),
    ("circle ci", "circleci"),
    ("merge commits", "merge-commits"),
    ("make sure to", "ensure"),
    ("make sure that", "ensure"),
    ("make sure", "ensure"),
    ("set up", "setup"),
    ("pull request", "pr"),
    ("pull requests", "pr"),
    ("command line", "cli"),
    ("code base", "codebase"),
)

SYNONYMS: Mapping[str, str] = {
    "utilis": "us",
    "utiliz": "us",
    "employ": "us",
    "repository": "repo",
    "config": "configuration",
    "db": "database",
    "js": "javascript",
    "ts": "typescript",
    "postgresql": "postgres",
    "psql": "postgres",
    "k8s": "kubernetes",
    "dir": "directory",
    "folder": "directory",
    "app": "application",
    "env": "environment",
    "auth": "authentication",
    "doc": "documentation",
    "dep": "dependency",
    "prod": "production",
    "dev": "development",
    "execut": "run",
    "remov": "delet",
    "big": "larg",
    "hug": "larg",
    "people": "person",
    "spec": "test",
    "colour": "color",
    "nvim": "neovim",
    "tab": "tabs",
    "space": "spaces",
    "branche": "branch",
    "message": "messag",
}

# Words of opposite meaning, as stems: where one statement has one side and the other the other, they are two facts.
ANTONYMS: tuple[tuple[str, str], ...] = tuple(
    (left, right)
    for left, right in (
        pair.split("/")
        for pair in """enabl/disabl enabled/disabled on/off before/after above/below true/false yes/no allow/deny allow/forbid allow/disallow
        add/delet includ/exclud left/right up/down sync/async synchronous/asynchronous public/privat min/max minimum/maximum first/last
        start/stop start/end open/clos insid/outsid indoor/outdoor old/new local/remot stdin/stdout input/output low/high lower/upper
        light/dark requir/optional mandatory/optional succeed/fail success/failur encod/decod read/writ client/server sourc/target
        staging/production development/production merg/rebas tabs/spaces frontend/backend upload/download import/export increas/decreas
        lock/unlock mount/unmount install/uninstall push/pull accept/reject accept/refus lik/dislik lov/hat lik/hat safe/unsaf valid/invalid
        static/dynamic internal/external manual/automatic manually/automatically mutabl/immutabl singl/doubl camelcas/snake_cas
        empty/full hot/cold fast/slow short/long early/lat morning/evening morning/afternoon more/less more/fewer most/least
        grant/deny grant/denied hit/miss black/whit first/second primary/secondary singular/plural
        ascending/descending horizontal/vertical top/bottom front/back with/without can/not always/never many/few add/subtract""".split()
    )
)

# Words that narrow or soften a statement: with and without one it is not the same fact.
QUALIFIERS = frozenset(
    "only except unless sometimes usually rarely occasionally optionally may might maybe temporarily until if when while if most some all every "
    "any alone once twice half almost before after".split()
)

# Verbs that deny what follows; two of them cancel out (`do not forget to run` = `run`).
DENYING_STEMS = frozenset("avoid forget omit refus forbid forbidden ban prohibit skip stop disallow".split())

# Small words of place and direction: `in the cache` and `behind the cache` differ by nothing else.
PARTICLES = frozenset("in on at to for from with into onto over under up down out off through near against along behind within during via".split())

BE_FORMS = frozenset("is are was were be been being get gets".split())

# Where these stand, the order of the other words is the meaning.
ORDERING = frozenset("over than before after instead from to into onto by rather until prefer call calls depend depends replac replace".split())

NUMBER_WORDS: Mapping[str, str] = {
    word: str(value)
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
    if word not in ("zero", "one")
}

# Words that carry little of a statement's identity.
WEAK_STEMS = frozenset("us mak get set need want project cod thing way work run new current currently now good sur ad also".split())
