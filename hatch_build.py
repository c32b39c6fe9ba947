"""Build memctl's embedding kernel where there is a C compiler.

Without a compiler the wheel is pure Python and numpy does the work. The kernel is plain C behind
ctypes: it depends on the platform but on no Python version, and chooses its instruction set when it
is called. In an editable install the library is built beside its source. MEMCTL_NO_KERNEL=1 leaves
it out.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SOURCE, HEADER, LIBRARY = (
    Path("memctl", "embed", name) for name in ("kernel.c", "kernel_body.h", "_kernel.so")
)
# What `memctl help changelog` shows.
CHANGES = "memctl/_docs/changelog.md"
FLAGS = ["-O3", "-fPIC", "-shared", "-fno-math-errno", "-fno-trapping-math"]


class ReadmeHook(MetadataHookInterface):
    """Makes the README readable where its links lead nowhere: on the page of a package."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Give the package a description whose links are commands of the installed program."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": replace_links(text)}


def replace_links(text: str) -> str:
    """The text with `memctl help TOPIC` in place of links to docs/, and no link to other files."""
    text = re.sub(r"\[([^]]+)\]\(docs/([\w-]+)\.md[^)]*\)", r"\1 (`memctl help \2`)", text)
    return re.sub(r"\[([^]]+)\]\((?!https?:|#)([^)]+)\)", r"\1 (`\2` in the source)", text)


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the library, and with it the platform, to a wheel; and what changed, as a page."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the library unless it is newer than its source; a failure is only a warning."""
        if self.target_name != "wheel":
            return
        if version == "standard":
            # A checkout has them beside docs/: an editable install needs no copy.
            build_data["force_include"][str(Path(self.root, "CHANGELOG.md"))] = CHANGES
        if os.environ.get("MEMCTL_NO_KERNEL"):
            return
        if not build_kernel(Path(self.root)):
            self.app.display_warning(
                "memctl: no C compiler built the embedding kernel; numpy replaces it if installed"
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = (
            f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        )
        if version == "standard":
            build_data["artifacts"].append(str(LIBRARY))


def build_kernel(root: Path) -> bool:
    """Whether the library is there now and fresh."""
    library = root / LIBRARY
    if library.exists() and library.stat().st_mtime >= max(
        (root / part).stat().st_mtime for part in (SOURCE, HEADER)
    ):
        return True
    fresh = library.with_name(f"_kernel.{os.getpid()}.tmp")
    try:
        done = any(compile_kernel(compiler, root / SOURCE, fresh) for compiler in list_compilers())
        if done:
            fresh.replace(library)
        return done
    finally:
        fresh.unlink(missing_ok=True)


def list_compilers() -> list[list[str]]:
    """$CC where given, else those that go by the usual names."""
    if os.environ.get("CC"):
        return [shlex.split(os.environ["CC"])]
    return [[name] for name in ("cc", "gcc", "clang") if shutil.which(name)]


def compile_kernel(compiler: list[str], source: Path, target: Path) -> bool:
    """Whether this compiler made the library."""
    machine = shlex.split(os.environ.get("ARCHFLAGS", "")) if sys.platform == "darwin" else []
    try:
        subprocess.run(
            [*compiler, *FLAGS, *machine, "-o", str(target), str(source)],
            check=True,
            capture_output=True,
            timeout=300,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return True
