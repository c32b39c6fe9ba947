"""Find what a text names: people, organisations, projects, tools, identifiers and files. Pure.

Precision comes first: a person needs a known first name or words that introduce a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later
from memctl.core.model import EntityKind, EntityRef
from memctl.text import known_names

_ROLE = compile_later(
    r"\b(?:[Mm]y|[Oo]ur) (?:boss|manager|supervisor|team lead|tech lead|co-?founder|ceo|CEO|cto"
    r"|CTO|cfo|CFO|wife|husband|spouse|landlord|"
    r"mentor|accountant|lawyer|therapist|product owner|product manager|scrum master"
    r"|designer)\b(?! of\b)(?!['\u2019]s)"
)
_CAPITAL = r"[^\W\d_a-z][^\W\d_A-Z]{1,20}(?:[-'\u2019][^\W\d_a-z][^\W\d_A-Z]{1,20})?"
_TOKEN = compile_later(r"\w[\w'\u2019.+#-]{0,60}")
_PERSON = compile_later(
    rf"(?<![\w`/.@'\u2019-])(?P<first>{_CAPITAL})(?: (?P<last>{_CAPITAL}))?(?![\w/`]|[-.]\w|\()"
)
_DOES = compile_later(
    r"(?:'s)? ?(?P<verb>said|says|asked|asks|told|tells|agreed|agrees|approved|insisted|insists"
    r"|prefers|preferred|wants|wanted|thinks|"
    r"complained|emailed|decided|suggested|confirmed|mentioned|reviewed|is on (?:vacation"
    r"|holiday|leave)|joined the team|left the team)\b"
)
_ORG = compile_later(
    rf"(?<![\w`/.-])((?:{_CAPITAL} ){{1,3}}(?:Inc|LLC|Ltd|GmbH|Corp|AG|BV|SA|PLC|Limited"
    rf"|Corporation|Foundation)\b)"
)
_PROJECT = compile_later(
    rf"\b[Tt]he (?:`(?P<ticked>[\w.-]{{2,40}})`|(?P<name>{_CAPITAL}(?:[-_]?\w{{1,20}})?)) "
    rf"(?:project|repo|repository|codebase)\b"
)
_TICKED = compile_later(r"`([^`\n]{2,60})`")
# A plain word in ticks may be anything; what only code has (a mark, a capital inside, a digit)
# tells an identifier.
_IDENTIFIER = compile_later(
    r"(?=[^A-Za-z\n]{0,60}[A-Za-z])(?![A-Z]?[a-z]+$|[\d.]+$)[\w@.$/-]{3,60}(?:\(\))?"
)
_PATH = compile_later(
    r"(?<![\w/.-])[\w./-]{0,80}[\w-]\.(?:py|go|ts|tsx|js|jsx|rs|rb|java|md|toml|json|ya?ml|sql"
    r"|sh|css|html|c|cc|cpp|h|kt|swift)\b"
)
_COMMANDS = (
    "npm|npx|pnpm|yarn|bun|pip|pip3|uv|poetry|cargo|docker|kubectl|git|gh|pytest|vitest|jest"
    "|ruff|mypy|eslint|prettier|tox|nox|terraform|"
    "gradle|maven|golangci-lint|staticcheck"
)
_MADE_BY = r"(?:`make|\b(?:run|running|use|via|with) make|(?<=\n)make)(?= [a-z][\w-]*)"
_LITERALS = frozenset(
    (
        "true false null none nil undefined yes no todo fixme nan main self this any all and not "
        "the"
    ).split()
)
# As a word they are more often something else.
_ELSEWISE = frozenset(
    ("Go", "Node", "PG", "Bun", "Yarn", "Rails", "Vite", "Kafka", "Jest", "Python 3")
)
# A `first word` in capitals that is nobody, although it may stand where somebody would.
_NOBODY = frozenset(
    """
        i the a an he she it they we you this that these those there here who what which user
        users nobody someone somebody everyone everybody anyone one team management marketing
        legal finance support security product engineering operator claude codex gemini copilot
        cursor gpt chatgpt assistant agent model anthropic openai google microsoft amazon apple
        meta github gitlab slack jira linear docker server client app api ci bot system script
        test tests code compiler linter database browser reviewer author customer manager boss
        doctor no yes but and so if when then also because while since after before today
        yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday january
        february march april may june july august september october november december note update
        error warning english german french spanish russian chinese japanese korean italian
        european american british docs spec rfc readme plan step phase task issue
    """.split()
)
# First names that are words, tools or languages too: with a last name, or in the middle of a
# sentence before what people do.
_WORDS_TOO = frozenset(
    """
        jan mark will bill art drew grant chase grace hope faith joy dawn sue pat jack max min ray
        rich frank ward miles wade summer april june may august rob rose ruby julia ada jasper
        crystal pearl robin sky dick don guy gene jean dale dean chip rusty sandy sterling tab tex
        victor roman sasha beth ivy iris olive violet penny carol christian jordan austin dallas
        paris london sydney florence chelsea madison carter mason hunter tanner parker cooper
        archer taylor tyler jenkins travis cody bishop major duke earl king prince lane reed rod
        stone wolf lex theo ben dan dave sam ted tom tim ed ron sage haskell scala dima roma val
        mike trent van angel jesus destiny
    """.split()
)
_FIRST = frozenset(
    """
        aaron abby abdul abigail adam adele adrian agnes ahmed aisha alan albert alejandro alena
        ali alice alicia alina alisa allison amanda amber amelia amina amir amy ana anastasia
        anatoly andrea andreas andrei andrey angela anil anita anja ann anna anne annika anouk
        anton antonio anya ari arjun arkady arthur artem asha ashley audrey ayesha bart beatrice
        bella bernard bertrand bianca bjorn bob boris brandon brenda brian bridget bruce bruno
        camille carl carla carlos carmen carolina caroline cecilia cedric celine chiara chloe
        christina christine claire clara claudia clement colin connor craig cristina cynthia
        daniela danielle daria darya david deborah denis dennis derek diana diego dieter dirk
        dmitri dominic donald doris dorothy douglas duncan dylan eduardo edwin egor eleanor elena
        eliot elisa ella elliot emil emilia emily emma enrique eric erica erik erin ernest esther
        ethan eugene eva evan evelyn fabian fabio fatima federico felix fernando fiona francesca
        francis francisco franz fred frederick fritz gabriel gareth gary gavin george gerald
        gerard giulia giuseppe glenn gloria gordon graham greta guillaume gustav hannah hans
        harald harold harry hassan heather heidi helen helena helga henrik henry herbert hiroshi
        holger howard hugo ian ibrahim igor ilya ines ingrid irene irina isaac isabel isabella
        ivan jacob jacqueline jake jamal jan jana jane janet janine jason javier jeff jeffrey jens
        jeremy jerome jesse jessica jill joan joanna joel johan johannes jonas jorge jose joseph
        josephine juan judith judy juergen jules julian julie juliette julius junko jurgen justin
        kai karen karim karin karl karolina katharina kathleen katrin keith kelly kenji kenneth
        kenta kevin kim klaus kumar kurt kyle lars laura lauren laurent lea leah leila lena leo
        leon leonard leonid leslie lev li liam lidia lina linda lisa lorenzo louis louise luca
        lucas lucia lucy ludmila luis luisa lukas luke lydia lyudmila maja maksim malik manuel
        marc marcel marcin marco marcus margarita marianne marie marina mario marion marius marta
        martha martin martina mateo mathias matteo maureen maurice maxim mei melanie melissa mia
        michaela michel michelle miguel mila milan miriam mohamed mohammed moira monica monika
        morgan muhammad nadia nadine naomi natalie nathan neil nicolas nicole nigel nikhil nikita
        nikolaus nils nina noah noel nora norman oksana oleg oliver olivia omar oscar otto owen
        pablo pamela paola pascal patrick paul paula paulina pedro petra philipp pierre piotr
        polina priya rachel radek rafael rahul raj ralph ramon raphael rashid raul raymond regina
        rene renata ricardo rita roberto rodrigo roger roland rosa ruslan russell ruth ryan sabine
        salma sandra sanjay sara sarah sebastian sergio shane shannon sharon shaun sheila simon
        simone slava sofia sonia sonya sophia sophie stanislav stefan stella stephan stephanie
        stuart susan suzanne sven sylvia takeshi tamara tara tatyana teresa thierry tobias tomas
        trevor ulrich ulrike ursula uwe vadim valentin valentina valeria vanessa vera veronica
        vijay vincent viola vivian vlad vladislav walter wanda wei wendy werner wolfgang xavier
        yael yana yang yaroslav yasmin yegor yulia yuki yuri yusuf yves yvonne zoe zoya
    """.split()
) | frozenset(name.casefold() for name in known_names.list_first_names())
_COMPANIES = (
    "Anthropic OpenAI Google Microsoft Amazon Apple Meta Netflix Stripe Cloudflare DigitalOcean "
    "Hetzner JetBrains Atlassian Shopify "
    "Spotify Mozilla Nvidia NVIDIA IBM Oracle Salesforce SAP Siemens Vercel Netlify Datadog "
    "Twilio PayPal Uber Airbnb"
).split()
_PRODUCT = (
    r" (?:Pay|Cloud|Drive|Docs|Sheets|Maps|Chrome|Analytics|Fonts|Silicon|Workspace|Translate)"
)
_COMPANY = compile_later(rf"(?<![\w`/.-])(?:{'|'.join(_COMPANIES)})(?![\w`/-]|\.\w|{_PRODUCT})")
_TOOL = compile_later(
    r"(?<![\w/.@-])(?:"
    + "|".join(
        re.escape(name)
        for names in sorted(known_names.TOOLS.items())
        for name in (names[0], *names[1])
        if name not in _ELSEWISE
    )
    + rf"|{_COMMANDS})(?![\w/-]|\.\w|['\u2019]t)"
)
_SENTENCE_END = ".!?:;\n\u2022*#>|)(\"'\u201c-\u2013\u2014"
ENTITY_LIMIT = 6


def find_entities(text: str, speaker: str | None) -> tuple[EntityRef, ...]:
    """Find what a text names, people first; in a chat also the speaker."""
    found: dict[tuple[EntityKind, str], EntityRef] = {}
    if speaker:
        found["person", speaker.casefold()] = EntityRef("person", speaker)
    for kind, name in (*_find_people(text, is_chat=speaker is not None), *_find_things(text)):
        found.setdefault((kind, name.casefold()), EntityRef(kind, name))
    return tuple(list(found.values())[:ENTITY_LIMIT])


def _find_people(text: str, *, is_chat: bool) -> Iterator[tuple[EntityKind, str]]:
    if not is_chat:
        yield from (("person", match[0].casefold()) for match in _ROLE.finditer(text))
    yield from (("person", name) for name in find_person_names(text))


def _find_things(text: str) -> Iterator[tuple[EntityKind, str]]:
    yield from (
        ("org", match[1])
        for match in _ORG.finditer(text)
        if match[1].split()[0].casefold() not in _NOBODY
    )
    yield from (("org", match[0]) for match in _COMPANY.finditer(text))
    yield from (("project", name) for name in _find_projects(text))
    yield from (("tool", match[0]) for match in _TOOL.finditer(text))
    yield from (("tool", "make") for _ in _MAKE.finditer(text))
    ticked = (match[1].strip() for match in _TICKED.finditer(text))
    yield from (("concept", name) for name in ticked if _is_identifier(name))
    yield from (("concept", match[0]) for match in _PATH.finditer(text))


def _find_projects(text: str) -> Iterator[str]:
    for match in _PROJECT.finditer(text):
        name = match["ticked"] or match["name"]
        if (
            name.casefold() not in _NOBODY
            and known_names.find_canonical_tool(name) is None
            and not _COMPANY.fullmatch(name)
        ):
            yield name


def _is_identifier(name: str) -> bool:
    return (
        _IDENTIFIER.fullmatch(name) is not None
        and name.casefold() not in _LITERALS
        and known_names.find_canonical_tool(name) is None
    )


def find_person_names(text: str) -> Iterator[str]:
    """The names of people in a text."""
    start = 0
    while match := _PERSON.search(text, start):
        first, last = match["first"], match["last"]
        name = f"{first} {last}" if last and _may_be_name(last) else first
        if _may_be_name(first) and _is_person(
            text, match.start(), match.start() + len(name), first, has_last=name != first
        ):
            yield name
            start = match.start() + len(name)
        else:
            start = match.end("first")


def _may_be_name(word: str) -> bool:
    return (
        word.casefold() not in _NOBODY
        and known_names.find_canonical_tool(word) is None
        and not _COMPANY.fullmatch(word)
    )


def _is_person(text: str, start: int, end: int, first: str, *, has_last: bool) -> bool:
    known, begins = first.casefold() in _FIRST, begins_sentence(text, start)
    acts = _DOES.match(text, end) is not None
    if first.casefold() in _WORDS_TOO:
        return acts and not begins
    return known and (acts or not begins or has_last)


def list_name_phrases(text: str) -> Iterator[str]:
    """Runs of up to three capitalised words, and words with a hyphen or underscore."""
    words = [(match.start(), match[0].rstrip(".'\u2019-")) for match in _TOKEN.finditer(text)]
    for place, (start, word) in enumerate(words):
        if not word[:1].isupper():
            if "-" in word or "_" in word:
                yield word
            continue
        if not (begins_sentence(text, start) and word.casefold() in _WORDS_TOO | _NOBODY):
            yield _strip_name(word)
        end = start + len(word)
        for following, more in words[place + 1 : place + 3]:
            if not more[:1].isupper() or text[end:following] != " ":
                break
            end = following + len(more)
            yield _strip_name(text[start:end])


def _strip_name(name: str) -> str:
    return name.removesuffix("'s").removesuffix("\u2019s")


def begins_sentence(text: str, start: int) -> bool:
    """Whether the word may be capitalised only because a sentence begins there."""
    before = text[max(0, start - 4) : start].rstrip(" ")
    return not before or before[-1] in _SENTENCE_END


_MAKE = compile_later(_MADE_BY)
