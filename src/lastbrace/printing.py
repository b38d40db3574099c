"""Text of a stranger, made safe for a terminal and cut to a length that can be read."""

from __future__ import annotations


def printable(text: str, limit: int = 200, *, keep: str = "") -> str:
    r"""Return the first ``limit`` characters of ``text`` with nothing in it that a terminal acts on.

    What is in ``keep``, such as line ends, stays as it is.

    >>> printable("a\x1b[2Jb\n"), printable("a\x1b[2Jb\n", keep="\n")
    ('a\\x1b[2Jb\\n', 'a\\x1b[2Jb\n')
    """
    shown = "".join(
        character
        if character.isprintable() or character in keep
        else character.encode("unicode_escape", "backslashreplace").decode("ascii")
        for character in text[:limit]
    )
    return shown + ("..." if len(text) > limit else "")


def counted(number: int, noun: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "object"), counted(2, "object")
    ('1 object', '2 objects')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def readable(text: str, limit: int = 2000) -> str:
    r"""Return ``text`` as `printable` does, its line ends and tabs as they are: for a message or a reason.

    >>> readable("two\nlines\x07")
    'two\nlines\\x07'
    """
    return printable(text, limit, keep="\n\t")
