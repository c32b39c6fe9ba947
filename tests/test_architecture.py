"""Imports point down, and each thing that needs care has one home. The tables are the
architecture; the tests hold the code to them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "memctl").rglob("*.py"))

# From the ground up. A module may import its own package and what stands on a line before it: no
# two packages share a line, so no two packages can import each other. Imports inside functions
# count as much as those at the top of a file.
LAYERS = (
    "core",
    "embed",
    "results",
    "agents",
    "text",
    "readers",
    "settings",
    "importers",
    "redact",
    "setup",
    "store",
    "extract",
    "records",
    "retrieve",
    "consolidate",
    "curate",
    "patterns",
    "history",
    "capture",
    "erase",
    "exchange",
    "sync",
    "vault",
    "llm",
    "journal",
    "maintain",
    "report",
    "engine",
    "tools",
    "mcp",
    "llm_plugin",
    "hook",
    "cli",
    "entry",
    "__init__",
    "__main__",
)
RANK = {name: rank for rank, name in enumerate(LAYERS)}

# Packages that know the ground, themselves and what is named beside them: no store, no settings.
PURE_PACKAGES = {
    "agents": {"core"},
    "embed": {"core"},
    "results": {"core"},
    "text": {"core"},
    "readers": {"core", "agents", "text"},
    "importers": {"core", "text", "readers"},
}
# Surfaces ask the engine. What else they import is data and words, not use cases.
SURFACES = {
    "cli": {"cli", "core", "engine", "hook", "mcp", "results", "settings", "text"},
    "hook": {"agents", "core", "engine", "hook", "redact", "results", "settings"},
    "tools": {"core", "engine", "results", "settings", "tools"},
    "mcp": {"core", "engine", "mcp", "results", "settings", "tools"},
    "llm_plugin": {"core", "engine", "results", "settings", "tools"},
}
# Modules that decide and do nothing else: given the same values they answer the same.
PURE_MODULES = (
    "consolidate/plan",
    "history/replay",
    "history/undo",
    "maintain/plan",
    "retrieve/decay",
    "retrieve/order",
    "retrieve/score",
    "report/charts",
    "report/graph_layout",
    "report/page",
    "sync/change",
    "sync/copies",
    "sync/laws",
    "sync/merging",
    "vault/layout",
    "vault/note_text",
    "vault/pages",
    "vault/plan",
    "vault/wikilinks",
)
# What a pure module may not reach: where data is kept, the clock, and the outside world.
IMPURE = (
    "memctl.store",
    "memctl.core.clock",
    "memctl.settings",
    "os",
    "pathlib",
    "subprocess",
    "time",
    "random",
)

# Who alone may import what.
HOMES = {
    "sqlite3": {"store"},
    "pysqlite3": {"store"},
    "sqlite_utils": {"exchange", "maintain", "store"},
    "typer": {"cli"},
    "rich": {"cli"},
    "click": set(),
    "llm": {"embed", "llm", "llm_plugin"},
    "psycopg": {"sync"},
    "mcp": {"mcp"},
    "anyio": {"mcp"},
    "yaml": {"settings", "cli", "setup", "text", "readers", "importers", "vault"},
    "numpy": {"embed"},
    "ctypes": {"embed"},
    # Those who wait their turn at the store sleep for a random while; the time they ask of the
    # clock.
    "time": {"core", "store"},
    "random": {"core", "store"},
    "secrets": {"core"},
    "uuid": {"core"},
    "socket": set(),
    "http": set(),
    "requests": set(),
    # Only to draw how far slow work is; the work itself has one thread.
    "threading": {"cli"},
    "multiprocessing": set(),
    "pickle": set(),
}
# Of those, the modules that do it.
ONLY = {
    "sqlite3": {"store/database"},
    "pysqlite3": {"store/database"},
    "time": {"core/clock", "store/database", "store/migrate"},
    "random": {"core/clock", "store/database", "store/migrate"},
    "secrets": {"core/clock"},
    "uuid": {"core/clock"},
    "threading": {"cli/progress"},
    "psycopg": {
        "sync/hub_connection",
        "sync/hub_schema",
        "sync/hub_statements",
        "sync/hub_rows",
        "sync/hub_search",
        "sync/postgres_place",
    },
}
# The outermost places, where anything may have happened and nothing may get out.
CATCH_ALL = {"hook", "cli", "maintain", "llm", "tools", "mcp"}

# The names of all statements, which only the store may call.
STATEMENTS = {
    f"{path.stem}.{name}"
    for path in (ROOT / "sql" / "queries").glob("*.sql")
    for name in re.findall(r"^-- name: (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}

# The same for hubs: only what speaks with a hub may name them, and one module reads their files.
HUB_STATEMENTS = {
    f"{path.stem}.{name}"
    for path in (ROOT / "sql" / "postgres" / "queries").glob("*.sql")
    for name in re.findall(r"^-- name: (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
AT_HUBS = {f"sync/{name}" for name in ("hub_connection", "hub_rows", "hub_schema", "hub_search")}
AT_HUBS.add("sync/postgres_place")

SQL = re.compile(
    r"\bSELECT\s[\s\S]*?\bFROM\b|\bINSERT\s+(OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\w+\s+SET\b"
    r"|\bDELETE\s+FROM\b"
    r"|\b(CREATE|DROP|ALTER)\s+(VIRTUAL\s+)?(TABLE|INDEX|TRIGGER|VIEW)\b|\bWITH\s+RECURSIVE\b"
    r"|\bORDER\s+BY\b|\bWHERE\s+\w+\s*="
)


def part(path: Path) -> str:
    """The part of the system a file belongs to: the first name below `memctl`."""
    return path.relative_to(ROOT / "memctl").parts[0].removesuffix(".py")


def inside(path: Path) -> str:
    """The path of a module below `memctl`, as the tables write it: `store/database`."""
    return path.relative_to(ROOT / "memctl").with_suffix("").as_posix()


def module(path: Path) -> str:
    """The dotted name of a file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(node: ast.AST) -> Iterator[str]:
    """Every dotted name that the code imports; `from a import b` gives `a.b`, whether b is a
    module or not.
    """
    for child in ast.walk(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are written out in full"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)


def own_parts(path: Path) -> set[str]:
    """The parts of memctl that a file imports; `from memctl import __version__` is the package
    itself.
    """
    names = {name.split(".")[1] for name in imported(tree(path)) if name.startswith("memctl.")}
    return {
        name
        for name in names
        if name in RANK
        or (ROOT / "memctl" / name).exists()
        or (ROOT / "memctl" / f"{name}.py").exists()
    }


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


@pytest.mark.parametrize("path", files(*PURE_PACKAGES), ids=ids)
def test_pure_packages_know_only_what_the_table_names(path: Path) -> None:
    assert own_parts(path) <= {*PURE_PACKAGES[part(path)], part(path)}


@pytest.mark.parametrize("path", files(*SURFACES), ids=ids)
def test_surfaces_reach_no_further_than_the_engine(path: Path) -> None:
    assert own_parts(path) <= SURFACES[part(path)]


def test_a_class_name_stands_for_one_thing() -> None:
    names = [
        node.name
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_constants_stand_one_a_line(path: Path) -> None:
    rows = [
        node.lineno
        for node in tree(path).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Tuple)
    ]
    assert rows == []


@pytest.mark.parametrize("name", PURE_MODULES)
def test_pure_modules_reach_no_store_no_clock_and_no_outside_world(name: str) -> None:
    names = set(imported(tree(ROOT / "memctl" / f"{name}.py")))
    assert {
        one for one in names for far in IMPURE if one == far or one.startswith(f"{far}.")
    } == set()


def test_modules_do_not_import_in_a_circle() -> None:
    names = {module(path) for path in SOURCES}
    edges = {
        module(path): {target for name in imported(tree(path)) if (target := owner(name, names))}
        for path in SOURCES
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"a circle: {' -> '.join((*trail, name))}"
        if name not in done:
            for target in sorted(edges[name] - {name, "memctl"}):
                visit(target, (*trail, name))
            done.add(name)

    for name in sorted(names):
        visit(name, ())


def owner(name: str, names: set[str]) -> str | None:
    """The module that an imported name comes from: itself a module, or a thing in one."""
    return next((known for known in (name, name.rpartition(".")[0]) if known in names), None)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_what_needs_care_is_imported_only_by_its_home(path: Path) -> None:
    strays = set()
    for name in imported(tree(path)):
        top = name.split(".")[0]
        if top in HOMES and part(path) not in HOMES[top]:
            strays.add(name)
        if top in ONLY and inside(path) not in ONLY[top]:
            strays.add(name)
    assert strays == set()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_only_the_clock_asks_what_time_it_is(path: Path) -> None:
    clock = r"(time\.(time|time_ns|gmtime|localtime|ctime)|(.*\.)?(utcnow|today)|(.*date.*)\.now)"
    calls = {ast.unparse(node.func) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)}
    asking = {name for name in calls if re.fullmatch(clock, name)}
    assert inside(path) == "core/clock" or asking == set()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_only_the_settings_read_the_environment(path: Path) -> None:
    readers = {"environ", "environb", "getenv", "expandvars"}
    named = {name.rpartition(".")[2] for name in imported(tree(path)) if name.startswith("os.")}
    used = {
        node.attr
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }
    assert inside(path) == "settings/config" or not readers & (named | used)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_statements_are_named_in_the_store_alone(path: Path) -> None:
    calls = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    named = {
        f"{node.lineno}: {node.args[0].value}"
        for node in calls
        if isinstance(node.func, ast.Attribute)
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value in STATEMENTS
    }
    assert part(path) == "store" or named == set()


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_statements_of_hubs_are_named_where_a_hub_is_spoken_with(path: Path) -> None:
    named = {text for text in strings(tree(path)) if text in HUB_STATEMENTS}
    assert inside(path) in AT_HUBS or named == set()


def test_no_statement_of_a_hub_is_called_like_one_of_the_store() -> None:
    assert HUB_STATEMENTS and set() == HUB_STATEMENTS & STATEMENTS


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_no_sql_stands_in_python(path: Path) -> None:
    assert [text for text in strings(tree(path)) if SQL.search(text)] == []


def strings(node: ast.Module) -> Iterator[str]:
    """Every string of the code that is not a docstring."""
    docs = {
        id(scope.body[0].value)
        for scope in ast.walk(node)
        if isinstance(scope, ast.Module | ast.ClassDef | ast.FunctionDef)
        and scope.body
        and isinstance(scope.body[0], ast.Expr)
    }
    yield from (
        child.value
        for child in ast.walk(node)
        if isinstance(child, ast.Constant)
        and isinstance(child.value, str)
        and id(child) not in docs
    )


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM memories",
        "INSERT OR IGNORE INTO x VALUES (1)",
        "UPDATE memories SET x = 1",
        "DROP TABLE x",
    ],
)
def test_the_sql_detector_sees_sql(text: str) -> None:
    assert SQL.search(text)


@pytest.mark.parametrize(
    "text", ["select one from the list", "Where is it?", "Select a record FROM here"]
)
def test_the_sql_detector_leaves_english_alone(text: str) -> None:
    assert not SQL.search(text)


@pytest.mark.parametrize("path", SOURCES, ids=ids)
def test_errors_are_swallowed_whole_only_at_the_outermost_place(path: Path) -> None:
    broad = {None, "Exception", "BaseException"}
    found = [
        handler.lineno
        for handler in ast.walk(tree(path))
        if isinstance(handler, ast.ExceptHandler)
        and (handler.type.id if isinstance(handler.type, ast.Name) else handler.type and "")
        in broad
        and not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler))
    ]
    assert part(path) in CATCH_ALL or found == []


def test_no_python_stands_among_the_sql() -> None:
    assert list((ROOT / "sql").rglob("*.py")) == []


def test_the_tests_can_see_the_sources() -> None:
    assert len(SOURCES) > 10
