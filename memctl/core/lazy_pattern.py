"""Regular expressions that are compiled when first used.

A command is a fresh process: compiling the expressions of all modules that it imports takes longer
than its work, and a call uses few of them. A module says `compile_later` where it would say
`re.compile`.

The gain, measured with benchmarks/cold.py on a 2-core x86-64 machine, in CPU times of a bare
interpreter start: 2 to 3 in `memctl add`, half of one in most other commands.
"""

from __future__ import annotations

import re
from functools import cached_property

from memctl.core.typing_lite import Any, TypeVar, cast

Text = TypeVar("Text", str, bytes)


class LazyPattern:
    """An expression that is compiled by the first call of one of its methods."""

    def __init__(self, source: str | bytes, flags: int = 0) -> None:
        self.source = source
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[Any]:
        """The expression itself."""
        return self.build()

    def build(self) -> re.Pattern[Any]:
        """Compile the expression."""
        return re.compile(self.source, self._flags)

    def __getattr__(self, name: str) -> Any:
        """Return what the compiled expression has under this name; found directly from then on."""
        if name.startswith("_"):  # such as what copying and pickling ask for
            raise AttributeError(name)
        value = getattr(self.compiled, name)
        self.__dict__[name] = value
        return value


def compile_later(source: Text, flags: int = 0) -> re.Pattern[Text]:
    """Return what stands in for `re.compile(source, flags)`, and compiles at its first use."""
    return cast("re.Pattern[Text]", LazyPattern(source, flags))
