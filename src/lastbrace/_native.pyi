# The scanner's automaton in C, with the seam of automaton.Automaton, and a decoder of ordinary JSON.

from collections.abc import Callable
from typing import Any, final

from .spans import Death, Member

def decode(raw: bytes, /) -> Any: ...  # NotImplemented for what is not ordinary

@final
class Automaton:
    def __new__(
        cls,
        *,
        roots: str,
        framing: str,
        strict: bool,
        max_object_bytes: int | None,
        max_depth: int,
        text: bool = False,
        newest: bool = False,
        key: bytes | None = None,
        members: tuple[bytes, ...] = (),
        stops: bool = False,
        make: Callable[..., Any] | None = None,
    ) -> Automaton: ...
    shift: int | None
    last: Any
    last_death: Death | None
    @property
    def deaths(self) -> dict[str, int]: ...
    @property
    def reread(self) -> int: ...
    @property
    def objects(self) -> int: ...
    @property
    def fragments(self) -> int: ...
    @property
    def notes(self) -> bool | int: ...
    @property
    def stopped(self) -> int: ...
    @property
    def open(self) -> tuple[int, int] | None: ...
    @property
    def end(self) -> int: ...
    @property
    def kept_from(self) -> int: ...
    def feed(self, chunk: bytes, /) -> list[Any]: ...
    def close(self) -> list[Any]: ...
    def open_bytes(self, since: int, /) -> bytes: ...
    def members_of(self, raw: bytes, /) -> tuple[Member, ...] | None: ...
