"""What makes no sense as an argument of `loop`, said before the first turn."""

from __future__ import annotations

from typing import Any

from ..process import run
from ..watch_options import reusable


def check_words(*, prompt: Any, resume: Any, go_on: Any) -> None:
    """Raise TypeError or ValueError for what is no text, a blank prompt, and what cannot be a session's id."""
    for name, text in (("prompt", prompt), ("resume", resume), ("go_on", go_on)):
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} is a text, not {text!r}")
    if prompt is not None and not prompt.strip():
        raise ValueError("the prompt is blank")
    if resume is not None and (not resume or resume.startswith("-")):
        raise ValueError(f"resume is a session's id, not {resume!r}")


def check_hooks(*hooks: Any) -> None:
    """Raise TypeError for what cannot be called."""
    for hook in hooks:
        if hook is not None and not callable(hook):
            raise TypeError(f"a hook is a function, and {hook!r} is none")


def contract_of(options: dict[str, Any]) -> str:
    """Return by what the turns are judged; TypeError and ValueError where these options of `run` make no loop."""
    if "input" in options:
        raise TypeError("a loop has no input: its prompt is what the program reads")
    options.update(reusable(options))
    if options.get("timeout") == 0:
        raise ValueError("timeout=0 leaves no time for a turn")
    run(["-"], **options)  # starts nothing, and finds fault with the others before the first turn does
    if options.get("schema") is not None:
        return "schema"
    contract: str | None = options.get("contract", "json")
    if contract is None:
        raise ValueError("a loop goes by a contract or a schema: without them nothing says whether it goes on")
    return contract
