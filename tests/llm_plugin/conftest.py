"""The real program `llm` with a model that does as told, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.conftest import harbor as harbor

# A model that calls the tool that it is told to, and then says what came of it.
STUB = """
import json
import llm


class Stub(llm.Model):
    model_id = "stub"
    supports_tools = True
    can_stream = False

    def execute(self, prompt, stream, response, conversation):
        if prompt.tool_results:
            yield "got: " + prompt.tool_results[0].output
        elif prompt.tools:
            name, _, given = (prompt.prompt or "").partition(" ")
            call = llm.ToolCall(name=name, arguments=json.loads(given), tool_call_id="t1")
            response.add_tool_call(call)
        else:
            yield "heard: " + (prompt.prompt or "")


@llm.hookimpl
def register_models(register):
    register(Stub())
"""


@pytest.fixture
def llm_folder(tmp_path: Path) -> Path:
    """Where `llm` keeps its log."""
    return tmp_path / "llm"


@pytest.fixture
def run_llm(
    tmp_path: Path, harbor: Path, llm_folder: Path
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`run_llm("-m", "stub", "hello")` runs `llm` in the harbor."""
    site = tmp_path / "site"
    about = site / "stub_model-1.dist-info"
    about.mkdir(parents=True)
    (site / "stub_model.py").write_text(STUB)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stub-model\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[llm]\nstub = stub_model\n")
    env = {**os.environ, "PYTHONPATH": str(site), "LLM_USER_PATH": str(llm_folder)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "llm", *words],
            cwd=harbor,
            env=env,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )

    return run
