"""Lock files as the package managers write them, invented: names of packages that sound like
secrets, drawn hashes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from drawing import drawn

_ENTRIES = 180
_NAMES = (
    "jsonwebtoken token-types secret-stack password-prompt keyv keytar auth-header csrf-tokens "
    "api-key-gen credential-store passport-local"
    " tokenizers secrecy key-list http-auth ssh-key basic-auth-parser left-pad tide-tables "
    "kiln-core".split()
)


def _version(draw: random.Random) -> str:
    return ".".join(str(draw.randrange(30)) for _ in range(3))


def _each(draw: random.Random, entry: Callable[[str, str], str], joint: str = "\n") -> str:
    return joint.join(
        entry(f"{draw.choice(_NAMES)}-{number}", _version(draw)) for number in range(_ENTRIES)
    )


def _package_lock(draw: random.Random) -> str:
    return '{\n  "lockfileVersion": 3,\n  "packages": {\n' + _each(
        draw,
        lambda name, version: (
            f'    "node_modules/{name}": {{\n      "version": "{version}",\n'
            f'      "resolved": "https://packages.example.org/{name}/-/{name}-{version}.tgz",\n'
            f'      "integrity": "sha512-{drawn(draw, "b", 86)}==",\n      "license": "MIT"\n   '
            f" }},"
        ),
    )


def _yarn(draw: random.Random) -> str:
    return "# yarn lockfile v1\n\n" + _each(
        draw,
        lambda name, version: (
            f'{name}@^{version}:\n  version "{version}"\n'
            f'  resolved "https://packages.example.net/{name}/-/{name}-{version}.tgz#{drawn(draw, "h", 40)}"\n'
            f"  integrity sha512-{drawn(draw, 'b', 86)}==\n"
        ),
    )


def _berry(draw: random.Random) -> str:
    return "__metadata:\n  version: 8\n  cacheKey: 10c0\n\n" + _each(
        draw,
        lambda name, version: (
            f'"{name}@npm:^{version}":\n  version: {version}\n  resolution: '
            f'"{name}@npm:{version}"\n'
            f"  checksum: 10c0/{drawn(draw, 'h', 128)}\n  languageName: node\n"
        ),
    )


def _pnpm(draw: random.Random) -> str:
    return "lockfileVersion: '9.0'\n\npackages:\n\n" + _each(
        draw,
        lambda name, version: (
            f"  '@auth/{name}@{version}(token@{version})':\n    "
            f"resolution: {{integrity: sha512-{drawn(draw, 'b', 86)}==}}\n"
            "    engines: {node: '>=18'}\n"
        ),
    )


def _bun(draw: random.Random) -> str:
    return '{\n  "lockfileVersion": 1,\n  "packages": {\n' + _each(
        draw,
        lambda name, version: (
            f'    "{name}": ["{name}@{version}", '
            f'"", {{ "dependencies": {{ "token-types": "^{version}" }} }},'
            f' "sha512-{drawn(draw, "b", 86)}=="],'
        ),
    )


def _cargo(draw: random.Random) -> str:
    return "version = 4\n\n" + _each(
        draw,
        lambda name, version: (
            f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource = '
            f'"registry+https://git.example.org/crates/index"\n'
            f'checksum = "{drawn(draw, "h", 64)}"\n'
        ),
    )


def _poetry(draw: random.Random) -> str:
    return (
        _each(
            draw,
            lambda name, version: (
                f'[[package]]\nname = "{name}"\nversion = "{version}"\noptional = false\nfiles '
                f"= [\n"
                f'    {{file = "{name}-{version}-py3-none-any.whl", hash = "sha256:{drawn(draw, "h", 64)}"}},\n'
                f'    {{file = "{name}-{version}.tar.gz", hash = "sha256:{drawn(draw, "h", 64)}"}},\n]\n'
            ),
        )
        + f'\n[metadata]\ncontent-hash = "{drawn(draw, "h", 64)}"\n'
    )


def _uv(draw: random.Random) -> str:
    place = "https://files.example.org/packages"
    return 'version = 1\nrequires-python = ">=3.11"\n\n' + _each(
        draw,
        lambda name, version: (
            f'[[package]]\nname = "{name}"\nversion = "{version}"\nsource '
            f'= {{ registry = "https://index.example.org/simple" }}\n'
            f'sdist = {{ url = "{place}/{drawn(draw, "h", 2)}/{drawn(draw, "h", 2)}/{drawn(draw, "h", 60)}/{name}-{version}.tar.gz",'
            f' hash = "sha256:{drawn(draw, "h", 64)}", size = {draw.randrange(10**6)} }}\n'
        ),
    )


def _go(draw: random.Random) -> str:
    return _each(
        draw,
        lambda name, version: (
            f"github.com/kiln/{name} v{version} h1:{drawn(draw, 'b', 43)}=\n"
            f"github.com/kiln/{name} v{version}/go.mod h1:{drawn(draw, 'b', 43)}="
        ),
    )


def _gem(draw: random.Random) -> str:
    entries = _each(
        draw,
        lambda name, version: f"    {name} ({version})\n      {name}-secret-token (~> {version})",
    )
    sums = _each(draw, lambda name, version: f"  {name} ({version}) sha256={drawn(draw, 'h', 64)}")
    return (
        f"GEM\n  remote: https://gems.example.org/\n  "
        f"specs:\n{entries}\n\nCHECKSUMS\n{sums}\n\nBUNDLED WITH\n   2.6.2\n"
    )


def _composer(draw: random.Random) -> str:
    return f'{{\n    "content-hash": "{drawn(draw, "h", 32)}",\n    "packages": [\n' + _each(
        draw,
        lambda name, version: (
            f'        {{\n            "name": "kiln/{name}",\n            "version": "v{version}",\n            "source": {{\n'
            f'                "type": "git",\n                "url": '
            f'"https://github.com/kiln/{name}.git",\n'
            f'                "reference": "{drawn(draw, "h", 40)}"\n           '
            f' }},\n            "dist": {{\n'
            f'                "url": "https://api.github.com/repos/kiln/{name}/zipball/{drawn(draw, "h", 40)}",\n'
            f'                "shasum": ""\n            }},\n'
            f'            "notification-url": "https://php.example.org/downloads/"\n        }},'
        ),
    )


def _flake(draw: random.Random) -> str:
    return '{\n  "nodes": {\n' + _each(
        draw,
        lambda name, version: (
            f'    "{name}": {{\n      "locked": {{\n        "lastModified": 17{drawn(draw, "d", 8)},\n'
            f'        "narHash": "sha256-{drawn(draw, "b", 43)}=",\n        "owner": "kiln",\n  '
            f'      "repo": "{name}",\n'
            f'        "rev": "{drawn(draw, "h", 40)}",\n        "type": "github"\n      }}\n    }},'
        ),
    )


def _requirements(draw: random.Random) -> str:
    return _each(
        draw,
        lambda name, version: (
            f"{name}=={version} \\\n    --hash=sha256:{drawn(draw, 'h', 64)} \\\n    "
            f"--hash=sha256:{drawn(draw, 'h', 64)}\n    # via kiln"
        ),
    )


LOCK_FILES: Mapping[str, Callable[[random.Random], str]] = {
    "package-lock.json": _package_lock,
    "yarn.lock": _yarn,
    "yarn.lock of yarn 4": _berry,
    "pnpm-lock.yaml": _pnpm,
    "bun.lock": _bun,
    "Cargo.lock": _cargo,
    "poetry.lock": _poetry,
    "uv.lock": _uv,
    "go.sum": _go,
    "Gemfile.lock": _gem,
    "composer.lock": _composer,
    "flake.lock": _flake,
    "requirements.txt": _requirements,
}
