"""How things are and how they changed, in statements without a word of duty. Pure.

Examples: `the staging URL is ...`, `we moved from X to Y`.
"""

from __future__ import annotations

from memctl.core.lazy_pattern import compile_later
from memctl.extract import session_cues

# Things that have one value at a time, as the last word of what is spoken of.
_THING = (
    r"(?:ports?|urls?|uris?|address|hostname|host|domain|root|prefix|path|version|runtime|limit"
    r"|timeout|threshold|cap|quota|floor|ceiling"
    r"|maximum|minimum|largest|size|rate|budget|deadline|due date|date|day|launch|cadence|owner"
    r"|lead|reviewer|approver|contact|maintainer"
    r"|manager|person|command|runner|linter|formatter|checker|bundler|database|datastore|db"
    r"|queue|broker|cache|ci|provider|platform|service"
    r"|hosting|target|branch|policy|method|strategy|license|region|retention|lifetime|ttl"
    r"|interval|schedule|coverage|tool|way|convention"
    r"|home|office|editor|time ?zone|stack|framework|registry|bucket|cluster|channel|attachment"
    r"|front ?end|back ?end)"
)
_NAMED = (
    rf"(?:[\w/.-]+ ){{0,4}}?{_THING}(?: here)?(?: (?:for|of|to|in|on|that|we|which) .{{1,50}}?)?"
)
_WHOSE = r"(?:the|our|my|your|its|this (?:project|repo|app|service)'s)"
_SOON = r"(?:now|currently|still|finally|again|today|always|only|actually)"
_BE = (
    rf"(?:is|are|was set to|will be|has been|have been|stays|becomes|became|has become"
    rf"|continues to be|remains|stays on)(?: {_SOON})?"
)
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

# Who changed what: people by a verb of changing, things in the passive, and what says that it was
# otherwise before.
_CHANGED = session_cues.compile_any_of(
    r"\b(?:we|i|they|ops|everybody|everyone|the team)(?:'ve| have| had)? (?:just |now |finally "
    r"|also |recently )?"
    r"(?:moved|changed|switched|migrated|upgraded|downgraded|bumped|raised|lowered|renamed"
    r"|pushed|dropped|replaced|retired|traded|gave up"
    r"|left|stopped (?:using|doing|supporting)|settled on|ended up with|planned|scheduled|said "
    r"goodbye to|got rid of|phased out"
    r"|standardi[sz]ed on)\b",
    r"\b(?:was|were|got|has been|have been) (?:moved|changed|switched|migrated|upgraded"
    r"|downgraded|bumped|raised|lowered|increased|reduced"
    r"|renamed|pushed(?: back)?|postponed|brought forward|retired|handed|scheduled|planned) "
    r"(?:from|to|over|until|by|for)\b",
    r"\bis (?:scheduled|planned|due) (?:for|on|by)\b",
    r"\b(?:moved|changed|switched|went|slipped|grew|rose|fell|shrank|bumped) (?:from .{1,60} "
    r")?(?:over )?to \S",
    r"\b(?:took over|takes over|has replaced|replaces|replaced|took the place of|taken the "
    r"place of|inherited|superseded)\b"
    r"|\bhanded .{1,40} to\b",
    r"\bis (?:out,|gone[,;]|history|end of life|deprecated)|\b(?:is|are) forbidden\b|\bused to "
    r"be\b|\bno longer\b",
    r"(?:n't|\bnot) .{1,80}\b(?:any ?more|any longer)\b",
    r"\bas of (?:today|now|this|next|last|version|\d)",
    r"\bfrom here on\b|^forget (?:about )?.{1,40}[,;:] |\b(?:has|have) become\b|\bin favou?r of\b",
)
# That it is so now, and was otherwise.
_NEW = session_cues.compile_any_of(
    r"\b(?:is|are|it's|we're|we|been|runs?|uses?|do) .{1,60}\b(?:now|these days|nowadays|as "
    r"things stand)(?:[.!]*$|, )",
    rf"\b(?:is|are|been|runs?|running|it) .{{1,60}}\bsince (?:the (?:last|move|upgrade)|last"
    rf"|this|{_DAYS})\b",
    r"\b(?:is|are|'s) now (?!\w+ing\b)\S",
    r"^(?:nowadays|these days|currently|at this point),? .{1,60}\b(?:is|are|does|do|runs?|uses?"
    r"|we)\b",
    r"\bnow that we're (?:on|using) \S|\bnow, not \S|^\S+(?: \S+){0,2} (?:for|in|on|with|as) "
    r".{2,40} now[.!]?$|\bwe now \w",
)
_HAS_VALUE = session_cues.compile_any_of(
    rf"^(?:.{{0,40}}[,:] |.{{0,30}}\bthat )?{_WHOSE} {_NAMED} {_BE} \S.{{0,60}}$",
    rf"^\S.{{0,50}} {_BE} (?:what we have as |what we use as )?{_WHOSE} {_NAMED}[.!]*$",
    r"^\S.{0,50} (?:is|are) what (?:we|does|do|runs?)\b",
    rf"\bwe(?: still| now)? (?:have|got|took|take|chose|picked|use) \S.{{0,50}}? as (?:the |our "
    rf"|a )?{_NAMED}",
)
_SETS = compile_later(
    rf"^(?:the |our |my )?(?:[\w/.-]+ ){{0,4}}?{_THING}(?: (?:for|of) (?:[\w-]+ ?){{1,4}}| we "
    rf"(?:[\w-]+ ?){{1,4}})?"
    r" ?(?::|=|->|moved to) ?\S.{0,50}$"
)
# Whose it is: a name with a capital, and what falls to them.
_IN_CHARGE = compile_later(
    r"\b[A-ZÀ-Þ]\w+ (?:now |still |always )?(?:owns|looks after|is (?:now |still )?(?:in charge"
    r"|responsible|the one|the person|on call)"
    r"|takes care|took over|has taken over|reviews|approves|signs? off|maintains|inherited"
    r"|replaced)\b"
    r"|\b(?:[Aa]sk|[Tt]alk to|[Pp]ing|[Cc]ontact|[Ww]rite to) [A-ZÀ-Þ]\w+ (?:if|when|about|for"
    r"|before)\b"
    r"|\b(?:is|are) in [A-ZÀ-Þ]\w+'s hands\b"
)
_FOR = compile_later(
    r"^(?:for|when it comes to) [\w -]{2,40}?,? (?:it's|it is|it was|we|please use|use|take|go "
    r"with|ask) \S|^it's \S.{0,40} for \w"
)
_HABIT = session_cues.compile_any_of(
    r"\bwe(?:'ve)?(?: now| currently| still| only| always)? (?:target|run (?!into\b|out\b)"
    r"|deploy|host|lint|ship|store|log|publish|release"
    r"|represent|serve|cache|encode|rely on|keep (?!\w+ing\b)|read (?!the\b)|write (?!a\b)"
    r"|review|sign off|stay (?:with|on|at)"
    r"|do (?:[\w-]+ )?(?:merge|review|release|commit)s?\b)",
    r"\b(?:goes|comes|belongs?|lives?|sits?) (?:in|under|from|through|out of|behind|past)\b",
    r"\b(?:is|are) (?:kept|found|written|saved|read|fetched|taken|served|mounted|handled|done"
    r"|produced|stored|generated|reported"
    r"|represented|run|reviewed|approved|hosted|built) (?:down )?(?:in|under|at|from|by|with"
    r"|through|via|as|on|only)\b",
    r"\b(?:may|must|can|should) be (?:found|kept|read)\b|\bhappens? with \S|\b(?:is|are) "
    r"(?:always|never|only) \S",
    r"^(?:every|each|all(?: of)?(?: our)?) \w.{2,40} (?:is|are|goes?|has|have|gets?|must)\b",
    r"[,;:] (?:so |and |just )?(?:use|stick (?:to|with)|go with|take|call) (?:that|it|those"
    r"|this)\b",
)
_AGAIN = session_cues.compile_any_of(
    r"^(?:as (?:i said|always|usual|before|mentioned)|like (?:i (?:said|mentioned)|before"
    r"|always)|once more|just so we're clear|same as)\b",
    r", (?:as (?:always|usual|before)|like (?:i said|always|before)|same as ever)[.!]*$",
)
_ASIDE = compile_later(r"^(?:btw|by the way|fyi)\b[,:]?|, fyi[.!]*$")
# What announces how it is to be from here on.
RULES = compile_later(
    r"^(?:(?:new|house) rule|change of plan|(?:i've |i )?changed my mind|on second "
    r"thoughts?)\b[,:]?"
)
_WORTH = (
    (_CHANGED, 0.3),
    (_HAS_VALUE, 0.3),
    (_FOR, 0.3),
    (_SETS, 0.3),
    (_NEW, 0.25),
    (_HABIT, 0.25),
    (_AGAIN, 0.25),
    (_ASIDE, 0.25),
    (RULES, 0.3),
)

# What is spoken of while one works, and has a value for an hour.
_PASSING = compile_later(
    r"^(?:(?:the|our|this|that|my|your)\s+)?(?:\w+\s+){0,3}?(?:errors?|exceptions?|bugs?|issues?"
    r"|problems?|outputs?|results?|responses?|message"
    r"|warnings?|builds? (?:is|are)|ci (?:is|was)|logs? (?:say|show)s?|functions?|buttons?"
    r"|screens?|pages?|diffs?|prs?|commits? (?:is|are)"
    r"|questions?|goals?|tasks?|plans?|ideas?|points?|reason|cause|difference|thing|same|only)\b"
)
_TROUBLE = compile_later(
    r"\b(?:still (?:fails?|failing|broken|see|get|getting)|not work(?:ing)?|doesn't work"
    r"|fail(?:s|ed|ing)|broken|crash\w*|pass(?:es|ed|ing)"
    r"|green|red|slow|flaky|hang\w*|stuck|looks? (?:like|good|fine)|seems?|weird|wrong (?:file"
    r"|line|place)|undefined|null|nan|empty"
    r"|the same (?:error|issue|problem)|not (?:showing|found|there)|missing|line \d)\b"
)
_SUPPOSES = ("if ", "what if", "suppose", "imagine", "maybe", "let me", "done when", "when ")
# What looks like a value rather than prose.
_TYPED = compile_later(r"`[^`]{1,60}`|https?://|(?:^|\s)/\w|\d|[a-z,:] [A-Z][A-Za-z]+")


def score_statement_of_state(text: str, low: str) -> float:
    """What stating how things are adds to a statement's durability, 0 to 0.4.

    It is 0 for what holds only during the work.
    """
    if is_passing(low) or session_cues.ONE_OFF.search(low) or low.startswith(_SUPPOSES):
        return 0.0
    found = max((worth for pattern, worth in _WORTH if pattern.search(low)), default=0.0)
    found = max(found, 0.3 if _IN_CHARGE.search(text) else 0.0)
    return found + (0.1 if found and _TYPED.search(text) else 0.0)


def is_passing(low: str) -> bool:
    """Whether it speaks of what has a value for an hour, or of trouble."""
    return bool(_PASSING.match(low) or _TROUBLE.search(low))
