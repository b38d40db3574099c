"""Schemas that are documents: JSON Schema, read by the jsonschema package, and nothing ever fetched."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import decoding


def compile_document(schema: Mapping[str, Any]) -> tuple[Callable[[Any], Any], Iterable[str], dict[str, Any]]:
    """Return what checks a decoded value, the keys that every object must have, and a copy of the document itself.

    Raises ValueError for a JSON Schema that is not valid or has a reference that leads nowhere, ImportError without
    the extra.
    """
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
    except decoding.UNEXPECTED as error:
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
    return check, required, document


def _check_references(resource: Any, resolver: Any) -> None:
    """Raise Unresolvable for a reference that leads nowhere, now rather than when the first object comes to it."""
    contents = resource.contents
    for keyword in ("$ref", "$dynamicRef"):
        if isinstance(contents, dict) and isinstance(contents.get(keyword), str):
            resolver.lookup(contents[keyword])
    for part in resource.subresources():
        _check_references(part, resolver.in_subresource(part))
