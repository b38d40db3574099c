"""Aider: ``aider --message …``, plain text.

Facts: Aider-AI/aider, aider/args.py (no format for machines); seen: 0.86.2. The answer is the whole text, banner and
costs included. Without ``--no-pretty`` fences are removed and lines broken at 80 columns, so that an object with long
strings is none any more.

It cannot tell: success (errors are text, and the exit status is mostly 0), session, tokens (rounded to thousands),
duration and turns. A round that does not fit the edit format is repeated: the answer then comes up to four times.
"""

from __future__ import annotations

import re

from .plain import PlainText

_BANNER = re.compile(r"^Aider v\d+\.\d+\S*[ \t]*\r?\n", re.MULTILINE)
_COST = re.compile(r"Cost:\s+\$([\d,.]+)\s+message,\s+\$([\d,.]+)\s+session")


class Aider(PlainText):
    """Takes the text as the answer, and the cost from its last report."""

    name = "aider"

    @classmethod
    def recognises_text(cls, head: str) -> bool:
        """Tell by the line that names the version."""
        return _BANNER.search(head) is not None

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the output; the last report has the cost of the session."""
        reports = _COST.findall(self.text)
        if reports:
            self.update(cost_usd=_dollars(reports[-1][1]))
        super().close(returncode, stderr)


def _dollars(amount: str) -> float | None:
    try:
        return float(amount.replace(",", "").rstrip("."))
    except ValueError:
        return None
