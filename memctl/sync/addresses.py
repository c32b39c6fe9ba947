"""Addresses of hubs, and where their passwords are.

A hub is named by its address without a password; only that stands in the store, in answers and in
logs. A password that was given with an address is kept in a private file beside the store, which
is neither exported nor backed up. Without one the usual means of PostgreSQL hold: a `.pgpass`, a
service file, a certificate. Nothing here needs the driver.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from memctl.core.errors import MemctlError, UsageError
from memctl.core.regular_files import read_regular_file
from memctl.store import files

_SCHEMES = ("postgresql", "postgres")
# What of the part behind `?` is a password.
_SECRETS = ("password", "sslpassword")
# Bytes. More than the addresses of any store's hubs take.
_MOST_BYTES = 1 << 20


def hide_password(address: str) -> str:
    """An address as it may be shown and stored: the name of the hub. Raises UsageError."""
    return split_password(address)[0]


def split_password(address: str) -> tuple[str, str | None]:
    """The name of a hub, and the password in its address. Raises UsageError, which tells none."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise UsageError("this is no address of a PostgreSQL server") from error
    if parts.scheme not in _SCHEMES:
        raise UsageError("an address of a PostgreSQL server begins with postgresql://")
    user, _, hosts = parts.netloc.rpartition("@")
    user, _, password = user.partition(":")
    kept, secrets = [], {}
    for piece in filter(None, parts.query.split("&")):
        key, _, value = piece.partition("=")
        if key in _SECRETS:
            secrets[key] = value
        else:
            kept.append(piece)
    if "sslpassword" in secrets:
        raise UsageError(
            "the password of a certificate's key cannot be kept", hint="use a key without one"
        )
    name = f"postgresql://{user + '@' if user else ''}{hosts}{parts.path}"
    name += f"?{'&'.join(kept)}" if kept else ""
    found = password or secrets.get("password")
    return name, unquote(found) if found else None


def join_password(name: str, password: str | None) -> str:
    """An address with its password, as it is handed to the person whose it is."""
    if not password:
        return name
    scheme, _, rest = name.partition("://")
    user, at, more = rest.partition("@")
    if not at:
        return f"{name}{'&' if '?' in name else '?'}password={quote(password, safe='')}"
    return f"{scheme}://{user}:{quote(password, safe='')}@{more}"


def replace_user(name: str, user: str) -> str:
    """The same hub for another login."""
    scheme, _, rest = name.partition("://")
    netloc, slash, path = rest.partition("/")
    return f"{scheme}://{quote(user, safe='')}@{netloc.rpartition('@')[2]}{slash}{path}"


def find_user(name: str) -> str:
    """The login that a name tells; "" for none."""
    return unquote(urlsplit(name).netloc.rpartition("@")[0])


def is_same_hub(name: str, other: str) -> bool:
    """Whether two names differ in nothing but the login."""
    return replace_user(name, "") == replace_user(other, "")


def list_kept(db: Path) -> dict[str, str]:
    """The passwords that are kept, by name of their hub. Raises MemctlError for a file that is
    none of ours.
    """
    path = files.locate_hub_passwords(db)
    try:
        told = json.loads(read_regular_file(path, most=_MOST_BYTES))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise MemctlError(
            f"{path}: the passwords of hubs cannot be read",
            hint="remove the file, and give the address with its password again",
        ) from error
    if not isinstance(told, dict):
        return {}
    return {name: text for name, text in told.items() if isinstance(text, str)}


def find_kept(db: Path, name: str) -> tuple[str, str | None]:
    """The login that is kept for a hub: its name and password; the name as it is where none is, or
    where it names another user, whose password the usual means know.
    """
    kept = list_kept(db)
    if name in kept or "@" in name:
        return name, kept.get(name)
    return next(((each, kept[each]) for each in kept if is_same_hub(each, name)), (name, None))


def name_next(name: str) -> str:
    """Under which name the password is kept that is about to be the one of a hub."""
    return f"{name} next"


def keep_password(db: Path, name: str, password: str | None) -> None:
    """Keep the password of a hub; None forgets it."""
    kept = list_kept(db)
    if kept.get(name) == password:
        return
    if password is None:
        del kept[name]
        kept.pop(name_next(name), None)
    else:
        kept[name] = password
    _write_passwords(files.locate_hub_passwords(db), kept)


def _write_passwords(path: Path, kept: dict[str, str]) -> None:
    """Replace the file, readable by nobody else at any moment; without passwords there is none."""
    draft = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    if kept:
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                os.fchmod(stream.fileno(), 0o600)
                stream.write(json.dumps(kept, indent=2, sort_keys=True) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        files.sync_path(path.parent)
    else:
        with suppress(FileNotFoundError):
            files.shred_file(path)
