"""The public names as the API reference shows them: docstrings as Markdown, and the options of a scan spelled out."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Examples(griffe.Extension):
    """Puts each doctest of a docstring in a fence: Markdown would take its prompts for quotations."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one object's docstring."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", obj.docstring.value)


class Signatures(griffe.Extension):
    """Shows how a user makes an object: with the options of a scan spelled out, or not at all."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Give ``Scanner`` the options that it passes on to its pipeline, and hide what only ``run`` calls."""
        pipeline = pkg["pipeline"]
        known = pipeline["Pipeline.__init__"].parameters
        options = [known[name] for name in ("self", *pipeline["ScanOptions"].members)]
        for option in options:
            if isinstance(option.default, griffe.ExprName):
                option.default = pipeline[option.default.name].value
        pkg["scanner.Scanner.__init__"].parameters = griffe.Parameters(*options)
        pkg["process.backend.Backend"].del_member("__init__")
