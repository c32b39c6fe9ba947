"""docs/commands.md, docs/exit-codes.md and docs/configuration.md."""

from __future__ import annotations

from generators.tree import pages
from memctl.core import errors
from memctl.settings import definitions, setting_values

NOTE = "<!-- Made by scripts/generate; do not edit. -->\n"

_COMMANDS = """\
# Commands

What follows is what `--help` says. Common to all commands:

- `--db PATH`, before or after the command, or `MEMCTL_DB` chooses the store.
- `--json` prints one versioned envelope on standard output, also for errors (see [json.md](json.md)).
- Standard output carries the answer and nothing else. Questions and signs of life go to standard error, the latter only at a terminal.
- Exit codes are a contract (see [exit-codes.md](exit-codes.md)).
- An id may be shortened to any beginning that fits no other record.
- Times are dates (`2026-01-31`), times (`2026-01-31T09:00Z`; without a zone: UTC) or spans back from now (`30m`, `12h`, `7d`, `2w`).
- Stored text cannot steer your terminal: control, direction and invisible characters are shown as `\\x1b`, `\\u202e` and the like.

Completions for bash, zsh and fish are installed with the package; in a checkout, `source completions/memctl.bash`.
"""

_EXIT_CODES = """\
# Exit codes

They are a contract with cron, hooks and scripts. Each error is a class in `memctl/core/errors.py`, whose name is the `code` in JSON output.

| code | meaning | error classes |
|---|---|---|
"""

_EXIT_REMARKS = """
- 0 also where `ingest`, `profile set`, `correct` or a capture met a busy store: what was said waits in the spool, the output names the
  file, and the next write or `maintain` stores it. Other changes exit 11 then, and nothing was changed.
- 0 also where a capture met no store at all: standard error says where it waits until `memctl init`.
- 1 means that the work was done and something in it needs a look: some changes were refused, some lines of an import were bad, `doctor` or
  `maintain` found a problem. What it is stands in the output.
- 1 also where `backfill` read nothing of an agent whose folder holds files that may be sessions: it names the folder.
- 21 means that everything that was asked was refused by policy; nothing was changed.
- `memctl hook` and `memctl-hook` always exit 0: an agent must not fail because its memory did.
- An internal error leaves a traceback on standard error and exits 1.
"""

_CONFIGURATION = """\
# Configuration

Nothing needs to be configured. `memctl config` prints every setting in force and where its value came from; `memctl config --path` says
where `config.yaml` is looked for; `memctl config --example` prints a commented file to start from:

```sh
memctl config --example > config.yaml
memctl config --show
```

What counts, from strongest to weakest: an option of the command; a `MEMCTL_*` variable; `config.yaml`; the built-in default. An unknown or
malformed setting, and a number out of its range, is an error (exit 2) that names the file or variable, the key, the range and the value, never
ignored. Two callers go on all the same. `memctl doctor` lists what is wrong. A hook, which must not fail its agent, takes the default for what
is wrong, notes it in `hook.log`, and leaves captures in the spool until the settings are mended, because `capture.ignore` may be what is wrong.
`config.yaml` must be a regular file of at most 1 MB.

A variable gives a list or a section as YAML writes it on one line: `MEMCTL_DECAY_IN_RANKING=episode`, `MEMCTL_DECAY_RATES='{project: 0.01}'`.

| setting | default | takes | variable | what it does |
|---|---|---|---|---|
"""

_PLACES = """
Places, which only variables and options set:

| variable | what it does |
|---|---|
| `MEMCTL_DB` | the store (else `$XDG_DATA_HOME/memctl/memory.db`, else `~/.local/share/memctl/memory.db`); name a whole path, or each folder has a store of its own |
| `MEMCTL_CONFIG` | the settings (else `$XDG_CONFIG_HOME/memctl/config.yaml`, else `~/.config/memctl/config.yaml`) |
| `XDG_DATA_HOME`, `XDG_CONFIG_HOME` | as above; a relative path is ignored, as the XDG rule says, and `memctl doctor` names it |
| `MEMCTL_AGENT` | the agent that calls, such as `codex`; agents that mark their environment are recognised without it; `--agent` cannot name another than the one that calls |
| `VISUAL`, `EDITOR` | the editor of `inbox --edit` and `edit --editor` |
| `NO_COLOR` | no colour in signs of life |

## Promotion rules

By default every candidate waits for you. A rule lets some through:

```yaml
promotion:
  rules:
    - type: task_hint
      kind: command
      min_confidence: 0.8
    - type: project
      project: harbor-tides
      min_trust: operator_said
      min_confidence: 0.9
```

A rule names a type or a kind; all its conditions must hold. `min_trust` is `operator_said` unless the rule says
`operator_implied`, `tool_result`, `agent_claimed` or `fetched_text`.
A rule covers `profile` only if it names that type.
"""


def commands() -> str:
    """The command reference: every help page."""
    (_, overview), *rest = pages()
    sections = [f"## memctl {path}\n\n```text\n{page}\n```\n" for path, page in rest]
    return NOTE + _COMMANDS + f"\n```text\n{overview}\n```\n\n" + "\n".join(sections)


def exit_codes() -> str:
    """The table of exit codes with the classes behind them."""
    rows = (
        f"| {code} | {meaning} | {', '.join(f'`{name}`' for name in _classes(code))} |"
        for code, meaning in errors.exit_codes().items()
    )
    return NOTE + _EXIT_CODES + "\n".join(rows) + "\n" + _EXIT_REMARKS


def configuration() -> str:
    """The table of settings."""
    rows = (
        f"| `{s.key}` | `{_shown(s.default)}` | {_describe_values(s)} | {_variable(s)} | {s.help} |"
        for s in definitions.SETTINGS
    )
    return NOTE + _CONFIGURATION + "\n".join(rows) + "\n" + _PLACES


def _describe_values(setting: definitions.Setting) -> str:
    if isinstance(setting.default, dict) and setting.high:
        return f"a section of numbers from {setting.low:g} to {setting.high:.12g}"
    return setting_values.describe_range(setting)


def _variable(setting: definitions.Setting) -> str:
    return f"`{setting.variable}`" if setting.variable else "only in the file"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else '""' if value == "" else str(value)


def _classes(code: int) -> list[str]:
    pending: list[type[errors.MemctlError]] = [errors.MemctlError]
    found = []
    while pending:
        cls = pending.pop(0)
        found += [cls.__name__] if cls.exit_code == code else []
        pending.extend(cls.__subclasses__())
    return found
