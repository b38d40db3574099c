"""What a scanner makes of a text, byte by byte and chunk by chunk: the facts that the pictures show."""

from __future__ import annotations

import itertools
from typing import NamedTuple

from lastbrace import Dropped, Found, Scanner, Unfinished, grammar


class Span(NamedTuple):
    """A stretch of the text and what it turned out to be: object, fragment, dead, dropped or unfinished."""

    start: int
    end: int
    kind: str
    why: str = ""


def spans(text: str) -> list[Span]:
    """Return what begins at each brace; a dead candidate ends with the byte that it died of."""
    scanner, found = Scanner(), []
    for end, character in enumerate(text, 1):
        begun, died = scanner.open, dict(scanner.stats.dead)
        events = scanner.feed(character)
        for reason, count in scanner.stats.dead.items():
            if count > died.get(reason, 0) and begun is not None:
                found.append(Span(begun.start, end, "dead", reason))
        found += [_span(event, end) for event in events]
    found += [_span(event, len(text)) for event in scanner.close()]
    return sorted(found)


def _span(event: Found | Dropped | Unfinished, end: int) -> Span:
    if isinstance(event, Found):
        return Span(event.start, event.end, "fragment" if event.fragment else "object")
    if isinstance(event, Dropped):
        return Span(event.start, event.end, "dropped", event.reason)
    return Span(event.start, end, "unfinished")


def feeds(chunks: list[str]) -> list[str]:
    """Return, as Python shows it, what ``feed`` returns for each chunk."""
    scanner = Scanner()
    return [repr(scanner.feed(chunk)) for chunk in chunks]


def states(text: str) -> list[str]:
    """Return the state of the automaton after each byte of an object, by its name in ``grammar``."""
    names = dict(zip(range(grammar.STATES), _state_names(), strict=True))
    table, state = grammar.table(strict=False, lines=False), grammar.VALUE
    stack: list[int] = []
    after = []
    for byte in text.encode():
        code = table[state][byte]
        if code == grammar.END_NUMBER:
            code = table[_after_value(stack)][byte]
        if code in (grammar.OPEN_OBJECT, grammar.OPEN_ARRAY):
            state = grammar.OBJECT if code == grammar.OPEN_OBJECT else grammar.ARRAY
            stack.append(state)
        elif code in (grammar.CLOSE, grammar.END_VALUE):
            stack[len(stack) - (code == grammar.CLOSE) :] = []
            state = _after_value(stack)
        elif code == grammar.BEGIN_INTEGER:
            state = grammar.INTEGER
        elif code == grammar.READ_COLON:
            state = grammar.VALUE
        else:
            state = code
        after.append(names[state] if stack else "found")
    return after


def _after_value(stack: list[int]) -> int:
    return grammar.MEMBER_END if stack and stack[-1] == grammar.OBJECT else grammar.ELEMENT_END


def _state_names() -> list[str]:
    """Return the names of the states in order: the first names that the module binds to 0, 1, 2 and so on."""
    bound = ((name, value) for name, value in vars(grammar).items() if name[0].isupper() and type(value) is int)
    return [name for name, _ in itertools.takewhile(lambda pair: pair[1] < grammar.STATES, bound)]
