"""Classify a statement of somebody's notes: a rule, a habit, a command, a fact, or nothing.

Pure, by words alone. Links, text that every generated file has, and what is no statement give None.
A decision always has a reason.
"""

from __future__ import annotations

import re

from memctl.core.lazy_pattern import compile_later
from memctl.importers.base import ImportedNote
from memctl.importers.page_statements import (
    LONGEST_STATEMENT,
    PageStatement,
    strip_emphasis_and_links,
)

_CONSTRAINT = compile_later(
    r"\b(?:never|always|must|mustn't|do not|don't|may not|forbidden|prohibited|not allowed"
    r"|required to|is required"
    r"|are required|mandatory|under no circumstances|only ever|non-negotiable)\b"
)
_DIRECTIVE = compile_later(
    r"^(?:(?:please|when [^,]{2,80},|before [^,]{2,80},|after [^,]{2,80},|if [^,]{2,80},"
    r"|for [^,]{2,60},|in [^,]{2,60},|all|every|each) )?"
    r"(?:use|prefer|keep|write|run|follow|avoid|put|name|add|ensure|make|check|place|store|create"
    r"|update|test|document|include|read|ask"
    r"|start|commit|squash|rebase|wrap|handle|log|return|import|export|define|declare|mark|leave"
    r"|limit|split|group|sort|stick|favou?r"
    r"|respect|treat|verify|validate|review|format|lint|mock|cover|call|pass|set|remove|delete|fix"
    r"|report|explain|answer|reply|refer"
    r"|consult|implement|maintain|minimi[sz]e|structure|organi[sz]e|separate|isolate|extract|reuse"
    r"|leverage|be|bump|tag|pin|open|provide"
    r"|match|focus|think|work|stop|wait|apply|consider|design|build|generate|install|register"
    r"|track|do|let"
    r"|no \S+ (?:\S+ )?(?:in|on|for|at|during|with|inside|outside|without))\b"
)
_PREFERENCE = compile_later(
    r"\b(?:prefer|like|love|want|dislike|hate|avoid|wish|request|asks? (?:for|that|me)|use"
    r"|uses|using)\w*\b"
)
_SHOULD = compile_later(
    r"\b(?:should|shouldn't|prefer|prefers|instead of|rather than|need to|needs to|have to|has to"
    r"|by default|we use|is used for)\b"
)
_RULE_HEADING = compile_later(
    r"rule|convention|style|guideline|standard|practice|polic|principle|constraint|do(?:s)?\b"
    r"|don't|pattern|naming|etiquette"
)
_COMMAND_HEADING = compile_later(
    r"\b(?:commands?|build(?:ing)?|tests?|testing|run(?:ning)?|develop(?:ment|ing)?|lint(?:ing)?"
    r"|setup|set up|install(?:ation|ing)?"
    r"|scripts?|quick ?start|getting started|usage|deploy(?:ment|ing)?|release|workflow"
    r"|format(?:ting)?|checks?|debug(?:ging)?|tasks?"
    r"|verif\w*)\b"
)
_DECISION_HEADING = compile_later(r"\bdecisions?\b|\badrs?\b|\bwhy\b|rationale")
_DECIDED = compile_later(
    r"^(?:decision\b|decided\b|we (?:chose|decided|picked|settled|went with|moved|switched)\b"
    r"|chose\b)"
)
_REASON = compile_later(
    r"(?:\b(?:because|rationale:|reason:|the reason is|why:)|\*\*(?:why|rationale|reason):?\*\*:?"
    r"|\bso that\b|\bin order to\b"
    r"|(?:,|;) since\b|\bdue to\b)(.{8,})",
    re.IGNORECASE | re.DOTALL,
)
_CODE_SPAN = compile_later(r"`([^`\n]{2,160})`")
_PROGRAM = compile_later(
    r"(?:\$ )?(?:[A-Z_]{2,30}=\S{1,60} ){0,3}(?:sudo )?(?:\./\S|npm|npx|pnpm|yarn|bun|bunx|deno"
    r"|node|python3?|pip3?|uv|uvx|poetry|pdm"
    r"|hatch|tox|nox|pytest|ruff|mypy|cargo|rustup|go|make|just|task|mise|cmake|ninja|bazel|gradle"
    r"|mvn|docker|podman|kubectl|helm"
    r"|terraform|git|gh|bundle|rails|rake|rspec|mix|dotnet|swift|xcodebuild|flutter|dart|php"
    r"|composer|artisan|psql|sqlite3|curl|bash|sh"
    r"|turbo|nx|vitest|jest|eslint|prettier|tsc|biome|pre-commit|playwright|wrangler|vercel|fly"
    r"|aws|gcloud|az|ansible|nix|brew|apt|sbt"
    r"|lein|stack|cabal|zig|hugo|ssh)(?: \S|$)"
)
_BOILERPLATE = compile_later(
    r"^(?:this file (?:provides|contains|describes|gives|is)|this document (?:provides|contains"
    r"|describes|outlines)"
    r"|last (?:updated|modified)|(?:auto-?)?generated (?:by|on|with)|you are an? |you are working"
    r"|table of contents|todo\b|tbd\b|n/?a\b"
    r"|none\b|see also|see below|below (?:is|are)|the following|here (?:is|are)"
    r"|for more (?:information|details)|version:? [\d.]+$"
    r"|author\b|copyright\b|licen[cs]e\b)"
)
_LINK_ALONE = compile_later(
    r"(?:!?\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)|\[\[[^\]\n]{0,200}\]\]|<?https?://[^\s>]{1,600}>?"
    r"|@[\w./~*-]{1,200})"
)
_IMPORT = compile_later(r"(?:^|\s)@(?:~|\.{0,2}/|[\w-]{1,80}/)?[\w./-]{1,200}\.(?:md|mdc|txt)\b")
# What says that a list of tasks is a rule rather than somebody's plan.
_CHECKLIST = compile_later(r"before|checklist|definition of done")
_FOLDER_TREE = compile_later("^\\s*[\u2502\u251c\u2514]|[\u251c\u2514]\u2500")
_GENERIC_HEADING = compile_later(
    r"(?:the |project |general |important |key |core |critical |code |coding "
    r"|development ){0,4}(?:rules?|notes?|important|overview"
    r"|guidelines?|general|instructions?|conventions?|about|introduction|summary|context|memory"
    r"|(?:\w+ added |saved )?memories"
    r"|preferences?|facts?|details?"
    r"|information|description|misc\w{0,12}|other|tips?|gotchas?|reminders?|principles?|standards?"
    r"|best practices|practices|commands?"
    r"|project|claude\.md|agents\.md|gemini\.md|readme)(?: .{0,3})?"
)
# Numbers before a heading, and marks behind it.
_HEADING_DECORATION = compile_later(r"^[\d.)\s]+|[^\w)`'\"/.+#-]+$")
# A name in backticks, a path or an address says nothing by itself.
_SINGLE_NAME = compile_later(r"(?:`[^`]*`|\S{0,200}[/.@]\S{1,200})[.,;]?")
_WORD = compile_later(r"[^\W\d_]{2,}")
# Words of a list item that is a statement; a paragraph needs one more. Chosen by hand, as are the
# limits below and the confidences in this module.
_FEWEST_WORDS = 3
# A statement of fewer words needs the label above it to be understood.
_WORDS_ALONE = 6
# Characters of a label that goes into a title, of a line that leads in, and of a label heading.
_LONGEST_TITLE_LABEL = 36
_LONGEST_LEAD = 80
_LONGEST_HEADING_LABEL = 60
# Characters of a reason.
_LONGEST_REASON = 300
# A line that leads in with one of these changes what stands below it.
_CONDITION_OPENINGS = (
    "when ",
    "if ",
    "for ",
    "in ",
    "before ",
    "after ",
    "do not",
    "don't",
    "never",
)


def classify_statement(
    statement: PageStatement, *, is_global: bool, ts: str | None = None, applies_to: str = ""
) -> ImportedNote | None:
    """Turn a statement of a page into a memory; None if it is not worth one.

    `applies_to` names the files that the page is about.
    """
    if statement.form == "shell":
        return _build_command_note(statement, is_global, ts)
    whole = strip_emphasis_and_links(statement.on_one_line)
    low = whole.lower().lstrip("-*•>#✅❌⚠🚨️ \t")
    label = _find_label(statement)
    if not _is_statement(statement, whole, low, label):
        return None
    kind, confidence = _choose_kind(statement, low)
    content = _add_context(
        whole, label, applies_to, is_named=bool(statement.lead) and statement.text.startswith("`")
    )
    return _build_note(statement, kind, confidence, content, label, is_global, ts)


def classify_operator_statement(
    text: str, ts: str | None = None, *, line: int = 0
) -> ImportedNote | None:
    """Classify what a chat remembers about the person who uses it."""
    low = strip_emphasis_and_links(text).lower()
    if not _WORD.search(low):
        return None
    if _CONSTRAINT.search(low):
        kind = "constraint"
    elif _PREFERENCE.search(low):
        kind = "preference"
    else:
        kind = "fact"
    return ImportedNote(text, "profile", kind, "global", 0.6, line=line, ts=ts)


def classify_project_statement(text: str) -> tuple[str, str, float]:
    """Return type, kind and confidence of a statement about a project, by its words."""
    low = strip_emphasis_and_links(text).lower()
    if _DECIDED.match(low) and find_reason(text):
        return "decision", "decision", 0.55
    if _CONSTRAINT.search(low):
        return "project", "constraint", 0.55
    if _DIRECTIVE.match(low) or _SHOULD.search(low):
        return "project", "convention", 0.5
    return "project", "fact", 0.5


def find_reason(text: str) -> str | None:
    """Return the reason that a text gives, or None."""
    found = _REASON.search(text)
    if not found:
        return None
    paragraph = strip_emphasis_and_links(found[1].lstrip(" :*\n").split("\n\n", 1)[0])
    if ":" not in found[0][:14]:
        paragraph = re.split(r"[.;](?:\s|$)", paragraph, maxsplit=1)[0]
    return paragraph[:_LONGEST_REASON].strip(" .;") or None


def _is_statement(statement: PageStatement, whole: str, low: str, label: str) -> bool:
    if low.endswith((":", "?")) or len(whole) > LONGEST_STATEMENT * 1.5:
        return False
    is_labelled_command = bool(label) and _PROGRAM.match(whole.strip("`"))
    if _SINGLE_NAME.fullmatch(whole) and not is_labelled_command:
        return False
    if _BOILERPLATE.match(low) or _FOLDER_TREE.search(whole):
        return False
    is_task = low.startswith(("[ ] ", "[x] "))
    if is_task and not _CHECKLIST.search(f"{label} {statement.lead}".lower()):
        return False
    return _says_enough(statement, whole, label)


def _says_enough(statement: PageStatement, whole: str, label: str) -> bool:
    """Whether enough words are left without links, imports and code."""
    bare = _LINK_ALONE.sub(" ", _IMPORT.sub(" ", statement.on_one_line))
    words = _WORD.findall(re.sub(r"`[^`\n]*`", " x ", bare))
    if statement.form == "paragraph":
        return len(words) >= _FEWEST_WORDS + 1
    named = bool(re.search(r"[:=\u2013\u2014-] ?\S", whole)) and bool(words or "`" in whole)
    if len(words) >= _FEWEST_WORDS:
        return True
    has_content = bool(words or "`" in bare)
    return has_content and (bool(label) or (named and len(whole.split()) > 1))


def _choose_kind(statement: PageStatement, low: str) -> tuple[str, float]:
    above = " ".join((*statement.headings[-2:], statement.lead)).lower()
    if statement.form == "steps":
        return "workflow", 0.55
    if _is_command(statement, low, above):
        return "command", 0.65
    if _CONSTRAINT.search(low):
        return "constraint", 0.65
    if (_DECIDED.match(low) or _DECISION_HEADING.search(above)) and find_reason(statement.text):
        return "decision", 0.6
    bare = re.sub(r"^[^:.`]{2,40}: ", "", low)
    if _DIRECTIVE.match(low) or _DIRECTIVE.match(bare) or _SHOULD.search(low):
        return "convention", 0.6
    if statement.form == "item" and _RULE_HEADING.search(above):
        return "convention", 0.55
    return "fact", 0.5


def _is_command(statement: PageStatement, low: str, above: str) -> bool:
    """Whether a statement is about one command that it names and says little else about."""
    if not any(map(_PROGRAM.match, _CODE_SPAN.findall(statement.on_one_line))):
        return False
    leads = low.startswith(("`", "run `", "use `")) or bool(re.match(r"[^:`]{2,60}: ?`", low))
    return leads and (bool(_COMMAND_HEADING.search(above)) or bool(_COMMAND_HEADING.search(low)))


def _build_command_note(
    statement: PageStatement, is_global: bool, ts: str | None
) -> ImportedNote | None:
    command, comment = statement.below
    above = " ".join((*statement.headings[-2:], statement.lead)).lower()
    is_about_commands = _COMMAND_HEADING.search(f"{above} {comment.lower()}")
    if not (_PROGRAM.match(command) and is_about_commands and _WORD.search(comment)):
        return None
    content = f"{comment}: `{command}`"
    return _build_note(statement, "command", 0.6, content, "", is_global, ts)


def _build_note(
    statement: PageStatement,
    kind: str,
    confidence: float,
    content: str,
    label: str,
    is_global: bool,
    ts: str | None,
) -> ImportedNote:
    has_reason = kind in ("decision", "constraint", "convention")
    rationale = find_reason(statement.text) if has_reason else None
    if is_global:
        kind = "constraint" if kind == "constraint" else "preference"
        type_, scope = "profile", "global"
    else:
        type_, scope = ("decision" if kind == "decision" else "project"), "project"
    return ImportedNote(
        statement.text,
        type_,
        kind,
        scope,
        confidence,
        rationale=rationale,
        content=content if content != statement.text else None,
        title=_choose_title(content, label),
        line=statement.line,
        ts=ts,
        heading=statement.headings[-1] if statement.headings else "",
    )


def _choose_title(content: str, label: str) -> str | None:
    """Put the words under the label above them, unless that is long and so says too little."""
    if len(label) > _LONGEST_TITLE_LABEL:
        return content.removeprefix(f"{label}: ")
    if not label:
        return None
    return content if content.lower().startswith(label.lower()) else f"{label}: {content}"


def _find_label(statement: PageStatement) -> str:
    """Return what a statement is about, if a short line above says so.

    The name of the page and common headings say nothing.
    """
    if statement.lead and len(statement.lead) <= _LONGEST_LEAD:
        return statement.lead
    if len(statement.headings) < 2:
        return ""
    heading = _HEADING_DECORATION.sub("", statement.headings[-1])
    is_generic = _GENERIC_HEADING.fullmatch(heading.lower())
    return "" if is_generic or len(heading) > _LONGEST_HEADING_LABEL else heading


def _add_context(whole: str, label: str, applies_to: str, *, is_named: bool) -> str:
    """Add what the words need to be understood alone.

    Short statements need the label above them, and so do those that begin with a name or a
    condition.
    """
    is_short = len(whole.split()) < _WORDS_ALONE
    is_conditional = label.lower().startswith(_CONDITION_OPENINGS)
    if label and (is_named or is_short or is_conditional):
        whole = f"{label}: {whole}"
    return f"For {applies_to}: {whole}" if applies_to else whole
