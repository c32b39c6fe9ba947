"""Our data classes behave as the standard library's do: every test holds the two against each
other.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memctl.core import frozen


@frozen.dataclass(frozen=True, slots=True)
class Ours:
    """A point with a history."""

    x: int
    y: str | None = None
    tags: dict[str, Any] = frozen.field(default_factory=dict)
    unit: ClassVar[str] = "m"

    @property
    def double(self) -> int:
        return 2 * self.x


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """A point with a history."""

    x: int
    y: str | None = None
    tags: dict[str, Any] = dataclasses.field(default_factory=dict)
    unit: ClassVar[str] = "m"


@frozen.dataclass(frozen=True, slots=True)
class Nested:
    points: tuple[Ours, ...] = ()
    by_name: Any = None


@frozen.dataclass(frozen=True, slots=True)
class Pair:
    a: int
    b: str = "b"


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, "a"), {}),
    ((1,), {"y": "a", "tags": {"k": 1}}),
    ((), {"x": 2}),
    ((), {}),
    ((1, "a", {}, 4), {}),
    ((1,), {"x": 1}),
    ((1,), {"z": 1}),
]


@pytest.mark.parametrize(("args", "given"), CALLS, ids=range(len(CALLS)))
def test_arguments_are_taken_or_refused_as_by_the_standard_library(
    args: tuple[Any, ...], given: dict[str, Any]
) -> None:
    def outcome(cls: Any) -> Any:
        try:
            made = cls(*args, **given)
        except TypeError as error:
            return str(error).replace(cls.__name__, "X")
        return made.x, made.y, made.tags, repr(made).replace(cls.__name__, "X")

    assert outcome(Ours) == outcome(Theirs)


def test_a_default_that_is_made_is_made_for_each() -> None:
    assert Ours(1).tags is not Ours(1).tags


def test_a_field_cannot_be_changed_added_or_deleted() -> None:
    point: Any = Ours(1)
    for change in (
        lambda: setattr(point, "x", 2),
        lambda: setattr(point, "new", 2),
        lambda: delattr(point, "x"),
    ):
        with pytest.raises(AttributeError):
            change()
    assert not hasattr(point, "__dict__")


@given(
    st.tuples(st.integers(0, 3), st.sampled_from("ab")),
    st.tuples(st.integers(0, 3), st.sampled_from("ab")),
)
def test_equality_and_hash_follow_the_values(one: tuple[int, str], other: tuple[int, str]) -> None:
    assert (Pair(*one) == Pair(*other)) == (one == other)
    assert one != other or hash(Pair(*one)) == hash(Pair(*other))


def test_another_class_with_the_same_values_is_not_equal() -> None:
    assert Ours(1) != Theirs(1)


def test_a_copy_with_changes_leaves_the_original() -> None:
    point = Ours(1, "a")
    assert frozen.replace(point, x=2) == Ours(2, "a")
    assert point == Ours(1, "a")


def test_asdict_goes_into_what_is_nested() -> None:
    nested = Nested((Ours(1), Ours(2, "b", {"k": 1})), {"p": Ours(3)})
    assert frozen.asdict(nested) == {
        "points": ({"x": 1, "y": None, "tags": {}}, {"x": 2, "y": "b", "tags": {"k": 1}}),
        "by_name": {"p": {"x": 3, "y": None, "tags": {}}},
    }


def test_the_standard_librarys_functions_take_our_classes_too() -> None:
    point: Any = Ours(1, "a")
    assert dataclasses.is_dataclass(point)
    assert dataclasses.asdict(point) == dataclasses.asdict(Theirs(1, "a"))
    assert [known.name for known in dataclasses.fields(point)] == ["x", "y", "tags"]
    assert dataclasses.replace(point, y="b") == Ours(1, "b")


def test_data_survives_copying_and_pickling() -> None:
    point = Nested((Ours(1, "a", {"k": [1]}),))
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point


def test_names_words_and_members_of_the_class_stay() -> None:
    assert (Ours.__name__, Ours.__doc__, Ours.__module__, Ours.unit) == (
        "Ours",
        Theirs.__doc__,
        __name__,
        "m",
    )
    assert Ours(4).double == 8


def test_patterns_match_by_position() -> None:
    match Ours(1, "a"):
        case Ours(x, y):
            assert (x, y) == (1, "a")


def test_a_data_class_of_a_data_class_has_the_fields_of_both() -> None:
    @frozen.dataclass(frozen=True, slots=True)
    class Deeper(Ours):
        z: int = 0

    assert Ours(1) == Ours(1)
    assert frozen.asdict(Deeper(1, z=5)) == {"x": 1, "y": None, "tags": {}, "z": 5}


UNPOSTPONED = """
import typing
from typing import ClassVar

@dataclass(frozen=True, slots=True)
class Plain:
    x: int
    unit: ClassVar[str] = "m"
    other: typing.ClassVar[str] = "n"
    later: {later} = None

    def next(self, step: int = 1) -> int:
        return self.x + step

@dataclass(frozen=True, slots=True)
class Bare:
    known = 1
"""


@pytest.mark.parametrize("later", ["str | None", "'Unknown'", "Unknown"])
def test_a_file_without_postponed_annotations_declares_the_same_fields(later: str) -> None:
    """A name that only a type checker knows stops such a file before Python 3.14 alone."""

    def outcome(dataclass: Any) -> Any:
        names: dict[str, Any] = {"dataclass": dataclass, "__name__": __name__}
        code = compile(UNPOSTPONED.format(later=later), "plain", "exec", dont_inherit=True)
        try:
            exec(code, names)
        except NameError as error:
            return str(error)
        made, plain = names["Plain"](1, later="z"), names["Plain"]
        bare = dataclasses.fields(names["Bare"])
        known = [one.name for one in dataclasses.fields(plain)]
        return repr(made), known, bare, made.next(), plain.unit, plain.other

    assert outcome(frozen.dataclass) == outcome(dataclasses.dataclass)


def test_defining_data_does_not_import_the_standard_librarys_machinery() -> None:
    script = "import sys, memctl.core.frozen; print({'dataclasses', 'inspect'} & set(sys.modules))"
    assert (
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
        == "set()\n"
    )
