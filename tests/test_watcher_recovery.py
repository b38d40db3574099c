"""Recovery at the end of a stream: when it is tried, how it is marked, and what goes by it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

import lastbrace
from lastbrace import Completion, Outcome, Status, Watcher

from .cases import DATA
from .feeding import outcome_of, ways

BROKEN = '{"status": "done", "summary": "it says "hi" twice"}'
HI = Completion(Status.DONE, 'it says "hi" twice')


class Verdict(msgspec.Struct):
    verdict: Literal["yes", "no"]
    why: str


def close(text: str, **options: Any) -> Outcome[Any]:
    watcher: Watcher[Any] = Watcher(**options)
    watcher.feed(text)
    return watcher.close()


def test_it_is_off_unless_asked_for() -> None:
    outcome = close(BROKEN)
    assert (outcome.recovered, outcome.state) == (None, "malformed")


def test_it_is_marked_and_counts_for_nothing() -> None:
    outcome = outcome_of(f"Well.\n{BROKEN}\nBye {{now}}.".encode(), recover=True)
    assert outcome.recovered is not None
    assert (outcome.recovered.value, outcome.recovered.repairs) == (HI, ("keys", "unescaped_quote"))
    assert (outcome.ok, outcome.state, outcome.value, outcome.match) == (False, "malformed", None, None)
    assert outcome.completion == Completion(Status.ERROR, error="invalid-json")
    assert outcome.reason.endswith("; an answer was recovered")
    assert "recovered=Recovered(" in repr(outcome)


def test_it_is_the_answer_when_accepted() -> None:
    outcome = outcome_of(BROKEN.encode(), recover="accept")
    assert outcome.recovered is not None
    assert (outcome.ok, outcome.state, outcome.value, outcome.match) == (True, "ok", HI, None)
    assert (outcome.completion, outcome.reason) == (HI, "")
    failed = close(BROKEN.replace("done", "error"), recover="accept")
    assert (failed.ok, failed.reason) == (False, 'its answer is an error: it says "hi" twice')
    watcher: Watcher[Any] = Watcher(recover="accept")
    watcher.feed(BROKEN)
    outcome = watcher.close(returncode=3)
    assert (outcome.ok, outcome.reason) == (False, "the program exited with status 3")


def test_with_a_schema_the_value_is_of_its_type() -> None:
    text = '{"verdict": "yes", "why": "C:\\proj is "fine""}'
    outcome = close(text, schema=Verdict, recover=True)
    assert outcome.recovered is not None
    assert outcome.recovered.value == Verdict("yes", 'C:\\proj is "fine"')
    assert (outcome.value, outcome.completion, outcome.ok) == (None, None, False)
    accepted = close(text, schema=Verdict, recover="accept")
    assert (accepted.value, accepted.completion, accepted.ok) == (Verdict("yes", 'C:\\proj is "fine"'), None, True)


def test_what_is_json_is_never_outranked() -> None:
    outcome = close(f'{{"status": "continue"}}\n{BROKEN}', recover="accept")
    assert outcome.completion == Completion(Status.CONTINUE)
    assert outcome.recovered is None


def test_without_contract_any_object_will_do() -> None:
    outcome = close("{'a': True}", contract=None, recover=True)
    assert outcome.recovered is not None
    assert outcome.recovered.value == {"a": True}
    assert close("{\"a\": 1} {'b': 2}", contract=None, recover=True).recovered is None


def test_a_cut_answer_is_not_recovered() -> None:
    for end in range(len(BROKEN)):
        assert close("so: " + BROKEN[:end], recover="accept").recovered is None
    assert close(f"{BROKEN}\n{BROKEN[:30]}", recover=True).recovered is None


def test_what_is_ignored_is_not_recovered() -> None:
    ignored = {"status": "done", "summary": 'it says "hi" twice'}
    assert close(BROKEN, recover=True, ignore=[ignored]).recovered is None
    assert close(f"prompt {BROKEN} begin", recover=True, after="begin").recovered is None
    assert close(f"prompt begin {BROKEN}", recover=True, after="begin").recovered is not None


def test_only_the_end_is_kept() -> None:
    padding = "x" * 5000
    for chunks in (name_and_chunks[1] for name_and_chunks in ways((BROKEN + padding).encode())):
        watcher: Watcher[Any] = Watcher(recover=True, max_recover_bytes=5000)
        for chunk in chunks:
            watcher.feed(chunk)
        assert watcher.close().recovered is None
    assert close(padding + BROKEN, recover=True, max_recover_bytes=5000).recovered is not None
    with pytest.raises(ValueError, match="at least 1 byte"):
        Watcher(recover=True, max_recover_bytes=0)


def test_a_watcher_starts_anew() -> None:
    watcher: Watcher[Any] = Watcher(recover=True)
    watcher.feed(BROKEN)
    watcher.reset()
    assert watcher.close().recovered is None


def test_what_a_schema_function_raises_passes_on() -> None:
    def check(value: Any) -> Any:
        raise RuntimeError("no database")

    watcher: Watcher[Any] = Watcher(schema=check, recover=True)
    watcher.feed("{'a': 1}")
    with pytest.raises(RuntimeError, match="no database"):
        watcher.close()
    assert watcher.close().recovered is None


@pytest.mark.parametrize(
    "options", [{"contract": "marker", "recover": True}, {"recover": "always"}, {"recover": 1}], ids=str
)
def test_what_makes_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="recover"):
        Watcher(**options)


def claude(text: str) -> str:
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "tools": [], "claude_code_version": "2.1.0"},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}},
        {"type": "result", "subtype": "success", "is_error": False, "result": text, "session_id": "s"},
    ]
    return "".join(json.dumps(event) + "\n" for event in events)


@pytest.mark.parametrize("agent", ["claude", "auto"])
def test_it_looks_at_the_answer_of_an_agent(agent: str) -> None:
    outcome = outcome_of(claude(f"Fixed.\n```json\n{BROKEN}\n```").encode(), agent=agent, recover="accept")
    assert outcome.ok
    assert outcome.completion == HI
    tool = {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": BROKEN}]}}
    outcome = outcome_of((json.dumps(tool) + "\n" + claude("I am done.")).encode(), agent=agent, recover=True)
    assert outcome.recovered is None


def test_running_a_program() -> None:
    outcome = lastbrace.run_sync([sys.executable, "-c", f"print({BROKEN!r})"], recover=True, timeout=60)
    assert outcome.recovered is not None
    assert (outcome.recovered.value, outcome.ok) == (HI, False)


def run(*arguments: str, stdin: str = "") -> tuple[int, Any, str]:
    result = subprocess.run(
        [sys.executable, "-m", "lastbrace", *arguments], input=stdin, capture_output=True, text=True, timeout=60
    )
    return result.returncode, json.loads(result.stdout) if result.stdout else None, result.stderr


def test_the_command_marks_it(tmp_path: Path) -> None:
    program = ["--", sys.executable, "-c", f"print({BROKEN!r})"]
    value = {"status": "done", "summary": HI.summary}
    status, line, stderr = run("run", "--recover", *program)
    assert (status, line["ok"], line["state"]) == (4, False, "malformed")
    assert line["recovered"] == {"value": value, "repairs": ["keys", "unescaped_quote"]}
    assert "an answer was recovered" in stderr
    status, line, _ = run("run", "--accept-recovered", *program)
    assert (status, line["ok"], line["completion"]) == (0, True, value)
    assert line["recovered"]["repairs"] == ["keys", "unescaped_quote"]
    status, line, _ = run("run", "--recover", "--nonce", "7f3a", *program)
    assert (status, "recovered" in line) == (4, False)
    status, line, _ = run("last", "--agent", "none", "--recover", stdin=BROKEN)
    assert (status, line["recovered"]["value"]) == (4, value)


def test_last_shows_it_marked_or_plain(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"properties": {"status": {"enum": ["done"]}}, "required": ["status", "summary"]}')
    value = {"status": "done", "summary": HI.summary}
    assert run("last", "--schema", str(schema), stdin=BROKEN)[0] == 4
    status, line, _ = run("last", "--schema", str(schema), "--recover", stdin=BROKEN)
    assert (status, line) == (0, {"recovered": {"value": value, "repairs": ["keys", "unescaped_quote"]}})
    assert run("last", "--schema", str(schema), "--accept-recovered", stdin=BROKEN)[:2] == (0, value)
    assert run("last", "--recover", stdin="{'a': True}")[1]["recovered"]["value"] == {"a": True}
    assert run("last", "--recover", stdin="nothing")[0] == 4
    assert run("last", "--nonce", "7f3a", stdin='{"n": 1, "nonce": "7f3a"} {"n": 2}')[1] == {"n": 1, "nonce": "7f3a"}


CAPTURES = DATA / "captures"


def test_real_answers_that_a_terminal_wrapped() -> None:
    wrapped = [CAPTURES / "aider" / "b_braces.text.stdout", CAPTURES / "kimi" / "c_tool.text.stdout"]
    for path in wrapped:
        data = path.read_bytes()
        assert close_bytes(data).match is None
        recovered = close_bytes(data, recover=True).recovered
        assert recovered is not None
        assert recovered.repairs == ("keys", "raw_control")
        assert (recovered.value.status, "\n" in recovered.value.summary) == (Status.DONE, True)


def close_bytes(data: bytes, **options: Any) -> Outcome[Any]:
    watcher: Watcher[Any] = Watcher(agent="auto", **options)
    watcher.feed(data)
    return watcher.close()


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*/*.stdout"))[::12], ids=lambda path: path.name)
def test_real_output_fares_no_worse(path: Path) -> None:
    plain, recovering = close_bytes(path.read_bytes()), close_bytes(path.read_bytes(), recover="accept")
    if plain.match is not None:
        assert recovering.recovered is None
        assert (recovering.ok, recovering.state, recovering.value) == (plain.ok, plain.state, plain.value)
    elif recovering.recovered is None:
        assert (recovering.ok, recovering.completion) == (plain.ok, plain.completion)
