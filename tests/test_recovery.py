"""Recovery: which almost-JSON gives which value, what it names, and what gives none."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, TypedDict

import msgspec
import pydantic
import pytest

import lastbrace
from lastbrace import Completion, recover


class Verdict(msgspec.Struct):
    verdict: Literal["approve", "needs-attention"]
    summary: str
    findings: list[Any]
    next: str = ""


@dataclass
class VerdictData:
    verdict: Literal["approve", "needs-attention"]
    summary: str
    findings: list[Any]


class VerdictDict(TypedDict):
    verdict: Literal["approve", "needs-attention"]
    summary: str
    findings: list[Any]
    next: NotRequired[str]


class VerdictModel(pydantic.BaseModel):
    verdict: Literal["approve", "needs-attention"]
    summary: str
    findings: list[Any]


VERDICT_SCHEMA = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["approve", "needs-attention"]},
        "summary": {"type": "string"},
        "findings": {"type": "array"},
    },
    "required": ["verdict", "summary", "findings"],
}
KINDS = [Verdict, VerdictData, VerdictDict, VerdictModel, VERDICT_SCHEMA]
EXAMPLE = '{ "verdict": "approve", "summary": "… explicit {"success": false, "error": "..."} …", "findings": [] }'
SUMMARY = '… explicit {"success": false, "error": "..."} …'


def members(value: Any) -> dict[str, Any]:
    known = ("verdict", "summary", "findings")
    return {name: value[name] if isinstance(value, dict) else getattr(value, name) for name in known}


@pytest.mark.parametrize("schema", KINDS)
def test_quotes_inside_a_string_need_no_escape(schema: Any) -> None:
    recovered = recover(EXAMPLE, schema)
    assert recovered is not None
    assert members(recovered.value) == {"verdict": "approve", "summary": SUMMARY, "findings": []}
    assert recovered.repairs == ("keys", "unescaped_quote")
    assert json.loads(recovered.raw)["summary"] == SUMMARY


@pytest.mark.parametrize("schema", KINDS)
@pytest.mark.parametrize(
    "unreadable", ['[{"title": "a "b" c"}]', "[oops]", '[{"a": 1]', '["3.5" bay"]', "[{]}]", '[{"a": [}, 1}]']
)
@pytest.mark.parametrize("place", ["last", "middle"])
def test_an_unreadable_array_is_left_empty(schema: Any, unreadable: str, place: str) -> None:
    text = EXAMPLE.replace("[]", unreadable)
    if place == "middle":
        text = f'{{"findings": {unreadable}, "verdict": "approve", "summary": {SUMMARY!r}}}'.replace("'", '"')
    recovered = recover(text, schema)
    assert recovered is not None
    assert members(recovered.value) == {"verdict": "approve", "summary": SUMMARY, "findings": []}
    assert "unreadable" in recovered.repairs


@pytest.mark.parametrize("schema", KINDS)
def test_without_a_required_member_there_is_no_value(schema: Any) -> None:
    assert recover(EXAMPLE.replace('"verdict": "approve", ', ""), schema) is None
    assert recover(EXAMPLE.replace('"verdict": "approve"', '"verdict": "fine"'), schema) is None
    assert recover(EXAMPLE.replace(', "findings": []', ""), schema) is None


def test_a_default_stands_for_what_cannot_be_read() -> None:
    class Report(msgspec.Struct):
        title: str
        tags: list[str] = msgspec.field(default_factory=lambda: ["none"])
        more: dict[str, int] | None = None

    schema = {
        "properties": {"title": {"type": "string"}, "tags": {"type": "array", "default": ["none"]}},
        "required": ["title"],
    }
    text = '{"title": "a "b"", "tags": [oops], "more": {oops}}'
    recovered = recover(text, schema)
    assert recovered is not None
    assert recovered.value == {"title": 'a "b"', "tags": ["none"]}
    typed = recover(text, Report)
    assert typed is not None
    assert (typed.value.title, typed.value.more) == ('a "b"', None)


@pytest.mark.parametrize(
    ("body", "summary", "repairs"),
    [
        ("line one\nline\ttwo", "line one\nline\ttwo", ["raw_control"]),
        ("one\r\ntwo", "one\r\ntwo", ["raw_control"]),
        (r"C:\proj\data", r"C:\proj\data", ["bad_escape"]),
        (r"C:\proj\\data\n", "C:\\proj\\data\n", ["bad_escape"]),
        ('needs a 3.5" bay', 'needs a 3.5" bay', ["unescaped_quote"]),
        ('he said "stop" twice, then left', 'he said "stop" twice, then left', ["unescaped_quote"]),
        (r'half \"right\" and "wrong"', 'half "right" and "wrong"', ["unescaped_quote"]),
        ('ends in "a quote"', 'ends in "a quote"', ["unescaped_quote"]),
        ('"a quote" begins it', '"a quote" begins it', ["unescaped_quote"]),
        ('say "x" or "}" and "{}" now', 'say "x" or "}" and "{}" now', ["unescaped_quote"]),
        ('returns {"a": {"b": "c"}} or {"d": "e"}', 'returns {"a": {"b": "c"}} or {"d": "e"}', ["unescaped_quote"]),
        ('a "known: key" {"summary": "no"} inside', 'a "known: key" {"summary": "no"} inside', ["unescaped_quote"]),
        ("“curly” and \\é", "“curly” and \\é", ["bad_escape"]),
    ],
)
@pytest.mark.parametrize("order", [("summary", "verdict", "findings"), ("findings", "verdict", "summary")])
def test_what_a_string_may_hold(body: str, summary: str, repairs: list[str], order: tuple[str, ...]) -> None:
    texts = {"verdict": '"approve"', "summary": f'"{body}"', "findings": '["x"]'}
    text = "{" + ", ".join(f'"{name}": {texts[name]}' for name in order) + "}"
    for around in ("%s", 'Here it is:\n```json\n%s\n```\nAll {done}. "Good".', "so: %s, I think."):
        recovered = recover(around % text, Verdict)
        assert recovered is not None, around % text
        assert members(recovered.value) == {"verdict": "approve", "summary": summary, "findings": ["x"]}
        assert recovered.repairs == ("keys", *repairs)


def test_members_that_the_schema_does_not_know() -> None:
    text = '{"note": "ok", "path": "C:\\proj", "verdict": "approve", "n": 1, "summary": "a "b" c", "findings": []}'
    recovered = recover(text, VERDICT_SCHEMA)
    assert recovered is not None
    assert recovered.value == {
        "note": "ok", "path": "C:\\proj", "verdict": "approve", "n": 1, "summary": 'a "b" c', "findings": [],
    }  # fmt: skip
    after = '{"verdict": "approve", "findings": [], "summary": "a "b" c", "confidence": 0.5, "by": "me"}'
    recovered = recover(after, VERDICT_SCHEMA)
    assert recovered is not None
    assert recovered.value["summary"] == 'a "b" c'
    assert recovered.value["by"] == "me"


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "approve", "summary": "a "b", "summary": "c", "findings": []}',  # which is it?
        '{"verdict": "approve", "summary": "is "a": "b", "next": "c" it", "findings": []}',  # or a quoted pair
        '{"verdict": "approve", "summary": "a 3" b", "extra": "c", "findings": []}',
        '{"verdict": "approve", "summary": "a "b" c", "findings": []}, "tail": 2}',
        '{"outer": {"verdict": "approve", "summary": "a "b" c", "findings": []}}',
        'oops, "outer": {"verdict": "approve", "summary": "a "b" c", "findings": []}',
        '{"a": oops, "list": [{"verdict": "approve", "summary": "a "b" c", "findings": []}]}',
        '{"verdict": <"approve">, "note": "{"verdict": "approve", "summary": "a "b" c", "findings": []}"}',
        '<think>{"verdict": "approve", "summary": "a "b" c", "findings": []}</think> I could not finish.',
        '<think>perhaps {"verdict": "approve", "summary": "a "b" c", "findings": []}',
        'perhaps {"verdict": "approve", "summary": "a "b" c", "findings": []}</think> no.',
        json.dumps(VERDICT_SCHEMA) + ' "quoted',
        str(VERDICT_SCHEMA),
        '{"verdict": "approve|needs-attention", "summary": "<the "summary">", "findings": []}',
        '{"verdict": "approve" or "needs-attention", "summary": "<text>", "findings": [...]}',
        'no object at all, "verdict": "approve"',
        "",
    ],
)
def test_what_gives_no_value(text: str) -> None:
    for schema in KINDS:
        assert recover(text, schema) is None, text


@pytest.mark.parametrize("general", [None, "json_repair"])
@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "approve", "findings": [], "summary": "x" <think>hm</think>',
        '{"verdict": "approve", "findings": [], "summary": "x", <think>hm</think> "next": "y"}',
        '{"verdict": "approve", "findings": [], "summary": "say "x<think>hm</think>" y", "next": "z"}',
        '{"verdict": "approve", "summary": "x", "findings": [<think>]}</think> "n": 1}], "next": "y"}',
        '{"verdict": "approve", "summary": "x", "findings": ["<think>]}</think> "n"": 1}], "next": "y"}',
        '{"verdict": "approve", "summary": "x", "findings": ["<think>]}</think> {]}',
    ],
)
def test_no_object_is_repaired_over_a_thought(text: str, general: Literal["json_repair"] | None) -> None:
    for schema in KINDS:
        assert recover(text, schema, general=general) is None


YES_OR_NO = {"verdict": {"enum": ["yes", "no"]}, "summary": {"type": "string"}}
ANSWER = {"properties": YES_OR_NO, "required": ["verdict", "summary"]}


@pytest.mark.parametrize("general", [None, "json_repair"])
@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "yes", "summary": "x\u201d}"',  # so far it is JSON
        '{"verdict": "yes", "summary": "5\u201d} of it',
        '{"verdict": "yes", "summary": "a \\"q\\" 5\u201d}"',
        '{"summary": "x", "verdict": "no", "more": {"}a": 1}',
        '{"summary": "x", "verdict": "no", "more": {"}a": []}',
        '{"verdict": "yes", "summary": "x", "list": [{"a": "}"}, {"k": 1}, {"verdict": "no", "summary": "li\nne"}',
        '{"verdict": "yes", "summary": "x", "list": [{"}a": {"k": 1}}, {"verdict": "no", "summary": "inner",}]',
        "{verdict: 'yes', summary: 'a}",
        "{verdict: 'yes', summary: 'x' // see }",
        "{verdict: 'yes', summary: 'x' /* } ",
        '{"verdict": "yes", "summary": "it is <think>x</think> so",}',  # or is not told what it says
        "{verdict: 'yes', summary: 'it is <think>x</think> so'}",
        '{"verdict": "yes", "list": ["<think>t</think>"], "summary": "x",}',
    ],
)
def test_brackets_in_strings_and_comments_close_nothing(text: str, general: Literal["json_repair"] | None) -> None:
    assert recover(text, ANSWER, general=general) is None


def test_a_thought_goes_by_and_the_answer_counts() -> None:
    thought = '<think>{"verdict": "needs-attention", "summary": "a "b" c", "findings": []}</think>\n'
    recovered = recover(thought + EXAMPLE, Verdict)
    assert recovered is not None
    assert recovered.value.verdict == "approve"


def test_of_several_the_last_wins() -> None:
    draft = EXAMPLE.replace("approve", "needs-attention")
    for text in (
        f"{draft}\n{EXAMPLE}",
        f"Draft: {draft} Final: {EXAMPLE} Bye.",
        f"```\n{draft}\n```\n```json\n{EXAMPLE}\n```",
    ):
        recovered = recover(text, Verdict)
        assert recovered is not None
        assert recovered.value.verdict == "approve"
    later = recover(f'{EXAMPLE}\nNote: {{"summary": "no verdict "here""}} is none.', Verdict)
    assert later is not None
    assert later.value.verdict == "approve"


def test_a_new_record_breaks_out_of_a_torn_one() -> None:
    torn = '{"verdict": "needs-attention", "summary": "half of\n'
    recovered = recover(torn + EXAMPLE, Verdict)
    assert recovered is not None
    assert recovered.value.verdict == "approve"


def test_what_is_json_comes_first_and_needs_no_repair() -> None:
    good = '{"verdict": "needs-attention", "summary": "s", "findings": []}'
    for text in (good, f"{EXAMPLE}\n{good}", f"{good}\n{EXAMPLE}", f"```json\n{good}\n```\n{EXAMPLE}"):
        recovered = recover(text, Verdict)
        assert recovered is not None
        assert (recovered.value.verdict, recovered.repairs) == ("needs-attention", ())
    fenced = "```json\n" + good + "\n```\nnot " + good.replace("needs-attention", "approve")
    recovered = recover(fenced, Verdict)
    assert recovered is not None
    assert recovered.value.verdict == "needs-attention"
    numbers = recover("so: [1, 2]", list[int])
    assert numbers is not None
    assert numbers.value == [1, 2]


def test_a_function_has_no_keys() -> None:
    def verdict(value: Any) -> str:
        return str(value["verdict"])

    assert recover(EXAMPLE, verdict) is None
    loose = recover("{'verdict': 'approve', 'ok': True,}", verdict)
    assert loose is not None
    assert (loose.value, loose.repairs) == ("approve", ("json5", "python_literal"))


@pytest.mark.parametrize(
    "text",
    [
        "{'verdict': 'approve', 'summary': \"it's ok\", 'findings': [True, None]}",
        "{verdict: 'approve', summary: 'it\\'s ok', findings: [true, null,],}",
        "{ // the verdict\n verdict: 'approve', /* } */ summary: \"it's ok\", findings: [true, null] }",
        "[{verdict: 'needs-attention', summary: '', findings: []}, "
        "{verdict: 'approve', summary: \"it's ok\", findings: [true, null]}]",
    ],
)
def test_json5_and_python_literals(text: str) -> None:
    for around in ("%s", "```js\n%s\n```", "const answer = %s;"):
        recovered = recover(around % text, Verdict)
        assert recovered is not None, around % text
        assert members(recovered.value) == {"verdict": "approve", "summary": "it's ok", "findings": [True, None]}
        assert "json5" in recovered.repairs


def test_json5_reads_an_array_that_the_keys_step_meets() -> None:
    recovered = recover(EXAMPLE.replace("[]", "[{file: 'a', ok: True}]"), Verdict)
    assert recovered is not None
    assert recovered.value.findings == [{"file": "a", "ok": True}]
    assert recovered.repairs == ("keys", "unescaped_quote", "json5", "python_literal")
    recovered = recover(EXAMPLE.replace("[]", '[1, "a\tb", ],').replace("], }", "],}"), Verdict)
    assert recovered is not None
    assert recovered.value.findings == [1, "a\tb"]
    assert recovered.repairs == ("keys", "unescaped_quote", "raw_control", "trailing_comma")


def test_json5_has_its_limits() -> None:
    def loosely(findings: str) -> Any:
        return recover(f"{{verdict: 'approve', summary: '', findings: [{findings}]}}", Verdict)

    assert loosely("1, " * 1000) is not None
    assert loosely("1, " * 12_000) is None  # 36 KB
    assert loosely("[" * 5000 + "]" * 5000) is None  # too deep for the package


def test_a_general_repairer_only_when_asked_for_by_name() -> None:
    text = '{"verdict": "approve", "summary": "ok" "findings": ["a" "b"]}'
    assert recover(text, Verdict) is None
    recovered = recover(text, Verdict, general="json_repair")
    assert recovered is not None
    assert members(recovered.value) == {"verdict": "approve", "summary": "ok", "findings": ["a", "b"]}
    assert recovered.repairs == ("json_repair",)
    assert recover('{"summary": "ok" "findings": []}', Verdict, general="json_repair") is None


@pytest.mark.parametrize("end", ["", "]", "]]", '"]'])  # the first bracket is that of the object
def test_a_general_repairer_closes_no_cut_text_unasked(end: str) -> None:
    text = '{"verdict": "approve", "summary": "ok" "findings": ["a"' + end
    assert recover(text, Verdict, general="json_repair") is None
    recovered = recover(text, Verdict, general="json_repair", truncated="accept")
    assert recovered is not None
    assert recovered.repairs == ("json_repair", "closed")


CUT_ANSWERS = [
    EXAMPLE,
    EXAMPLE.replace("[]", '[{"title": "a", "tags": ["x", "y"]}, {"title": "say "hi" now"}]'),
    '{"findings": [], "summary": "one\ntwo", "verdict": "approve", "next": "C:\\proj"}',
    "{'verdict': 'approve', 'summary': 'ok', 'findings': [{'a': 1}], 'next': 'x'}",
    "Here:\n```json\n" + EXAMPLE + "\n```\n",
    "Draft: " + EXAMPLE + "\nFinal: " + EXAMPLE,
]


@pytest.mark.parametrize("general", [None, "json_repair"])
@pytest.mark.parametrize("answer", CUT_ANSWERS)
def test_a_cut_answer_has_no_value(answer: str, general: Literal["json_repair"] | None) -> None:
    begin = answer.rindex("{" if not answer.startswith("Draft") else "Final: {") if "Draft" in answer else 0
    end = answer.rindex("}")
    assert recover(answer, Verdict) is not None
    assert end - begin > 20
    for cut in range(begin + len("Final: {") if begin else 0, end):
        assert recover(answer[:cut], Verdict, general=general) is None, answer[:cut]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"verdict": "approve", "summary": "cut her', {"verdict": "approve", "summary": "cut her"}),
        ('{"verdict": "approve", "summary": "cut "her" and \\', {"verdict": "approve", "summary": 'cut "her" and '}),
        ('{"verdict": "approve", "summary": "cut \\u00e', {"verdict": "approve", "summary": "cut "}),
        ('{"verdict": "approve", "n": 1', {"verdict": "approve"}),
        ('{"verdict": "approve"', {"verdict": "approve"}),
        ('{"verdict": "approve", "summ', {"verdict": "approve"}),
        (
            '{"verdict": "approve", "findings": [1, {"a": "b", "c": "d',
            {"verdict": "approve", "findings": [1, {"a": "b"}]},
        ),
        ('{"verdict": "approve", "findings": [', {"verdict": "approve", "findings": []}),
    ],
)
def test_cut_text_is_closed_when_asked(text: str, value: dict[str, Any]) -> None:
    schema = {**VERDICT_SCHEMA, "required": ["verdict"]}
    assert recover(text, schema) is None
    recovered = recover(text, schema, truncated="accept")
    assert recovered is not None
    assert recovered.value == value
    assert recovered.repairs[-1] == "closed"


@pytest.mark.parametrize("text", ['{"verdict": "appro', '{"verdict": ', '{"summary": "x', '{"verdict": "approve-'])
def test_closing_invents_no_member(text: str) -> None:
    assert recover(text, {**VERDICT_SCHEMA, "required": ["verdict"]}, truncated="accept") is None


def test_only_the_end_of_a_long_text_is_repaired() -> None:
    long = EXAMPLE + "\n" + "x" * 1000
    assert recover(long, Verdict) is not None
    assert recover(long, Verdict, max_bytes=1000) is None
    assert recover("é" * 100 + EXAMPLE, Verdict, max_bytes=len(EXAMPLE.encode()) + 1) is not None


def test_bytes_terminals_and_marks() -> None:
    coloured = EXAMPLE.replace("approve", "\x1b[32mapprove\x1b[0m").encode()
    for data in (
        coloured,
        bytearray(coloured),
        memoryview(coloured),
        b"\xef\xbb\xbf" + coloured,
        EXAMPLE.encode("utf-16"),
    ):
        recovered = recover(data, Verdict)
        assert recovered is not None
        assert recovered.value.summary == SUMMARY
    broken = recover(EXAMPLE.encode().replace(b"explicit", b"ex\xff"), Verdict)
    assert broken is not None
    assert "ex\ufffd" in broken.value.summary


def test_the_completion_can_be_recovered() -> None:
    recovered = recover('{"status": "done", "summary": "said "hi""}', Completion)
    assert recovered is not None
    assert recovered.value == Completion(lastbrace.Status.DONE, 'said "hi"')


def test_arguments_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="truncated must be 'refuse' or 'accept', not 'maybe'"):
        recover("", Verdict, truncated="maybe")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="general must be 'json_repair' or None, not 'magic'"):
        recover("", Verdict, general="magic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1 byte, not 0"):
        recover("", Verdict, max_bytes=0)
    with pytest.raises(TypeError):
        recover("", 3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a chunk is"):
        recover(3, Verdict)  # type: ignore[arg-type]


def run(program: str) -> str:
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_without_the_extra_its_steps_are_left_out() -> None:
    program = (
        "import sys; sys.modules['json5'] = sys.modules['json_repair'] = None\n"
        "import lastbrace\n"
        "print(lastbrace.recover('{\"a\": \"x \"y\" z\"}', {'required': ['a']}).value)\n"
        "print(lastbrace.recover(\"{'a': 1}\", {'required': ['a']}))\n"
        "try: lastbrace.recover('', dict, general='json_repair')\n"
        "except ImportError as error: print(error)\n"
    )
    assert run(program).splitlines() == [
        "{'a': 'x \"y\" z'}",
        "None",
        "general='json_repair' needs one more package: pip install 'lastbrace[recover]'",
    ]


def test_recovery_loads_its_packages_only_when_it_comes_to_them() -> None:
    program = (
        "import sys, lastbrace\n"
        'lastbrace.recover(\'{"a": "x "y" z"}\', {"required": ["a"]})\n'
        "print({'json5', 'json_repair'} & set(sys.modules))\n"
        "lastbrace.recover(\"{'a': 1}\", dict[str, int])\n"
        "print({'json5', 'json_repair'} & set(sys.modules))\n"
    )
    assert run(program).splitlines() == ["set()", "{'json5'}"]


def test_repr_is_short() -> None:
    recovered = recover(EXAMPLE.replace("…", "long " * 10_000), Verdict)
    assert len(repr(recovered)) < 200
    assert "unescaped_quote" in repr(recovered)
