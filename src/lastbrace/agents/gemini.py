"""Gemini CLI: ``gemini --output-format json`` and ``stream-json`` (0.61.0 seen).

- ``json``: one pretty-printed object, ``session_id``, ``response``, ``stats``, and ``error`` where the stream was
  invalid, with exit 0 all the same. A fatal error is an object on stderr instead, and stdout stays empty.
- ``stream-json``: ``init``, ``message`` (deltas of the assistant), ``tool_use``, ``tool_result``, ``error``,
  ``result``. The answer is the deltas after the last tool event. An ``error`` of severity ``error`` (turn limit,
  invalid stream) means that the run was stopped, also where ``result`` then says ``success``.

Gemini does not tell when it tries again: the deltas of a broken attempt and those of the next are glued together, in
``response`` as well. ``text`` then holds all attempts, and the newest object in it is the answer, as in any text; an
object of a broken attempt counts if the last attempt has none. An answer cut by the token limit looks like any other.
There is no cost and no number of turns, and in ``json`` no duration. Facts from google-gemini/gemini-cli
``nonInteractiveCli.ts`` and ``output/types.ts``, and live captures.
"""

from __future__ import annotations

import re
from typing import Any

from .adapter import Adapter
from .fields import integer, member, plain, string
from .reply import Usage

_HEAD = re.compile(r'^\{\r?\n  "session_id": "[^"\n]*",\r?\n  "(?:response|error)": ', re.MULTILINE)
_NOTICE = re.compile(r"YOLO mode is |Ripgrep is not |Loaded cached |\[STARTUP\] ")  # on stderr in good runs too
_TURN_LIMIT = "Maximum session turns exceeded"


def _is_whole(event: dict[str, Any]) -> bool:
    """Tell whether this is the object of the json format."""
    stats = event.get("stats")
    has_models = isinstance(member(stats, "models"), dict) and isinstance(member(stats, "tools"), dict)
    return "type" not in event and (has_models or _is_fatal(event))


def _is_fatal(event: dict[str, Any]) -> bool:
    """Tell whether this is the object of a fatal error; forks print one without a session."""
    told = isinstance(string(event, "error", "type"), str) and isinstance(string(event, "error", "message"), str)
    return told and isinstance(event.get("session_id"), str) and "type" not in event


class Gemini(Adapter):
    """Reads what Google's Gemini CLI prints."""

    name = "gemini"

    @classmethod
    def recognises(cls, event: dict[str, Any]) -> bool:
        """Tell whether ``event`` is unmistakably one of Gemini's."""
        kind = event.get("type")
        if kind == "init":
            return isinstance(event.get("session_id"), str) and isinstance(event.get("model"), str)
        if kind == "message":
            return isinstance(event.get("content"), str) and event.get("delta") is True and "role" in event
        if kind in ("tool_use", "tool_result"):
            return isinstance(event.get("tool_id"), str) and isinstance(event.get("timestamp"), str)
        if kind == "result":
            return event.get("status") in ("success", "error") and integer(event, "stats", "total_tokens") is not None
        return _is_whole(event)

    @classmethod
    def recognises_text(cls, head: str) -> bool:
        """Tell whether the json format's object begins here, as it does in output cut within it."""
        return _HEAD.search(head) is not None

    def feed(self, event: dict[str, Any]) -> None:
        """Read the next event, or the one object."""
        kind = event.get("type")
        if _is_whole(event) or ("response" in event and kind is None and string(event, "session_id")):
            self._feed_whole(event)
        elif kind == "init":
            if self._reply.final or self._reply.session_id is not None:
                self.new_run()
            self.update(session_id=string(event, "session_id"))
        elif kind == "message" and event.get("role") == "assistant" and not self._reply.final:
            self.add(string(event, "content"))
        elif kind in ("tool_use", "tool_result") and not self._reply.final:
            self.restart()
        elif kind == "error":
            self._feed_error(event)
        elif kind == "result" and "status" in event:
            self._feed_result(event)

    def feed_stderr(self, event: dict[str, Any]) -> None:
        """Read an object found in stderr: a fatal error, or a provider's answer in a stack trace."""
        if _is_fatal(event):
            self._feed_whole(event)

    def close(self, returncode: int | None, stderr: str) -> None:
        """End the stream."""
        super().close(returncode, "\n".join(line for line in stderr.split("\n") if not _NOTICE.match(line)))

    def _feed_error(self, event: dict[str, Any]) -> None:
        message = plain(string(event, "message"))
        if event.get("severity") == "error":
            self.fail(message)
        elif not self._reply.is_error:
            self.note(message)

    def _feed_result(self, event: dict[str, Any]) -> None:
        stats = event.get("stats")
        usage = Usage(
            input=integer(stats, "input_tokens"),
            output=integer(stats, "output_tokens"),
            cache_read=integer(stats, "cached"),
            total=integer(stats, "total_tokens"),
        )
        status = string(event, "status")
        self.finish(event, subtype=status, duration_ms=integer(stats, "duration_ms"), usage=usage or None)
        if status != "success":
            told = plain(string(event, "error", "message")) or self._reply.error or self._noted
            self.fail(told or f"the result's status is {status}")

    def _feed_whole(self, event: dict[str, Any]) -> None:
        error, warnings = event.get("error"), event.get("warnings")
        response = string(event, "response")
        if response is not None:
            self.answer(response)
        self.finish(event, session_id=string(event, "session_id"), usage=_total(member(event, "stats", "models")))
        if error is not None:
            self.fail(plain(string(error, "message")), subtype=string(error, "type"))
        elif isinstance(warnings, list) and _TURN_LIMIT in warnings:
            self.fail(_TURN_LIMIT)
        elif response is None:
            self.fail("the output has no response")


def _total(models: Any) -> Usage | None:
    """Return the tokens of all models together; the prompt's include the cached ones."""

    def count(name: str) -> int | None:
        counts = [integer(model, "tokens", name) for model in models.values()]
        known = [number for number in counts if number is not None]
        return sum(known) if known else None

    if not isinstance(models, dict):
        return None
    usage = Usage(
        input=count("prompt"),
        output=count("candidates"),
        cache_read=count("cached"),
        reasoning=count("thoughts"),
        total=count("total"),
    )
    return usage or None
