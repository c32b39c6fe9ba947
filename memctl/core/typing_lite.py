"""The words of `typing` for the modules that a hook imports, where importing it costs a fifth of what a bare interpreter takes to start.

To a type checker, and in a process that has `typing` already, they are typing's own. Elsewhere they are stand-ins: a running program looks
at no annotation.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING or "typing" in sys.modules:
    from typing import Any as Any
    from typing import BinaryIO as BinaryIO
    from typing import ClassVar as ClassVar
    from typing import Literal as Literal
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TypeVar as TypeVar
    from typing import cast as cast
    from typing import dataclass_transform as dataclass_transform
else:

    class _Word:
        """A word that stands in annotations, with or without brackets."""

        def __getitem__(self, _part):
            return self

        def __or__(self, _other):
            return self

        __ror__ = __or__

    class Protocol:
        """What a class is said to be; nothing asks whether it is."""

    Any = BinaryIO = ClassVar = Literal = NoReturn = _Word()

    def TypeVar(_name, *_kinds, **_bounds):
        return Any

    def cast(_kind, value):
        return value

    def dataclass_transform(**_words):
        return lambda decorator: decorator
