"""A model that does as told, installed for one test as a person would install a plugin of `llm`,
and what it was asked.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from bench import Bench

from memctl.core.bounded_work import BoundedWork
from memctl.core.frozen import replace
from memctl.llm import maintenance
from memctl.settings.config import Config

PLUGIN = Path(__file__).with_name("llm_odd.py")
METADATA = "Metadata-Version: 2.1\nName: llm-odd\nVersion: 1.0\n"
ENTRY_POINTS = "[llm]\nodd = llm_odd\n"


class Odd:
    """The plugin in its folder, and a bench whose settings name its model."""

    def __init__(self, bench: Bench, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bench, self.folder = bench, folder
        self._monkeypatch = monkeypatch
        info = folder / "llm_odd-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(METADATA)
        (info / "entry_points.txt").write_text(ENTRY_POINTS)
        shutil.copy(PLUGIN, folder / "llm_odd.py")
        # As site-packages would be.
        monkeypatch.setenv("PYTHONPATH", str(folder))
        self.answers({})
        # The bench itself maintains without a model; `run` names it.
        self.model = "odd"
        bench.settings(maintain__model_purposes=["extract"], maintain__model_timeout=30)

    def behaves(self, how: str) -> None:
        """From here on the model does this."""
        self._monkeypatch.setenv("ODD_MODEL", how)

    def answers(self, value: Any) -> None:
        """What a good model says."""
        (self.folder / "answer.json").write_text(
            value if isinstance(value, str) else json.dumps(value)
        )

    def picks(self, *items: dict[str, Any]) -> None:
        """What a good model picks out; type and kind are a project's fact unless said otherwise."""
        self.answers(
            {
                "candidates": [
                    {"type": "project", "kind": "fact", "content": item.get("quote", ""), **item}
                    for item in items
                ]
            }
        )

    @property
    def asked(self) -> list[dict[str, Any]]:
        """Every question, as the model saw it."""
        path = self.folder / "asked.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def run(self, budget: float | None = None) -> dict[str, Any]:
        """One run of what the model is for."""
        return ask_model(self.bench, self.config, budget)

    @property
    def config(self) -> Config:
        """The settings of the bench, with the model."""
        return replace(
            self.bench.config, values={**self.bench.config.values, "maintain.model": self.model}
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Every question in the store, without marks."""
        every = self.bench.db._conn.execute(
            "SELECT * FROM model_calls WHERE tokens_in IS NOT NULL ORDER BY id"
        )
        return [dict(row) for row in every]

    def later(self, hours: float) -> None:
        """Let time pass: everything that was asked was asked so long ago."""
        self.bench.db._conn.execute(
            "UPDATE model_calls SET at = strftime('%Y-%m-%dT%H:%M:%fZ', at, ?)",
            (f"-{hours} hours",),
        )


def ask_model(bench: Bench, config: Config, budget: float | None = None) -> dict[str, Any]:
    """Ask the configured model all there is to ask; what was counted, `cost` and `flag` if any."""
    work = BoundedWork()
    run = maintenance.ask_model(bench.db, config, work, budget=budget)
    always = ("calls", "tokens")
    report: dict[str, Any] = {
        name: many for name, many in sorted(work.counts.items()) if many or name in always
    }
    if run.cost:
        report["cost"] = run.cost
    if run.flag:
        report["flag"] = run.flag
    return report
