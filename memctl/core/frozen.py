"""Frozen data classes that cost next to nothing to define.

The part of the standard `dataclasses` that memctl uses, spelled the same: everything that does not
change is such a class; the few objects that do are standard dataclasses. A hook is a fresh process
for every prompt, and there `import dataclasses` (it pulls in `inspect`) and the methods that it
compiles for each class took a third of the time, most of it for classes that the call never uses.
Here a class compiles its `__init__` when it is needed and shares everything else.

The gain, measured with benchmarks/cold.py on a 2-core x86-64 machine, in CPU times of a bare
interpreter start: a hook takes 5.9 instead of 11.9, a search 7.3 instead of 13.0, a context 5.7
instead of 12.5. Tests compare arguments, defaults, equality, hash, repr and frozenness with the
original.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping

from memctl.core.typing_lite import Any, TypeVar, cast, dataclass_transform

T = TypeVar("T")
_UNSET: Any = object()
# How many instances of each class were made so far, until its `__init__` is compiled.
_INSTANCE_COUNTS: dict[type, int] = {}
# Fields without a default are shared: the same few names stand in many classes.
_FIELDS_WITHOUT_DEFAULT: dict[str, Field] = {}
_SETTERS: dict[type, list[Callable[[Any, Any], None]]] = {}
# Up to so many instances it is cheaper to set the fields one by one than to compile `__init__`;
# measured with benchmarks/cold.py.
_MAX_FILLED_BY_HAND = 40


class FrozenInstanceError(AttributeError):
    """Somebody tried to change a field of a frozen object."""


# One field: its name, and the default or what makes one (`_UNSET` for neither).
Field = namedtuple("Field", ("name", "default", "default_factory"), defaults=(_UNSET, _UNSET))


def field(*, default: Any = _UNSET, default_factory: Any = _UNSET) -> Any:
    """Declare a default value, or a function that makes a fresh one for each instance."""
    return Field("", default, default_factory)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def dataclass(*, frozen: bool, slots: bool) -> Callable[[type[T]], type[T]]:
    """Turn a class with annotations into a frozen, slotted data class.

    There is no other kind: the arguments are required so that the class says what it is.
    """
    assert frozen and slots
    return _make_frozen


def fields(thing: Any) -> tuple[Field, ...]:
    """Return the fields of a data class or of an instance, in order."""
    return cast(tuple[Field, ...], thing.__data_fields__)


def is_dataclass(thing: object) -> bool:
    """Whether this is a data class or an instance of one."""
    return hasattr(thing, "__data_fields__")


def replace(thing: T, /, **changes: Any) -> T:
    """Return a copy with some fields changed."""
    return type(thing)(**{name: getattr(thing, name) for name in _list_names(thing)} | changes)


def fill_instance(cls: type[T], values: Iterable[Any]) -> T:
    """Return an instance with these values for all its fields, in order.

    It is quicker than `cls(...)`: the row of a table needs no reading of arguments.
    """
    setters = _SETTERS.get(cls) or _SETTERS.setdefault(
        cls, [getattr(cls, name).__set__ for name in _list_names(cls)]
    )
    made = object.__new__(cls)
    for put, value in zip(setters, values, strict=True):
        put(made, value)
    return made


def asdict(thing: Any) -> dict[str, Any]:
    """Return field names and values; data inside lists, tuples and mappings is converted too."""
    return {name: _to_plain(getattr(thing, name)) for name in _list_names(thing)}


def _to_plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, list | tuple):
        return type(value)(map(_to_plain, value))
    if isinstance(value, dict):
        return {key: _to_plain(inner) for key, inner in value.items()}
    return value


def _list_names(thing: Any) -> Iterable[str]:
    return cast(tuple[str, ...], thing.__match_args__)


def _make_frozen(cls: type[T]) -> type[T]:
    """Make the class anew with slots, which can only be given when a class is made."""
    members = {**_SHARED, **cls.__dict__, "__init__": _first_init, "__qualname__": cls.__qualname__}
    for name in ("__dict__", "__weakref__"):
        members.pop(name, None)
    own = tuple([name for name, kind in _read_annotations(cls).items() if not _is_class_var(kind)])
    declared = [_make_field(name, members.pop(name, _UNSET)) for name in own]
    inherited = [] if cls.__bases__ == (object,) else _list_inherited(cls, own)
    members["__slots__"], members["__data_fields__"] = own, (*inherited, *declared)
    members["__match_args__"] = (*[known.name for known in inherited], *own) if inherited else own
    made: type[T] = cast(Any, type(cls))(cls.__name__, cls.__bases__, members)
    return made


def _read_annotations(cls: type) -> Mapping[str, Any]:
    """Return what the class itself declares, in order, by name; nothing in it is looked up.

    They lie in the class where the file has `from __future__ import annotations`, as ours have,
    and before Python 3.14 everywhere. Since then a class elsewhere carries a function that works
    them out (PEP 649), and a name that only a type checker knows would stop it.
    """
    members: Mapping[str, Any] = cls.__dict__
    if "__annotations__" in members or getattr(cls, "__annotate__", None) is None:
        return cast(Mapping[str, Any], members.get("__annotations__", {}))
    import annotationlib  # type: ignore[import-not-found,unused-ignore]

    known = annotationlib.get_annotations(cls, format=annotationlib.Format.STRING)
    return cast(Mapping[str, Any], known)


def _is_class_var(kind: object) -> bool:
    """Whether an annotation says ClassVar: as text, or as the object of `typing`."""
    return str(kind).removeprefix("typing.").startswith("ClassVar")


def _list_inherited(cls: type, own: Iterable[str]) -> list[Field]:
    """Return the fields of the base classes that this class does not declare again."""
    above = [
        known
        for base in reversed(cls.__mro__[1:])
        for known in base.__dict__.get("__data_fields__", ())
    ]
    return [known for known in above if known.name not in own]


def _make_field(name: str, given: Any) -> Field:
    if given is _UNSET:
        return _FIELDS_WITHOUT_DEFAULT.get(name) or _FIELDS_WITHOUT_DEFAULT.setdefault(
            name, Field(name)
        )
    return (
        Field(name, given.default, given.default_factory)
        if isinstance(given, Field)
        else Field(name, given)
    )


def _first_init(self: Any, /, *args: Any, **given: Any) -> None:
    """Fill the first few instances, then compile the real `__init__` and replace itself by it."""
    owner: Any = next(cls for cls in type(self).__mro__ if "__init__" in cls.__dict__)
    _INSTANCE_COUNTS[owner] = _INSTANCE_COUNTS.get(owner, 0) + 1
    if _INSTANCE_COUNTS[owner] <= _MAX_FILLED_BY_HAND and _try_fill(
        self, fields(owner), args, given
    ):
        return
    owner.__init__ = _compile_init(owner)
    owner.__init__(self, *args, **given)


def _try_fill(
    self: Any, known: tuple[Field, ...], args: tuple[Any, ...], given: Mapping[str, Any]
) -> bool:
    """Set every field. False if the arguments do not fit: the compiled `__init__` says why."""
    values = dict(zip((one.name for one in known), args, strict=False))
    if len(args) > len(known) or not values.keys().isdisjoint(given):
        return False
    values |= given
    for name, default, factory in known:
        if name not in values:
            if factory is _UNSET and default is _UNSET:
                return False
            values[name] = default if factory is _UNSET else factory()
        object.__setattr__(self, name, values.pop(name))
    return not values


def _compile_init(cls: Any) -> Callable[..., None]:
    names: dict[str, Any] = {"_unset": _UNSET}
    parameters, lines = ["self"], ["pass"]
    for known in fields(cls):
        name, is_made = known.name, known.default_factory is not _UNSET
        names |= {
            f"_set_{name}": getattr(cls, name).__set__,
            f"_default_{name}": known.default_factory if is_made else known.default,
        }
        optional = is_made or known.default is not _UNSET
        parameters.append(
            f"{name}=" + ("_unset" if is_made else f"_default_{name}") if optional else name
        )
        lines.append(
            f"_set_{name}(self, _default_{name}() if {name} is _unset else {name})"
            if is_made
            else f"_set_{name}(self, {name})"
        )
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


class _StandardFields:
    """What functions of the standard library look for; made only when one of them looks."""

    def __get__(self, _instance: object, owner: type) -> Mapping[str, Any]:
        import dataclasses

        def standard(known: Field) -> Any:
            given = {
                name: value
                for name, value in known._asdict().items()
                if name != "name" and value is not _UNSET
            }
            return known.name, Any, dataclasses.field(**given)

        made: Any = dataclasses.make_dataclass(owner.__name__, map(standard, fields(owner)))
        return cast(Mapping[str, Any], made.__dataclass_fields__)


def _values(self: Any) -> Any:
    return tuple(getattr(self, name) for name in self.__match_args__)


def _eq(self: Any, other: object) -> Any:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({values})"


def _reduce(self: Any) -> tuple[Any, ...]:
    return type(self), _values(self)


def _frozen(self: Any, name: str, *_value: object) -> None:
    raise FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


_SHARED: Mapping[str, Any] = {
    "__eq__": _eq,
    "__hash__": _hash,
    "__repr__": _repr,
    "__reduce__": _reduce,
    "__setattr__": _frozen,
    "__delattr__": _frozen,
    "__dataclass_fields__": _StandardFields(),
}
