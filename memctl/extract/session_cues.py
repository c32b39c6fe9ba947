"""Words that make a statement of an agent's session worth keeping or not, with weights. Data.

All patterns match the form that `sentences.fold_for_cues` makes. The weights were chosen by hand on
labelled sessions; docs/benchmarks.md tells how well they do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memctl.core.frozen import dataclass
from memctl.core.lazy_pattern import compile_later


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern, the weight it adds, and the kind that it suggests (empty: none)."""

    pattern: re.Pattern[str]
    weight: float
    kind: str


def make_cue(weight: float, kind: str, *alternatives: str) -> Cue:
    """A cue that any one of the alternatives triggers."""
    return Cue(compile_any_of(*alternatives), weight, kind)


def compile_any_of(*alternatives: str) -> re.Pattern[str]:
    """A pattern that matches any one of the alternatives."""
    return compile_later("|".join(f"(?:{one})" for one in alternatives))


@lru_cache
def _compile_gate(cues: tuple[Cue, ...]) -> re.Pattern[str]:
    """One pattern for all cues: most sentences trigger none, and one search shows that."""
    return compile_any_of(*(one.pattern.pattern for one in cues))


def weigh_cues(low: str, cues: tuple[Cue, ...]) -> tuple[float, str]:
    """The summed weight of the cues present, and the kind that the heaviest suggests."""
    total, heaviest, kind = 0.0, 0.0, ""
    if not _compile_gate(cues).search(low):
        return total, kind
    for one in cues:
        if one.pattern.search(low):
            total += one.weight
            if one.kind and one.weight > heaviest:
                heaviest, kind = one.weight, one.kind
    return total, kind


_THINGS = (
    r"(?:commits?|prs?|pull requests?|changes?|tests?|files?|functions?|modules?|features?"
    r"|fix(?:es)?|tasks?|steps?|phases?|sessions?"
    r"|quer(?:y|ies)|requests?|releases?|components?|endpoints?|types?|migrations?|scripts?"
    r"|errors?|branch(?:es)?)"
)
_LEAD_IN = r"^(?:(?:please|and|also|but|so|then|just|ok|yes|no|again),? )*"

# What an operator says that outlives the task at hand.
LASTING: tuple[Cue, ...] = (
    make_cue(
        0.55,
        "preference",
        r"\b(?:from now on|going forward|in (?:the )?future\b(?! (?:we|it) (?:might|could|may))"
        r"|as a rule|at all times"
        r"|for all (?:future|new))\b",
        r"\bnext time\b",
    ),
    make_cue(
        0.45,
        "constraint",
        _LEAD_IN + r"(?:always|never)\b(?! ?mind)",
        r"(?:\b(?:should|must|please|you|we|to|and|but|i)|,) (?:always"
        r"|never) ",
    ),
    make_cue(
        0.3,
        "convention",
        r"\b(?:by default|whenever|every ?time|each time|in general|no matter (?:what|which"
        r"|how))\b",
    ),
    make_cue(0.3, "convention", rf"\b(?:each|every|any|all) (?:new |of our |our )?{_THINGS}\b"),
    make_cue(
        0.4,
        "fact",
        r"(?<!i )\b(?:remember|keep in mind|note that|don't forget|be aware|for the record|bear "
        r"in mind)\b",
    ),
    make_cue(
        0.45,
        "preference",
        r"\bi(?:'d| would| do)? (?:really |strongly |also |much |generally |usually )?(?:prefer"
        r"|rather|hate|dislike|don't like"
        r"|like (?:it when|to (?:have|keep|see)))\b",
        r"\bi (?:really |also )?want (?:you to|all|every|each|our|to (?:keep|avoid|make sure"
        r"|ensure))\b",
        r"\bi (?:don't|do not) (?:want|need)\b",
        r"\bi need (?:you to|all|every)\b",
        r"\bprefer \S+ (?:\S+ )?(?:over|to)\b",
    ),
    make_cue(
        0.35,
        "convention",
        r"\bwe (?:must(?: not|n't)?|use|do not|don't|never|always|prefer|can't|cannot|only"
        r"|support|follow|require|stick|rely|usually"
        r"|normally)\b",
        r"\bwe(?:'re| are) (?:using|not using|on|moving to|migrating|freezing|dropping"
        r"|deprecating|switching|standardi[sz]ing)\b",
    ),
    make_cue(
        0.35,
        "decision",
        r"\bwe (?:should(?: not|n't)?|can keep|agreed|decided|chose|have to)\b",
        r"\bwe(?:'ll| will| are going to|'re going to) (?:keep|use|only|not|need|stay|always"
        r"|never)\b",
    ),
    make_cue(
        0.25,
        "constraint",
        r"\b(?:you|we|they) (?:don't|do not) (?:need|have) to\b",
        r"\bno need (?:to|for)\b",
    ),
    make_cue(
        0.3, "preference", r"\byou (?:should(?: not|n't)?|must(?: not|n't)?|can't|cannot|may not) "
    ),
    make_cue(0.3, "decision", _LEAD_IN + r"use (?!this\b|that\b|it\b|these\b|them\b)"),
    make_cue(
        0.4,
        "preference",
        r"\b(?:ask|check with|confirm with|tell) (?:me |us )?(?:before|first|if|when|whenever)\b",
        r"\b(?:rebase|squash|format|lint|pull|branch off) .{0,30}\bfirst\b",
    ),
    make_cue(
        0.3,
        "preference",
        r"\bbefore (?:you |we )?(?:commit|push|merg|delet|releas|deploy|say|finish|hand)\w*",
    ),
    make_cue(
        0.25,
        "fact",
        r"\bonly (?:works?|runs?|exists?|supports?|accepts?|allowed|valid|applies|needed"
        r"|available) ",
        r"\b(?:deprecated|obsolete|legacy|superseded|end of life)\b",
        r"\b(?:is|are|isn't|aren't) (?:not )?(?:unique|nullable|immutable|read-only|thread-safe"
        r"|guaranteed|optional|case-sensitive"
        r"|shared|public|private|generated"
        r"|append-only)\b",
    ),
    make_cue(
        0.25,
        "convention",
        r"\bour (?:\w+ ){1,3}(?:is|are|uses?|runs?|has|have|lives?)\b",
        r"\b(?:this|the) (?:repo|repository|project|app|codebase|monorepo) (?:uses?|is|has|runs?"
        r"|requires?|needs|contains|targets)\b",
        r"\b(?:prod|production|staging|ci) (?:uses?|runs?|is|has|needs?)\b",
    ),
    make_cue(
        0.3,
        "constraint",
        r"\bleave (?:it|that|them|the \w+|this) (?:\w+ )?(?:alone|in place|as (?:it )?is|as "
        r"they are|untouched)\b",
    ),
    make_cue(
        0.25,
        "constraint",
        r"\b(?:must(?:n't| not)?|has to|have to|required|mandatory|not allowed|forbidden|needs? "
        r"to (?:be|stay|remain|keep|work|support))\b",
        r"\bshould(?: not|n't)? (?:be|stay|keep|remain|only|never|always|not|have|use|live|go"
        r"|match|cover|work|support|come|contain"
        r"|return|include|follow)\b",
    ),
    make_cue(
        0.35,
        "constraint",
        _LEAD_IN
        + r"(?:do not|don't|avoid|stop|no more|keep(?! (?:going|running|at it|it up|up|trying"
        r"|on)\b)"
        r"|ensure|make sure|be sure|stick (?:to|with)|leave|prefer|respect"
        r"|preserve|let's not)\b",
    ),
    make_cue(
        0.35,
        "constraint",
        r"^(?:please |and |but )*no \S+ (?:\S+ )?(?:in|on|for|at|during|with|inside|outside)\b",
    ),
    make_cue(0.2, "constraint", r"\b(?:make sure|ensure|be sure)\b"),
    make_cue(
        0.25, "constraint", r"\b(?:please|but|and|so|,) (?:do not|don't|never|avoid|only|keep|no) "
    ),
    make_cue(
        0.2,
        "constraint",
        r"\b(?:without|no) (?:\S+ ){0,2}(?:breaking|broken|changing|touching|adding|new|external"
        r"|extra|manual"
        r"|hard-?coded?)\b",
    ),
    make_cue(
        0.25,
        "decision",
        r"\b(?:instead of|rather than|as opposed to|in favou?r of)\b",
        r"\w, not (?:the |a |an |in |on |by )?\w",
    ),
    make_cue(
        0.35,
        "decision",
        r"\b(?:let's|lets) (?:use|go with|keep|stick|not|have|make (?:it|the|this)|call|drop"
        r"|stay|switch|start with|avoid|separate|only"
        r"|allow|treat|hide|require"
        r"|do (?:it|this|that) (?:in|with|by|as|at))\b",
        r"\b(?:decided|decision|agreed|settled on|opted for|chosen|go(?:ing)? with)\b",
        r"\bi (?:think|believe|feel|guess|reckon) (?:that )?(?:we|it|you) (?:should|need|must"
        r"|shouldn't|have to|could just)\b",
    ),
    make_cue(
        0.25,
        "decision",
        r"\b(?:we(?:'ll| will)|i(?:'ll| will)|we should|going to|i want to|i'd like to) (?:go "
        r"with|switch to|stick with|start with"
        r"|migrate|keep|drop|replace)\b",
    ),
    make_cue(
        0.45,
        "fact",
        r"\b(?:intentional(?:ly)?|by design|on purpose|deliberate(?:ly)?|out of scope"
        r"|non-?goals?)\b",
    ),
    make_cue(
        0.3,
        "decision",
        r"\b(?:separate(?:ly)?|dedicated|own) (?:features?|prs?|tickets?|commits?|tasks?|issues?"
        r"|changes?)\b",
    ),
    make_cue(
        0.55,
        "convention",
        r"\b(?:tdd|test[- ]first|test[- ]driven|red[/-]green|failing tests? first)\b",
        r"\bwrite (?:the |a )?(?:failing )?tests? (?:first|before)\b",
    ),
    make_cue(
        0.35,
        "constraint",
        r"^(?:if|when|where|unless|in case|whenever|for|once|before|after) [^,.]{3,90}, "
        r"(?:please |then |just |always |never |still )?"
        r"(?:do|don't|keep|use|add|mark|make|run|return|skip|treat|prefer|ask|stop|write|create"
        r"|show|leave|fall|raise|throw|log|fail"
        r"|retry|call|set|you should|it should"
        r"|we should)\b",
    ),
    make_cue(
        0.45,
        "constraint",
        r"\b(?:repeatable|reproducible|deterministic|backwards?[- ]compatible|idempotent"
        r"|cross-platform"
        r"|self-contained|offline)\b",
    ),
    make_cue(
        0.25, "preference", r"\bonly (?:stop|ask|when|if|once|after|for|use|do|the|change|touch)\b"
    ),
    make_cue(0.3, "preference", r"^(?:please |and |but |so )*only \w+"),
    make_cue(0.25, "decision", r"\b(?:can|could|should) (?:we|you|it) .{3,90}\binstead\b"),
    make_cue(
        0.25, "constraint", r"\bwe (?:\w+ )?want (?!to (?:add|fix|create|do|see|try|look|check)\b)"
    ),
    make_cue(0.2, "decision", r"\bwe (?:also )?need to\b"),
    make_cue(
        0.25,
        "fact",
        r"\b(?:is|are) (?:only |always |also )?(?:connected|linked|stored|located|tracked"
        r"|documented|managed|based|hosted"
        r"|deployed|called|named|defined|generated"
        r"|owned|shared|mounted) "
        r"(?:to|in|on|by|at|via|through|from|with|for|`)",
        r"\b(?:lives?|resides?) (?:in|at|on|under)\b",
        r"\bwe (?:already )?have an? (?:\w+ ){1,4}(?:in|for|at|under|that)\b",
    ),
    # How answers and what is written are to be, said of the thing.
    make_cue(
        0.35,
        "preference",
        r"\bi(?:'d)? (?:want|like|need|prefer) (?:\w+,? ){0,4}(?:answers?|replies|(?:commit "
        r")?messages?|spelling|explanations?"
        r"|summaries|bullets?|docs|comments)\b",
        r"\bi (?:want|like) to be (?:asked|told)\b",
        r"^(?:please )?(?:answer|reply|respond|explain|speak|talk) (?:\w+ )?(?:in|as|with"
        r"|briefly|tersely|only|at length)\b",
        r"^(?:please )?(?:put|start|begin|end|prefix) (?:your |all |each |every )?(?:answers"
        r"|replies|commits?"
        r"|commit (?:messages?|subjects?))\b",
    ),
    # Who the operator is outlasts every project.
    make_cue(
        0.35,
        "self",
        r"\bi(?:'m| am) (?:allergic|vegetarian|vegan|based|located|new to|responsible for"
        r"|colou?r-?blind|an? (?!bit|little|lot|few))",
        r"\bmy (?:team|company|name|time ?zone|machine|laptop|editor|setup|role|boss|manager"
        r"|home|office|desk) (?:is|uses|runs|has)\b",
        r"\bi (?:live|work|usually|mostly|mainly) (?:in|at|as|on|for|with|use|work|write)\b",
    ),
    # How an agent is to write, said as plainly as can be.
    make_cue(
        0.3,
        "preference",
        r"^(?:please )?(?:use|write|prefer|answer|reply|respond|speak|talk|keep) "
        r".{0,40}\b(?:commits|commit messages?|prs|english"
        r"|german|french"
        r"|spanish|italian|british|american|tabs|spaces|semicolons|type hints|docstrings|answers"
        r"|replies|imperative)\b",
    ),
    make_cue(
        0.35,
        "decision",
        r"\bwe(?:'ve| have)? (?:just )?(?:switched|migrated|moved over|standardi[sz]ed) (?:from"
        r"|to|on|over)\b",
    ),
    # The plainest words for always, never, must and remember in other languages.
    make_cue(
        0.35,
        "constraint",
        r"\b(?:immer|niemals|ab jetzt|künftig|merk dir|bitte nicht|auf keinen fall|toujours"
        r"|jamais|désormais|rappelle-toi|siempre|nunca"
        r"|recuerda)\b",
        r"\b(?:de ahora en adelante|sempre|mai più|ricorda|lembre-se|всегда|никогда|запомни"
        r"|отныне|нельзя)\b",
        r"确保|必须|不要|总是|永远|以后都|记住|请勿|务必|必ず|常に|しないで|覚えておいて|今後は|항상|절대|반드시",
    ),
    make_cue(0.08, "decision", r"\bconsider (?:either )?\w+ing\b"),
)

# Why it matters, or what would go wrong: reasons outlive the task.
REASONS: tuple[Cue, ...] = (
    make_cue(
        0.15,
        "",
        r"\b(?:because|since|so that|so we|so the|in order to|to (?:avoid|prevent|reduce|make "
        r"sure|ensure|keep)|otherwise)\b",
        r"\bfor (?:clarity|consistency|security|performance|simplicity|readability|safety)\b",
    ),
    make_cue(
        0.2,
        "",
        r"\b(?:risk|expos(?:e|es|ed|ing)|secrets?|credentials?|api ?keys?|vulnerab\w+|security"
        r"|privacy|data loss|corrupt\w*)\b",
    ),
    make_cue(
        0.2,
        "",
        r"\b(?:build failures?|compatib\w+|buildable|portab\w+|(?:all|across|supported) "
        r"(?:supported )?platforms?"
        r"|in production)\b",
    ),
)

# Not a task but a manner: `write commit messages in ...`, `reply with ...`.
_MANNER = (
    r"(?! (?:all |your |each |every |the )?(?:commit (?:messages?|subjects?)|docs in|answers"
    r"|replies)\b| (?:in|as|with|briefly|tersely|only"
    r"|at length)\b)"
)
_TASK_VERBS = (
    rf"(?:(?:explain|write|start|reply|respond|put){_MANNER}"
    r"|add|fix|create|implement|build|run|re-?run|update|commit(?! messages?\b| hooks?\b)|push"
    r"|open|review|check|look|show|tell"
    r"|give|move|rename"
    r"|remove|delete|merge|rebase"
    r"|continue|proceed|try|test|verify|investigate|find|search|list|read|go(?! with)|do(?! "
    r"not\b)|see|think|change"
    r"|refactor|propose|suggest"
    r"|generate|evaluate|explore"
    r"|analy[sz]e|summari[sz]e|describe|install|close|post|set up|clean|debug|audit|make|get"
    r"|take|pull|address|work"
    r"|convert|migrate|replace|keep (?:going|running|it up|at it|trying|up)|let (?:it|the) )"
)

# What makes a sentence one for this hour only.
ONE_OFF = compile_any_of(
    r"^(?:(?:please|ok(?:ay)?|yes|now|then|and|also|so|great|cool|go ahead and|can you|could you"
    r"|would you|can we|could we|let's|lets"
    r"|i want you to"
    rf"|i need you to|i'd like you to|help me),? )*{_TASK_VERBS}\b"
)
FLEETING: tuple[Cue, ...] = (
    Cue(ONE_OFF, -0.3, ""),
    make_cue(
        -0.45,
        "",
        r"\b(?:temporar(?:y|ily)|for a (?:moment|while|bit|second|test)|(?:just|only|for|in|on) "
        r"this (?:run|test|experiment|branch"
        r"|once|try|demo|debug\w*)|pretend|throw-?away|while we (?:debug|test|wait|try)|in the "
        r"mock|for the demo)\b",
    ),
    make_cue(
        -0.15,
        "",
        r"\b(?:right now|at the moment|for now|just now|this time|today|currently|while we wait"
        r"|in this (?:session|chat"
        r"|conversation))\b",
    ),
    make_cue(
        -0.3,
        "",
        r"\b(?:i am|i'm|we're|we are) (?:getting|seeing|running|trying|looking|at|confused"
        r"|wondering|not sure|still)\b",
    ),
    make_cue(
        -0.5,
        "",
        r"\bwe (?:have to|need to|should|must|could) (?:first )?(?:check|look|see|find"
        r"|investigate|figure|debug|understand)\b",
    ),
    make_cue(
        -0.3,
        "",
        r"^(?:i|we) (?:see|get|got|saw|ran|tried|had|have(?! .{1,40} as )|was|were|just|forgot"
        r"|found|noticed|did|remember)\b",
    ),
    make_cue(
        -0.35,
        "",
        r"\b(?:this one|that one|these ones|over here|screenshot|see (?:below|above)|attached)\b",
    ),
    make_cue(
        -0.2,
        "",
        r"\b(?:maybe|perhaps|might|not sure|i wonder|wondering|possibly|i guess|i suppose"
        r"|hypothetically)\b",
    ),
    make_cue(
        -0.25,
        "",
        r"\b(?:thanks|thank you|hello|hi there|good morning|sounds good|looks good|nice work"
        r"|well done)\b",
    ),
    make_cue(-0.1, "", r"\blines? \d+", r"\bl\d+\b"),
    make_cue(-0.15, "", r"\b(?:it|this|that|these|those|they) should\b"),
)

# A sentence that leans on the one before it.
LEANS = compile_any_of(
    r"^(?:(?:and|but|so|then|also),? )*(?:it|they|he|she)(?:'s|'ll)? ",
    r"^(?:(?:and|but|so|then|also),? )*(?:this|that|these|those)(?:'s|'ll| \w*ly| (?:is|are|was"
    r"|should|must|can|will|has|have|needs?"
    r"|does|doesn't|means|makes)) ",
)
QUESTION = compile_any_of(r"\?[\"')\]]*$")
TAG_QUESTION = compile_any_of(
    r"(?:,| -)? ?\b(?:yes|right|correct|no|ok|okay|isn't it|don't we|shouldn't we|aren't we)\?$"
)
SUGGESTION = compile_any_of(r"\b(?:can|could|should|shall|may) (?:we|you|i) ")
CONTRAST = compile_any_of(r"\binstead\b", r"\brather than\b", r"\bnot just\b")
REFUTES = compile_any_of(
    r"^(?:no|nope|wrong|incorrect|actually|hmm|wait|stop|why|but why)\b",
    r"^not (?:quite|really|what|correct|right|true|the|a|an|in|on)\b",
    r"^(?:that's|that is|this is|it's|it is) (?:not|wrong|incorrect)\b",
    r"^you (?:missed|forgot|misunderstood|should(?:n't)? have)\b",
    r"^you(?:'ve)? (?:got|have) .{1,60} wrong\b",
    r"\b(?:is|are|was|isn't|aren't|that's) (?:not |in)?(?:correct|wrong|right|true|accurate"
    r"|mistaken)\b",
    r"\bhallucinat\w+\b|\bnot the case\b|\b(?:that's|this is) not how\b",
    r"\bnot what i\b",
    r"\bi (?:meant|said|asked)\b",
)
REFUTES_PLAINLY = compile_any_of(
    r"\b(?:is|are|was|that's|it's) (?:not correct|incorrect|wrong|not right|not true|not "
    r"accurate|mistaken)\b",
    r"\b(?:isn't|aren't|wasn't) (?:correct|right|true|accurate)\b",
    r"\bnot what i\b",
    r"^(?:no|nope)\b[,.]? \S+ \S+",
    r"^you (?:missed|forgot|misunderstood)\b|^you(?:'ve)? (?:got|have) .{1,60} wrong\b",
    r"\bhallucinat\w+\b|\bnot the case\b|\b(?:that's|this is) not how\b",
)
# Capitals in the middle of ordinary words are emphasis, and people emphasise what they will not say
# twice.
EMPHASIS = compile_later(r"[a-z,] (?:NOT|NEVER|ALWAYS|ONLY|MUST|CAN|CANNOT|DOES|ALL|EVERY|NO)\b")
AFFIRMS = compile_any_of(
    r"^(?:yes|yeah|yep|yup|sure|ok(?:ay)?|sounds good|looks good|go (?:ahead|for it|with)|agreed"
    r"|perfect|great|correct|exactly|do it"
    r"|please do|lgtm|approved|right"
    r"|nice|cool|\+1|i agree)\b"
)
# A question or answer about what to do next, not about how the thing is to be.
STEERS = compile_any_of(
    r"\b(?:next|now|proceed|continue|ready|start|first|begin|while|wait|stop|kill|abort|keep "
    r"(?:going|running)|how long|eta|commit|push"
    r"|tackle|pick up|work on)\b"
)
CHECKED = compile_any_of(
    r"\bi (?:just )?(?:checked|verified|confirmed|tested|looked it up)\b",
    r"\baccording to\b",
    r"\bthe docs (?:say|state)\b",
)
# What holds beyond the work at hand.
STANDING = compile_any_of(
    r"\b(?:always|never|from now on|going forward|every ?time|each time|whenever|in (?:the "
    r")?future|next time|any|all|every)\b"
)
# Work for another time; `next time, ask me` is none.
NEXT_TIME = compile_any_of(
    r"\bnext time,? (?:we|let's|lets|i|i'll|we'll)(?: |\b)(?:should |could |can |need to |have "
    r"to |must |might |will |want to "
    r"|ought to )?(?:also )?"
    r"(?:look|fix|add|do|try|revisit|investigate|tackle|clean|refactor|move|handle|consider|see"
    r"|work|check|continue|start|think"
    r"|discuss|talk"
    r"|finish|build|implement|write|improve|upgrade|replace|remove|split|test)\b"
)
DEFERRED = compile_any_of(
    NEXT_TIME.pattern,
    r"\b(?:later|follow-?ups?|not now|some other time|another time|postpone\w*|defer(?:red)?"
    r"|park (?:this|it|that)|backlog|todo"
    r"|as a stopgap|eventually)\b",
    r"\bnext (?:pr|version|release|sprint|week|meeting)\b",
    r"\bseparate (?:feature|pr|ticket|issue|task|change|commit)s?\b",
    r"\bfuture (?:work|pr|improvement)s?\b(?! \w+s\b)",
    r"\b(?:for another (?:pr|day)|come back to|revisit|nice to have|one day|down the (?:road"
    r"|line)|out of scope)\b",
)
IDEA = compile_any_of(
    r"\bi wonder if (?:there's|we|there is)\b",
    r"\blet's think about (?:how|whether)\b",
    r"\bwe (?:could|can) (?:eventually|later|also)\b",
    r"\bit would be (?:nice|good|great) (?:to|if)\b",
    r"\b(?:at some point|(?:might be|would be|is) worth \w+ing)\b",
)
HEDGED = compile_any_of(
    r"\b(?:might|may|maybe|perhaps|probably|likely|possibly|seems?|appears?|i think|i suspect|i "
    r"expect(?:ed)?|i assume|i believe"
    r"|i guess|presumably|apparently)\b",
    r"\b(?:could be|should be|would be|looks like|let me|not sure|unclear|if you|wait|hmm"
    r"|potential(?:ly)?|consider|want me to"
    r"|would you|shall i|hypothes[ie]s)\b",
)
PROGRESS = compile_any_of(
    r"^(?:(?:ok(?:ay)?|now|good|great|perfect|excellent|done|next|first|then|also|so|and)[,.!]* )*"
    r"(?:let me|let's|i'll|i will|i'm (?:going to|now|also|\w+ing)|i am (?:going|now)|i've|i "
    r"have|i need to|i can see|i see that"
    r"|i should|i want to|i also|now"
    r"|running|checking|reading|looking|adding|updating|creating|starting|waiting|continuing"
    r"|you're right|you are right|thanks"
    r"|thank you|sorry|i apologi[sz]e"
    r"|all tests|tests pass|build succeeded|ready)\b"
)
