"""Checks of the settings, of the models, and of what uses the network."""

from __future__ import annotations

from collections.abc import Iterator

from memctl.core.version import EXTRACT_VERSION
from memctl.extract import worth_model
from memctl.llm import usage
from memctl.maintain.checks.finding import Finding, make_note, make_ok, make_problem, read_mode
from memctl.settings.config import Config
from memctl.store import sync_group
from memctl.store.database import Database

# Embedding models that run on this machine.
_LOCAL_EMBEDDINGS = ("minilm", "none")


def check_config(_db: Database, config: Config) -> Iterator[Finding]:
    """The config file uses present names, and nobody else can write it."""
    if config.faults:
        detail = f"{'; '.join(config.faults)}; the defaults stand for them here"
        cure = "mend them: other commands refuse to work, and hooks leave captures in the spool"
        yield make_problem("config", detail, cure)
        return
    if config.outdated:
        detail = f"{config.path} or the environment uses old names: {'; '.join(config.outdated)}"
        yield make_note("config", detail, "use the new names")
        return
    if config.path.exists() and read_mode(config.path) & 0o022:
        detail = f"others can write {config.path}, and so decide what becomes memory"
        yield make_problem("config", detail, f"chmod 600 {config.path}")
        return
    changed = sum(origin != "default" for origin in config.origins.values())
    location = str(config.path) if config.path.exists() else "no config file"
    yield make_ok("config", f"{location}; {changed} settings differ from their defaults")


def check_model(db: Database, config: Config) -> Iterator[Finding]:
    """The language model is set up right, and not failing."""
    yield from map(Finding, usage.check_model(db, config))


def check_extraction(_db: Database, _config: Config) -> Iterator[Finding]:
    """What decides which of a person's words become candidates: a learned model, or rules alone."""
    if worth_model.load_model() is None:
        detail = "the learned weights are missing or changed: rules alone choose the candidates"
        yield make_note("extraction", detail, "install memctl again")
        return
    by = "words and vectors" if worth_model.find_vectors() is not None else "words alone"
    yield make_ok("extraction", f"rules and a learned model by {by}, version {EXTRACT_VERSION}")


def check_network(db: Database, config: Config) -> Iterator[Finding]:
    """Tell what of what is configured uses the network."""
    models: list[str] = []
    agents: list[str] = []
    embedding, language_model = config["embedding.model"], config["maintain.model"]
    if embedding not in _LOCAL_EMBEDDINGS:
        models.append(f"the embedding model {embedding}")
    if language_model.startswith("agent:"):
        agents.append(f"{language_model} sends what it reads to the service of that agent")
    elif language_model:
        models.append(f"the language model {language_model}")
    uses = [f"`llm` may use the network for {' and '.join(models)}"] if models else []
    hubs = [each.name for each in sync_group.list_places(db) if each.kind == "postgres"]
    syncs = [f"`memctl sync` and maintenance reach {' and '.join(hubs)}"] if hubs else []
    if uses or agents or syncs:
        yield make_note("network", "; ".join([*uses, *agents, *syncs]))
    else:
        yield make_ok("network", "nothing that is configured uses the network")
