"""Schemas of pydantic: what a model, or a type with one inside, says of JSON itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from . import decoding


def is_of_pydantic(schema: Any) -> bool:
    """Tell whether a type is pydantic's to read: a model, or a type with one among its arguments."""
    return hasattr(schema, "__pydantic_validator__") or any(map(is_of_pydantic, get_args(schema)))


def compile_model(schema: Any) -> tuple[Callable[[bytes], Any], list[str]]:
    """Return what reads an object's text as this type, and the keys without which it refuses any object."""
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

    return read, _required(schema, adapter)


def _required(schema: Any, adapter: Any) -> list[str]:
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
    except decoding.UNEXPECTED:
        pass
    return []
