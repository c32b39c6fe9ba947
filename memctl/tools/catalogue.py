"""All tools: their names, the words that tell a model when to use each, their arguments.

The descriptions are read by models at every call, so they are short and say when, not how.
"""

from __future__ import annotations

from memctl.tools import reading, writing
from memctl.tools.schemas import (
    MAX_CONTENT_CHARACTERS,
    declare_choice,
    declare_flag,
    declare_id,
    declare_object,
    declare_share,
    declare_text,
    declare_texts,
    declare_whole_number,
)
from memctl.tools.tool import Tool

# What a statement may be, the harmless kinds first. What tells agents what to do waits.
KINDS = (
    "fact",
    "decision",
    "command",
    "convention",
    "constraint",
    "preference",
    "workflow",
    "correction",
)
SCOPES = ("project", "global", "agent")
ACTIONS = ("create", "update", "delete")
WAYS = ("keep_first", "keep_second", "both_hold", "no_conflict")
PHASES = ("plan", "work", "review", "debug")
# A search or context gives this many tokens unless the caller wants another amount.
USUAL_CONTEXT_TOKENS = 600
LARGEST_CONTEXT_TOKENS = 4_000

_ID = "The id of a memory as search_memory gives it."
_REASON = "Why, in one sentence."
_CONTENT = "One statement that can be understood alone, with names, paths and numbers."
_KIND = "What it is: fact unless said. Rules for agents and preferences wait for the operator."
_SCOPE = "Where it holds: this project unless said, everywhere (it waits), or your own notes."

TOOLS: tuple[Tool, ...] = (
    Tool(
        "search_memory",
        "Search what earlier sessions left: decisions, facts, commands, preferences. Use it before "
        "you ask the operator or guess. Returns short records with ids.",
        declare_object(
            ["query"],
            query=declare_text("A question or words."),
            limit=declare_whole_number("How many records at most.", 1, 20, 5),
            kinds=declare_texts(f"Only these kinds, of {', '.join(KINDS)}.", most=len(KINDS)),
            tags=declare_texts("Only what is filed under all these tags.", most=5),
            all_projects=declare_flag("Search other projects too."),
        ),
        reading.search_memory,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "recall_memory",
        "Read memories whole, by id, when search_memory cut their text.",
        declare_object(["ids"], ids=declare_texts(_ID, fewest=1, most=10)),
        reading.recall_memory,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "memory_context",
        "Get what is worth knowing before a task: profile, rules, decisions and what fits it, "
        "in one text. Use it once at the start of a task.",
        declare_object(
            (),
            task=declare_text("What you are about to do."),
            max_tokens=declare_whole_number(
                "How long the text may be.", 100, LARGEST_CONTEXT_TOKENS, USUAL_CONTEXT_TOKENS
            ),
            phase=declare_choice("What you are doing, if it is one of these.", PHASES),
        ),
        reading.give_context,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "memory_explain",
        "Say where a memory comes from: its evidence, what it replaced, its history. Use it before "
        "you rely on a surprising memory. Takes a retrieval_id too.",
        declare_object(["id"], id=declare_id("A memory's id or a retrieval_id.")),
        reading.explain_memory,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "get_entity_info",
        "Tell what is known of one person, project, organisation, concept or tool.",
        declare_object(["name"], name=declare_text("Its name, or any other name it has.")),
        reading.describe_entity,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "memory_stats",
        "Count what the memory holds: records in force, what waits, when it was last consolidated.",
        declare_object(),
        reading.count_memory,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "memory_conflicts",
        "List pairs of memories that contradict each other, or of which one may be out of date, "
        "that nobody has decided. If you know from the code or the operator which holds, settle it "
        "with resolve_conflict.",
        declare_object(
            (),
            limit=declare_whole_number("How many pairs at most.", 1, 20, 5),
            all_projects=declare_flag("Pairs of other projects too."),
        ),
        reading.list_conflicts,
        is_reading=True,
        is_repeatable=True,
    ),
    Tool(
        "remember_fact",
        "Store something that later sessions need and cannot read from the code: a decision with "
        "its reason, a fact found out, a command that works. Never store secrets.",
        declare_object(
            ["content"],
            content=declare_text(_CONTENT, longest=MAX_CONTENT_CHARACTERS),
            kind=declare_choice(_KIND, KINDS, "fact"),
            rationale=declare_text("Why it was decided; decisions need it."),
            subject=declare_text("What it is about, in one to three words: tide API port."),
            entity_names=declare_texts("Whom or what it mentions: NAME or person:NAME.", most=10),
            tags=declare_texts("Words to file it under.", most=5),
            confidence=declare_share("How sure you are; an agent's word counts at most 0.6."),
            scope=declare_choice(_SCOPE, SCOPES),
        ),
        writing.remember_fact,
        is_repeatable=True,
    ),
    Tool(
        "correct_fact",
        "Replace a memory that is wrong or out of date by what is true now. The old one stays "
        "readable. What the operator said is only proposed.",
        declare_object(
            ["id", "content"],
            id=declare_id(_ID),
            content=declare_text(_CONTENT, longest=MAX_CONTENT_CHARACTERS),
            reason=declare_text(_REASON),
            rationale=declare_text("Why it is so now, if the memory is a decision."),
        ),
        writing.correct_fact,
        is_destructive=True,
    ),
    Tool(
        "confirm_fact",
        "Note that you checked a memory that you were given: it holds, or it misled you.",
        declare_object(
            ["id"],
            id=declare_id(_ID),
            holds=declare_flag("False if it misled you.", default=True),
            reason=declare_text(_REASON),
            retrieval_id=declare_id("Of the search or context that gave it to you."),
        ),
        writing.confirm_fact,
        is_repeatable=True,
    ),
    Tool(
        "resolve_conflict",
        "Say which of two contradicting memories holds. What you may not decide yourself waits for "
        "the operator.",
        declare_object(
            ["ids", "way", "reason"],
            ids=declare_texts("The two ids, as memory_conflicts gives them.", fewest=2, most=2),
            way=declare_choice("Which holds.", WAYS),
            reason=declare_text("How you know, in one sentence."),
            since=declare_text("For both_hold: YYYY-MM-DD, from when the second one holds."),
        ),
        writing.resolve_conflict,
        is_destructive=True,
        is_repeatable=True,
    ),
    Tool(
        "forget_memory",
        "Take a memory out of use that is wrong and has no true replacement. It is archived, not "
        "erased.",
        declare_object(["id"], id=declare_id(_ID), reason=declare_text(_REASON)),
        writing.forget_memory,
        is_destructive=True,
        is_repeatable=True,
    ),
    Tool(
        "manage_memory",
        "Create, update or delete one memory: the other writing tools in one, for agents that want "
        "few tools.",
        declare_object(
            ["action"],
            action=declare_choice("What to do.", ACTIONS),
            content=declare_text(_CONTENT, longest=MAX_CONTENT_CHARACTERS),
            id=declare_id("The memory to update or delete."),
            kind=declare_choice(_KIND, KINDS),
            scope=declare_choice(_SCOPE, SCOPES),
            reason=declare_text("Why; of a new decision its rationale."),
        ),
        writing.manage_memory,
        is_destructive=True,
    ),
    Tool(
        "memory_consolidate",
        "Take captured sessions in, merge duplicates and find contradictions now instead of at "
        "night. Use it only when asked.",
        declare_object(
            (),
            dry_run=declare_flag("Only say what would be done."),
            seconds=declare_whole_number("How long it may take.", 1, writing.LONGEST_SECONDS, 20),
        ),
        writing.consolidate_memory,
        is_repeatable=True,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
