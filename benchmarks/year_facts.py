"""What is true in the simulated projects: slots with one value at a time, decisions, facts that
never change, and the operator's likings.

A slot is worded by the skeletons of its class (`year_words`); it brings the names of the thing,
once for each family of wordings, and the questions that ask for it. Nothing here is known to
memctl.
"""

from __future__ import annotations

from typing import NamedTuple

PROJECTS = ("harbor", "lantern", "quarry")


class Names(NamedTuple):
    """How one family speaks of a slot: noun phrases without article, roles ("for ..."), and
    questions.
    """

    nouns: tuple[str, ...]
    roles: tuple[str, ...]
    questions: tuple[str, ...]


class Slot(NamedTuple):
    """A fact with one value at a time; `values` by project, or one pool for all."""

    name: str
    shape: str
    values: tuple[tuple[str, ...], ...]
    a: Names
    b: Names

    def pool(self, project: int) -> tuple[str, ...]:
        """The values that the slot takes in a project."""
        return self.values[project % len(self.values)]


SLOTS = (
    Slot(
        "packages",
        "tool",
        (
            ("npm", "pnpm", "yarn", "bun"),
            ("pip", "uv", "poetry", "pdm"),
            ("make", "just", "mage", "bazel"),
        ),
        Names(
            ("package manager", "build front end"),
            ("installing dependencies", "dependencies"),
            (
                "which package manager should I use to install the dependencies?",
                "How do I install packages here?",
            ),
        ),
        Names(
            ("dependency tool", "package tool"),
            ("dependency installs", "pulling in packages"),
            ("What tool manages our dependencies?", "Installing a new package: which tool?"),
        ),
    ),
    Slot(
        "runtime",
        "version",
        (
            ("Node 18", "Node 20", "Node 22", "Node 24"),
            ("Python 3.10", "Python 3.11", "Python 3.12", "Python 3.13"),
            ("Go 1.21", "Go 1.22", "Go 1.23", "Go 1.24"),
        ),
        Names(
            ("runtime version", "language version"),
            ("the runtime", "CI and production"),
            ("Which runtime version do we target?", "What language version does production run?"),
        ),
        Names(
            ("toolchain version", "interpreter version"),
            ("all environments", "our containers"),
            (
                "Which toolchain version should the Dockerfile pin?",
                "What version are our containers on?",
            ),
        ),
    ),
    Slot(
        "port",
        "value",
        (
            ("3000", "5173", "8080", "4321", "3100"),
            ("8000", "8001", "9000", "8888", "5000"),
            ("7000", "7070", "8443", "9090", "6060"),
        ),
        Names(
            ("dev server port", "port of the dev server"),
            ("the dev server",),
            ("On which port does the dev server listen?", "dev server port?"),
        ),
        Names(
            ("local server port", "port for local development"),
            ("running locally",),
            (
                "What port do I open for local development?",
                "Which port is the local server bound to?",
            ),
        ),
    ),
    Slot(
        "database",
        "version",
        (("Postgres 13", "Postgres 14", "Postgres 15", "Postgres 16", "Postgres 17"),),
        Names(
            ("production database", "database"),
            ("production",),
            ("Which database version runs in production?", "What Postgres version do we use?"),
        ),
        Names(
            ("primary datastore", "main database"),
            ("the live system",),
            ("What does the primary datastore run on?", "Which Postgres release is live?"),
        ),
    ),
    Slot(
        "tests",
        "command",
        (
            ("npm test", "pnpm vitest run", "yarn test:unit", "npx jest --ci"),
            ("pytest -q", "tox -e py", "nox -s tests", "make test"),
            ("go test ./...", "just test", "gotestsum ./...", "make check"),
        ),
        Names(
            ("test command", "command for the tests"),
            ("running the tests", "the unit tests"),
            ("How do I run the tests?", "What is the test command?"),
        ),
        Names(
            ("way to run the suite", "suite command"),
            ("the test suite", "checking your work"),
            ("Which command runs the suite?", "How should I execute the test suite?"),
        ),
    ),
    Slot(
        "deadline",
        "date",
        (("March 14", "April 2", "May 20", "June 11", "July 8", "September 3", "October 15"),),
        Names(
            ("beta deadline", "deadline for the beta"),
            ("the beta",),
            ("When is the beta due?", "What is the deadline for the beta?"),
        ),
        Names(
            ("public launch date", "date of the public launch"),
            ("the public launch",),
            ("When do we launch publicly?", "What day is the public launch?"),
        ),
    ),
    Slot(
        "owner",
        "person",
        (("Priya", "Tomasz", "Ines", "Kwame", "Leila", "Bjorn"),),
        Names(
            ("owner of the billing module", "billing owner"),
            ("the billing module", "billing"),
            ("Who owns the billing module?", "Whom do I ask about billing?"),
        ),
        Names(
            ("person responsible for invoicing", "invoicing lead"),
            ("invoicing", "the invoicing code"),
            ("Who is responsible for invoicing?", "Who looks after the invoicing code?"),
        ),
    ),
    Slot(
        "staging",
        "place",
        (
            (
                "https://staging.harbor.example",
                "https://stage2.harbor.example",
                "https://harbor-staging.fly.example",
                "https://preview.harbor.example",
            ),
            (
                "https://staging.lantern.example",
                "https://lantern-stg.example.net",
                "https://stg.lantern.example",
                "https://next.lantern.example",
            ),
            (
                "https://staging.quarry.example",
                "https://quarry-test.example.org",
                "https://uat.quarry.example",
                "https://rc.quarry.example",
            ),
        ),
        Names(
            ("staging URL", "URL of staging"),
            ("staging",),
            ("What is the staging URL?", "Where is staging?"),
        ),
        Names(
            ("pre-production address", "address of pre-production"),
            ("pre-production",),
            ("Where can I reach pre-production?", "What's the address of pre-production?"),
        ),
    ),
    Slot(
        "timeout",
        "value",
        (("30 seconds", "10 seconds", "45 seconds", "5 seconds", "20 seconds"),),
        Names(
            ("request timeout", "HTTP timeout"),
            ("outgoing requests",),
            ("What is the request timeout?", "How long until an HTTP request times out?"),
        ),
        Names(
            ("upstream call limit", "time limit for upstream calls"),
            ("calls to upstream services",),
            ("How long may an upstream call take?", "What's the time limit for upstream calls?"),
        ),
    ),
    Slot(
        "coverage",
        "value",
        (("80%", "85%", "90%", "75%", "92%"),),
        Names(
            ("coverage threshold", "minimum coverage"),
            ("coverage in CI",),
            ("What is the coverage threshold?", "How much test coverage does CI require?"),
        ),
        Names(
            ("coverage floor", "required code coverage"),
            ("the coverage gate",),
            ("What coverage does the gate demand?", "How high is the coverage floor?"),
        ),
    ),
    Slot(
        "merging",
        "policy",
        (("squash merges", "merge commits", "rebase merges", "fast-forward merges"),),
        Names(
            ("merge policy", "merge method"),
            ("pull requests", "merging pull requests"),
            ("How do we merge pull requests?", "What is our merge policy?"),
        ),
        Names(
            ("way to land changes", "landing method"),
            ("landing changes on the main branch",),
            ("How should a finished branch be landed?", "In what way do changes land?"),
        ),
    ),
    Slot(
        "linter",
        "tool",
        (
            ("ESLint", "Biome", "oxlint", "Rome"),
            ("flake8", "ruff", "pylint", "prospector"),
            ("golangci-lint", "staticcheck", "revive", "go vet"),
        ),
        Names(
            ("linter",),
            ("linting", "lint checks"),
            ("Which linter do we use?", "What do we lint the code with?"),
        ),
        Names(
            ("static checker", "code checker"),
            ("static checks", "style checks"),
            ("What runs our static checks?", "Which static checker is in use?"),
        ),
    ),
    Slot(
        "ci",
        "tool",
        (("GitHub Actions", "Buildkite", "CircleCI", "GitLab CI"),),
        Names(
            ("CI provider", "CI"),
            ("CI", "continuous integration"),
            ("What CI do we use?", "Where does CI run?"),
        ),
        Names(
            ("build service", "pipeline host"),
            ("our build pipelines", "automated builds"),
            ("On which build service do our pipelines run?", "Who hosts our pipelines?"),
        ),
    ),
    Slot(
        "hosting",
        "tool",
        (("Fly", "Render", "ECS", "Heroku", "Cloud Run"),),
        Names(
            ("hosting platform", "hosting"),
            ("hosting", "deployments"),
            ("Where do we deploy to?", "What is our hosting platform?"),
        ),
        Names(
            ("deploy target", "production host"),
            ("running production", "shipping to production"),
            ("What's the deploy target?", "Where does production live?"),
        ),
    ),
    Slot(
        "queue",
        "tool",
        (("Redis", "RabbitMQ", "SQS", "Kafka", "NATS"),),
        Names(
            ("job queue", "queue"),
            ("background jobs", "the job queue"),
            ("What do we use for background jobs?", "Which job queue do we have?"),
        ),
        Names(
            ("task broker", "message broker"),
            ("async tasks", "deferred work"),
            ("Which broker carries our async tasks?", "What is the message broker?"),
        ),
    ),
    Slot(
        "rate",
        "value",
        (
            (
                "100 requests per minute",
                "300 requests per minute",
                "60 requests per minute",
                "500 requests per minute",
            ),
        ),
        Names(
            ("rate limit", "API rate limit"),
            ("the public API",),
            ("What is the API rate limit?", "How many requests may a client make?"),
        ),
        Names(
            ("client quota", "quota per API key"),
            ("each API key",),
            ("What quota does an API key get?", "How much may one API key call us?"),
        ),
    ),
    Slot(
        "upload",
        "value",
        (("10 MB", "25 MB", "50 MB", "100 MB", "5 MB"),),
        Names(
            ("upload limit", "maximum upload size"),
            ("uploads",),
            ("What is the upload limit?", "How big may an upload be?"),
        ),
        Names(
            ("attachment cap", "largest allowed attachment"),
            ("attachments",),
            ("How large can an attachment get?", "What's the cap on attachments?"),
        ),
    ),
    Slot(
        "release",
        "date",
        (("Thursdays", "Tuesdays", "Mondays", "Wednesdays"),),
        Names(
            ("release day", "day we release"),
            ("releases",),
            ("On which day do we release?", "When do releases go out?"),
        ),
        Names(
            ("day of the weekly deploy", "deploy day"),
            ("the weekly deploy",),
            ("Which weekday is the weekly deploy?", "What day do we deploy?"),
        ),
    ),
    Slot(
        "reviewer",
        "person",
        (("Mara", "Oskar", "Jun", "Fatima", "Dieter"),),
        Names(
            ("reviewer for database migrations", "migration reviewer"),
            ("database migrations", "migration reviews"),
            ("Who reviews database migrations?", "Who has to look at a migration?"),
        ),
        Names(
            ("approver for schema changes", "schema approver"),
            ("schema changes", "schema sign-off"),
            ("Who signs off schema changes?", "Whose approval does a schema change need?"),
        ),
    ),
    Slot(
        "prefix",
        "place",
        (
            ("/api/v1", "/api/v2", "/api/v3", "/v4"),
            ("/rest/v1", "/rest/v2", "/rest/v3", "/svc/v1"),
            ("/rpc/v1", "/rpc/v2", "/gateway", "/edge/v1"),
        ),
        Names(
            ("API prefix", "base path of the API"),
            ("the API routes",),
            ("What is the API prefix?", "Under which base path does the API live?"),
        ),
        Names(
            ("root path for endpoints", "endpoint root"),
            ("all endpoints",),
            ("What root path do endpoints share?", "Where are endpoints mounted?"),
        ),
    ),
    Slot(
        "retention",
        "value",
        (("14 days", "30 days", "90 days", "7 days", "60 days"),),
        Names(
            ("log retention", "retention of logs"),
            ("logs",),
            ("How long do we keep logs?", "What is the log retention?"),
        ),
        Names(
            ("audit trail lifetime", "time we keep audit entries"),
            ("audit entries",),
            ("How long are audit entries kept?", "What's the lifetime of the audit trail?"),
        ),
    ),
    Slot(
        "branch",
        "place",
        (("main", "trunk", "develop", "mainline"),),
        Names(
            ("default branch", "branch we work off"),
            ("new work",),
            ("What is the default branch?", "Which branch do I branch off?"),
        ),
        Names(
            ("integration branch", "branch that pull requests target"),
            ("pull requests",),
            ("Which branch do pull requests target?", "Into what branch does work go?"),
        ),
    ),
)


class Fixed(NamedTuple):
    """What never changes, told again and again in other words: one tuple of wordings and one of
    questions for each family.
    """

    name: str
    a: tuple[str, ...]
    b: tuple[str, ...]
    ask_a: tuple[str, ...]
    ask_b: tuple[str, ...]


DECISIONS = (
    Fixed(
        "monolith",
        (
            "We decided to stay with one monolith because three people cannot run a fleet of "
            "services.",
            "Let's keep the monolith; we are too few to operate microservices.",
            "No microservices: we chose a single deployable since the team is tiny.",
        ),
        (
            "We settled on a single deployable, as a small team can't operate many services.",
            "Splitting into services is off the table because nobody would run them.",
            "One application, not many services, was our choice, otherwise operations would eat "
            "us.",
        ),
        ("Why do we have a monolith?",),
        ("Should this become its own service?",),
    ),
    Fixed(
        "sql",
        (
            "We decided against an ORM because the generated queries were unreadable.",
            "Write plain SQL rather than an ORM, since we want to read the queries that run.",
            "We don't use an ORM here; hand-written SQL is easier to tune.",
        ),
        (
            "Plain SQL it is, we rejected ORMs because they hide what the database does.",
            "Keep queries hand-written instead of bringing in an ORM, so that we see what runs.",
            "We agreed that no ORM comes in: nobody could tell what it sent to the database.",
        ),
        ("May I use an ORM?",),
        ("How do we talk to the database in code?",),
    ),
    Fixed(
        "money",
        (
            "Amounts are stored as integer cents because floats lost pennies last year.",
            "Always keep money in integer cents, never floats, since rounding bit us.",
            "We store prices as whole cents to avoid rounding errors.",
        ),
        (
            "Monetary values go in as integers of the smallest unit, because floating point "
            "cost us pennies.",
            "No floats for money: integers in cents, so that sums add up.",
            "We represent every amount in cents as an integer, otherwise totals drift.",
        ),
        ("How do we store amounts of money?",),
        ("What type should a price column have?",),
    ),
    Fixed(
        "flags",
        (
            "We chose feature flags over long-lived branches because merges got painful.",
            "Ship unfinished work behind a flag rather than on a long branch, since merging "
            "those hurt.",
            "No long-lived branches; unfinished features hide behind flags.",
        ),
        (
            "Incomplete features go behind toggles instead of month-long branches, because "
            "rebasing them was misery.",
            "We agreed on toggles for half-done work, so that branches stay short.",
            "Put it behind a toggle, we gave up on long branches.",
        ),
        ("How do we ship unfinished features?",),
        ("What do we do with half-done work?",),
    ),
    Fixed(
        "errors",
        (
            "Error responses follow RFC 7807 because clients asked for one format.",
            "Use problem+json (RFC 7807) for errors, since every client parses that.",
            "All errors of the API are RFC 7807 problem documents.",
        ),
        (
            "Failures are reported as RFC 7807 problem documents, so that clients need one parser.",
            "We settled on RFC 7807 for failures because integrators wanted a standard.",
            "Return problem documents as in RFC 7807 whenever something fails.",
        ),
        ("What format do API errors have?",),
        ("How are failures reported to clients?",),
    ),
    Fixed(
        "time",
        (
            "We keep all timestamps in UTC because the offices sit in four time zones.",
            "Store times in UTC only, since daylight saving broke the reports twice.",
            "Timestamps are always UTC in the database.",
        ),
        (
            "Every instant is saved as UTC, otherwise summer time breaks the reports.",
            "UTC everywhere in storage, we decided, because offices are spread over zones.",
            "Never save local times; instants go in as UTC.",
        ),
        ("In which time zone are timestamps stored?",),
        ("How do we save instants?",),
    ),
)

STABLE = (
    Fixed(
        "seed",
        (
            "The seed data lives in fixtures/seed.json.",
            "Seed data is in fixtures/seed.json, remember that.",
            "Our seed data can be found in fixtures/seed.json.",
        ),
        (
            "Sample data for a fresh checkout is kept in fixtures/seed.json.",
            "You'll find the sample data under fixtures/seed.json.",
            "fixtures/seed.json holds the sample data.",
        ),
        ("Where is the seed data?",),
        ("Where is the sample data kept?",),
    ),
    Fixed(
        "secrets",
        (
            "Secrets come from Vault, never from .env files.",
            "We read secrets from Vault only.",
            "All our secrets are kept in Vault.",
        ),
        (
            "Credentials are fetched from Vault at start-up.",
            "Vault is where credentials come from.",
            "We only ever take credentials out of Vault.",
        ),
        ("Where do secrets come from?",),
        ("How does the app get its credentials?",),
    ),
    Fixed(
        "generated",
        (
            "Never edit files under gen/ by hand, they are generated.",
            "Files in gen/ are generated, don't touch them.",
            "Keep your hands off gen/, it is generated code.",
        ),
        (
            "Everything below gen/ is produced by a tool and must not be changed manually.",
            "Leave gen/ alone: it's machine-made.",
            "Don't modify gen/ yourself, the generator owns it.",
        ),
        ("Can I edit files under gen/?",),
        ("May the code in gen/ be changed?",),
    ),
    Fixed(
        "ids",
        (
            "Public ids are ULIDs.",
            "We use ULIDs for every public id.",
            "Every id that leaves the system is a ULID.",
        ),
        (
            "Identifiers that customers see are ULIDs.",
            "Customer-facing identifiers must be ULIDs.",
            "ULIDs are what we hand out as identifiers.",
        ),
        ("What kind of ids do we expose?",),
        ("What do customer-facing identifiers look like?",),
    ),
    Fixed(
        "docs",
        (
            "The architecture notes live in docs/adr.",
            "Architecture decisions are written down in docs/adr.",
            "We keep architecture records under docs/adr.",
        ),
        (
            "Design records belong in docs/adr.",
            "You can read the design records in docs/adr.",
            "docs/adr is the home of design records.",
        ),
        ("Where are the architecture notes?",),
        ("Where do design records go?",),
    ),
    Fixed(
        "logs",
        (
            "Logs must be structured JSON on stdout.",
            "We log structured JSON to stdout, nothing else.",
            "Always log as JSON to stdout.",
        ),
        (
            "Write log lines as JSON on standard output.",
            "Logging is JSON on standard output, no files.",
            "The service should only emit JSON log lines on standard output.",
        ),
        ("How do we log?",),
        ("What form do log lines take?",),
    ),
)


class Liking(NamedTuple):
    """A preference of the operator's; each of its values has wordings of its own, a tuple for each
    family.
    """

    name: str
    a: tuple[tuple[str, ...], ...]
    b: tuple[tuple[str, ...], ...]
    ask_a: tuple[str, ...]
    ask_b: tuple[str, ...]
    # Whether it tells of the operator rather than of how things are to be done.
    is_fact: bool = False


LIKINGS = (
    Liking(
        "length",
        (
            ("keep your answers short", "answer briefly", "I want short answers"),
            (
                "give me detailed answers",
                "explain at length when you answer",
                "I want long, thorough answers",
            ),
            (
                "answer in bullet points",
                "I want answers as bullet points",
                "put your answers into bullets",
            ),
        ),
        (
            ("be terse in replies", "I like terse replies", "reply in as few words as you can"),
            (
                "write extensive replies",
                "I like extensive replies with background",
                "reply with plenty of background",
            ),
            ("reply as a table where you can", "I like replies as tables", "put replies in tables"),
        ),
        ("How long should answers be?",),
        ("What should my reply look like?",),
    ),
    Liking(
        "commits",
        (
            (
                "use conventional commits",
                "write commit messages as conventional commits",
                "I want conventional commit messages",
            ),
            (
                "write commit messages in plain imperative sentences",
                "use plain imperative commit messages",
                "I want plain imperative commit messages",
            ),
            (
                "start commit messages with the ticket number",
                "put the ticket number first in commit messages",
                "I want the ticket number at the start of each commit message",
            ),
        ),
        (
            (
                "commit subjects follow the conventional-commits format, please",
                "prefix commits with feat or fix",
                "I prefer commits prefixed with feat or fix",
            ),
            (
                "leave prefixes out of commit subjects, a plain sentence will do",
                "I prefer commit subjects without prefixes",
                "no prefixes in commit subjects",
            ),
            (
                "begin commit subjects with the module name",
                "I prefer the module name in front of commit subjects",
                "module name first in commit subjects",
            ),
        ),
        ("How do I write commit messages?",),
        ("What should a commit subject look like?",),
    ),
    Liking(
        "home",
        (
            ("I live in Lisbon", "I'm based in Lisbon", "my home is Lisbon"),
            ("I live in Berlin", "I'm based in Berlin", "my home is Berlin"),
            ("I live in Oslo", "I'm based in Oslo", "my home is Oslo"),
        ),
        (
            ("I work from Lisbon", "my office is in Lisbon", "I'm located in Lisbon"),
            ("I work from Berlin", "my office is in Berlin", "I'm located in Berlin"),
            ("I work from Oslo", "my office is in Oslo", "I'm located in Oslo"),
        ),
        ("Where does the operator live?",),
        ("Where is the operator located?",),
        True,
    ),
    Liking(
        "english",
        (
            (
                "write docs in British English",
                "use British English in docs",
                "I want British spelling in docs",
            ),
            (
                "write docs in American English",
                "use American English in docs",
                "I want American spelling in docs",
            ),
        ),
        (
            (
                "British spelling for anything people read, please",
                "I prefer British spelling",
                "stick to British spelling",
            ),
            (
                "American spelling for anything people read, please",
                "I prefer American spelling",
                "stick to American spelling",
            ),
        ),
        ("Which English do I write docs in?",),
        ("What spelling should I use?",),
    ),
    Liking(
        "pushing",
        (
            (
                "always ask me before you push",
                "ask before pushing",
                "I want to be asked before any push",
            ),
            (
                "push without asking",
                "you don't need to ask before pushing",
                "just push, no need to ask me",
            ),
        ),
        (
            (
                "check with me ahead of every push",
                "get my okay first when you push",
                "never push unless I said so",
            ),
            (
                "pushing is fine without my okay",
                "you may push on your own",
                "push on your own whenever it is ready",
            ),
        ),
        ("Should I ask before pushing?",),
        ("Do I need an okay for a push?",),
    ),
)
