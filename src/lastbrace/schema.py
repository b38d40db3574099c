"""The shapes a user may ask objects to have, behind one method: raw bytes in, a typed value or None out."""

from __future__ import annotations

import copy
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin, overload

import msgspec
from msgspec import inspect as shapes

from . import decoding

if TYPE_CHECKING:
    from types import UnionType
    from typing import _SpecialForm  # what checkers take Annotated[...] and the like for

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SUPPORTED = (
    "a schema is a msgspec.Struct, dataclass, TypedDict or other type that msgspec decodes from an object or array, "
    "a pydantic model, a JSON Schema dict, or a function from value to value that raises ValueError to refuse"
)

# What a check raises when it meets a value that it did not expect: the value is refused. Anything else (NameError,
# OSError, RuntimeError...) speaks of the check itself and passes on.
_UNEXPECTED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError)
_REFUSALS = (*_UNEXPECTED, *decoding.REFUSED)

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
        return _compile_json_schema(schema)
    if _is_type(schema):
        return _compile_type(schema)
    if callable(schema) and not inspect.iscoroutinefunction(schema):
        return Schema(lambda raw: schema(decoding.decode(raw)), source=schema, convert=schema)
    raise TypeError(f"{_SUPPORTED}; not {schema!r}")


def _is_type(schema: Any) -> bool:
    constructs = ("typing", "typing_extensions", "types")  # Union, Annotated, NewType, aliases: some are callable
    return isinstance(schema, type) or get_origin(schema) is not None or type(schema).__module__ in constructs


def is_of_pydantic(schema: Any) -> bool:
    """Tell whether a type is pydantic's to read: a model, or a type with one among its arguments."""
    return hasattr(schema, "__pydantic_validator__") or any(map(is_of_pydantic, get_args(schema)))


def _compile_type(schema: Any) -> Schema[Any]:
    if is_of_pydantic(schema):
        return _compile_pydantic(schema)
    try:
        decoder = msgspec.json.Decoder(schema)
        shape = shapes.type_info(schema)
    except (TypeError, NameError) as error:
        raise TypeError(f"{_SUPPORTED}; {error}") from error
    parts = list(_parts(shape, set()))
    if any(is_of_pydantic(getattr(part, "cls", None)) for part in parts):
        return _compile_pydantic(schema)  # msgspec would pass its validators by
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


def _compile_pydantic(schema: Any) -> Schema[Any]:
    import pydantic  # noqa: PLC0415 - there already: the schema is made with it

    adapter = pydantic.TypeAdapter(schema)

    def read(raw: bytes) -> Any:
        # JSON first: a strict model takes dates, enums and sets from JSON text, but not from Python strings and lists.
        try:
            return adapter.validate_json(raw)
        except pydantic.ValidationError as error:
            details = error.errors(include_url=False)[0]
            if details["type"] != "json_invalid" or details["loc"]:
                raise
        return adapter.validate_python(decoding.decode(raw))

    return Schema(read, _required_by_model(schema, adapter), schema)


def _required_by_model(schema: Any, adapter: Any) -> list[str]:
    """Return the keys without which a pydantic model refuses any object, as far as that is certain."""
    import pydantic  # noqa: PLC0415 - there already: the schema is made with it

    if not (isinstance(schema, type) and issubclass(schema, pydantic.BaseModel)) or schema.__pydantic_root_model__:
        return []
    build: Any = schema.__get_pydantic_core_schema__
    base: Any = pydantic.BaseModel.__get_pydantic_core_schema__
    validators = schema.__pydantic_decorators__.model_validators.values()
    sees_all = any(validator.info.mode != "after" for validator in validators)  # and may fill in what is missing
    if sees_all or build.__func__ is not base.__func__ or schema.__init__ is not pydantic.BaseModel.__init__:
        return []
    unaliased = {name for name, field in schema.model_fields.items() if not (field.alias or field.validation_alias)}
    try:
        adapter.validate_python({})  # a field's type may have a default that only shows here
    except pydantic.ValidationError as error:
        missing = {details["loc"] for details in error.errors(include_url=False) if details["type"] == "missing"}
        return [name for name in unaliased if (name,) in missing]
    except _UNEXPECTED:
        pass
    return []


def _compile_json_schema(schema: Mapping[str, Any]) -> Schema[Any]:
    try:
        import jsonschema  # noqa: PLC0415 - the extra
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # noqa: PLC0415 - an extra
        from referencing.exceptions import Unresolvable  # noqa: PLC0415 - an extra
        from referencing.jsonschema import specification_with  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError("a JSON Schema needs one more package: pip install 'lastbrace[jsonschema]'") from error
    document = copy.deepcopy(dict(schema))  # what the caller does to it later changes nothing
    try:
        kind = jsonschema.validators.validator_for(document, default=jsonschema.Draft202012Validator)
        kind.check_schema(document)
        dialect = specification_with(kind.META_SCHEMA.get("$id") or kind.META_SCHEMA["id"])
        resource = dialect.create_resource(document)
        _check_references(resource, REGISTRY.resolver_with_root(resource))
    except jsonschema.SchemaError as error:
        raise ValueError(f"not a valid JSON Schema: {error.message} (at {error.json_path})") from error
    except Unresolvable as error:
        raise ValueError(f"not a usable JSON Schema: a reference leads nowhere: {error.ref!r}") from error
    except _UNEXPECTED as error:
        raise ValueError(f"not a valid JSON Schema: {error}") from error
    validator = kind(document, registry=REGISTRY)  # this registry, unlike the default one, fetches nothing

    def check(value: Any) -> Any:
        try:
            valid = validator.is_valid(value)
        except Unresolvable:
            valid = False  # met only through a reference into a place that holds no schema
        if not valid:
            raise ValueError("not valid under the JSON Schema")
        return value

    # Beside a $ref older drafts ignore everything; in the oldest "required" is a flag.
    required = document.get("required") if "$ref" not in document else None
    required = required if isinstance(required, list) else ()
    return Schema(lambda raw: check(decoding.decode(raw)), required, document, convert=check)


def _check_references(resource: Any, resolver: Any) -> None:
    """Raise Unresolvable for a reference that leads nowhere, now rather than when the first object comes to it."""
    contents = resource.contents
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(contents, dict) and isinstance(contents.get(keyword), str):
            resolver.lookup(contents[keyword])
    for part in resource.subresources():
        _check_references(part, resolver.in_subresource(part))
