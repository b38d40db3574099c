"""What somebody may have meant who wrote a name that is none."""

from __future__ import annotations

from collections.abc import Iterable


def meant(name: object, known: Iterable[str]) -> str:
    """Return the end of a message: the known name that is nearest, where one is near.

    >>> meant("max_depht", ["max_depth", "strict"]), meant("x", ["max_depth"])
    ("; did you mean 'max_depth'?", '')
    """
    import difflib  # noqa: PLC0415 - only those who mistype need it

    near = difflib.get_close_matches(str(name)[:100], list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def check_options(given: Iterable[str], *known: Iterable[str] | None) -> None:
    """Raise TypeError for an option that is none of those known.

    >>> check_options({"scheme": 1}, ["strict"], ["schema"])
    Traceback (most recent call last):
    TypeError: unknown option 'scheme'; did you mean 'schema'?
    """
    names = {name for names in known for name in names or ()}
    for name in given:
        if name not in names and not name.startswith("_"):
            raise TypeError(f"unknown option {name!r}{meant(name, sorted(names))}")
