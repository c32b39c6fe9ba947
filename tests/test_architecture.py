"""Imports point down, and each thing that needs care has one home. The tables are the architecture; the tests hold the code to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "memctl").rglob("*.py"))

# From the ground up. A module may import what stands below it and what shares its line; the graph has no cycles either way.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("typed", "thrift", "model", "errors", "clock", "data", "leaving", "dates", "tongues", "placeholders", "private", "patterns"),
    ("config", "sql", "results", "reports", "agents", "analyse", "readers", "importers", "redact", "embed", "surroundings", "homes"),
    ("db", "terminal", "secrecy"),
    ("migrate",),
    ("store",),
    (
        *(
            "ingest",
            "capture",
            "spool",
            "unspool",
            "requested",
            "sweep",
            "novelty",
            "extract",
            "propose",
            "drafts",
            "consolidate",
            "relate",
            "promote",
            "policy",
        ),
        *("lifecycle", "retrieve", "context", "explain", "overview", "views", "vectors", "projects", "exchange", "maintain", "check"),
        "saved",
        "ignoring",
        "cleansing",
        "purge",
        "purged",
        "rewrite",
        "leftovers",
        "scan",
        "setup",
        "foreign",
        "backfill",
        "memories",
        *("history", "conflicts", "entity", "citations", "proposals", "freshness", "pinning", "outcomes", "tiers", "quality", "digest"),
        *("modelled", "nightly"),
    ),
    ("curation",),
    ("engine",),
    ("hook", "mcp", "llm_plugin"),
    ("cli",),
    ("entry",),
    ("__init__", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

# Pure parts know the ground and themselves, not even the settings.
PURE = ("readers", "redact", "agents", "analyse", "embed")
# Surfaces stand beside each other over the engine; only the command line may start another one.
SIBLINGS = ("hook", "mcp", "llm_plugin")

# Who alone may import what.
HOMES = {
    "sqlite3": {"db"},
    "pysqlite3": {"db"},
    "sqlite_utils": {"exchange", "check", "maintain", "foreign"},
    "typer": {"cli"},
    "rich": {"cli"},
    "click": set(),
    "llm": {"embed", "extract", "llm_plugin", "modelled"},
    "yaml": {"config", "cli", "setup"},
    "numpy": {"embed"},
    "ctypes": {"embed"},
    # Those who wait their turn at the store may sleep for a random while; what time it is, they ask the clock.
    "time": {"clock", "db", "migrate"},
    "random": {"clock", "db", "migrate"},
    "secrets": {"clock"},
    "uuid": {"clock"},
    "socket": set(),
    "http": set(),
    "requests": set(),
    "threading": set(),
    "multiprocessing": set(),
    "pickle": set(),
}
# The outermost places, where anything may have happened and nothing may get out; maintenance is one for each job.
CATCH_ALL = {"hook", "cli", "maintain", "nightly", "modelled"}

SQL = re.compile(
    r"\bSELECT\s[\s\S]*?\bFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE\s+FROM\b"
    r"|\b(CREATE|DROP|ALTER)\s+(VIRTUAL\s+)?(TABLE|INDEX|TRIGGER|VIEW)\b|\bWITH\s+RECURSIVE\b|\bORDER\s+BY\b|\bWHERE\s+\w+\s*="
)


def part(path: Path) -> str:
    """The part of the system a file belongs to: the first name below `memctl`."""
    return path.relative_to(ROOT / "memctl").parts[0].removesuffix(".py")


def module(path: Path) -> str:
    """The dotted name of a file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(node: ast.AST) -> Iterator[str]:
    """Every dotted name that the code imports; `from a import b` gives `a.b`, whether b is a module or not."""
    for child in ast.walk(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are written out in full"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)


def own_parts(path: Path) -> set[str]:
    """The parts of memctl that a file imports; `from memctl import __version__` is the package itself."""
    names = {name.split(".")[1] for name in imported(tree(path)) if name.startswith("memctl.")}
    return {name for name in names if name in RANK or (ROOT / "memctl" / name).exists() or (ROOT / "memctl" / f"{name}.py").exists()}


def files(*parts: str) -> list[Path]:
    return [path for path in SOURCES if part(path) in parts]


def ids(path: Path) -> str:
    return module(path)


def test_every_part_has_its_place_in_the_table() -> None:
    assert {part(path) for path in SOURCES} - set(RANK) == set()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_imports_point_down(path: Path) -> None:
    mine = RANK[part(path)]
    up = {name for name in own_parts(path) if RANK[name] > mine}
    assert up == set(), f"{module(path)} imports from above"


@pytest.mark.parametrize("path", files(*PURE), ids=ids)
def test_pure_parts_know_only_the_ground_and_themselves(path: Path) -> None:
    assert own_parts(path) <= {*LAYERS[0], part(path)}


@pytest.mark.parametrize("path", files(*SIBLINGS), ids=ids)
def test_surfaces_do_not_import_each_other(path: Path) -> None:
    assert own_parts(path) & set(SIBLINGS) <= {part(path)}


def test_modules_do_not_import_in_a_circle() -> None:
    names = {module(path) for path in SOURCES}
    edges = {module(path): {target for name in at_import(path) if (target := owner(name, names))} for path in SOURCES}
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"a circle: {' -> '.join((*trail, name))}"
        if name not in done:
            for target in edges[name] - {name, "memctl"}:
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(names):
        visit(name, ())


def owner(name: str, names: set[str]) -> str | None:
    """The module that an imported name comes from: itself a module, or a thing in one."""
    return next((known for known in (name, name.rpartition(".")[0]) if known in names), None)


def at_import(path: Path) -> Iterator[str]:
    """What is imported when the module is: not inside functions, not for type checkers only."""
    for node in tree(path).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_what_needs_care_is_imported_only_by_its_home(path: Path) -> None:
    strays = {name for name in imported(tree(path)) for top in [name.split(".")[0]] if top in HOMES and part(path) not in HOMES[top]}
    assert strays == set()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_only_the_clock_asks_what_time_it_is(path: Path) -> None:
    asked = {ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)}
    asking = {
        name for name in asked if re.fullmatch(r"(time\.(time|time_ns|gmtime|localtime|ctime)|(.*\.)?(utcnow|today)|(.*date.*)\.now)", name)
    }
    assert part(path) == "clock" or asking == set()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_only_config_reads_the_environment(path: Path) -> None:
    readers = {"environ", "environb", "getenv", "expandvars"}
    named = {name.rpartition(".")[2] for name in imported(tree(path)) if name.startswith("os.")}
    used = {
        node.attr
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    assert part(path) == "config" or not readers & (named | used)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_no_sql_stands_in_python(path: Path) -> None:
    assert [text for text in strings(tree(path)) if SQL.search(text)] == []


def strings(node: ast.Module) -> Iterator[str]:
    """Every string of the code that is not a docstring."""
    docs = {
        id(scope.body[0].value)
        for scope in ast.walk(node)
        if isinstance(scope, ast.Module | ast.ClassDef | ast.FunctionDef) and scope.body and isinstance(scope.body[0], ast.Expr)
    }
    yield from (
        child.value
        for child in ast.walk(node)
        if isinstance(child, ast.Constant) and isinstance(child.value, str) and id(child) not in docs
    )


@pytest.mark.parametrize(
    "text", ["SELECT id FROM memories", "INSERT OR IGNORE INTO x VALUES (1)", "UPDATE memories SET x = 1", "DROP TABLE x"]
)
def test_the_sql_detector_sees_sql(text: str) -> None:
    assert SQL.search(text)


@pytest.mark.parametrize("text", ["select one from the list", "Where is it?", "Select a record FROM here"])
def test_the_sql_detector_leaves_english_alone(text: str) -> None:
    assert not SQL.search(text)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_errors_are_swallowed_whole_only_at_the_outermost_place(path: Path) -> None:
    broad = {None, "Exception", "BaseException"}
    found = [
        handler.lineno
        for handler in ast.walk(tree(path))
        if isinstance(handler, ast.ExceptHandler)
        and (handler.type.id if isinstance(handler.type, ast.Name) else handler.type and "") in broad
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler))
    ]
    assert part(path) in CATCH_ALL or found == []


def test_no_python_stands_among_the_sql() -> None:
    assert list((ROOT / "sql").rglob("*.py")) == []


def test_the_tests_can_see_the_sources() -> None:
    assert len(SOURCES) > 10
