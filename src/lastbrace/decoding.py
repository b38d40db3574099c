r"""From the bytes of an object to its value: msgspec first, the standard library for what msgspec refuses.

Where there is a decoder in C, it reads what is ordinary before them. The value always equals what ``json.loads``
gives on the text, invalid UTF-8 replaced by U+FFFD. msgspec refuses, with an error, a lone surrogate (``"\ud83d"``),
``NaN`` and ``Infinity``, a number beyond a double and invalid UTF-8; what it accepts it reads as ``json`` does, from
0.19 on (before, -19477678823131236538 came out as another number).
"""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from .errors import DecodeError
from .implementation import decode_in_c
from .printing import readable

T = TypeVar("T")

_is_surrogate = re.compile("[\ud800-\udfff]")
_decode = msgspec.json.Decoder().decode

_MAX_MESSAGE = 400  # characters

# What msgspec says of text that json may still read. Invalid UTF-8 was a UnicodeDecodeError before msgspec 0.23.
REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)

# What a schema's check raises when it meets a value that it did not expect: the value is refused. Anything else
# (NameError, OSError, RuntimeError...) speaks of the check itself and passes on.
UNEXPECTED = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RecursionError)


def decode(raw: bytes) -> Any:
    r"""Return the value of one JSON object or array, as Python's ``json`` reads it.

    Of duplicate keys the last wins. Raises DecodeError where the value is too deep for the interpreter, has an integer
    longer than ``sys.get_int_max_str_digits()`` allows, or where ``raw`` is no JSON.

    >>> decode(b'{"cut": "\\ud83d", "cost": NaN}')
    {'cut': '\ud83d', 'cost': nan}
    """
    if decode_in_c is not None:
        value = decode_in_c(raw)
        if value is not NotImplemented:
            return value
    try:
        return _decode(raw)
    except REFUSED:
        pass  # left behind before the second try, so that its error has no misleading context
    return _decode_as_json(raw)


def decode_as(raw: bytes, type: type[T]) -> T:  # noqa: A002 - the word msgspec uses for it
    """Return one JSON object or array as a ``type`` that msgspec knows, types taken strictly.

    Raises DecodeError where it is not of that type, and what :func:`decode` raises. What a ``__post_init__`` raises,
    ValueError and TypeError aside, passes on.

    >>> decode_as(b'{"a": 1}', dict[str, int])
    {'a': 1}
    """
    try:
        return msgspec.json.decode(raw, type=type)
    except REFUSED:
        pass  # msgspec judges each of several duplicate keys; only the last counts
    return convert_as(decode(raw), type)


def convert_as(value: Any, type: type[T]) -> T:  # noqa: A002 - as in decode_as
    """Return a decoded ``value`` as a ``type`` that msgspec knows; raises DecodeError where it is not of that type.

    >>> convert_as({"a": 1}, dict[str, int])
    {'a': 1}
    """
    try:
        return convert(value, type)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        raise DecodeError(_shorten(str(error))) from None


def _shorten(message: str) -> str:
    """Return the ends of a message that may quote megabytes; what is wrong stands at the one, where at the other."""
    half = _MAX_MESSAGE // 2
    return readable(message if len(message) <= _MAX_MESSAGE else f"{message[:half]}...{message[-half:]}")


def convert(value: Any, type: type[T]) -> T:  # noqa: A002 - as in decode_as
    """Return a decoded ``value`` as a ``type`` that msgspec knows.

    Raises what ``msgspec.convert`` raises: ValidationError, UnicodeEncodeError for a lone surrogate where one of a few
    texts is wanted, RecursionError.

    >>> convert({"1": 2}, dict[int, int])
    {1: 2}
    """
    try:
        return msgspec.convert(value, type, str_keys=True)
    except UnicodeEncodeError:
        pass  # msgspec looks keys up by their UTF-8, which a lone surrogate has not
    return msgspec.convert(_replace_in_keys(value), type, str_keys=True)


def _replace_in_keys(value: Any) -> Any:
    """Return a copy of ``value`` with U+FFFD for each lone surrogate in a key."""
    if isinstance(value, list):
        return [_replace_in_keys(item) for item in value]
    if isinstance(value, dict):
        return {_is_surrogate.sub("\ufffd", key): _replace_in_keys(item) for key, item in value.items()}
    return value


def is_json(text: str) -> bool:
    """Tell whether a text is one JSON object or array, as `decode` reads it.

    >>> is_json('{"a": NaN}'), is_json("{a: 1}")
    (True, False)
    """
    try:
        decode(text.encode("utf-8", "replace"))
    except DecodeError:
        return False
    return True


def _decode_as_json(raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8", "replace"))
    except RecursionError as error:
        raise DecodeError("too deep for this interpreter") from error
    except ValueError as error:
        raise DecodeError(str(error)) from error
