"""Read and check the settings of the language model."""

from __future__ import annotations

from collections.abc import Mapping

from memctl.core.errors import ConfigError
from memctl.core.frozen import dataclass
from memctl.llm.prompts import PURPOSES
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model is asked for what, and its limits a day (0: unlimited).

    `price_in` and `price_out` are per million tokens; `seconds` is the time limit of one question;
    `memory_mb` that of its process.
    """

    model: str
    purposes: tuple[str, ...]
    calls: int
    tokens: int
    cost: float
    price_in: float
    price_out: float
    seconds: int
    chunk_tokens: int
    memory_mb: int
    redactor: Redactor

    def compute_cost(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost, in the currency of the prices."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


def read_settings(config: Config) -> ModelSettings:
    """Read the settings in force.

    Raises ConfigError for an unknown purpose, or a number below its minimum.
    """
    named = config["maintain.model_purposes"]
    unknown = [str(name) for name in named if name not in PURPOSES]
    if unknown:
        raise ConfigError(
            f"maintain.model_purposes knows {', '.join(PURPOSES)}, not {', '.join(unknown)}"
        )
    least = {
        "calls_a_day": 0,
        "tokens_a_day": 0,
        "cost_a_day": 0,
        "price_in": 0,
        "price_out": 0,
        "timeout": 1,
        "chunk": 200,
        "memory_mb": 0,
    }
    given = {name: config[f"maintain.model_{name}"] for name in least}
    _check_minimums(given, least)
    return ModelSettings(
        config["maintain.model"].strip(),
        tuple(purpose for purpose in PURPOSES if purpose in named),
        given["calls_a_day"],
        given["tokens_a_day"],
        given["cost_a_day"],
        given["price_in"],
        given["price_out"],
        given["timeout"],
        given["chunk"],
        given["memory_mb"],
        make_redactor(config),
    )


def _check_minimums(given: Mapping[str, float], least: Mapping[str, float]) -> None:
    for name, lowest in least.items():
        # `not >=`, because a number that is none is below and above nothing.
        if not given[name] >= lowest:
            raise ConfigError(f"maintain.model_{name} must be {lowest} or more, not {given[name]}")
