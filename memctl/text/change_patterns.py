"""The shapes in which people say that something changes, as patterns over one sentence. Data.

Groups: `new` takes the place of `old`, `about` is set to another value, `it` is a word
that stands for something said before. Every group is bounded, so that no text makes a search
take long.
"""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.core.typing_lite import Literal

# `plain`: the words state a contrast and need not change anything (`tabs, not spaces`).
# `takes_back`: nothing takes the place of what is taken back. `returns`: to what held before.
# `allows`: what was forbidden is no longer.
ChangeSort = Literal["changes", "plain", "takes_back", "returns", "allows"]

# A stretch of words inside a clause; a full stop within a name or a number does not end it.
_PIECE = r"(?:[^\s,;:!?().]|\.(?=\w)|(?<=\w):(?=\w))+"


def _span(name: str, most: int, *, greedy: bool = False) -> str:
    """A named group of up to so many words."""
    return rf"(?P<{name}>{_PIECE}(?: {_PIECE}){{0,{most - 1}}}{'' if greedy else '?'})"


_IT = r"(?P<it>it|that|this|them|those|these)"
_END = (
    r"(?=\s*(?:$|[,;:!?()]|\.(?!\w)|[–—]| - )"
    r"| (?:for|because|since|so|and|but|as|when|if|please|any ?more|again|now|then|instead"
    r"|everywhere"
    r"|after all|from now on|though|btw|in|on|at|by|with|until|unless|to)\b)"
)
_CHANGE_VERBS = (
    r"(?:switch(?:e[sd]|ing)?|mov(?:e|es|ed|ing)|migrat(?:e|es|ed|ing)|chang(?:e|es|ed|ing)"
    r"|go(?:es|ing)?|went|convert(?:s|ed|ing)?|bump(?:s|ed|ing)?|rais(?:e|es|ed|ing)"
    r"|lower(?:s|ed|ing)?|reduc(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|upgrad(?:e|es|ed|ing)"
    r"|downgrad(?:e|es|ed|ing)|renam(?:e|es|ed|ing)|shift(?:s|ed|ing)?|postpon(?:e|es|ed|ing)"
    r"|push(?:es|ed|ing)?|extend(?:s|ed|ing)?|shorten(?:s|ed|ing)?|drop(?:s|ped)?|slip(?:s|ped)?)"
)
_WAY = r"(?:(?:up|down|back|over|forward|out|away|off) )?"
_DROPS = (
    r"(?:(?:tear|tore|rip(?:ped)?|throw|threw) out|(?:i'm|we're|we are|be) done with"
    r"|sunset(?:ting)?|got rid of|gave up(?: on)?|drop(?:s|ped|ping)?|ditch(?:ed|ing)?|dump(?:ed"
    r"|ing)?|scrap(?:ped|ping)?"
    r"|abandon(?:ed|ing)?|forget(?: about)?|kill|los(?:e|ing)|get(?:ting)? rid of|giv(?:e|ing) "
    r"up(?: on)?"
    r"|stop(?:ped|ping)? using|retir(?:e|ed|ing)|phas(?:e|ed|ing) out|mov(?:e|ed|ing) (?:away "
    r"from|off)|cancel(?:led|ling)?)"
)
_TAKES = (
    r"(?:go(?:ing)? (?:back )?(?:with|for|to)|(?:re)?us(?:e|ing)(?! of)|switch(?:ed|ing)? "
    r"(?:back |over )?to"
    r"|return(?:ing)? to|tak(?:e|ing)|mov(?:e|ed|ing) (?:back |over )?to|settl(?:e|ed|ing) (?:on"
    r"|for)"
    r"|stay(?:ing)? (?:with|on|at)|stick(?:ing)? (?:with|to)|keep(?:ing)?|pick(?:ed|ing)?"
    r"|chang(?:e|ed|ing) (?:it |that )?to|mak(?:e|ing) it|do(?:ing)?|replac(?:e|ed|ing) (?:it"
    r"|them|that) (?:with|by)"
    r"|swap(?:ped|ping)? (?:it|them) (?:for|with)|start(?:ing)? with|set(?:ting)? it to"
    r"|put(?:ting)?)"
)
_WHO = (
    r"(?:(?:so|and|then|now|instead|therefore|from now on|please|ok(?:ay)?),? )*"
    r"(?:(?:we|i|you|they|let's|lets|let us|we'll|we're|we've|i'll|i'm|it's)\b"
    r"(?:(?: are| will| have| should| can| could| would|'ll|'re|'ve)\b)?(?: now| just| better| "
    r"rather| all)* )?"
)
_NO_GOOD = (
    r"(?:a dead end|dead|out(?: of the (?:question|window|race))?|gone|off the table|history|no "
    r"good"
    r"|obsolete|outdated|out of date|stale|deprecated|a bad idea|no option|not an option|no "
    r"longer \w+(?: \w+)?"
    r"|not (?:good enough|working out|worth it|an option|going to work|true)(?: any ?more)?"
    r"|(?:far |way |much )?too \w+|not enough|a pain|a mess|on (?:its|the) way out"
    r"|wrong|taken|a mistake|discontinued|retired|cancelled|end of life|unmaintained|broken "
    r"beyond repair)"
)
_LEAD = (
    r"(?:actually|on second thoughts?|change of plans?|(?:new|other) plan|correction|scratch "
    r"that|scrap that"
    r"|forget (?:that|it|what i said)|never ?mind|no,? wait|wait,? no|wait|hang on|hold on"
    r"|hmm+,? no|i (?:have |'ve )?changed my mind|i(?: have|'ve)? changed my mind"
    r"|on reflection|i slept on it|i(?:'ve| have)? thought about it(?: again| more)?|come to "
    r"think of it"
    r"|changed my mind|having thought about it|i was wrong|we (?:have |'ve )?changed our minds?"
    r"|update|sorry,? typo|typo|oops|my bad|sorry|my mistake|strike that"
    r"|plans? changed|let me rephrase|revised|edit)"
)
# Contrast names what was turned down, in the same breath.
CHANGES: tuple[tuple[ChangeSort, str], ...] = (
    # from X to Y
    (
        "changes",
        rf"\b{_CHANGE_VERBS}\b(?: (?!from\b)(?P<about>{_PIECE}(?: (?!from\b){_PIECE}){{0,5}}))?"
        rf" from (?!now on\b)(?:the |our )?{_span('old', 6)} {_WAY}to (?:the |an? "
        rf")?{_span('new', 8)}{_END}",
    ),
    (
        "changes",
        rf"\b(?:replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?|exchang(?:e|ed|ing))(?: out)? (?!it\b"
        rf"|them\b|that\b)(?:the |our |all )?"
        rf"{_span('old', 6)} (?:with|by|for) (?:the |an? )?{_span('new', 9)}{_END}",
    ),
    # X is no good, take Y
    (
        "changes",
        rf"(?:^|[,;.!?] |\bbut |\band |\bthat )(?:the |our )?{_span('old', 6)}(?: (?:is|are|was"
        rf"|were|turned out(?: to be)?|looks|became|has become)|'s)"
        rf"(?: now| just| simply| really| getting)* {_NO_GOOD}\b[^.;!?,]{{0,40}}[,;.!–—:-]+ "
        rf"?{_WHO}{_TAKES} (?:the |an? )?{_span('new', 9)}{_END}",
    ),
    # drop X and take Y
    (
        "changes",
        rf"\b{_DROPS} (?!it\b|that\b|this\b)(?:the |our )?{_span('old', 6)}(?: again| altogether"
        rf"| entirely| completely| for good)?"
        rf"(?: and|,| in favou?r of|;|\.|:| -| –| —)(?: and| so| then)* ?{_WHO}(?:{_TAKES} "
        rf"|(?<=of ))(?:the |an? )?{_span('new', 9)}{_END}",
    ),
    # no longer X but Y; X is out, Y is in
    (
        "changes",
        rf"\bno longer (?:on |in |at |with |use |using )?{_span('old', 5)},? (?:but|it's|now|we "
        rf"use)(?: now)? (?:on |in |at |with )?{_span('new', 8)}{_END}",
    ),
    (
        "changes",
        rf"\b(?:the |our )?{_span('old', 4)} (?:is|are) out,? (?:and )?{_span('new', 4)} (?:is"
        rf"|are) in\b",
    ),
    (
        "changes",
        rf"\bused to (?:be|use|run(?: on)?|have) {_span('old', 5)},? (?:and |but )?(?:now "
        rf")?(?:it's|it is|we use|we're on|is|are|runs on) (?:now )?{_span('new', 8)}{_END}",
    ),
    # Y from now on, not X any more
    (
        "changes",
        rf"\b(?:it's |use |we use |is |are |on |called )?(?:\"|')?{_span('new', 5)}(?:\"|')?(?: "
        rf"now)?,? (?:and )?not {_span('old', 5)} any ?more\b",
    ),
    # instead of X, Y
    (
        "plain",
        rf"^(?:so |and |but |ok |then |please )*(?:instead of|rather than|in place of) (?:the "
        rf"|using |our )?{_span('old', 7)}(?:, ?{_WHO}(?:{_TAKES} )?| {_WHO}(?:use|take|do|go "
        rf"with) )"
        rf"(?:the |an? )?{_span('new', 9)}{_END}",
    ),
    (
        "plain",
        rf"\b(?:the |an? )?{_span('new', 9, greedy=True)} (?:instead of|rather than|in place of"
        rf"|as opposed to) (?:the |using |our |with |on |in |at )?{_span('old', 6)}{_END}",
    ),
    # not X, Y
    (
        "changes",
        rf"^(?:(?:no|sorry|wait|actually|hmm|er|oh|ah|well|correction),? )*"
        rf"not (?:the |in |on |at |by |with )?{_span('old', 5)}(?:[,;:] (?:but )?| but | [-–—] )"
        rf"(?:(?:use|take|make it|rather|the|in|on|at|by|with) )?{_span('new', 8)}{_END}",
    ),
    # Y, not X
    (
        "plain",
        rf"\b{_span('new', 8, greedy=True)}(?:, | - | – | — )(?:and )?not (?:the |in |on |at "
        rf"|by |with )?{_span('old', 5)}{_END}",
    ),
    (
        "changes",
        rf"(?:^|[,;.:] )(?:the |our )?{_span('new', 5)} (?:has |have |now |will |is )*"
        rf"(?:replac(?:es?|ed|ing)|supersed(?:es?|ed|ing)|tak(?:es?|ing) over from|took over from) "
        rf"(?:the |our )?{_span('old', 5)}{_END}",
    ),
    # no more X, Y it is
    (
        "changes",
        rf"\b{_DROPS} (?:the |our )?{_span('old', 4)}[,;:.–—-] ?{_WHO}(?:{_TAKES} )?"
        rf"(?:the |an? )?{_span('new', 4)} it is\b",
    ),
    (
        "changes",
        rf"\bno more {_span('old', 4)}[,;:.–—-] ?{_WHO}(?:{_TAKES} )?{_span('new', 4)} it is\b",
    ),
    (
        "changes",
        rf"\b(?:(?:i|we)(?:'ve| have)? changed (?:my|our) minds?|change of heart) "
        rf"(?:about|on) (?:the |our "
        rf")?{_span('about', 6)}"
        rf"[,;:.–—-] ?{_WHO}(?:{_TAKES} )?{_span('new', 9)}{_END}",
    ),
    (
        "plain",
        rf"\bwe (?:keep|stay (?:with|on)|use|take) {_span('new', 4)}, no {_span('old', 3)}{_END}",
    ),
    # it is no good (the sentence before named it), take Y
    (
        "changes",
        rf"\b(?:replac(?:e|es|ed|ing)|swap(?:s|ped|ping)?) {_IT} (?:with|by|for) (?:the |an? "
        rf")?{_span('new', 9)}{_END}",
    ),
    # X is set to another value
    (
        "changes",
        rf"(?:^|[,;.!?:] |\band |\bbut |\bso |\bthat |\bway, )(?:the |our )?(?P<about>(?!(?:it"
        rf"|that|this|we|i|you|they|he|she|let's|there)\b){_PIECE}(?: {_PIECE}){{0,5}}?)"
        rf" (?:is |are |was |were |has |have |gets |got |now |been |will |should |must |needs "
        rf"to |be )*"
        rf"(?:mov(?:e|es|ed|ing)|go(?:es|ing)?|went|chang(?:es|ed|ing)|drop(?:s|ped)|ris(?:es"
        rf"|en)|rose|slip(?:s|ped)|shift(?:s|ed)|switch(?:es|ed)|bump(?:ed)|raised|lowered"
        rf"|reduced|increased|postponed|pushed|extended|shortened|renamed|upgraded|downgraded)"
        rf" {_WAY}(?:to|until|by) (?:the |an? )?{_span('new', 6)}{_END}",
    ),
    (
        "changes",
        rf"\b(?:move|push|raise|bump|lower|reduce|double|triple|halve|increase|set|change|rename"
        rf"|postpone|shift"
        rf"|extend|shorten|upgrade|downgrade|switch|cut|drop|turn)"
        rf" (?:{_IT}|(?!to\b)(?:the |our )?(?P<about>{_PIECE}(?: {_PIECE}){{0,5}}?)) {_WAY}(?:to"
        rf"|until) (?:the |an? )?{_span('new', 6)}{_END}",
    ),
    (
        "changes",
        rf"\bmake (?:{_IT}|(?:the |our )?(?P<about>{_PIECE}(?: {_PIECE}){{0,3}}?)) "
        rf"(?P<new>(?:an? |the )?{_PIECE}(?: {_PIECE}){{0,5}}?) instead\b",
    ),
    (
        "changes",
        rf"(?:^|[.!:;,] )(?:(?:no|ok(?:ay)?|sorry|wait|actually|hmm+|oh|ah|well|then|so|and|but"
        rf"|hm|please|let's|lets|exactly|can you|could you|better),? )*make {_IT} (?:an? |the "
        rf")?{_span('new', 6)}{_END}",
    ),
    (
        "changes",
        rf"\b(?:let's |lets |please |we(?:'ll| will)? |i(?:'ll| will)? |and |so |then |just "
        rf"|rather |can (?:we|you) )*(?:use|do|take|go with|have|try|call it|put it (?:in|on"
        rf"|under)|go for) (?:the |an? )?{_span('new', 7)} instead(?! of)\b",
    ),
    (
        "changes",
        r"(?:\b(?:go(?:ing)?|switch(?:ing)?|mov(?:e|ing)|return(?:ing)?|went|switched|moved) |^"
        rf"|[,;.] )back to (?:the |our )?{_span('new', 6)}{_END}",
    ),
)
_BACK_TO_BEFORE = (
    r"(?:what (?:we|it|there) (?:had|have|was|were|did|do)(?: before)?|(?:how|as|like) (?:it|we"
    r"|things) (?:was|were|is|had it|did it)(?: before)?"
    r"|it (?:as|like|how|the way) (?:it (?:is|was)|before|that)|(?:things|everything) as "
    r"(?:they (?:are|were)|is)|the (?:old|first|original|previous|earlier|current) (?:\w+|plan"
    r"|way|one|version|name|idea|choice|approach|solution|value|setup|setting))"
)
RETURNS = (
    rf"\b(?:let's |lets |we(?:'ll| will)? |i(?:'d| would)? (?:rather )?|please |so |then |ok "
    rf"|just )*(?:stay(?:ing)? (?:with|on|at)|stick(?:ing)? (?:with|to)|keep(?:ing)?|leave"
    rf"|go(?:ing)? back to|return(?:ing)? to|revert to) {_BACK_TO_BEFORE}\b"
)
_WHAT_WAS_SAID = (
    r"(?:that|this|it(?: again)?|all (?:of )?that|what i (?:just )?said|my last (?:message|point"
    r"|request)"
    r"|(?:the|that|this) (?:whole |last )?(?:rule|convention|decision|idea|thing|plan|request"
    r"|part|point)(?: (?:about|with|of) "
    r"[^.;!?,]{1,60})?)"
)
TAKES_BACK = (
    rf"^(?:(?:no|nah+|naah|ok(?:ay)?|hmm*|oh|ah|well|actually|sorry|wait|true|right|yeah|you're "
    rf"right|then|so|on second thoughts?|please|let's|lets|i changed my mind|but),? )*"
    rf"(?:scrap|scratch|forget|undo|revert|drop|ditch|cancel|ignore|disregard|strike|take back"
    rf"|roll back|skip)(?: about)? {_WHAT_WAS_SAID}(?=\s*(?:$|[,;:!?()–—-]|\.(?!\w)| (?:again"
    rf"|please|then|for|because|since|after|we|i|it|bad|let's|and|altogether|entirely))\b|\s*$"
    rf"|[,;:.!?])"
    r"|^(?:(?:no|nah|ok|hmm*|oh|ah|well|actually|sorry|wait),? )*never ?mind\b"
    r"|\bi take (?:that|it) back\b|\b(?:we|i)(?:'re| are|'m| am)? not (?:doing|going to do) "
    r"(?:that|this|it) after all\b"
)
# A thing is taken back by its name: `drop gRPC again`, `we don't need the queue after all`.
DROPS_NAMED = (
    rf"\b(?:{_DROPS}|remov(?:e|ed|ing)|take out|delete|disabl(?:e|ed|ing)|turn off|uninstall) "
    rf"(?!it\b|that\b|this\b|them\b)(?:the |our )?{_span('old', 6)} (?:again|after all"
    rf"|altogether|for good)\b",
    rf"\b(?:we|i)(?:'re| are|'ll| will)? (?:don't|do not|won't|will not|no longer|not) "
    rf"(?:(?:need|want|use|do|have|support|run|going to use|going to do|using|doing) )+(?:the "
    rf"|our |an? )?{_span('old', 5)} (?:after all|any ?more|any longer)\b",
    rf"\b(?:let's|lets|we(?:'d| should)? (?:rather )?) not (?:use|do|have|run|add|take|go with"
    rf"|need|keep) "
    rf"(?:the |our |an? )?{_span('old', 5)} after all\b",
    rf"(?:^|[,;:.] )(?:(?:so|and|then|ok|please) )*(?:let's|lets|we|i'd|we'll|just) {_DROPS} "
    rf"(?!it\b|that\b|this\b|them\b)(?:the |our )?{_span('old', 4)}{_END}",
    rf"\b(?:forget|scrap|ignore|disregard) what i (?:just )?said (?:about|on|of) (?:the |our "
    rf")?{_span('old', 6)}{_END}",
    rf"\bno longer (?:need|want|use|do|have|support|run) (?:the |our |an? "
    rf")?{_span('old', 5)}{_END}",
    rf"^(?:(?:no|ok|so|and|but|then|well|we|let's|lets|right|actually|i think we|decided"
    rf"|please),? )*(?:should |will |can |'ll )?(?:drop|ditch|abandon|scrap|give up on|get rid "
    rf"of|forget about|forget) (?!it\b|that\b|this\b|them\b|what\b|to\b|the rest\b)(?:the |our "
    rf")?{_span('old', 5)}(?=\s*(?:$|[,;:!?]|\.(?!\w)| (?:for|because|since|it|too"
    rf"|altogether)\b))",
)
# What is only asked or weighed changes nothing yet.
WEIGHED = compile_later(
    r"\b(?:i'm thinking (?:of|about)|i (?:wonder|was wondering)|what (?:if|about)|how about"
    r"|should (?:we|i|it|they|this)\b(?=[^.!]*\?)"
    r"|would it|could we (?:not )?|do we|did we|is it|maybe|perhaps|might|what do you (?:say"
    r"|think)|thoughts(?=\?)|we could|if we|whether)\b",
    re.IGNORECASE,
)
LEADS = compile_later(
    rf"(?:^|[.!?,;] )(?:(?:ok(?:ay)?|no|oh|ah|hmm*|well|so|and|but),? )*{_LEAD}(?: now)? "
    rf"?[,:;!.–—-]+ ?(?P<rest>.+)$",
    re.IGNORECASE,
)
ACTUALLY = compile_later(
    r"^(?:(?:ok(?:ay)?|no|oh|ah|hmm*|well|so|and|but),? )*actually,? (?P<rest>.+)$", re.IGNORECASE
)
LEANS_ON = compile_later(
    r"\b(?:make|move|set|change|push|raise|lower|bump|keep|put|call|name|rename|cut|drop|shift) "
    r"(?:it|that|them|this|those)\b",
    re.IGNORECASE,
)
# Somebody says of a thing that it is no good any more; what takes its place is another clause.
ENDED = (
    rf"(?:^|[,;.:] |\bbut |\band |\bso |\bthat )(?:the |our |that |my )?{_span('old', 6)}"
    r"(?: (?:is|are|was|were|has been|have been|isn't|aren't|wasn't|weren't|got|turned out(?: "
    r"to be)?"
    rf"|became|proved|looks))(?: (?:now|just|simply|really|all|to be))* (?:{_NO_GOOD}|enough)"
    r"(?=\s*(?:$|[,;:!.–—-])| \w)",
    rf"\b{_DROPS} (?!it\b|that\b|this\b|them\b)(?:the |our )?{_span('old', 4)}"
    r"(?: again| altogether| entirely| completely| for good| after all)?(?=[,;:!–—]|\.(?!\w)| - )",
    rf"(?:^|[,;:.] )(?:the |our )?{_span('old', 4)} (?:goes|has to go|must go|can go)"
    r"(?=\s*(?:$|[,;:!]|\.(?!\w)))",
    r"\b(?:veto(?:ed|es)|bann?(?:ed|s)|forb(?:ids?|ade)|reject(?:ed|s)|hates?|can't stand|outlawed"
    r"|won't (?:allow|accept|take|pay for)|doesn't (?:like|allow)|blocked|complain(?:ed|s) about) "
    rf"(?!it\b|that\b|this\b|them\b)(?:the |our )?{_span('old', 4)}(?=\s*(?:[,;:!–—]|\.(?!\w)))",
    rf"(?:^|[,;:.] )(?:the |our |that |this ){_span('old', 4)} (?:sounds|feels|looks|seems|reads)"
    r" (?:so |too |really |rather |a bit )?\w+(?=\s*[,;:.–—])",
    r"\b(?:isn't|aren't|don't|doesn't|won't|not|no longer) (?:use |using |on |in |have |run )?"
    rf"{_span('old', 5)} any ?(?:more|longer)\b",
)
# What was forbidden is allowed again.
ALLOWED = (
    r"(?:^|[,;.:] )(?:(?:ok(?:ay)?|so|and|but|well|actually|fine),? )*(?:the |our )?"
    rf"{_span('old', 5)} (?:is|are) (?:now |by now |finally )*"
    r"(?:fine|ok(?:ay)?|allowed|welcome|permitted|fair game|no problem)"
    r"(?: by| from| again| after)?(?: now| all| now on)?(?=\s*(?:$|[,;:!]|\.(?!\w)))"
)
# Said right after a statement of the same topic, these words turn it round.
REVERSES = compile_later(
    r"^(?:no[,.!]|(?:nah+|naah|nope|hm+,? no|ugh)\b[,.!]?) (?!\w+\W*$)|\bafter all\b"
    r"|^(?:\S+ ){0,4}instead\b(?! of)(?=\s*(?:$|[,.;!]))"
    r"|\b(?:enough|i'm done|we're done) with\b|\boverkill\b|\btoo (?!\w*$)\w+\b"
    r"|\bslow(?:s|ing) (?:us|me|it|things|everything) down\b|\b(?:is|are) (?:plenty|enough)\b"
    r"|\bwill do\b(?! (?:it|that|this)\b)|\b(?:kills?|rots?|hurts?|annoys?|bites?|biting|breaks?)\b"
    r"|\b(?:reads?|works?|looks?|fits?|likes?|suits?|scales?) (?:(?:it|them|us) )?"
    r"(?:much |far |a lot )?(?:better|nicer)\b",
    re.IGNORECASE,
)
