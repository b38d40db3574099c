"""From the events of a JSON parser to a value: all of it, or the members wanted, and word of each that closes."""

from __future__ import annotations

from collections.abc import Generator
from decimal import Decimal
from typing import Any, NamedTuple

from .paths import Node

UNSET: Any = object()


class Member(NamedTuple):
    """A member that closed: who asked for it, its path, its value."""

    watchers: tuple[int, ...]
    path: tuple[str | int, ...]
    value: Any


class MemberBuilder:
    """Builds a value from the events that ``events`` is sent.

    ``wanted`` says which members are kept and which are told as they close; None keeps everything. Without ``keep``
    only members to be told are built, and let go then. ``members`` are those told; whoever takes them clears it.
    Everything else is passed over: it is neither built nor looked into.
    """

    def __init__(self, wanted: Node | None, *, keep: bool) -> None:
        self.value: Any = None  # the growing value
        self.is_empty = True
        self.members: list[Member] = []
        self.instead: Any = UNSET  # the value of the next token, where the parser is given another
        self._root = Node(keep=True) if wanted is None else wanted
        self._keep = keep
        self._stack: list[tuple[Any, Node | None, bool]] = []  # the three below, of the containers around
        self._container: Any = None  # the innermost container, None where it is not kept
        self._node: Node | None = None  # what is wanted of its members
        self._building = False  # all of them
        self._path: list[Any] = []  # for each open container the key, or index, that was read last
        self._has_key = False  # in an object: its value comes next
        self._skipping = 0  # how many containers are open of a value that nobody wants
        self._covered: list[Any] = []  # while an unfinished value is shown: what stood in its place, if anything

    def events(self) -> Generator[None, tuple[str, Any], None]:
        """Take events in the words of ijson."""
        path = self._path
        while True:
            event, value = yield
            if event == "map_key":
                if not self._skipping:
                    path[-1] = value if self.instead is UNSET else self.instead
                    self._has_key = True
            elif event == "start_map":
                self._begin({}, UNSET)
            elif event == "start_array":
                self._begin([], -1)
            elif event == "end_map" or event == "end_array":  # noqa: PLR1714 - a set would hash each event
                self._end()
            elif not self._skipping:
                if self.instead is not UNSET:
                    value = self.instead
                elif type(value) is Decimal:
                    value = float(value)
                self._take_scalar(value)

    @property
    def wants_next(self) -> bool:
        """Whether anybody wants the string, number or word that comes next; keys are always wanted."""
        if self._skipping:
            return False
        if type(self._path[-1]) is int:
            key: str | int = self._path[-1] + 1
        elif self._has_key:
            key = self._path[-1]
        else:
            return True
        child = self._child(key)
        return self._building or (child is not None and (child.keep or bool(child.watchers)))

    def cover(self, value: Any) -> None:
        """Show ``value``, which is not finished, where the next value belongs, if that is kept."""
        container = self._container
        if container is None or self._skipping:
            return
        if type(container) is list:
            self._covered = [container, UNSET]
            container.append(value)
        elif self._has_key:
            key = self._path[-1]
            self._covered = [container, container.get(key, UNSET)]
            container[key] = value

    def uncover(self) -> None:
        """Take back what ``cover`` shows."""
        if not self._covered:
            return
        container, before = self._covered
        self._covered = []
        if type(container) is list:
            del container[-1:]  # whoever it was shown to may have changed it
        elif before is UNSET:
            container.pop(self._path[-1], None)
        else:
            container[self._path[-1]] = before

    def _child(self, key: str | int) -> Node | None:
        node = self._node
        if node is None:
            return None
        return node.children.get(str(key), node.each) if node.children else node.each

    def _next_key(self) -> Any:
        """Return the key or index of the value that is there now."""
        path = self._path
        if type(path[-1]) is int:
            path[-1] += 1
        self._has_key = False
        return path[-1]

    def _take_scalar(self, value: Any) -> None:
        key = self._next_key()
        child = None if self._node is None else self._child(key)
        if not self._building and (child is None or not (child.keep or child.watchers)):
            self._forget(key)
            return
        self._put(key, value)
        if child is not None and child.watchers:
            self.members.append(Member(child.watchers, tuple(self._path), value))

    def _begin(self, new: Any, before_first: Any) -> None:
        if self._skipping:
            self._skipping += 1
            return
        key: Any = UNSET
        if self._path:
            key = self._next_key()
            node = None if self._node is None else self._child(key)
            building = self._building
        else:
            node, building = self._root, False
        if node is not None:
            building = building or node.keep or bool(node.watchers)
            node = node if node.children or node.each or node.watchers else None
        if not building and node is None and self._path:
            self._skipping = 1
            self._forget(key)
            return
        kept = new if building or self._keep else None
        if kept is not None and key is not UNSET:
            self._put(key, kept)
        if not self._path:
            self.value = kept
        self._stack.append((self._container, self._node, self._building))
        self._container, self._node, self._building = kept, node, building
        self._path.append(before_first)

    def _end(self) -> None:
        if self._skipping:
            self._skipping -= 1
            return
        value, node = self._container, self._node
        last = self._path.pop()
        self._container, self._node, self._building = self._stack.pop()
        if not self._path:
            self.is_empty = last is UNSET or last == -1
        elif node is not None and node.watchers:
            self.members.append(Member(node.watchers, tuple(self._path), value))

    def _put(self, key: Any, value: Any) -> None:
        container = self._container
        if container is None:
            return
        if type(container) is list:
            container.append(value)
        else:
            container[key] = value

    def _forget(self, key: Any) -> None:
        """Take out the value of an earlier member of that name: of duplicate keys the last counts."""
        if type(self._container) is dict:
            self._container.pop(key, None)
