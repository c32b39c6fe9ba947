"""Completion scripts for bash, zsh and fish: words only, no process is started while you type."""

from __future__ import annotations

from collections.abc import Iterator

from generators.tree import Node, Option, tree

NOTE = "# Made by scripts/generate from the command tree; do not edit."


def bash() -> str:
    """The script for bash 3.2 and newer."""
    nodes = list(tree().walk())
    return "\n".join([NOTE, "_memctl() {", *_bash_path(nodes), *_bash_values(nodes), *_bash_words(nodes), "}", _BASH_END])


_BASH_END = "complete -o default -F _memctl memctl\n"


def _bash_path(nodes: list[Node]) -> Iterator[str]:
    yield '    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" words="" i'
    yield "    COMPREPLY=()"
    yield "    for ((i = 1; i < COMP_CWORD; i++)); do"
    yield '        case "$path ${COMP_WORDS[i]}" in'
    yield f"            {_alternatives(_steps(nodes))}) path=${{path:+$path }}${{COMP_WORDS[i]}} ;;"
    yield "        esac"
    yield "    done"


def _bash_values(nodes: list[Node]) -> Iterator[str]:
    yield '    case "$path $prev" in'
    for node, option in _valued(nodes):
        patterns = _alternatives(f"{node.path} {name}" for name in option.names)
        if option.words:
            yield f"""        {patterns}) COMPREPLY=($(compgen -W "{" ".join(option.words)}" -- "$cur")); return ;;"""
        elif option.takes_file:
            yield f"""        {patterns}) COMPREPLY=($(compgen -f -- "$cur")); return ;;"""
    free = [f"{n.path} {name}" for n, o in _valued(nodes) for name in o.names if not o.words and not o.takes_file]
    yield f"        {_alternatives(free)}) compopt +o default 2>/dev/null; return ;;"
    yield "    esac"


def _bash_words(nodes: list[Node]) -> Iterator[str]:
    yield '    case "$path" in'
    for node in nodes:
        words = [child.name for child in node.children] + list(node.words)
        options = [name for option in node.options for name in option.names]
        yield f"""        "{node.path}") words="{" ".join(words)}"; [[ $cur == -* ]] && words="{" ".join(options)}" ;;"""
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$cur"))'


def zsh() -> str:
    """The script for zsh, as an autoloaded function."""
    nodes = list(tree().walk())
    return "\n".join(
        ["#compdef memctl", NOTE, "_memctl() {", *_zsh_path(nodes), *_zsh_values(nodes), *_zsh_words(nodes), "}", '_memctl "$@"', ""]
    )


def _zsh_path(nodes: list[Node]) -> Iterator[str]:
    # `path` is PATH in zsh.
    yield '  local at="" i'
    yield "  local -a offered options"
    yield "  for ((i = 2; i < CURRENT; i++)); do"
    yield '    case "$at ${words[i]}" in'
    yield f'      {_alternatives(_steps(nodes))}) at="${{at:+$at }}${{words[i]}}" ;;'
    yield "    esac"
    yield "  done"


def _zsh_values(nodes: list[Node]) -> Iterator[str]:
    yield '  case "$at ${words[CURRENT-1]}" in'
    for node, option in _valued(nodes):
        patterns = _alternatives(f"{node.path} {name}" for name in option.names)
        act = (
            f"compadd -- {' '.join(option.words)}"
            if option.words
            else "_files"
            if option.takes_file
            else f"_message {_quoted(option.takes)}"
        )
        yield f"    {patterns}) {act}; return ;;"
    yield "  esac"


def _zsh_words(nodes: list[Node]) -> Iterator[str]:
    yield '  case "$at" in'
    for node in nodes:
        offered = [_described(child.name, child.summary) for child in node.children] + [_quoted(word) for word in node.words]
        options = [_described(name, option.help) for option in node.options for name in option.names]
        yield f"    {_quoted(node.path)})"
        yield f"      offered=({' '.join(offered)})"
        yield f"      options=({' '.join(options)})"
        yield "      ;;"
    yield "  esac"
    yield "  if [[ ${words[CURRENT]} == -* ]]; then"
    yield "    _describe -t options option options"
    yield "  elif (( $#offered )); then"
    yield "    _describe -t commands command offered"
    yield "  else"
    yield "    _files"
    yield "  fi"


def fish() -> str:
    """The script for fish 3 and newer."""
    nodes = list(tree().walk())
    return "\n".join([NOTE, *_fish_path(nodes), "complete -c memctl -f", *(line for node in nodes for line in _fish_node(node)), ""])


def _fish_path(nodes: list[Node]) -> Iterator[str]:
    yield "function __memctl_at"
    yield '    set -l at ""'
    yield "    for word in (commandline -opc)[2..-1]"
    yield '        switch "$at $word"'
    yield f"            case {' '.join(_quoted(step) for step in _steps(nodes))}"
    yield '                set at (string trim -- "$at $word")'
    yield "        end"
    yield "    end"
    yield '    test "$at" = "$argv[1]"'
    yield "end"


def _fish_node(node: Node) -> Iterator[str]:
    here = f'complete -c memctl -n "__memctl_at {_quoted(node.path)}"'
    for child in node.children:
        yield f"{here} -a {child.name} -d {_quoted(child.summary)}"
    if node.words:
        yield f"{here} -a {_quoted(' '.join(node.words))}"
    if node.takes_files:
        yield f"{here} -F"
    for option in node.options:
        yield f"{here} {_fish_option(option)}"


def _fish_option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = "" if not option.takes else " -r -F" if option.takes_file else " -x"
    words = f" -a {_quoted(' '.join(option.words))}" if option.words else ""
    return f"{names}{value}{words} -d {_quoted(option.help)}"


def _valued(nodes: list[Node]) -> Iterator[tuple[Node, Option]]:
    yield from ((node, option) for node in nodes for option in node.options if option.takes)


def _steps(nodes: list[Node]) -> list[str]:
    """Every step from a command to one of its sub-commands, as `parent child`."""
    return [f"{node.path} {child.name}" for node in nodes for child in node.children]


def _alternatives(texts: object) -> str:
    return "|".join(f'"{text}"' for text in texts)  # type: ignore[attr-defined]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "'\\''") + "'"


def _described(name: str, words: str) -> str:
    # The colon parts word and description.
    return _quoted(f"{name}:{words}" if words else name)
