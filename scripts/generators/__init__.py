"""Generated documents and completions, each a pure function of the real command tree, dataclasses and settings."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from generators import completions, contract, reference

ROOT = Path(__file__).resolve().parent.parent.parent


@cache
def everything() -> dict[Path, str]:
    """Each generated file with its text."""
    made = {
        "docs/commands.md": reference.commands(),
        "docs/exit-codes.md": reference.exit_codes(),
        "docs/configuration.md": reference.configuration(),
        "docs/json.md": contract.json_contract(),
        "completions/memctl.bash": completions.bash(),
        "completions/_memctl": completions.zsh(),
        "completions/memctl.fish": completions.fish(),
    }
    return {ROOT / name: text for name, text in made.items()}
