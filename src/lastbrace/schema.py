"""The shapes a user may ask objects to have, behind one method: raw bytes in, a typed value or None out."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_origin, overload

import msgspec
from msgspec import inspect as shapes

from . import decoding
from .json_schema import compile_document
from .pydantic_models import compile_model, is_of_pydantic

if TYPE_CHECKING:
    from types import UnionType
    from typing import _SpecialForm  # what checkers take Annotated[...] and the like for

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SUPPORTED = (
    "a schema is a msgspec.Struct, dataclass, TypedDict or other type that msgspec decodes from an object or array, "
    "a pydantic model, a JSON Schema dict, or a function from value to value that raises ValueError to refuse"
)

_REFUSALS = (*decoding.UNEXPECTED, *decoding.REFUSED)

# Keys of these characters can be written in two ways only: as they are, or with a \u00XX escape. (An expression finds
# the escape in half the time that ``in`` takes: it runs from one backslash to the next.)
_is_plain = re.compile(r"[ !#-.0-\[\]-~]+").fullmatch
_has_escape = re.compile(rb"\\u00").search

_ROOTS = (
    shapes.AnyType,
    shapes.CollectionType,
    shapes.DataclassType,
    shapes.DictType,
    shapes.NamedTupleType,
    shapes.RawType,
    shapes.StructType,
    shapes.TupleType,
    shapes.TypedDictType,
)


class Match(msgspec.Struct, Generic[T_co], frozen=True):
    """What an object is under a schema: ``value``, which may well be None.

    >>> compile_schema(dict[str, int]).match(b'{"a": 1}')
    Match(value={'a': 1})
    """

    value: T_co


class Schema(Generic[T]):
    """A compiled schema; :func:`compile_schema` makes it.

    >>> compile_schema({"required": ["verdict"]}).match(b'{"status": "done"}') is None
    True
    """

    __slots__ = ("_needles", "convert", "keys", "nonce", "read", "source")

    def __init__(
        self,
        read: Callable[[bytes], T],
        required: Iterable[str] = (),
        source: Any = None,
        nonce: tuple[str, str] | None = None,
        *,
        convert: Callable[[Any], T] | None = None,
        keys: Iterable[str] | None = None,
    ) -> None:
        self.read = read  # raises ValueError, and what else stands in _REFUSALS, for what does not satisfy
        self.convert = convert or (lambda value: read(json.dumps(value).encode()))  # the same of what is decoded
        self.keys = None if keys is None else frozenset(keys)  # all that it reads of an object; None: any
        self.source = source  # what it was compiled from
        self.nonce = nonce  # a member that every object must have beside, and its value
        self._needles = tuple(f'"{key}"'.encode() for key in required if _is_plain(key))

    @property
    def key(self) -> bytes | None:
        """A member without which no object satisfies the schema, where one is known."""
        return self._needles[0][1:-1] if self._needles else None

    def match(self, raw: bytes) -> Match[T] | None:
        """Return the value of one object or array as the schema has it, or None where it does not satisfy it.

        Raises nothing for any data; only what a user's own check raises, and is not about the data, passes on (see
        :func:`compile_schema`).
        """
        for needle in self._needles:
            if needle not in raw:
                if raw.startswith(b"[") or _has_escape(raw):
                    break
                return None
        try:
            return Match(self.read(raw))
        except _REFUSALS:
            return None

    def match_value(self, value: Any) -> Match[T] | None:
        """Return the same for an object or array that is decoded already.

        >>> compile_schema(dict[str, int]).match_value({"a": 1})
        Match(value={'a': 1})
        """
        try:
            return Match(self.convert(value))
        except _REFUSALS:
            return None

    def refusal(self, raw: bytes) -> str:
        """Return why this object does not satisfy the schema, in a line cut to a length that can be read.

        >>> compile_schema(dict[str, int]).refusal(b'{"a": "x"}')
        'Expected `int`, got `str` - at `$[...]`'
        """
        try:
            self.read(raw)
        except Exception as error:  # of any kind: it is only told
            text = " ".join(str(error).split())[:300]
            return text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
        return ""


@overload
def compile_schema(schema: Schema[T]) -> Schema[T]: ...
@overload
def compile_schema(schema: type[T]) -> Schema[T]: ...
@overload
def compile_schema(schema: Mapping[str, Any]) -> Schema[Any]: ...
@overload
def compile_schema(schema: Callable[[Any], T]) -> Schema[T]: ...
@overload
def compile_schema(schema: UnionType | _SpecialForm) -> Schema[Any]: ...
def compile_schema(schema: Any) -> Schema[Any]:
    """Return the `Schema` for what a user calls a schema.

    - A type that msgspec decodes from an object or array: Struct, dataclass, TypedDict, ``dict[str, int]``, a union...
      Types are taken strictly (``"1"`` is no int).
    - A pydantic model, or a type with one inside: what the model itself says of JSON, conversions included.
    - A JSON Schema as a dict, with ``pip install lastbrace[jsonschema]``. Formats are not checked, and nothing is ever
      fetched: a reference leads into the schema itself or to a published meta-schema.
    - A function from the decoded value to the value wanted, which raises ValueError to refuse. A TypeError,
      LookupError, AttributeError, ArithmeticError, AssertionError or RecursionError refuses too: it is what a function
      raises that met a shape it did not expect. Other exceptions pass on from ``match``. The same goes for validators
      of a model and for ``__post_init__``.

    Of duplicate keys the last counts. Raises TypeError for anything else, ValueError for a JSON Schema that is not
    valid or has a reference that leads nowhere, ImportError for a JSON Schema without its extra.

    >>> def verdict(value):
    ...     return {"done": True, "continue": False}[value["status"]]
    >>> schema = compile_schema(verdict)
    >>> schema.match(b'{"status": "done"}'), schema.match(b'{"status": "maybe"}')
    (Match(value=True), None)
    """
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        check, required, document = compile_document(schema)
        return Schema(lambda raw: check(decoding.decode(raw)), required, document, convert=check)
    if _is_type(schema):
        return _compile_type(schema)
    if callable(schema) and not inspect.iscoroutinefunction(schema):
        return Schema(lambda raw: schema(decoding.decode(raw)), source=schema, convert=schema)
    raise TypeError(f"{_SUPPORTED}; not {schema!r}")


def _is_type(schema: Any) -> bool:
    constructs = ("typing", "typing_extensions", "types")  # Union, Annotated, NewType, aliases: some are callable
    return isinstance(schema, type) or get_origin(schema) is not None or type(schema).__module__ in constructs


def _compile_type(schema: Any) -> Schema[Any]:
    if is_of_pydantic(schema):
        return Schema(*compile_model(schema), schema)
    try:
        decoder = msgspec.json.Decoder(schema)
        shape = shapes.type_info(schema)
    except (TypeError, NameError) as error:
        raise TypeError(f"{_SUPPORTED}; {error}") from error
    parts = list(_parts(shape, set()))
    if any(is_of_pydantic(getattr(part, "cls", None)) for part in parts):
        return Schema(*compile_model(schema), schema)  # msgspec would pass its validators by
    strangers = [part.cls for part in parts if isinstance(part, shapes.CustomType) and part.cls is not object]
    if strangers:
        raise TypeError(f"{_SUPPORTED}; msgspec cannot decode {strangers[0]!r} (pass a function that makes it)")
    if not any(isinstance(member, _ROOTS) for member in _members(shape)):
        raise TypeError(f"{_SUPPORTED}; an object or array is never {schema!r}")

    def read(raw: bytes) -> Any:
        try:
            return decoder.decode(raw)
        except _REFUSALS:
            pass  # perhaps only because of a duplicate that does not count, or of what msgspec cannot read
        return decoding.convert(decoding.decode(raw), schema)

    def convert(value: Any) -> Any:
        return decoding.convert(value, schema)

    return Schema(read, _required(shape), schema, convert=convert, keys=_keys_read(shape))


def _parts(part: Any, seen: set[int]) -> Iterator[Any]:
    """Yield a type's description and those of all its parts, each once: a type may hold itself."""
    if id(part) in seen:
        return
    seen.add(id(part))
    yield part
    for name in part.__struct_fields__:
        value = getattr(part, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, shapes.Type | shapes.Field):
                yield from _parts(child, seen)


def _members(shape: shapes.Type) -> list[shapes.Type]:
    """Return the types that a value may have at the root."""
    if isinstance(shape, shapes.Metadata):
        return _members(shape.type)
    if isinstance(shape, shapes.UnionType):
        return [member for kind in shape.types for member in _members(kind)]
    return [shape]


def _keys_read(shape: shapes.Type) -> set[str] | None:
    """Return the keys that a type reads of an object, None where any key may matter."""
    names: set[str] = set()
    for member in _members(shape):
        if isinstance(member, shapes.StructType):
            if member.array_like or member.forbid_unknown_fields:
                return None
            names |= {member.tag_field} if member.tag_field else set()
        elif not isinstance(member, shapes.DataclassType | shapes.TypedDictType):
            return None
        names |= {field.encode_name for field in member.fields}
    return names


def _required(shape: shapes.Type) -> set[str]:
    """Return the keys that every object of a type has."""
    choices = []
    for member in _members(shape):
        fields: tuple[shapes.Field, ...] = ()
        if isinstance(member, shapes.DataclassType | shapes.TypedDictType | shapes.StructType):
            fields = member.fields
        choices.append({field.encode_name for field in fields if field.required})
    return set.intersection(*choices)
