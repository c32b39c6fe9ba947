"""Sentences that ask for work, tell that work was done, or acknowledge it: what an episode may
quote. Data and pure tests.

An episode is shown without review, so it quotes only what cannot be taken for a decision, a rule or
a fact: a request or a question, never a statement, and a report of what was done, never of what
somebody wants. Patterns match the form that `sentences.fold_for_cues` makes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memctl.core.lazy_pattern import compile_later
from memctl.text.stop_words import SEARCH_STOP_WORDS

_LEAD_IN = (
    r"(?:q: )?(?:(?:ok(?:ay)?|yes|yep|yeah|sure|great|good|nice|cool|perfect|thanks|hi|hey|hello"
    r"|so|now|and|also|then|next|first|finally|alright|right|but|well|just|please|pls|kindly|quickly)"
    r"[,.!:;]* +)*"
)
_ASKING = (
    r"(?:(?:can|could|would|will) (?:you|we) (?:please |also |just |now )*"
    r"(?:help (?:me|us) (?:to )?)?"
    r"|(?:i|we)(?:'d| would)? (?:need|want|like)(?: you)? to |help (?:me|us) (?:to )?"
    r"|let's (?:now |also |first |then )*|let us |time to |go ahead and |try to |start to )?"
)
# Verbs of tasks. Verbs that choose (use, switch, keep, drop, prefer, go with) are decisions.
_TASK_VERBS = (
    "add|address|adjust|analy[sz]e|answer|apply|assess|audit|benchmark|bisect|build|bump|capture"
    "|change|check|clean|close|collect|combine|comment|commit|compare|compile|complete|compute|configure"
    "|connect|continue|convert|copy|correct|count|create|debug|define|deploy|describe|design|diff"
    "|diagnose|dig|display|document|double-check|download|draft|draw|edit|estimate|evaluate|examine"
    "|execute|expand|explain|explore|export|extend|extract|figure out|fill|finali[sz]e|find|finish"
    "|fix|format|generate|get|give|grep|handle|identify|implement|import|improve|include|inspect"
    "|install|integrate|investigate|launch|lint|list|load|locate|look|make|map|measure|mend|merge"
    "|migrate|mock|modify|move|open|optimi[sz]e|outline|parse|patch|plan|polish|port|prepare|print"
    "|profile|propose|prototype|publish|pull|push|put|read|rebase|rebuild|re-?run|redo|reduce"
    "|refactor|refine|regenerate|release|rename|render|reorgani[sz]e|repair|replay|report|reproduce"
    "|research|resolve|restart|restore|restructure|resume|retry|review|revise|rewrite|rework|run"
    "|scaffold|scan|search|send|set up|ship|show|simplify|solve|sort|split|start|study|submit"
    "|suggest|summari[sz]e|sync|take a look|tell me|test|tidy|track down|translate|trim|trace|try"
    "|understand|tweak|update|upgrade|upload|validate|verify|view|walk me|wire|work on|wrap|write"
)
_TASK = compile_later(rf"^{_LEAD_IN}{_ASKING}{_LEAD_IN}(?:{_TASK_VERBS})\b")
_QUESTION = compile_later(
    rf"^{_LEAD_IN}(?:what|why|how|where|when|which|who|is|are|was|were|do|does|did|can|could|has"
    r"|have|any)\b|\b(?:why|how come|what happened|what's wrong)\?$"
)
# What makes a request a rule or a choice.
_LASTING = compile_later(
    r"\b(?:always|never|from now on|going forward|in future|in the future|by default|as a rule"
    r"|every ?time|each time|whenever|instead|rather than|no longer|any ?more|prefer\w*|must"
    r"|should(?:n't)?|shall|decid\w+|decision|agreed?|chose|choose|polic(?:y|ies)|convention\w*"
    r"|standard(?:i[sz]e)?|don't|do not|doesn't|isn't|aren't|won't|can't|cannot|not|no|only|without"
    r"|because|since|remember|make sure|ensure|keep in mind|note that|use|using|switch(?:ing)?"
    r"|go(?:ing)? (?:back|with)|stick|keep|drop|adopt|replace|swap|over|than"
    r"|we(?:'ll| will|'re| are| have| use)|i(?:'m| am|'ll| will| use| like| hate| live| work))\b"
)
# What makes a question a suggestion: the answer to it decides something.
_SUGGESTING = compile_later(
    r"\b(?:what|how) about\b|\bwhy (?:not|don't)\b|^let's\b|\b(?:maybe|perhaps|instead|rather"
    r"|better|prefer\w*|should(?:n't)?|shall|must|always|never|decid\w+|agreed?"
    r"|(?:can|could|would|shall|do) (?:we|you|i) (?:\w+ ){0,6}?(?:use|switch|drop|replace|keep|go)"
    r"|from now on|no longer|by default)\b"
)

_DONE = compile_later(
    r"\b(?:done|fixed|implemented|added|created|moved|replaced|updated|changed|removed|committed"
    r"|shipped|refactored|migrated|wrote|switched|completed|(?:i've|i have) \w+ed|renamed|rewrote"
    r"|now (?:uses?|supports?|works?|builds?|passes|shows?)|(?:all )?tests pass)\b"
)
_NOT_YET = compile_later(
    r"^(?:let me|i'll|i will|now let|next|i need|i'm going)\b"
    r"|\b(?:would|should|could|to be|can be|needs? to be|will be|not yet|once|if|after) "
    r"(?:\w+ ){0,3}"
    r"(?:done|fixed|implemented|added|created|moved|replaced|updated|changed|removed)\b"
)
# The agent's word for what somebody said, wants or decided: an episode vouches for none of it.
_REPORTED = compile_later(
    r"\b(?:you|user|users?'?s?|operator\w*|owner|boss|manager|maintainers?|they|client|customer)\b"
    r"[^.]{0,40}\b(?:said|says?|told|asked|wants?|wanted|prefers?|preferred|decid\w+|approv\w+"
    r"|confirm\w+|agree\w*|requir\w+|request\w+|instruct\w*|mention\w+|insist\w*|demand\w*)\b"
    r"|\b(?:as|per|like) (?:you|the (?:user|operator|owner))\b|\baccording to\b"
    r"|\b(?:instruction|system prompt|directive|policy|mandatory)\b|[\"“”]"
)
_ACKNOWLEDGED = compile_later(
    r"\b(?:thanks?|thank you|thx|great|perfect|nice|awesome|excellent|brilliant|works|worked|lgtm"
    r"|looks good|well done|good job|super|wonderful|lovely)\b"
)
# A report that begins by saying that it is one.
_ANNOUNCED = compile_later(
    r"^(?:(?:(?:all |everything(?:'s| is) |that's |it's )?done|perfect|great|excellent|good news"
    r"|finished|completed?|success|all set|ok(?:ay)?|summary)\b[\s:;.,!–—-]+|[✅✔️☑\s]+)+",
    re.IGNORECASE,
)

# What stands before the verb of a request.
_TO_THE_VERB = compile_later(rf"^{_LEAD_IN}{_ASKING}{_LEAD_IN}")
# What stands for something said before; the second ones do where no noun can follow.
_POINTING = frozenset("it them its it's".split())
_POINTING_ALONE = frozenset("this that these those".split())
_AFTER_POINTING = frozenset(
    """to in into on onto for from with by at as and or but now then too also again please first
    instead before after up down out off over""".split()
) | {"", ",", ";", ":"}
# What joins the parts of a request.
_JOINTS = frozenset({"and", "then", "but", "so", "or", ",", ";", ":"})
# What a request holds that names nothing.
_EMPTY_WORDS = frozenset(
    """ok okay yes yep yeah sure great good nice cool perfect thanks hi hey hello now also next
    first finally alright right well pls kindly quickly go ahead want need like help us something
    thing things stuff one ones""".split()
)
# Its verb and a noun; chosen by hand.
_FEWEST_TELLING_WORDS = 2


def is_request(low: str) -> bool:
    """Whether a sentence asks for work or for an answer, and says nothing that would outlast it."""
    if low.rstrip().endswith("?"):
        is_question = _QUESTION.search(low) or _TASK.match(low)
        return bool(is_question) and not _SUGGESTING.search(low)
    return bool(_TASK.match(low)) and not _LASTING.search(low)


def is_question(low: str) -> bool:
    """Whether a request asks for an answer and not for work."""
    return low.rstrip().endswith("?") and not _TASK.match(low)


def names_its_object(low: str) -> bool:
    """Whether a request says what is to be done with what: `apply it` says it only to those who
    heard what went before.
    """
    words = set(re.findall(r"[^\W_][\w./-]*", low))
    return len(words - SEARCH_STOP_WORDS - _EMPTY_WORDS) >= _FEWEST_TELLING_WORDS


def stands_alone(low: str) -> bool:
    """Whether a request can be read without what went before it: `add that to the README` points at
    something that was said, `build the parser and test it` does not.
    """
    words = re.findall(r"[^\W_][\w./'-]*|[,;:]", _TO_THE_VERB.sub("", low))
    for number, word in enumerate(words):
        follows = words[number + 1] if number + 1 < len(words) else ""
        if word in _POINTING or (word in _POINTING_ALONE and follows in _AFTER_POINTING):
            return _names_before(words[1:number])
    return True


def _names_before(words: Sequence[str]) -> bool:
    """Whether what a word points at was named in the part of a request that ends before it: `build
    the parser and test` it.
    """
    joints = [number for number, word in enumerate(words) if word in _JOINTS]
    named = words[: joints[-1]] if joints else ()
    return any(
        word not in SEARCH_STOP_WORDS and not word.endswith("ly") and word not in _JOINTS
        for word in named
    )


def is_report(low: str) -> bool:
    """Whether a sentence of an agent tells what it did, not what somebody said or will do."""
    return (
        bool(_DONE.search(low))
        and not _NOT_YET.search(low)
        and not _REPORTED.search(low)
        and not re.search(r"\b(?:always|never|from now on|going forward|must|should)\b", low)
    )


def is_acknowledgement(low: str) -> bool:
    """Whether the last words of a person only say that it was good."""
    return bool(_ACKNOWLEDGED.search(low)) and not _LASTING.search(low) and len(low.split()) <= 12


def strip_announcement(text: str) -> str:
    """A report without the word that announces one: `Done! The cart rounds.` -> `The cart rounds.`
    What is nothing else stays.
    """
    bare = _ANNOUNCED.sub("", text, count=1).strip()
    return bare[:1].upper() + bare[1:] if len(bare.split()) >= 2 else text
