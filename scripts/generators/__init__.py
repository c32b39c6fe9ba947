"""Generated documents and man pages, from the real command tree, data classes and settings;
completions come from scripts/completions.py.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import completions
from generators import contract, manual, promises, reference

ROOT = Path(__file__).resolve().parent.parent.parent


@cache
def everything() -> dict[Path, str]:
    """Each generated file with its text."""
    made = {
        "docs/commands.md": reference.commands(),
        "docs/exit-codes.md": reference.exit_codes(),
        "docs/configuration.md": reference.configuration(),
        "docs/json.md": contract.json_contract(),
        "docs/promises.md": promises.page(),
        **{f"man/{name}": text for name, text in manual.manual().items()},
        **{f"completions/{name}": text for name, text in completions.generate().items()},
    }
    return {ROOT / name: text for name, text in made.items()}
