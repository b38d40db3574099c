"""What people use today while an object comes in tokens: each is asked for the value so far after every token.

All but jsonriver read what has come so far anew with each token, so that their time grows with the square of the text.
"""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from .readers import TOKEN, Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def _so_far(parse: Callable[[bytearray], Any], *, whole_only: bool = False) -> Reader:
    """Return a reader that parses all that has come so far, with each token."""

    def read(file: IO[bytes]) -> Any:
        text, newest = bytearray(), None
        while chunk := file.read(TOKEN):
            text += chunk
            try:
                newest = parse(text)
            except ValueError:
                if not whole_only:
                    raise
        return newest

    return read


def json_so_far() -> Reader:
    """``json.loads`` of all so far, as harnesses do: there is a value only once the object is whole."""
    return _so_far(json.loads, whole_only=True)


def jiter_partial() -> Reader:
    """jiter in its partial mode, strings that have not ended included."""
    parse = import_module("jiter").from_json
    return _so_far(lambda text: parse(bytes(text), partial_mode="trailing-strings"))


def partial_json_parser() -> Reader:
    """partial-json-parser, which completes the text and gives it to ``json.loads``."""
    parse = import_module("partial_json_parser").loads
    return _so_far(lambda text: parse(text.decode()))


class _Tokens:
    """Text as jsonriver takes it, an async iterator; it waits by a bare ``yield``, with no event loop to pay for."""

    def __init__(self) -> None:
        self.token = ""
        self.ended = False

    def __aiter__(self) -> _Tokens:
        return self

    async def __anext__(self) -> str:
        while not self.token:
            if self.ended:
                raise StopAsyncIteration
            await _Pause()
        token, self.token = self.token, ""
        return token


class _Pause:
    def __await__(self) -> Generator[None, None, None]:
        yield


def jsonriver_values() -> Reader:
    """jsonriver, whose values grow in place."""
    parse = import_module("jsonriver").parse

    def read(file: IO[bytes]) -> Any:
        tokens = _Tokens()
        newest = None

        async def take() -> None:
            nonlocal newest
            async for value in parse(tokens):
                newest = value

        task = take()
        while chunk := file.read(TOKEN):
            tokens.token = chunk.decode()
            task.send(None)
        tokens.ended = True
        with suppress(StopIteration):
            task.send(None)
        return newest

    return read
