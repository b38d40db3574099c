"""Names that are mistyped: told at once, and with the name that was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lastbrace

from .commands import inside

if TYPE_CHECKING:
    from collections.abc import Callable


async def _nothing() -> Any:
    for each in ():
        yield each


CALLS: dict[str, Callable[..., Any]] = {
    "Scanner": lastbrace.Scanner,
    "Watcher": lastbrace.Watcher,
    "find_objects": lambda **options: lastbrace.find_objects("", **options),
    "last_object": lambda **options: lastbrace.last_object("", **options),
    "first_object": lambda **options: lastbrace.first_object("", **options),
    "iter_objects": lambda **options: lastbrace.iter_objects("", **options),
    "run": lambda **options: lastbrace.run(["true"], **options),
    "run_sync": lambda **options: lastbrace.run_sync(["true"], **options),
    "follow": lambda **options: lastbrace.follow("a.log", **options),
    "loop": lambda **options: lastbrace.loop(["true"], "Task.", **options),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_option_of_every_scan(name: str) -> None:
    with pytest.raises(TypeError, match=r"^unknown option 'max_depht'; did you mean 'max_depth'\?$"):
        CALLS[name](max_depht=3)
    with pytest.raises(TypeError, match=r"^unknown option 'xyz'$"):
        CALLS[name](xyz=3)


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("Watcher", "on_complete", "on_completion"),
        ("last_object", "scheme", "schema"),
        ("first_object", "prefer_fence", "prefer_fenced"),
        ("run", "time_out", "timeout"),
        ("run_sync", "on_complete", "on_completion"),
        ("run", "schemas", "schema"),
        ("follow", "strat", "start"),
        ("follow", "on_complete", "on_completion"),
        ("loop", "max_turn", "max_turns"),
        ("loop", "timeouts", "timeout"),
    ],
)
def test_an_option_of_its_own(name: str, wrong: str, right: str) -> None:
    with pytest.raises(TypeError, match=f"^unknown option '{wrong}'; did you mean '{right}'\\?$"):
        CALLS[name](**{wrong: 3})


@pytest.mark.parametrize(("wrong", "right"), [("cluade", "claude"), ("Gemini", "gemini"), ("open-code", "opencode")])
def test_an_agent(wrong: str, right: str) -> None:
    for call in (lastbrace.Watcher, CALLS["run"], CALLS["follow"]):
        with pytest.raises(ValueError, match=f"one of claude, codex, .*, not '{wrong}'; did you mean '{right}'\\?$"):
            call(agent=wrong)
    with pytest.raises(ValueError, match=f"not '{wrong}'; did you mean '{right}'"):
        lastbrace.parse_reply("", agent=wrong)
    with pytest.raises(ValueError, match=f"no template '{wrong}'; there are claude, .*; did you mean '{right}'"):
        lastbrace.loop(wrong, "Task.")


@pytest.mark.parametrize(
    "words",
    [
        ["run", "--agent", "cluade", "--", "true"],
        ["last", "--agent", "cluade"],
        ["follow", "--agent", "cluade", "a.log"],
        ["loop", "--agent", "cluade", "--prompt", "T", "--", "true"],
        ["loop", "--template", "cluade", "--prompt", "T"],
    ],
)
def test_on_the_command_line(words: list[str]) -> None:
    status, out, error = inside(*words)
    assert (status, out) == (2, b"")
    assert "did you mean 'claude'?" in error
    assert "opencode" in error  # all that there are


def test_names_that_are_right_raise_nothing() -> None:
    watcher = lastbrace.Watcher(agent="claude", max_depth=3, roots="any", on_completion=None)
    assert watcher.close().state == "none"
    assert lastbrace.last_object("{}", schema=None, default=None, max_depth=3) == {}
