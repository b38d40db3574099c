"""One adapter for each agent CLI: its events in, one reply out. To add one: its file, and its line in ``ADAPTERS``."""

from __future__ import annotations

from typing import Any

from ..suggestions import meant
from .adapter import Adapter
from .aider import Aider
from .amp import Amp
from .anthropic import Anthropic
from .antigravity import Antigravity
from .claude import Claude
from .cline import Cline
from .codex import Codex
from .continue_ import Continue
from .copilot import Copilot
from .crush import Crush
from .cursor import Cursor
from .droid import Droid
from .gemini import Gemini
from .goose import Goose
from .kimi import Kimi
from .openai import OpenAI
from .opencode import OpenCode
from .pi import Pi
from .qwen import Qwen
from .vibe import Vibe

ADAPTERS: tuple[type[Adapter], ...] = (
    Claude,
    Codex,
    Gemini,
    Antigravity,
    Qwen,
    OpenCode,
    Cursor,
    Copilot,
    Amp,
    Goose,
    Droid,
    Kimi,
    Cline,
    Pi,
    Vibe,
    Continue,
    Aider,
    Crush,
    Anthropic,
    OpenAI,
)


def adapter_for(name: str) -> Adapter:
    """Return a new adapter for the agent ``name``; raises ValueError for a name that is none."""
    for adapter in ADAPTERS:
        if adapter.name == name:
            return adapter()
    names = [str(adapter.name) for adapter in ADAPTERS]
    told = f"agent must be 'auto', None or one of {', '.join(names)}, not {name!r}"
    raise ValueError(told + meant(name, ["auto", *names]))


def recognise(event: dict[str, Any]) -> Adapter | None:
    """Return a new adapter for the agent whose unmistakable event this is."""
    return next((adapter() for adapter in ADAPTERS if adapter.recognises(event)), None)


def recognise_text(head: str) -> Adapter | None:
    """Return a new adapter for the agent whose output begins with the text ``head``."""
    return next((adapter() for adapter in ADAPTERS if adapter.recognises_text(head)), None)
