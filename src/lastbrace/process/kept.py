"""Exceptions of callbacks, kept until they can be raised."""

from __future__ import annotations

_MAX_ERRORS = 32  # each holds its frames, and a stream may have a million objects


class KeptErrors:
    """What callbacks and the input raised while reading went on.

    >>> errors = KeptErrors()
    >>> errors.keep(ValueError("one"))
    >>> errors.all
    ValueError('one')
    >>> errors.keep(ValueError("two"))
    >>> errors.all
    ExceptionGroup('callbacks raised', [ValueError('one'), ValueError('two')])
    """

    def __init__(self) -> None:
        self._errors: list[Exception] = []
        self._only: Exception | None = None
        self._count = 0

    def keep(self, error: Exception) -> None:
        """Keep one, or the members of a group."""
        if isinstance(error, StopIteration | StopAsyncIteration):  # would end our reader's loop as if all were well
            cause, error = error, RuntimeError(f"a callback or the input raised {type(error).__name__}")
            error.__cause__ = cause
        members = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
        self._only = None if self._errors else error
        self._count += len(members)
        self._errors += members[: _MAX_ERRORS - len(self._errors)]

    @property
    def all(self) -> Exception | None:
        """The one that was kept, or several as an ExceptionGroup, or None."""
        if self._only is not None or not self._errors:
            return self._only
        shown = "" if self._count == len(self._errors) else f"; these are the first of {self._count}"
        return ExceptionGroup(f"callbacks raised{shown}", self._errors)
