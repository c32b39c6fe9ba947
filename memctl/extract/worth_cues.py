"""Words by which a learned model tells what will matter later. Data.

A cue only says that words are there; what that is worth was learned (`worth.py`).
"""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later

# In a sentence, and in the first part of the turn that it stands in.
SAID = {
    "lasting": r"\b(?:always|never|every time|from now on|going forward|whenever|in general"
    r"|by default|default)\b",
    "must": r"\b(?:must|mustn't|ha(?:s|ve) to|needs? to|required?|shall)\b",
    "should": r"\b(?:should|shouldn't|ought)\b",
    "refuses": r"\b(?:don't|do not|dont|no need|avoid|stop|without|not)\b",
    "prefers": r"\b(?:instead|rather|prefer|better|not .* but)\b",
    "plans": r"\b(?:let's|lets|we'll|we will|i'll|we are going|let us)\b",
    "wants": r"\b(?:i want|i'd like|we want|i would like|i need|we need)\b",
    "supposes": r"\b(?:i think|i guess|maybe|probably|i believe|perhaps|seems?)\b",
    "asks": r"\?",
    "requests": r"\b(?:can you|could you|can we|could we|would you|please|pls)\b",
    "opens_as_question": r"^(?:how|what|why|where|when|which|who|is|are|do|does|did|can|could)\b",
    "reasons": r"\b(?:because|since|so that|reason|otherwise|the point)\b",
    "states": r"\b(?:is|are|was|were|isn't|aren't)\b",
    "limits": r"\b(?:only|just|exactly|same|all|any)\b",
    "objects": r"\b(?:actually|no|nope|wrong|wait|hmm|but|however)\b",
    "assents": r"^(?:yes|yeah|yep|ok|okay|sure|go|agreed|sounds|perfect|great|good|do it|right"
    r"|correct|lgtm|proceed)\b",
    "orders": r"^(?:fix|add|remove|run|commit|push|create|update|check|show|look|make|implement"
    r"|write|move|rename|delete|merge|rebase|review|test|try|continue|use|change|revert"
    r"|explain)\b",
    "fails": r"\b(?:error|fails?|failed|failing|exception|traceback|broken|bug|issue)\b",
    "counts": r"\d",
    "chooses": r"^\W*(?:\d|[a-d])\b\W*$|\b(?:option|first|second|third|latter|former) ?\d?\b",
    "paths": r"[\w-]+/[\w-]+|\.\w{2,4}\b",
    "codes": r"`|\(\)|_\w",
    "links": r"https?://",
    "names": r"\b(?:use|using|keep|leave|make sure|ensure|name|call it|named|called)\b",
    "we": r"\b(?:we|our|us)\b",
    "i": r"\b(?:i|my|me|i'm)\b",
    "you": r"\b(?:you|your)\b",
    "points": r"\b(?:it|this|that|these|those)\b",
    "suggests": r"\b(?:shouldn't|wouldn't|isn't|what about|how about|why not|why do|do we need"
    r"|should we)\b",
    "thanks": r"\b(?:thanks|thank you|nice|cool|awesome)\b",
    "now": r"\b(?:now|for now|today|currently|yet|temporar)\b",
    "later": r"\b(?:later|next|follow.?up|todo|future|after)\b",
    "people": r"\b(?:users?|customer|people|team|someone)\b",
    "remembers": r"\b(?:remember|note|keep in mind|have in mind|fyi|btw)\b",
}
# At the end of what the agent said before.
BEFORE = {
    "before_ends_asking": r"\?\s*$",
    "before_asks": r"\?",
    "before_offers": r"(?m)^\s*(?:\d[.)]|option|\*\*option|- \[?[a-d1-4]\)?)",
    "before_wants_to_know": r"\b(?:would you like|should i|do you want|shall i|want me to|which"
    r"|let me know|prefer)\b",
    "before_reports": r"\b(?:done|complete|completed|all tests pass|successfully|summary|committed"
    r"|pushed|fixed)\b",
    "before_recommends": r"\b(?:recommend|suggest|proposal|approach|trade-?off|alternatively|pros"
    r"|cons|my take|i'd)\b",
    "before_plans": r"\b(?:plan|steps?|phase)\b",
}
# At the start of what the agent said next.
AFTER = {
    "after_agrees": r"^(?:you're right|good (?:point|catch|idea|call)|great|agreed|makes sense"
    r"|absolutely|ah|fair|right|exactly|got it|understood|sure|yes|perfect|that)\b",
    "after_is_sorry": r"\b(?:sorry|apolog|my mistake|misunderst)",
    "after_goes_on": r"\b(?:let me|i'll|i will|now i)\b",
    "after_asks": r"\?",
    "after_objects": r"\b(?:however|actually|unfortunately|but)\b",
    "after_changes": r"\b(?:instead|change|update|remove|simplif|rename|use)\b",
}
# At the start of what the operator typed next.
TAKES_BACK = compile_later(r"\b(?:no|not|wrong|still|revert|undo|instead)\b", re.IGNORECASE)
# Tools by what they do.
TOOLS = {
    "edits": {"edit", "write", "multiedit", "apply_patch"},
    "runs": {"bash", "shell", "exec_command"},
    "reads": {"read", "grep", "glob"},
    "asks_operator": {"askuserquestion"},
    "plans_first": {"exitplanmode"},
}


def compile_cues(cues: dict[str, str]) -> dict[str, re.Pattern[str]]:
    """Compile patterns that do not care for case."""
    return {name: re.compile(pattern, re.IGNORECASE) for name, pattern in cues.items()}
