"""What a statement of somebody's notes is: a rule, a habit, a command, a fact, or nothing worth keeping. Pure, over words alone.

It keeps true: what only leads elsewhere, what every generated file says, and what is no statement is None; a decision has a reason.
"""

from __future__ import annotations

import re

from memctl.importers.base import ImportedNote
from memctl.importers.page_statements import (
    LONGEST_STATEMENT,
    PageStatement,
    strip_emphasis_and_links,
)

_CONSTRAINT = re.compile(
    r"\b(?:never|always|must|mustn't|do not|don't|may not|forbidden|prohibited|not allowed|required to|is required"
    r"|are required|mandatory|under no circumstances|only ever|non-negotiable)\b"
)
_DIRECTIVE = re.compile(
    r"^(?:(?:please|when [^,]{2,80},|before [^,]{2,80},|after [^,]{2,80},|if [^,]{2,80},|for [^,]{2,60},|in [^,]{2,60},|all|every|each) )?"
    r"(?:use|prefer|keep|write|run|follow|avoid|put|name|add|ensure|make|check|place|store|create|update|test|document|include|read|ask"
    r"|start|commit|squash|rebase|wrap|handle|log|return|import|export|define|declare|mark|leave|limit|split|group|sort|stick|favou?r"
    r"|respect|treat|verify|validate|review|format|lint|mock|cover|call|pass|set|remove|delete|fix|report|explain|answer|reply|refer"
    r"|consult|implement|maintain|minimi[sz]e|structure|organi[sz]e|separate|isolate|extract|reuse|leverage|be|bump|tag|pin|open|provide"
    r"|match|focus|think|work|stop|wait|apply|consider|design|build|generate|install|register|track|do|let"
    r"|no \S+ (?:\S+ )?(?:in|on|for|at|during|with|inside|outside|without))\b"
)
_SHOULD = re.compile(
    r"\b(?:should|shouldn't|prefer|prefers|instead of|rather than|need to|needs to|have to|has to|by default|we use|is used for)\b"
)
_RULE_HEADING = re.compile(
    r"rule|convention|style|guideline|standard|practice|polic|principle|constraint|do(?:s)?\b|don't|pattern|naming|etiquette"
)
_COMMAND_HEADING = re.compile(
    r"\b(?:commands?|build(?:ing)?|tests?|testing|run(?:ning)?|develop(?:ment|ing)?|lint(?:ing)?|setup|set up|install(?:ation|ing)?"
    r"|scripts?|quick ?start|getting started|usage|deploy(?:ment|ing)?|release|workflow|format(?:ting)?|checks?|debug(?:ging)?|tasks?"
    r"|verif\w*)\b"
)
_DECISION_HEADING = re.compile(r"\bdecisions?\b|\badrs?\b|\bwhy\b|rationale")
_DECIDED = re.compile(
    r"^(?:decision\b|decided\b|we (?:chose|decided|picked|settled|went with|moved|switched)\b|chose\b)"
)
_REASON = re.compile(
    r"(?:\b(?:because|rationale:|reason:|the reason is|why:)|\*\*(?:why|rationale|reason):?\*\*:?|\bso that\b|\bin order to\b"
    r"|(?:,|;) since\b|\bdue to\b)(.{8,})",
    re.IGNORECASE | re.DOTALL,
)
_CODE_SPAN = re.compile(r"`([^`\n]{2,160})`")
_PROGRAM = re.compile(
    r"(?:\$ )?(?:[A-Z_]{2,30}=\S{1,60} ){0,3}(?:sudo )?(?:\./\S|npm|npx|pnpm|yarn|bun|bunx|deno|node|python3?|pip3?|uv|uvx|poetry|pdm"
    r"|hatch|tox|nox|pytest|ruff|mypy|cargo|rustup|go|make|just|task|mise|cmake|ninja|bazel|gradle|mvn|docker|podman|kubectl|helm"
    r"|terraform|git|gh|bundle|rails|rake|rspec|mix|dotnet|swift|xcodebuild|flutter|dart|php|composer|artisan|psql|sqlite3|curl|bash|sh"
    r"|turbo|nx|vitest|jest|eslint|prettier|tsc|biome|pre-commit|playwright|wrangler|vercel|fly|aws|gcloud|az|ansible|nix|brew|apt|sbt"
    r"|lein|stack|cabal|zig|hugo|ssh)(?: \S|$)"
)
_BOILERPLATE = re.compile(
    r"^(?:this file (?:provides|contains|describes|gives|is)|this document (?:provides|contains|describes|outlines)"
    r"|last (?:updated|modified)|(?:auto-?)?generated (?:by|on|with)|you are an? |you are working|table of contents|todo\b|tbd\b|n/?a\b"
    r"|none\b|see also|see below|below (?:is|are)|the following|here (?:is|are)|for more (?:information|details)|version:? [\d.]+$"
    r"|author\b|copyright\b|licen[cs]e\b)"
)
_LINK_ALONE = re.compile(
    r"(?:!?\[[^\]\n]{0,300}\]\([^)\n]{0,600}\)|\[\[[^\]\n]{0,200}\]\]|<?https?://[^\s>]{1,600}>?|@[\w./~*-]{1,200})"
)
_IMPORT = re.compile(r"(?:^|\s)@(?:~|\.{0,2}/|[\w-]{1,80}/)?[\w./-]{1,200}\.(?:md|mdc|txt)\b")
_FOLDER_TREE = re.compile("^\\s*[\u2502\u251c\u2514]|[\u251c\u2514]\u2500")
_GENERIC_HEADING = re.compile(
    r"(?:the |project |general |important |key |core |critical |code |coding |development ){0,4}(?:rules?|notes?|important|overview"
    r"|guidelines?|general|instructions?|conventions?|about|introduction|summary|context|memory|(?:\w+ added |saved )?memories"
    r"|preferences?|facts?|details?"
    r"|information|description|misc\w{0,12}|other|tips?|gotchas?|reminders?|principles?|standards?|best practices|practices|commands?"
    r"|project|claude\.md|agents\.md|gemini\.md|readme)(?: .{0,3})?"
)
# A name in backticks, a path or an address says nothing by itself.
_SINGLE_NAME = re.compile(r"(?:`[^`]*`|\S{0,200}[/.@]\S{1,200})[.,;]?")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS, _WITH_LABEL, _LONGEST_LABEL = 3, 6, 36
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
    piece: PageStatement, *, is_global: bool, ts: str | None = None, applies_to: str = ""
) -> ImportedNote | None:
    """A statement of a page as a memory, or None for what is none. `applies_to` names the files that the page is about."""
    if piece.form == "shell":
        return _build_command_note(piece, is_global, ts)
    whole = strip_emphasis_and_links(piece.on_one_line)
    low = whole.lower().lstrip("-*•>#✅❌⚠🚨️ \t")
    label = _find_label(piece)
    if not _is_statement(piece, whole, low, label):
        return None
    kind, confidence = _choose_kind(piece, low)
    content = _add_context(
        whole, label, applies_to, is_named=bool(piece.lead) and piece.text.startswith("`")
    )
    return _build_note(piece, kind, confidence, content, label, is_global, ts)


def classify_operator_statement(
    text: str, ts: str | None = None, *, line: int = 0
) -> ImportedNote | None:
    """What a chat remembers about the person who uses it."""
    low = strip_emphasis_and_links(text).lower()
    if not _WORD.search(low):
        return None
    preference = re.search(
        r"\b(?:prefer|like|love|want|dislike|hate|avoid|wish|request|asks? (?:for|that|me)|use|uses|using)\w*\b",
        low,
    )
    kind = "constraint" if _CONSTRAINT.search(low) else "preference" if preference else "fact"
    return ImportedNote(text, "profile", kind, "global", 0.6, line=line, ts=ts)


def classify_project_statement(text: str) -> tuple[str, str, float]:
    """Type, kind and confidence of a statement about a project, by its words."""
    low = strip_emphasis_and_links(text).lower()
    if _DECIDED.match(low) and find_reason(text):
        return "decision", "decision", 0.55
    if _CONSTRAINT.search(low):
        return "project", "constraint", 0.55
    return (
        ("project", "convention", 0.5)
        if _DIRECTIVE.match(low) or _SHOULD.search(low)
        else ("project", "fact", 0.5)
    )


def find_reason(text: str) -> str | None:
    """The reason that a text gives, or None."""
    found = _REASON.search(text)
    if not found:
        return None
    paragraph = strip_emphasis_and_links(found[1].lstrip(" :*\n").split("\n\n", 1)[0])
    if ":" not in found[0][:14]:
        paragraph = re.split(r"[.;](?:\s|$)", paragraph, maxsplit=1)[0]
    return paragraph[:300].strip(" .;") or None


def _is_statement(piece: PageStatement, whole: str, low: str, label: str) -> bool:
    if whole.endswith(":") or (
        _SINGLE_NAME.fullmatch(whole) and not (label and _PROGRAM.match(whole.strip("`")))
    ):
        return False
    if (
        _BOILERPLATE.match(low)
        or _FOLDER_TREE.search(whole)
        or low.endswith("?")
        or len(whole) > LONGEST_STATEMENT * 1.5
    ):
        return False
    if low.startswith(("[ ] ", "[x] ")) and not re.search(
        r"before|checklist|definition of done", f"{label} {piece.lead}".lower()
    ):
        return False
    bare = _LINK_ALONE.sub(" ", _IMPORT.sub(" ", piece.on_one_line))
    words = _WORD.findall(re.sub(r"`[^`\n]*`", " x ", bare))
    if piece.form == "paragraph":
        return len(words) >= _FEWEST_WORDS + 1
    named = bool(re.search(r"[:=\u2013\u2014-] ?\S", whole)) and bool(words or "`" in whole)
    return len(words) >= _FEWEST_WORDS or (
        bool(words or "`" in bare) and (bool(label) or (named and len(whole.split()) > 1))
    )


def _choose_kind(piece: PageStatement, low: str) -> tuple[str, float]:
    above = " ".join((*piece.headings[-2:], piece.lead)).lower()
    if piece.form == "steps":
        return "workflow", 0.55
    if _is_command(piece, low, above):
        return "command", 0.65
    if _CONSTRAINT.search(low):
        return "constraint", 0.65
    if (_DECIDED.match(low) or _DECISION_HEADING.search(above)) and find_reason(piece.text):
        return "decision", 0.6
    bare = re.sub(r"^[^:.`]{2,40}: ", "", low)
    if _DIRECTIVE.match(low) or _DIRECTIVE.match(bare) or _SHOULD.search(low):
        return "convention", 0.6
    if piece.form == "item" and _RULE_HEADING.search(above):
        return "convention", 0.55
    return "fact", 0.5


def _is_command(piece: PageStatement, low: str, above: str) -> bool:
    """Whether a statement is about one command: it names one, and little else, or stands where commands are told."""
    ticked = next(
        (tick for tick in _CODE_SPAN.findall(piece.on_one_line) if _PROGRAM.match(tick)), None
    )
    if ticked is None:
        return False
    leads = low.startswith(("`", "run `", "use `")) or bool(re.match(r"[^:`]{2,60}: ?`", low))
    return leads and (bool(_COMMAND_HEADING.search(above)) or bool(_COMMAND_HEADING.search(low)))


def _build_command_note(
    piece: PageStatement, is_global: bool, ts: str | None
) -> ImportedNote | None:
    command, comment = piece.below
    above = " ".join((*piece.headings[-2:], piece.lead)).lower()
    if (
        not _PROGRAM.match(command)
        or not _COMMAND_HEADING.search(f"{above} {comment.lower()}")
        or not _WORD.search(comment)
    ):
        return None
    content = f"{comment}: `{command}`"
    return _build_note(piece, "command", 0.6, content, "", is_global, ts)


def _build_note(
    piece: PageStatement,
    kind: str,
    confidence: float,
    content: str,
    label: str,
    is_global: bool,
    ts: str | None,
) -> ImportedNote:
    rationale = (
        find_reason(piece.text) if kind in ("decision", "constraint", "convention") else None
    )
    if is_global:
        kind = "constraint" if kind == "constraint" else "preference"
        type_, scope = "profile", "global"
    else:
        type_, scope = ("decision" if kind == "decision" else "project"), "project"
    return ImportedNote(
        piece.text,
        type_,
        kind,
        scope,
        confidence,
        rationale=rationale,
        content=content if content != piece.text else None,
        title=_choose_title(content, label),
        line=piece.line,
        ts=ts,
    )


def _choose_title(content: str, label: str) -> str | None:
    """The words under the few that stand above them; a long line above says too little of each statement below it."""
    if len(label) > _LONGEST_LABEL:
        return content.removeprefix(f"{label}: ")
    if not label:
        return None
    return content if content.lower().startswith(label.lower()) else f"{label}: {content}"


def _find_label(piece: PageStatement) -> str:
    """What a statement is about, where a line above says so in few words; the name of the page is no such word."""
    if piece.lead and len(piece.lead) <= 80:
        return piece.lead
    heading = (
        re.sub(r"^[\d.)\s]+|[^\w)`'\"/.+#-]+$", "", piece.headings[-1])
        if len(piece.headings) > 1
        else ""
    )
    return "" if _GENERIC_HEADING.fullmatch(heading.lower()) or len(heading) > 60 else heading


def _add_context(whole: str, label: str, applies_to: str, *, is_named: bool) -> str:
    """The words with what they need to be understood alone: few words need it, and so does what a name stands for."""
    if label and (
        is_named
        or len(whole.split()) < _WITH_LABEL
        or label.lower().startswith(_CONDITION_OPENINGS)
    ):
        whole = f"{label}: {whole}"
    return f"For {applies_to}: {whole}" if applies_to else whole
