"""Kimi: ``kimi --print --output-format stream-json`` (kimi-cli), ``kimi -p … --output-format stream-json`` (kimi-code).

Facts: MoonshotAI/kimi-cli, docs/en/customization/print-mode.md and src/kimi_cli/ui/print/visualize.py;
MoonshotAI/kimi-code, apps/kimi-code/src/cli/prompt-render.ts; seen: kimi-cli 1.40.0. One message a line, without type
or id. kimi-cli prints its errors as plain text on stdout, wrapped at 80 columns, after the messages; kimi-code prints
them on stderr.

It cannot tell: cost, tokens, duration, turns, and a cut by the token limit. kimi-cli has no final event: a last message
that calls no tool, with no error text after it, stands for the end, and the exit status (75: try again) decides.
kimi-code ends a success with a resume hint. Attempts that kimi-cli repeats stand in one message, glued together. The
session is named on stderr, in kimi-code's hint too. Without ``--output-format`` it is plain text: no agent.
"""

from __future__ import annotations

import re
from typing import Any

from .adapter import Adapter
from .fields import items, member, string

_MAX_TEXT = 16_384  # characters: error texts are shorter
_COLUMNS = 80
_KEYS = {"role", "content", "tool_calls", "tool_call_id", "name"}
_META = ("system.version", "turn.step.retrying", "session.resume_hint")
_RESUME = re.compile(r"To resume this session: kimi -r (\S+)")
_HOOK = re.compile(r"(?:Pre|Post|User|Sub|Session|Stop|Permission|Notification)[A-Za-z]* hook(?: blocked)?\n\n")


class Kimi(Adapter):
    """Reads messages of the chat-completions shape, and text between them."""

    name = "kimi"
    reads_text = True

    def __init__(self) -> None:
        super().__init__()
        self._is_answered = False  # the last message is an answer
        self._has_hints = False  # it is kimi-code
        self._retry: str | None = None
        self._printed: list[str] = []  # since the last message
        self._size = 0

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell by a message that has a role and no type."""
        role = event.get("role")
        if role == "meta":
            return event.get("type") in _META
        if role != "assistant" or not event.keys() <= _KEYS:
            return False
        return isinstance(event.get("content"), str | list) or bool(items(event, "tool_calls"))

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next message of stdout."""
        role = event.get("role")
        if role == "meta":
            self._take_meta(event)
        elif "type" in event or role not in ("assistant", "tool"):
            return
        elif role == "tool" or items(event, "tool_calls"):
            self.restart()
            self._is_answered = False
        else:
            text = _text(event.get("content"))
            if _HOOK.match(text):
                return
            self.restart()
            self.add(text)
            self._is_answered = True
        self._retry = self._retry if role == "meta" else None
        self._printed, self._size = [], 0

    def feed_text(self, text: str) -> None:
        """Keep what is printed after the last message: it may be an error."""
        self._printed.append(text)
        self._size += len(text)
        if self._size > 2 * _MAX_TEXT:
            self._printed = ["".join(self._printed)[-_MAX_TEXT:]]
            self._size = _MAX_TEXT

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream; text after the last message is an error unless the exit status says that all went well."""
        text = "".join(self._printed)
        resume = _RESUME.search(stderr) or _RESUME.search(text)
        if resume:
            self.update(session_id=resume[1])
        printed = _unwrap(_RESUME.sub("", text))
        if printed and not self._reply.final and not (returncode == 0 and self._is_answered):
            self.fail(printed)
        elif self._retry and returncode != 0 and not self._is_answered:
            self.fail(self._retry)
        super().close(returncode, stderr)

    def needs_final_event(self) -> bool:
        """Say whether more must come: a message that calls no tool may be the end, but kimi-code marks its end."""
        return self._has_hints or not self._is_answered

    def _take_meta(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        self._has_hints = self._has_hints or kind in _META
        if kind == "turn.step.retrying":
            self.restart()
            self._is_answered = False
            self._retry = string(event, "error_message") or string(event, "error_name")
        elif kind == "session.resume_hint":
            self.update(session_id=string(event, "session_id"))
            self.answer(self.text)
            self.finish(event)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = items({"content": content}, "content")
    return "".join(string(part, "text") or "" for part in parts if member(part, "type") == "text")


def _unwrap(text: str) -> str:
    """Join the lines that were broken at the width of the terminal; a space that stood there is lost."""
    joined = ""
    for line in text.replace("\r\n", "\n").strip().split("\n"):
        joined += line if len(line) == _COLUMNS else line + "\n"
    return joined.strip()
