"""A query made ready: its weighted terms, what its caller may see, its vector, and the relevance
that records must reach.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate

from memctl.core.frozen import dataclass
from memctl.core.model import Memory, Query
from memctl.records.as_of import parse_moment
from memctl.records.record_source import RecordSource
from memctl.retrieve import certainty, query_embedding, query_terms
from memctl.retrieve.certainty import PromptWords
from memctl.retrieve.query_embedding import QueryVector
from memctl.retrieve.query_terms import QueryTerms
from memctl.retrieve.score import ScoringContext
from memctl.settings.config import Config
from memctl.store import lexical, projects
from memctl.text import questions, related_words, tokens

# Postings. In all other projects, words in more records than this together are not looked for;
# chosen by latency.
_MOST_POSTINGS_ELSEWHERE = 5000


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query with all that answering it depends on.

    `index_terms` are asked for in the caller's scope, `terms_elsewhere` in other projects.
    `threshold` and `other_project_threshold` are the relevance that records must reach, `linking`
    what a hit must reach to raise what it is linked with, `margin` the share of the best one's
    relevance that the others must, `answering` the semantic part from which a record answers a
    prompted question by its meaning alone. `least_semantic` is the semantic part from which a
    record that no word found is looked at, at a prompt any. Without vectors `vector` is None and
    `flags` say why. `prompt` is what the words of a prompt say, for a search None; it `is_plain`
    if all of them are words that nearly every prompt has. `setting` is the one with the threshold.
    """

    query: Query
    terms: QueryTerms
    index_terms: tuple[str, ...]
    terms_elsewhere: tuple[str, ...]
    scope: lexical.Scope
    context: ScoringContext
    threshold: float
    other_project_threshold: float
    linking: float
    margin: float
    answering: float
    least_semantic: float
    vector: QueryVector | None = None
    flags: tuple[str, ...] = ()
    prompt: PromptWords | None = None
    is_plain: bool = False
    setting: str = "search.relevance_threshold"

    @property
    def is_prompt(self) -> bool:
        """Whether an agent was prompted, or given a task, rather than the store searched."""
        return self.prompt is not None

    def allows(self, memory: Memory) -> bool:
        """Whether a record may be returned at all: by its status, its validity, and the scope and
        filters of the query.
        """
        return (
            memory.status in list_wanted_statuses(self.query)
            and memory.is_valid_at(self.context.now)
            and self.scope.admits(memory)
        )


def prepare_query(
    source: RecordSource,
    config: Config,
    query: Query,
    now: str,
    *,
    prompt_setting: str | None = None,
    last_uses: Mapping[str, str] | None = None,
) -> PreparedQuery:
    """Terms, scope and thresholds of a query. Raises UsageError for a `since` that is no time.

    `prompt_setting` names the setting with the certainty that is asked for, where the text is a
    prompt or task rather than a search; `last_uses` says when some records had last been used by
    `now`.
    """
    db, caller = source.db, query.place
    linked = projects.linked(db, caller.project_id) if caller.project_id else []
    text, is_prompt = query.text, prompt_setting is not None
    terms = tokens.extract_query_terms(text)
    is_plain = is_prompt and all(map(tokens.is_common, terms))
    if is_plain and not _is_searched(text):
        terms, text = [], ""
    size, frequencies = lexical.count_terms(db, terms) if terms else (0, {})
    compounds = tokens.find_compounds(terms)
    prior = float(config["search.word_prior"])
    weighed = query_terms.weigh_terms(terms, frequencies, size, compounds=compounds, prior=prior)
    setting = prompt_setting or "search.relevance_threshold"
    threshold = float(config[setting])
    other_project_threshold = threshold
    if not query.all_projects:
        other_project_threshold = max(threshold, float(config["search.other_project_threshold"]))
    index_terms = query_terms.choose_index_terms(weighed, frequencies, size, compounds)
    required = query_terms.find_required_terms(weighed, index_terms, other_project_threshold)
    meant = _say_in_english(text, terms) if is_prompt else text
    vector, flags = query_embedding.embed_query(db, config, meant, in_haste=is_prompt)
    prompt = certainty.weigh_prompt(text, terms, frequencies, size, prior) if is_prompt else None
    linking = float(config["search.link_threshold"])
    is_question = prompt is not None and prompt.is_question
    answering = float(config["context.similarity_threshold"]) if is_question else math.inf
    return PreparedQuery(
        query,
        weighed,
        index_terms,
        # An agent is told nothing of other projects unasked, so nothing is looked for there.
        () if is_prompt else _drop_frequent(required, frequencies),
        source.to_index_scope(_build_scope(query, linked, now)),
        ScoringContext(
            caller,
            frozenset(linked),
            source.get_reference_time(now),
            _read_decay_rates(config),
            last_uses or {},
            prompt,
        ),
        threshold,
        other_project_threshold,
        linking,
        float(config["context.prompt_margin"]) if is_prompt else 0.0,
        answering,
        0.0 if is_prompt else float(config["search.similarity_threshold"]),
        vector,
        flags,
        prompt,
        is_plain,
        setting,
    )


def _is_searched(prompt: str) -> bool:
    """Whether records are looked for though nearly every prompt has these words: `yes, go ahead`
    asks for nothing, and `how do I run the tests` for a command that is found without.
    """
    if not questions.is_question(prompt):
        return False
    from memctl.text.plain_requests import parse_plain_request  # hardly a prompt needs it

    return parse_plain_request(prompt) is None


def list_wanted_statuses(query: Query) -> tuple[str, ...]:
    """The statuses that a query may return."""
    return ("active", "contradicted", *query.include)


def _say_in_english(prompt: str, terms: list[str]) -> str:
    """A prompt in the language of the built-in model, if it is in one of those whose everyday words
    are known; else as it is.
    """
    if not tokens.is_foreign(prompt):
        return prompt
    return related_words.say_in_english(prompt, terms) or prompt


def _read_decay_rates(config: Config) -> dict[str, float]:
    """How fast the types decay that ranking is to let decay, per day."""
    in_ranking = config["decay.in_ranking"]
    return {type_: rate for type_, rate in config["decay.rates"].items() if type_ in in_ranking}


def _drop_frequent(
    rarest_first: tuple[str, ...], frequencies: Mapping[str, int]
) -> tuple[str, ...]:
    sums = accumulate(frequencies[term] for term in rarest_first)
    return tuple(
        term
        for term, postings in zip(rarest_first, sums, strict=True)
        if postings <= _MOST_POSTINGS_ELSEWHERE
    )


def _build_scope(query: Query, linked: list[str], now: str) -> lexical.Scope:
    caller = query.place
    return lexical.Scope(
        statuses=list_wanted_statuses(query),
        types=query.types,
        kinds=query.kinds,
        scopes=query.scopes,
        projects=tuple(filter(None, (caller.project_id, *linked))),
        agent_id=caller.agent_id,
        session_id=caller.session_id,
        since=parse_moment(query.since),
        until=parse_moment(query.until),
        repo_id=query.repo_id,
        min_confidence=query.min_confidence,
        now=now,
    )
