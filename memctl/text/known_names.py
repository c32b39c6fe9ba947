"""Names as they are compared, and the few that are known to mean one thing wherever they stand.
Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

# One tool a line, the name that stands for it first. Only what nobody would take for two things.
_TOOLS = """
    PostgreSQL, Postgres
    Kubernetes, k8s
    JavaScript, ECMAScript
    TypeScript
    Python, Python 3, Python3, CPython
    Go, Golang
    Node.js, Node, NodeJS
    React, React.js, ReactJS
    Vue, Vue.js, VueJS
    Next.js, NextJS
    MongoDB, Mongo
    Elasticsearch, ElasticSearch
    GitHub, github.com
    GitHub Actions, GH Actions
    GitLab
    SQLite, SQLite3, sqlite3
    MySQL
    MariaDB
    Redis
    RabbitMQ
    Terraform
    Docker
    Docker Compose, docker-compose
    npm
    pnpm
    Yarn
    Bun
    pip, pip3
    uv
    Poetry
    Cargo
    pytest, py.test
    Jest
    Vitest
    Ruff
    mypy
    ESLint
    Prettier
    Tailwind CSS, Tailwind, TailwindCSS
    Visual Studio Code, VS Code, VSCode
    Amazon S3, S3, AWS S3
    Apache Kafka, Kafka
    NGINX
    FastAPI
    Django
    Flask
    Ruby on Rails, Rails
    Spring Boot, SpringBoot
    .NET, dotnet
    C#, CSharp
    C++, cpp
    Prometheus
    Grafana
    Ansible
    Pydantic
    SQLAlchemy
    Playwright
    Selenium
    Webpack
    Vite
"""
_ROLE_PREFIXES = ("my ", "our ")
_FIRST_NAMES = """
    Alexander Alex Sasha Sascha Sanya Lex
    Alexandra Alex Sasha
    Andrew Andy Drew
    Anthony Tony
    Barbara Barb
    Benjamin Ben Benny
    Catherine Cathy Kate Katie
    Charles Charlie Chuck
    Christopher Chris
    Daniel Dan Danny
    David Dave Davy
    Dmitry Dmitri Dima Mitya
    Edward Ed Eddie Ted
    Ekaterina Katya
    Elizabeth Liz Beth Lizzie Eliza
    Evgeny Zhenya
    Gregory Greg
    Ivan Vanya
    James Jim Jimmy
    Jennifer Jen Jenny
    John Johnny Jack
    Jonathan Jon Jonny
    Joseph Joe Joey
    Joshua Josh
    Katherine Kate Kathy Katie
    Konstantin Kostya
    Lawrence Larry
    Margaret Maggie Meg Peggy
    Maria Masha
    Matthew Matt
    Michael Mike Mick Mikey
    Mikhail Misha
    Natalia Natasha
    Nicholas Nick Nicky
    Nikolai Kolya
    Olga Olya
    Patricia Pat Patty Tricia
    Pavel Pasha
    Peter Pete
    Philip Phil
    Rebecca Becky Becca
    Richard Rick Rich Dick
    Robert Rob Bob Bobby
    Roman Roma
    Ronald Ron
    Samuel Sam Sammy
    Samantha Sam
    Sergey Sergei Seryozha
    Stephen Steve Steven
    Svetlana Sveta
    Tatiana Tanya
    Theodore Theo Ted
    Thomas Tom Tommy
    Timothy Tim Timmy
    Victor Viktor Vitya
    Victoria Vicky Vika
    Vitaly Vitali Vitya Vitalik
    Vladimir Vova Volodya
    William Will Bill Billy
    Yekaterina Katya
    Yuri Yura
    Zachary Zach Zack
"""


def compute_variant_key(name: str) -> str:
    """A tool's name without case, spaces and the marks that people put between its words; `C++`
    and `C#` keep theirs.
    """
    return "".join(letter for letter in name.casefold() if letter.isalnum() or letter in "+#")


def is_role(name: str) -> bool:
    """Whether this is what somebody is to the operator rather than a name."""
    return name.casefold().startswith(_ROLE_PREFIXES)


def restore_case(kind: str, alias: str) -> str:
    """A casefolded name as it is written: people's in capitals, well-known tools' as the table
    has them.
    """
    if kind == "person" and not is_role(alias):
        return " ".join(word[:1].upper() + word[1:] for word in alias.split(" "))
    return next(
        (
            name
            for names in TOOLS.items()
            for name in (names[0], *names[1])
            if kind == "tool" and name.casefold() == alias
        ),
        alias,
    )


def _split_table(table: str, mark: str | None) -> list[list[str]]:
    return [[name.strip() for name in line.split(mark)] for line in table.strip().splitlines()]


TOOLS: dict[str, tuple[str, ...]] = {
    names[0]: tuple(names[1:]) for names in _split_table(_TOOLS, ",")
}
_BY_VARIANT = {
    compute_variant_key(name): names[0] for names in _split_table(_TOOLS, ",") for name in names
}
_RELATED: dict[str, set[str]] = {}
for _line in _split_table(_FIRST_NAMES, None):
    for _name in _line:
        # The first is the full name; two short forms of it are not one for that.
        _RELATED.setdefault(_name.casefold(), set()).update(
            other.casefold() for other in (_line if _name == _line[0] else _line[:1])
        )


def find_canonical_tool(name: str) -> str | None:
    """The name that stands for a well-known tool, whatever it is called here."""
    return _BY_VARIANT.get(compute_variant_key(name))


def explain_same_person(one: str, other: str) -> str | None:
    """Why two people's names may be one person's, or None: a first name and a full one, or a
    full first name and its short form.
    """
    short, long = sorted((one.casefold().split(), other.casefold().split()), key=len)
    if short == long or not short or (len(short) > 1 and short[1:] != long[1:]):
        return None
    if short[0] == long[0]:
        return f"{one} may be {other} by the first name" if len(short) < len(long) else None
    return (
        f"{one} is often short for {other}, or the other way round"
        if long[0] in _RELATED.get(short[0], ())
        else None
    )


def list_related_first_names(name: str) -> set[str]:
    """The first names, in small letters, that may be the same person's as that of a name."""
    first = name.split()[0].casefold() if name.split() else ""
    return {first, *_RELATED.get(first, ())}


def list_first_names() -> Iterable[str]:
    """Every first name of the table."""
    return (name for line in _split_table(_FIRST_NAMES, None) for name in line)
