"""What lastbrace raises. What a stream does is an event; only what a caller does wrong, or asks for in vain, raises."""

from __future__ import annotations

from typing import Any


class LastbraceError(Exception):
    """The base of every error that lastbrace defines.

    >>> issubclass(NoObjectError, LastbraceError)
    True
    """


class NoObjectError(LastbraceError, LookupError):
    """No object answered: the text held none, or none that satisfies the schema. The message says why.

    >>> import lastbrace
    >>> lastbrace.last_object("no braces here")
    Traceback (most recent call last):
    lastbrace.errors.NoObjectError: no JSON object in 14 bytes
    """


class DecodeError(LastbraceError, ValueError):
    """An object was found, but its value cannot be built: too deep for this interpreter, or not of the type asked for.

    >>> import lastbrace
    >>> lastbrace.find_objects('{"a": "x"}')[0].decode(dict[str, int])
    Traceback (most recent call last):
    lastbrace.errors.DecodeError: Expected `int`, got `str` - at `$[...]`
    """


class ClosedError(LastbraceError, RuntimeError):
    """``feed`` was called after ``close``.

    >>> import lastbrace
    >>> scanner = lastbrace.Scanner()
    >>> scanner.close()
    []
    >>> scanner.feed(b"{}")
    Traceback (most recent call last):
    lastbrace.errors.ClosedError: fed after close
    """


class BackendError(LastbraceError):
    """A program could not be started, or died before it said anything.

    ``outcome`` is what was known until then, or None where the program never ran.

    >>> error = BackendError("cannot start 'agnet': not found")
    >>> error.outcome is None
    True
    """

    def __init__(self, message: str, *, outcome: Any = None) -> None:
        super().__init__(message)
        self.outcome = outcome


class BackendTimeout(BackendError, TimeoutError):  # noqa: N818 - the name says which TimeoutError it is
    """A program ran longer than it was given, and was ended. ``outcome`` is what was known until then.

    >>> issubclass(BackendTimeout, TimeoutError)
    True
    """


class JournalError(LastbraceError):
    """A loop's journal cannot be used: not written, not read, at work for another loop, or of another task.

    >>> issubclass(JournalError, LastbraceError)
    True
    """
