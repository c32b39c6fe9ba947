"""Read and check the settings of the language model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memctl.core.errors import ConfigError
from memctl.core.frozen import dataclass
from memctl.llm import agent_contracts, agent_reader
from memctl.llm.agent_contracts import HeadlessAgent
from memctl.llm.prompts import PURPOSES
from memctl.redact.redactor import Redactor, make_redactor
from memctl.settings.config import Config
from memctl.settings.definitions import BY_KEY

# What is right for an agent where the settings say nothing: it starts slowly, brings words of its
# own with each question, and reads more at once. Chosen by hand.
_AGENT_DEFAULTS: Mapping[str, int] = {"timeout": 180, "chunk": 6000}


@dataclass(frozen=True, slots=True)
class ReadingAgent:
    """An agent in a model's place: what is known of it, its model, where its program was put."""

    contract: HeadlessAgent
    model: str | None
    given: str
    home: Path

    def find_program(self) -> Path | None:
        """Find its program; None if there is none."""
        return agent_reader.find_program(self.contract, self.given, self.home)

    def describe_missing(self) -> str:
        """Say that there is no program, and what helps."""
        if self.given:
            return f"{self.contract.title}: {self.given} (maintain.model_program) cannot be run"
        return (
            f"{self.contract.title}: there is no program `{self.contract.program}` on the PATH of "
            "this command; maintain.model_program names its place"
        )


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
    agent: ReadingAgent | None = None

    @property
    def overhead_tokens(self) -> int:
        """What is read with every question besides the question, in tokens."""
        return self.agent.contract.overhead_tokens if self.agent else 0

    def compute_cost(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost, in the currency of the prices."""
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1_000_000


def read_settings(config: Config) -> ModelSettings:
    """Read the settings in force.

    Raises ConfigError for an unknown purpose or agent, or a number below its minimum.
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
    agent = _read_agent(config)
    if agent is not None:
        unset = [name for name in _AGENT_DEFAULTS if _is_unset(config, f"maintain.model_{name}")]
        given.update({name: _AGENT_DEFAULTS[name] for name in unset})
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
        agent,
    )


def _is_unset(config: Config, key: str) -> bool:
    return config.origins.get(key) == "default" and config[key] == BY_KEY[key].default


def _read_agent(config: Config) -> ReadingAgent | None:
    try:
        found = agent_contracts.parse_agent(config["maintain.model"].strip())
    except ValueError as error:
        raise ConfigError(f"maintain.model: {error}") from error
    if found is None:
        return None
    return ReadingAgent(*found, config["maintain.model_program"].strip(), config.home)


def _check_minimums(given: Mapping[str, float], least: Mapping[str, float]) -> None:
    for name, lowest in least.items():
        # `not >=`, because a number that is none is below and above nothing.
        if not given[name] >= lowest:
            raise ConfigError(f"maintain.model_{name} must be {lowest} or more, not {given[name]}")
