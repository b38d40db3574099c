"""The options of `Watcher`, as every function that makes one takes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal

from .outcome import T
from .pipeline import ScanOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .agents.adapter import Adapter
    from .agents.reply import Reply
    from .answer import OnFields
    from .completion import Completion
    from .events import Found


def reusable(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options, with lists in place of iterators: more than one watcher reads them."""
    return {name: list(value) if isinstance(value, Iterator) else value for name, value in options.items()}


class WatchOptions(ScanOptions, Generic[T], total=False):
    """All options of `Watcher`, which says what each means, but for the schema; those of a scan included."""

    agent: str | Adapter | None
    answer: str | None
    contract: Literal["json", "marker"] | None
    marker: str
    ignore: Iterable[Any]
    after: str | bytes | None
    skip_think: bool
    fragments: bool
    nonce: str | None
    recover: Literal[False, True, "accept"]
    max_recover_bytes: int
    on_object: Callable[[Found], object] | None
    on_text: Callable[[str], object] | None
    on_match: Callable[[Found, T], object] | None
    on_completion: Callable[[Completion], object] | None
    on_reply: Callable[[Reply], object] | None
    on_partial: Callable[[Any], object] | None
    on_field: OnFields | None
    on_field_void: Callable[[int], object] | None
