"""Stand-ins for the words of `typing`, for the modules that a hook imports.

Importing `typing` costs a fifth of a bare interpreter start. A type checker, and a process that has
`typing` already, gets the real ones; elsewhere they are empty, since a running program looks at no
annotation.

The gain, measured with benchmarks/cold.py on a 2-core x86-64 machine, in CPU times of a bare
interpreter start: 0.3 to 0.4 in a hook, 0.1 to 0.2 in a search or context.
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
    from typing import TextIO as TextIO
    from typing import TypeAlias as TypeAlias
    from typing import TypeVar as TypeVar
    from typing import cast as cast
    from typing import dataclass_transform as dataclass_transform
else:

    class _Word:
        """A word that is used in annotations, with or without brackets."""

        def __getitem__(self, _part):
            return self

        def __or__(self, _other):
            return self

        __ror__ = __or__

    class Protocol:
        """A base class without behaviour; nothing is checked against it at run time."""

    Any = BinaryIO = ClassVar = Literal = NoReturn = TextIO = TypeAlias = _Word()

    def TypeVar(_name, *_kinds, **_bounds):
        return Any

    def cast(_kind, value):
        return value

    def dataclass_transform(**_words):
        return lambda decorator: decorator
