"""Classify a statement of the operator's: its type, its kind and its scope.

A profile record comes only from the operator's own words about how they or the agent work.
"""

from __future__ import annotations

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later
from memctl.core.model import Scope, Type
from memctl.extract import build
from memctl.extract.reach import choose_scope, strip_reach
from memctl.extract.sentences import Sentence, fold_for_cues

NAMED = compile_later(
    r"`[^`]+`|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\b\w+_\w+|\b\w+\.\w{1,4}\b|\w+\(\)|[@/]\w+"
)
# Where the operator is, whatever the cue that it was told with.
_OF_SELF = compile_later(
    r"(?:(?:from now on|going forward|as of \w+|by the way|btw|and|so),? )*(?:i(?:'m| am) "
    r"(?:based|located|living)"
    r"|i live|my (?:home|office|city|name|time ?zone) is)\b"
)
_CODE = compile_later(
    r"`|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w+|\b[a-z0-9]+_[a-z0-9]\w*|\w\(\)|[\w-]/[\w-]+\."
    r"|\b[\w-]+\.(?:py|go|ts|js|tsx|jsx|rs"
    r"|rb|java|c|md|json"
    r"|toml|ya?ml|sql|sh)\b"
)
_OF_PROJECT = compile_later(
    r"\b(?:we|our|here|this (?:repo|repository|project|app|codebase|branch|module|service"
    r"|monorepo|feature)|the (?:\w+ )?(?:app"
    r"|project|repo"
    r"|repository|api|database|db|service|schema|module|provider|cli|server|client|user|plan"
    r"|benchmark|production|staging))\b"
)
# Whom the sentence speaks of: the speaker's liking, or the agent by an imperative or by name.
_LIKES = compile_later(
    r"\bi(?:'d| would| do)? (?:really |strongly |also |much |generally |usually )?(?:prefer"
    r"|rather|hate|dislike|don't like|do not like"
    r"|like (?:it when|to (?:have|keep|see)|my|your))\b|\bi (?:really |also |always |only |just "
    r")?(?:want|need) (?:you to|all|every|each"
    r"|to (?:be (?:asked|told)|see|review|approve|know)|(?:\w+,? ){0,8}(?:answers?|replies"
    r"|commits?|messages?|spelling|explanations?"
    r"|summaries|bullets?))\b|\bi (?:don't|do not|never|always) (?:want|need)\b"
)
_ADDRESSED = compile_later(
    r"^(?:(?:(?:new|house) rule|rule|change of plan|(?:i've |i )?changed my mind|on second "
    r"thoughts?"
    r"|btw|by the way|and|but|so|also|please|from now on|going forward|in (?:the )?future|next "
    r"time|at all times|as a rule|always|never"
    r"|again|yes|no|ok"
    r"|instead|just|only|do not|don't|let's|lets|not|to|in general|by default|remember to|make "
    r"sure (?:to|you|that you)|be sure to"
    r"|we (?:don't|do not) (?:need|have) to|there is no need to|for all (?:future|new) \w+"
    r"|every time|each time|(?:should|must"
    r"|can|may)(?:n't)?|you)[,:]? )*"
    r"(?:ask|tell|explain|answer|reply|respond|summari[sz]e|stop|wait|confirm|check|commit(?! "
    r"\w+ (?:must|should|may|are|is)\b)"
    r"|push|merge|rebase|squash|amend"
    r"|force-push|open|run"
    r"|write|show|keep|use|be|give|list|think|plan|review|leave|put|avoid|skip|start|work|speak"
    r"|talk|test|lint|format|read|look"
    r"|finish|hand|make(?! sure)"
    r"|report|propose|suggest|add|pull|branch|emojis?|prefer|you)\b"
)
# The agent's conduct: how it talks, when it asks, what it does with commits and checks.
_CONDUCT = compile_later(
    r"\b(?:commit(?:s|ting|ted)?|micro-committing|push(?:ing)?|prs?|pull requests?|rebas\w+"
    r"|squash\w*|amend\w*|force-push\w*"
    r"|merg(?:e|ing) to"
    r"|ask(?:ing)?|questions?|explain\w*|explanations?|answers?|reply|replies|respon[ds]\w*"
    r"|verbose|concise|brief(?:ly)?|terse|tone|emojis?"
    r"|summar(?:y|ies|i[sz]e\w*)|(?:the|a|your) plan|step by step|approv\w+|permission"
    r"|confirm\w*|english|spelling"
    r"|before you|hand (?:\w+ )?(?:back|over|in)"
    r"|say (?:you're |you are )?done|tests? (?:first|before|after|along|at the end)|(?:tests?"
    r"|them) to the (?:very )?end|linter"
    r"|run (?:the |all )?(?:\w+ )?(?:tests|checks|linter)|tdd|test[- ]first|in (?:english|german"
    r"|french|spanish|italian)|delet(?:e|ing) \w+"
    r"|stop (?:if|when|only)|branch (?:off|first)|guess(?:ing)?|assum\w+|me)\b"
)
_ABOUT_CODE_STYLE = compile_later(
    r"\b(?:functions?|comments?|names?|naming|variables?|classes|files|tabs|spaces|types?"
    r"|indent\w*|style)\b"
)
_BINDS = compile_later(
    r"\b(?:must|never|only|keep|stay|remain|cannot|can't|don't|do not|without|no (?:new|other"
    r"|more|external|extra)"
    r"|shouldn't|should not|not|leave|untouched|required?"
    r"|have to|has to|avoid|ensure|make sure|won't|no longer)\b"
)
_STATES = compile_later(
    r"\b(?:is|are|was|has|have|uses?|lives?|runs?|supports?|contains|means|works)\b"
)
_DIRECTS = compile_later(
    r"\b(?:should(?:n't)?|must(?:n't)?|we(?:'ll| will)|let's|lets|use|need to|have to|ought"
    r"|going to|always|never|put|make|move"
    r"|keep|call|name"
    r"|can (?:we|you|keep|stay|drop)|decided|agreed|chose|chosen|settled|instead of|prefer"
    r"|go(?:ing)? with|switch\w*|migrat\w*"
    r"|drop|don't|do not"
    r"|required|has to|cannot|won't|no longer|outside|inside)\b"
)
_CHOOSES = compile_later(
    r"\b(?:let's|lets|we(?:'ll| will)?) (?:just )?(?:go with|use|switch(?:ed)?|mov(?:e|ed) to"
    r"|pick|take|chose|choose|decided"
    r"|agreed|migrated"
    r"|settled on|opted)\b"
)
_COMMANDS = compile_later(
    r"^(?:please |and |but |also |yes,? |no,? )*(?:no|if|when|keep|use|put|make|avoid|leave"
    r"|ensure|only|run|write)\b"
)
_HABIT = compile_later(
    r"\b(?:we|they|i) (?:use|prefer|only|follow|stick|rely|require|usually|normally|support)\b"
    r"|\buses?\b"
)


@dataclass(frozen=True, slots=True)
class Classification:
    """Type, kind and scope of a statement."""

    type: Type
    kind: str
    scope: Scope = "project"


def classify_statement(
    sentence: Sentence, kind: str, *, own: bool, weighed: bool
) -> Classification:
    """Classify a statement.

    `kind` is what its cues suggest, `own` says whether the operator worded it, and `weighed`
    whether it has a reason or an alternative.
    """
    if own and (kind == "self" or _OF_SELF.match(sentence.low)):
        return Classification("profile", "fact", "global")
    if own and is_conduct(sentence, kind):
        return Classification("profile", "preference", choose_scope(sentence.low, is_conduct=True))
    scope = choose_scope(sentence.low) if own else "project"
    if (
        weighed
        and own
        and (
            _CHOOSES.search(sentence.low) or (kind == "decision" and _DIRECTS.search(sentence.low))
        )
    ):
        return Classification("decision", "decision", scope)
    if kind in ("preference", "decision", "self", "") or (
        kind == "convention" and is_fact(sentence.low)
    ):
        kind = guess_kind(sentence.low)
    return Classification("project", kind, scope)


def is_conduct(sentence: Sentence, kind: str) -> bool:
    """Whether the sentence is about how the operator or the agent works, with no word of code in
    it.
    """
    text = build.clean_statement(sentence.text)
    low = strip_reach(sentence.low if len(text) == len(sentence.text) else fold_for_cues(text))
    if _CODE.search(text) or kind in ("fact", "todo"):
        return False
    if _LIKES.search(low):
        return not _OF_PROJECT.search(low) or bool(_CONDUCT.search(low))
    if not _ADDRESSED.match(low):
        return False
    return bool(_CONDUCT.search(low)) or (kind == "preference" and not _OF_PROJECT.search(low))


def guess_kind(low: str) -> str:
    """The kind of a statement without cues: a constraint, a fact, or a convention."""
    if is_fact(low):
        return "fact"
    return "constraint" if _BINDS.search(low) else "convention"


def is_fact(low: str) -> bool:
    """Whether a sentence says how things are, as opposed to how they should be."""
    return bool(_STATES.search(low)) and not (
        _DIRECTS.search(low) or _COMMANDS.match(low) or _HABIT.search(low)
    )
