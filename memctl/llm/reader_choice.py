"""Which agents of this machine could read for `maintain`, and what is set for one that shall."""

from __future__ import annotations

from pathlib import Path

from memctl.core.errors import UsageError
from memctl.llm import agent_contracts, agent_reader
from memctl.llm.agent_contracts import AGENTS, PREFIX, HeadlessAgent
from memctl.results.setup import SetupReader
from memctl.settings.config import Config
from memctl.setup.plan import ChosenReader


def list_readers(config: Config) -> tuple[SetupReader, ...]:
    """List the agents whose programs are here, if none reads and no model is named yet."""
    if config["maintain.model"]:
        return ()
    return tuple(
        SetupReader(PREFIX + agent.name, agent.title, _describe_limit(config, agent))
        for agent in AGENTS.values()
        if agent_reader.find_program(agent, "", config.home)
    )


def choose_reader(config: Config, model: str) -> ChosenReader:
    """Find an agent's program and what is set for it. Raises UsageError for a name of none."""
    try:
        parsed = agent_contracts.parse_agent(model)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if parsed is None:
        known = ", ".join(PREFIX + name for name in AGENTS)
        raise UsageError(f"{model!r} names no agent that can read; known are {known}, or none")
    agent = parsed[0]
    program = agent_reader.find_program(agent, config["maintain.model_program"], config.home)
    budget = _name_budget(agent)
    return ChosenReader(
        model,
        Path(program).absolute() if program else None,
        agent.title,
        ((budget, config[f"maintain.{budget}"]),),
        _describe_limit(config, agent),
    )


def _name_budget(agent: HeadlessAgent) -> str:
    """The daily limit that counts for an agent: dollars where it reports them, else tokens."""
    return "model_cost_a_day" if agent.counts_cost else "model_tokens_a_day"


def _describe_limit(config: Config, agent: HeadlessAgent) -> str:
    calls, amount = config["maintain.model_calls_a_day"], config[f"maintain.{_name_budget(agent)}"]
    most = (
        f"{amount:g} US dollar{'' if amount == 1 else 's'}"
        if agent.counts_cost
        else f"{amount:,} tokens"
    )
    said = [f"{calls} questions"] if calls else []
    return " and ".join([*said, *([most] if amount else [])]) or "without a limit"
