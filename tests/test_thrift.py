"""What is spared at the start is there all the same when it is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def ran(script: str) -> str:
    """What a fresh process says that has imported pathlib as our commands do."""
    head = "from memctl import thrift; thrift.import_pathlib(); import sys; "
    return subprocess.run([sys.executable, "-c", head + script], capture_output=True, text=True, check=True).stdout.strip()


def test_paths_cost_no_parser_of_urls() -> None:
    assert ran("print('pathlib' in sys.modules, 'urllib.parse' in sys.modules, 'ipaddress' in sys.modules)") == "True False False"


def test_a_path_can_still_be_told_as_a_url(tmp_path: Path) -> None:
    path = tmp_path / "a b.txt"
    assert ran(f"import pathlib; print(pathlib.Path({str(path)!r}).as_uri())") == path.as_uri()


def test_whoever_needs_urls_gets_the_whole_module() -> None:
    assert ran("import urllib.parse; print(urllib.parse.urlsplit('https://x.example/y').netloc)") == "x.example"
