"""Find the commands of a session that can be a step of a workflow: whole, general and telling.
Pure.

A step is the exact piece of the command line, without redirections and what it is piped into.
Commands that only look around, move files or write a message are no steps; nor is anything that
holds a path of one machine, a hash, a date or an issue number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memctl.core.lazy_pattern import compile_later

# The longest step, in characters. Chosen by hand.
MAX_LENGTH = 90
_LOOKS_AND_MOVES = frozenset(
    """
    ls cat sed head tail rg grep egrep fgrep ag ack find fd which where whereis type echo printf
    wc stat file tree awk gawk pwd cd pushd popd sleep true false test exit export unset env set
    source date whoami id uname hostname ps pgrep pkill kill killall lsof netstat ss top free df
    du mkdir rm rmdir cp mv touch chmod chown ln diff cmp sort uniq cut tr xargs jq yq nl less
    more bat open code vim vi nano man history clear command read wait time watch tee basename
    dirname realpath readlink seq yes wget tar zip unzip gzip hexdump xxd od strings column rev
    fold expr let local return if for while do done then else fi case esac function perl
    """.split()
)
# Of git only what fetches or sends everything; the rest is the daily round of every project.
_GIT = compile_later(r"git (?:pull|fetch|push|submodule|lfs)\b")
# What every project of a kind does: a workflow must have something of its own, or three commands.
_MANAGER = (
    r"(?:npm|pnpm|yarn|bun|deno|pip3?|uv|poetry|pipenv|cargo|go|make|mise|just|task|gradle"
    r"|\./gradlew|mvn|bundle|composer|dotnet|swift|mix)"
)
_USUAL = (
    r"(?:install|i|ci|sync|add|test|tests|build|lint|fmt|format|check|vet|dev|start|clean|all|tidy"
    r"|mod tidy|update)"
)
_COMMON = compile_later(
    rf"{_MANAGER}(?: run)?(?: {_USUAL})?(?: \./\.\.\.)?|git .*|(?:gofmt|prettier|eslint) .*"
    rf"|tsc(?: --noEmit)?"
    r"|(?:uv run |poetry run |python3? -m )?(?:pytest|ruff check|ruff format|mypy|black|tox"
    r"|nox)(?: -\w+)?(?: \.)?"
    r"|npx (?:tsc|eslint|prettier|jest|vitest)(?: --noEmit| \.)?|docker (?:ps|images)"
    r"|docker compose (?:up|down)(?: -d)?"
)
_VARIES = compile_later(
    r"/(?:private/)?tmp/|/var/folders/|/home/|/Users/|[A-Z]:\\|\b[0-9a-f]{7,40}\b|\b20\d\d-\d\d"
    r"|#\d|\$\(|`|<<|\b(?:pr|issue) [a-z]+ \d"
    r"|\.\.\.\S|[\w./-]+\.(?:test|spec)\.\w+|::|\bTest[A-Z]| -run\b| -k\b| -c ['\"]| -e ['\"]"
    r"| -m ['\"]"
)
# Formatting one file is no step: the file is another one each time.
_ONE_FILE = compile_later(
    r"(?:gofmt|goimports|prettier|npx prettier|eslint|npx eslint|black|ruff|isort|rustfmt"
    r"|clang-format)\b.*\.\w{1,5}$"
)
_TAIL = compile_later(r"\s+(?:[012]?>>?\s*\S+|[012]>&[012]|&>\s*\S+|<\s*\S+)\s*$")
_WRAPPED = compile_later(r"^\s*(?:(?:/bin/|/usr/bin/)?(?:ba|z|da)?sh -l?c )")


def split_command_line(command: str) -> Iterator[tuple[int, int]]:
    """Where the commands of a line stand that run one after the other, without their pipes."""
    start, quote, piped = 0, "", -1
    place, length = 0, len(command)
    while place < length:
        char = command[place]
        if quote:
            place += 1 + (char == "\\" and quote == '"')
            quote = "" if char == quote else quote
            continue
        if char in "'\"":
            quote = char
        elif char == "\\":
            place += 1
        elif char in ";\n&|":
            double = command[place : place + 2] in ("&&", "||")
            if char == "|" and not double:
                piped = place if piped < 0 else piped
            elif char != "&" or double:
                yield start, place if piped < 0 else piped
                start, piped = place + 1 + double, -1
            place += double
        place += 1
    yield start, length if piped < 0 else piped


def find_steps(command: str) -> list[tuple[int, int, str]]:
    """The steps of a command line: start, end and text of each."""
    if len(command) > 2000 or "<<" in command or _WRAPPED.match(command):
        return []
    found = []
    for low, high in split_command_line(command):
        piece = command[low:high]
        while (shorter := _TAIL.sub("", piece)) != piece:
            piece = shorter
        low += len(piece) - len(piece.lstrip())
        text = piece.strip()
        if is_step(text):
            found.append((low, low + len(text), text))
    return found


def is_step(text: str) -> bool:
    """Whether a single command says how something is done here."""
    words = text.split()
    while words and re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", words[0]):
        words = words[1:]
    if (
        not words
        or len(text) > MAX_LENGTH
        or "\n" in text
        or words[0] in _LOOKS_AND_MOVES
        or not re.match(r"[\w./~@-]", words[0])
    ):
        return False
    bare = " ".join(words)
    if words[0] == "git" and not _GIT.match(bare):
        return False
    if words[-1] in ("--help", "-h", "--version", "-V", "version") or (
        words[0] == "gh" and len(words) > 1 and words[1] in ("api", "auth")
    ):
        return False
    return not _VARIES.search(text) and not _ONE_FILE.match(bare) and not text.endswith(("\\", "&"))


def is_common(text: str) -> bool:
    """Whether a step is what every project of its kind does."""
    return _COMMON.fullmatch(text) is not None
