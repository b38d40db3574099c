"""All cases."""

from __future__ import annotations

from .places import PLACES
from .streams import STREAMS

CASES = [*STREAMS, *PLACES]
