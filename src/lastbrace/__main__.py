"""The command ``lastbrace``, also ``python -m lastbrace``."""

from __future__ import annotations

import sys

_OF_THE_EXTRA = {"typer", "rich", "click"}


def main() -> None:
    """Run the command line; say what to install where its extra is missing."""
    try:
        from .cli import app  # noqa: PLC0415 - needs the extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _OF_THE_EXTRA:
            raise
        print('lastbrace: the command line needs: pip install "lastbrace[cli]"', file=sys.stderr)
        sys.exit(2)
    app(prog_name="lastbrace")


if __name__ == "__main__":
    main()
