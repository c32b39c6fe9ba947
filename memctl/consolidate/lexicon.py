"""Closed lists of words that comparison rests on. Data only, in plain words.

Whoever uses a list brings it to canonical form. A slot is a question with one answer at a time
(which package manager?). Two answers to a `strict` slot contradict each other however they are put;
to another only where both are directions, since people do keep two editors. What many things can be
true of at once (databases, queues, clouds, likes) is no slot and must not be added here: a false
contradiction annoys, a missed one loses little.
"""

from __future__ import annotations

from collections.abc import Mapping

from memctl.consolidate.english_words import read_pairs
from memctl.core.frozen import dataclass
from memctl.text.stop_words import word_set


@dataclass(frozen=True, slots=True)
class Slot:
    """A question with one answer at a time, and the answers known by name."""

    name: str
    strict: bool
    values: frozenset[str]


def _make_slot(name: str, strict: bool, values: str) -> Slot:
    return Slot(name, strict, word_set(values))


SLOTS: tuple[Slot, ...] = (
    _make_slot("package manager", True, "npm pnpm yarn bun"),
    _make_slot("python package manager", True, "pip uv poetry pipenv pdm conda mamba pixi"),
    _make_slot("test runner", True, "jest vitest mocha ava jasmine karma"),
    _make_slot("python test runner", True, "pytest unittest nose nose2"),
    _make_slot("end-to-end runner", False, "playwright cypress puppeteer selenium webdriverio"),
    _make_slot("linter", False, "eslint biome oxlint tslint jshint standardjs"),
    _make_slot("python linter", False, "ruff flake8 pylint pycodestyle"),
    _make_slot("formatter", True, "prettier dprint"),
    _make_slot("python formatter", True, "black yapf autopep8 blue"),
    _make_slot("type checker", False, "mypy pyright pyre basedpyright"),
    _make_slot(
        "editor",
        False,
        "vim neovim nvim emacs vscode zed helix nano sublime intellij pycharm webstorm",
    ),
    _make_slot("shell", False, "bash zsh fish nushell powershell"),
    _make_slot("bundler", True, "webpack vite rollup parcel esbuild rspack turbopack"),
    _make_slot(
        "orm", False, "sqlalchemy prisma drizzle typeorm sequelize tortoise peewee hibernate"
    ),
    _make_slot("migration tool", True, "alembic aerich flyway liquibase"),
    _make_slot("ci", False, "circleci jenkins travis buildkite github-actions gitlab-ci"),
    _make_slot("indentation", True, "tabs tab spaces space"),
    _make_slot("merge style", False, "rebase squash merge-commits"),
    _make_slot("container tool", False, "docker podman"),
)

# Ways to write one value, so that `use vs code` and `use vscode` agree. Longer spellings first
# where one holds another.
PHRASES: tuple[tuple[str, str], ...] = (
    ("visual studio code", "vscode"),
    ("vs code", "vscode"),
    ("github actions", "github-actions"),
    ("gitlab ci", "gitlab-ci"),
    ("circle ci", "circleci"),
    ("merge commits", "merge-commits"),
    ("continuous integration", "ci"),
    ("no one", "nobody"),
    ("any longer", "anymore"),
    ("any more", "anymore"),
    ("make sure to", "ensure"),
    ("make sure that", "ensure"),
    ("make sure", "ensure"),
    ("set up", "setup"),
    ("pull request", "pr"),
    ("pull requests", "pr"),
    # A tool whose name is a small word elsewhere.
    ("use just for", "use justfile for"),
    ("use just to", "use justfile to"),
    ("command line", "cli"),
    ("front end", "frontend"),
    ("back end", "backend"),
    ("code base", "codebase"),
)

SYNONYMS: Mapping[str, str] = {
    "utilise": "use",
    "utilize": "use",
    "employ": "use",
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
    "execute": "run",
    "remove": "delete",
    "big": "large",
    "huge": "large",
    "people": "person",
    "deadline": "due",
    "colour": "color",
    "nvim": "neovim",
    "every": "all",
    "tab": "tabs",
    "space": "spaces",
}

# Words of opposite meaning, in any inflection: where one statement has one side and the other the
# other, they are two facts.
ANTONYMS: tuple[tuple[str, str], ...] = read_pairs(
    """enable/disable on/off before/after above/below true/false yes/no allow/deny allow/forbid
    allow/disallow add/delete include/exclude left/right up/down sync/async synchronous/asynchronous
    public/private min/max minimum/maximum first/last start/stop start/end open/close inside/outside
    indoor/outdoor old/new local/remote stdin/stdout input/output low/high lower/upper light/dark
    require/optional mandatory/optional succeed/fail success/failure encode/decode read/write
    client/server source/target staging/production development/production merge/rebase tabs/spaces
    frontend/backend upload/download import/export increase/decrease lock/unlock mount/unmount
    install/uninstall push/pull accept/reject accept/refuse like/dislike love/hate like/hate
    safe/unsafe valid/invalid static/dynamic internal/external manual/automatic
    manually/automatically mutable/immutable single/double camelcase/snake_case empty/full hot/cold
    fast/slow short/long early/late morning/evening morning/afternoon more/less more/fewer
    most/least grant/deny grant/denied hit/miss black/white first/second primary/secondary
    singular/plural ascending/descending horizontal/vertical top/bottom front/back with/without
    can/not always/never many/few add/subtract"""
)

# Words that narrow or soften a statement: with and without one it is not the same fact.
QUALIFIERS = word_set(
    """only except unless sometimes usually rarely occasionally optionally may might maybe
    temporarily until if when while if most some """
    "all every any alone once twice half almost before after"
)

# Those that leave room for the opposite.
PARTIAL = word_set(
    "some sometimes most half usually rarely occasionally may might maybe optionally temporarily"
)

# Verbs that deny what follows; two of them cancel out (`do not forget to run` = `run`).
DENYING_VERBS = word_set(
    "avoid forget omit refuse forbid forbidden ban prohibit skip stop disallow"
)

# Small words of place and direction: `in the cache` and `behind the cache` differ by nothing else.
PARTICLES = word_set(
    """in on at to for from with into onto over under up down out off through near against along
    behind within during via"""
)

BE_FORMS = word_set("is are was were be been being get gets")

NUMBER_WORDS: Mapping[str, str] = {
    word: str(value)
    for value, word in enumerate(
        (
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ),
        2,
    )
}

# Words that carry little of a statement's identity.
WEAK_WORDS = word_set(
    "use do get set need want project code thing way work run new current currently now good add"
)

# -- claims -------------------------------------------------------------------------------------

# Nouns that have one value at a time: `the default branch is main` leaves no room for a second one.
SINGLE_NOUNS = word_set(
    """port version branch timeout due url name theme license editor shell language timezone path
    directory host hostname region size limit owner lead leader boss manager address email role
    status priority birthday plan entrypoint level default maximum minimum model color tool runner
    framework time date indentation width length count number budget ttl interval frequency schedule
    style format prefix suffix remote encoding locale key capital ceo cto maintainer orm linter
    formatter bundler database"""
)

# More of them, that other readings would take for something else.
SINGLE_TOPICS = SINGLE_NOUNS | word_set(
    """threshold retention reviewer provider policy platform phone standup appointment hosting quota
    cap priority diet home state stage rate coverage queue day tracker wiki logger registry vendor
    supplier landlord dentist school employer codename command bundler release freeze office prefix
    broker ui appearance engine"""
)

# Answers to `how does it stand?`, to `what do you eat?` and to `when?`.
STATES = word_set(
    """pending shipped delivered open closed reopened done finished complete completed progress
    started blocked unblocked cancelled canceled approved rejected merged deployed released draft
    published deprecated archived paused resumed resolved unresolved fixed broken todo enabled
    disabled re-enabled active inactive live down planned waiting postponed abandoned running
    stopped ready low medium high critical urgent mandatory optional required"""
)
DIETS = word_set(
    """vegan vegetarian pescatarian pescetarian omnivore carnivore flexitarian keto paleo halal
    kosher"""
)
MONTHS = word_set(
    """january february april june july august september october november december may-month
    march-month"""
)
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")

# Adjectives that exclude their opposite when said of the same thing.
BOOLEAN_PAIRS: tuple[tuple[str, str], ...] = read_pairs(
    """enable/disable on/off true/false yes/no allow/forbid allow/disallow allow/deny allow/prohibit
    require/optional mandatory/optional open/close public/private synchronous/asynchronous
    sync/async safe/unsafe valid/invalid mutable/immutable support/unsupport like/dislike love/hate
    like/hate succeed/fail pass/fail always/never static/dynamic"""
)

# Words that say a statement corrects an earlier one, and words that say it stands beside it.
UPDATE_WORDS = word_set(
    "now anymore instead switched moved migrated changed replaced correction update updated left"
)
ADDITIVE_WORDS = word_set("also additionally too another besides plus either both")

# Words of a choice that say whose choice it is, or what the slot is about, and so nothing about
# where it holds.
FILLERS = word_set(
    """project repo codebase team agent user operator default here everything prefer choice chosen
    pick standard standardise standardize official main primary favorite favourit only strictly
    generally going forward future"""
)
TOPICS = word_set(
    """package manager management dependency install lint linter format formatter test runner unit
    type check checker bundle bundler editor shell javascript typescript python node ci indentation
    indent code source orm migration tool build merge style pr"""
)

# Words of telling and of change, which are no part of the question.
QUESTION_FILLERS = word_set(
    """know knows should could would you your that there then than when come comes what which who as
    has have had been become becomes became stay stays stayed remain remains continue continues keep
    keeps still again finally everybody everyone team happy since monday week month morning night
    yesterday last year say says said note mention mentioned true wrong right out today day now
    nowadays current currently clear just once more like before same ever fyi history here repo
    project taken place took put set be is are was were went goes change changed changes move moved
    switch switched replace replaced new old please assume assuming forget while at it make making
    made expect actually really from not used former formerly previously replaces dropped retired
    longer instead over behind goodbye stop stopped btw remember forget way told others any some up
    got always please use uses using days run runs we're it's that's i've"""
)
