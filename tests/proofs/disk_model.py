"""A disk that lost its power: what stands in a folder when only some of what was written had
reached the medium.

Two models of names. `with file`: the name of a file is durable when the file, or its folder, was
synced (ext4, APFS). `with folder`: only when its folder was synced (what POSIX promises). What was
written to a file and not synced is lost, kept, or kept in part, torn at 512 bytes or at a page.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from proofs.shim import Operation

Names = Literal["with file", "with folder"]
Luck = Literal["none", "some", "all"]
# Bytes below which no disk tears a write, and those of a page of memory or of the store.
_SECTOR = 512
_PAGE = 4096


@dataclass
class _File:
    """What is durable of a file or folder, and what was done to it since."""

    is_folder: bool = False
    durable: bytearray = field(default_factory=bytearray)
    pending: list[tuple[int, bytes | None]] = field(default_factory=list)

    def settle(self) -> None:
        for place, data in self.pending:
            _apply(self.durable, place, data)
        self.pending.clear()

    def after_cut(self, luck: Luck, dice: random.Random) -> bytearray:
        content = bytearray(self.durable)
        for place, data in self.pending:
            if luck == "all":
                _apply(content, place, data)
            elif luck == "some":
                self._apply_in_part(content, place, data, dice)
        return content

    @staticmethod
    def _apply_in_part(
        content: bytearray, place: int, data: bytes | None, dice: random.Random
    ) -> None:
        fate = dice.random()
        if fate < 0.4:
            return
        if data is None or fate < 0.8:
            _apply(content, place, data)
            return
        unit = dice.choice((_SECTOR, _PAGE))
        for start in range(0, len(data), unit):
            if dice.random() < 0.5:
                _apply(content, place + start, data[start : start + unit])


def _apply(content: bytearray, place: int, data: bytes | None) -> None:
    """Write bytes at a place, or without bytes cut the file there."""
    if data is None:
        del content[place:]
        content.extend(bytes(place - len(content)))
        return
    content.extend(bytes(max(0, place - len(content))))
    content[place : place + len(data)] = data


# A change to a folder: the path that changed, and the file that stands there now (None: removed).
_Change = tuple[str, int | None]


class Disk:
    """What a folder holds, what of it is durable, and what is on its way."""

    def __init__(self, root: Path, names: Names) -> None:
        self.root = root
        self.names = names
        self._files: list[_File] = []
        # Which file an inode number means now: a file system gives the number of a removed file to
        # a new one, while the removed one may stand there again after a cut.
        self._numbers: dict[int, int] = {}
        self._live: dict[str, int] = {}
        self._pending: list[tuple[_Change, ...]] = []
        for path in (root, *root.rglob("*")):
            content = b"" if path.is_dir() else path.read_bytes()
            file = self._add(_File(path.is_dir(), bytearray(content)))
            self._numbers[os.lstat(path).st_ino] = file
            self._live[str(path)] = file
        self._durable = dict(self._live)

    def do(self, operation: Operation) -> None:
        """Take in what happened."""
        match operation.kind:
            case "open":
                self._numbers[operation.inode] = self._add(_File())
                self._change((operation.path, self._numbers[operation.inode]))
            case "mkdir":
                self._change((operation.path, self._add(_File(is_folder=True))))
            case "write":
                self._file(operation).pending.append((operation.offset, operation.data))
            case "cut":
                self._file(operation).pending.append((operation.size, None))
            case "sync":
                if not operation.is_folder:
                    self._file(operation).settle()
                if operation.is_folder or self.names == "with file":
                    self._settle_names(operation)
            case "rename":
                moved = self._live[operation.path]
                self._change((operation.other, moved), (operation.path, None))
            case "link":
                self._change((operation.other, self._live[operation.path]))
            case "unlink" | "rmdir":
                self._change((operation.path, None))
            case _:
                raise AssertionError(f"no model for {operation.kind}")

    def cut_power(self, into: Path, luck: Luck, dice: random.Random) -> None:
        """Make the folder as it would stand after a power cut at this moment."""
        names = dict(self._durable)
        kept = {"none": 0, "all": len(self._pending)}.get(luck, dice.randint(0, len(self._pending)))
        for changes in self._pending[:kept]:
            _rename(names, changes)
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        for path in sorted(names):
            file, place = self._files[names[path]], into / os.path.relpath(path, self.root)
            if not self._is_reachable(path, names):
                continue
            if file.is_folder:
                place.mkdir(mode=0o700, exist_ok=True)
            elif path.endswith("-shm"):
                # Shared memory is rebuilt; whatever stands there must not be believed.
                place.write_bytes(dice.randbytes(len(file.durable)))
            else:
                place.write_bytes(file.after_cut(luck, dice))
                place.chmod(0o600)

    def _is_reachable(self, path: str, names: dict[str, int]) -> bool:
        return all(
            str(above) in names for above in Path(path).parents if above.is_relative_to(self.root)
        )

    def _add(self, file: _File) -> int:
        self._files.append(file)
        return len(self._files) - 1

    def _file(self, operation: Operation) -> _File:
        if operation.inode not in self._numbers:
            # A temporary file without a name is never opened under one.
            self._numbers[operation.inode] = self._add(_File())
        return self._files[self._numbers[operation.inode]]

    def _change(self, *changes: _Change) -> None:
        _rename(self._live, changes)
        self._pending.append(changes)

    def _settle_names(self, operation: Operation) -> None:
        """Make changes to names durable: those in a folder that was synced, or all up to the last
        one that gave a synced file its name, since a journal keeps their order.
        """
        if operation.is_folder:
            chosen = [self._stands_in(changes, operation.path) for changes in self._pending]
        else:
            synced = self._numbers.get(operation.inode)
            hits = [
                place
                for place, changes in enumerate(self._pending)
                if any(file == synced for _, file in changes)
            ]
            last = max(hits, default=-1)
            chosen = [place <= last for place in range(len(self._pending))]
        for changes, is_durable in zip(self._pending, chosen, strict=True):
            if is_durable:
                _rename(self._durable, changes)
        self._pending = [
            changes
            for changes, is_durable in zip(self._pending, chosen, strict=True)
            if not is_durable
        ]

    @staticmethod
    def _stands_in(changes: tuple[_Change, ...], folder: str) -> bool:
        return any(os.path.dirname(path) == folder for path, _ in changes)


def _rename(names: dict[str, int], changes: Iterable[_Change]) -> None:
    for path, file in changes:
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file
