"""What is used with ``async with`` alone: says so where somebody uses it in another way."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar


class AsyncOnly:
    """A base of what is an async context manager, and iterable in its block; ``_usage`` says how, in a line.

    >>> class Thing(AsyncOnly):
    ...     _usage = "async with thing() as one: ..."
    >>> with Thing():
    ...     pass
    Traceback (most recent call last):
    TypeError: this is asynchronous; use it so: async with thing() as one: ...
    """

    _usage: ClassVar[str]

    if not TYPE_CHECKING:  # type checkers find these mistakes by themselves, as long as there is nothing there

        def __enter__(self) -> None:
            raise self._misused()

        def __exit__(self, *_: object) -> None:
            """Never called."""

        def __await__(self) -> None:
            raise self._misused()

        def __iter__(self) -> None:
            raise self._misused()

    def _misused(self, kind: type[Exception] = TypeError) -> Exception:
        return kind(f"this is asynchronous; use it so: {self._usage}")
