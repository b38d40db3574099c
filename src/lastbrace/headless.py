r"""Whether an object stands where the value of a member stands whose record is not there.

``…,"usage":{…}`` after a torn record is such an object; ``The "result": {…}`` in prose is not. The text before the
bracket decides, at most ``LOOK_BEHIND`` bytes of it. White space and ``[`` skipped, it must end in a colon, before
that a quoted key, and before that a comma, a brace or the beginning of the input; or, where the beginning of the
input cut the key itself, in the rest of a key, its closing quote and the colon. In two regular expressions::

    (?:\A|[,{])WS*(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')WS*:(?:WS|\[)*\Z
    \A[^"'\n]*["']WS*:(?:WS|\[)*\Z

They are read from the end here, so that the time is that of one pass: a key can only begin at the nearest quote before
its closing one that no backslash escapes.
"""

from __future__ import annotations

from .grammar import WHITE_SPACE

LOOK_BEHIND = 512  # bytes: a key is short, and looking further would cost each object more than it tells


def look_behind(data: bytes | bytearray, index: int, before: bytes) -> bytes:
    """Return the last ``LOOK_BEHIND`` bytes before ``index`` and one more, which tells whether a line begins there.

    Where ``data`` does not reach so far back they come from ``before``, which it follows.
    """
    text = bytes(data[max(0, index - LOOK_BEHIND - 1) : index])
    return text if len(text) > LOOK_BEHIND else before[len(text) - LOOK_BEHIND - 1 :] + text


def is_piece(before: bytes, *, lines: bool, since_fragment: int | None) -> bool:
    """Tell whether an object is a piece of a record, by what ``look_behind`` gave: headless, or after one and a comma.

    With ``lines`` each line is an input of its own; ``since_fragment`` is the distance from the end of the last piece.
    """
    whole = len(before) <= LOOK_BEHIND
    if lines and b"\n" in before:
        before = before[before.rfind(b"\n") + 1 :]
        whole = True
    before = before[-LOOK_BEHIND:]
    if is_headless(before, whole=whole):
        return True
    gap = since_fragment
    return gap is not None and gap <= len(before) and before[-gap:].strip(WHITE_SPACE) == b","


def is_headless(before: bytes, *, whole: bool) -> bool:
    """Tell whether ``before``, the text just before a bracket, ends in a member's key and colon.

    ``whole`` says that nothing stands before ``before``: it reaches back to the beginning of the input.
    """
    text = before.rstrip(WHITE_SPACE + b"[")
    if not text.endswith(b":"):
        return False
    text = text[:-1].rstrip(WHITE_SPACE)
    quote = text[-1:]
    if quote not in (b'"', b"'"):
        return False
    close = len(text) - 1
    if whole and not any(mark in text[:close] for mark in (b'"', b"'", b"\n")):
        return True
    if _is_escaped(text, close):
        return False
    start = text.rfind(quote, 0, close)
    while start >= 0 and _is_escaped(text, start):
        start = text.rfind(quote, 0, start)
    if start < 0 or _has_bare_line_end(text[start + 1 : close]):
        return False
    head = text[:start].rstrip(WHITE_SPACE)
    return head.endswith((b",", b"{")) or (whole and not head)


def _is_escaped(text: bytes, position: int) -> bool:
    """Tell whether an odd number of backslashes stands before ``position``."""
    run = position
    while run and text[run - 1] == 0x5C:
        run -= 1
    return (position - run) % 2 == 1


def _has_bare_line_end(key: bytes) -> bool:
    at = key.find(b"\n")
    while at >= 0:
        if not _is_escaped(key, at):
            return True
        at = key.find(b"\n", at + 1)
    return False
