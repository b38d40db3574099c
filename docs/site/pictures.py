"""The pictures of the documents, drawn from what the scanner does: ``python docs/site/pictures.py`` writes them."""

from __future__ import annotations

from pathlib import Path

from drawing import CELL, Canvas
from reading import Span, feeds, spans, states

FOLDER = Path(__file__).parent.parent / "pictures"
LEFT = 20.0


def strip(canvas: Canvas, text: str, top: float, found: list[Span]) -> float:
    """Draw one line of text with what its stretches are; return where the drawing ends."""
    canvas.cells(LEFT, top, text)
    lanes: list[float] = []  # where the words begin that each lane holds so far
    for span in reversed(found):  # so that no pointer runs through the words of another
        x, width = LEFT + CELL * span.start - 0.5, CELL * (span.end - span.start)
        canvas.box(x, top - 15, width, 21, span.kind)
        if span.kind == "dead":
            canvas.box(x + width - CELL, top - 15, CELL, 21, "dead")
        words = {"dead": f"dies: {span.why}"}.get(span.kind, span.kind)
        room = 7.4 * len(words) + 12
        lane = next((number for number, taken in enumerate(lanes) if x + room <= taken), len(lanes))
        lanes[lane : lane + 1] = [x]
        low = top + 22 + 17 * lane
        canvas.line(x + 1, top + 6, x + 1, low)
        canvas.text(x + 5, low, words, f"note {span.kind}")
    return top + 26 + 17 * len(lanes)


def on_line(found: list[Span], start: int, end: int) -> list[Span]:
    """Return the spans that begin between two offsets, counted from the first and cut at the second."""
    return [span._replace(start=span.start - start, end=min(span.end, end) - start)
            for span in found if start <= span.start < end]  # fmt: skip


def page(title: str, text: str) -> str:
    """Return the picture of a text of some lines."""
    canvas, found, y, start = Canvas(title), spans(text), 34.0, 0
    lines = text.splitlines(keepends=True)
    for line in lines:
        y = strip(canvas, line.replace("\n", "↵"), y, on_line(found, start, start + len(line))) + 14
        start += len(line)
    return canvas.svg(2 * LEFT + CELL * max(map(len, lines)), y - 6)


def chunks() -> str:
    """Return the picture of a text in chunks."""
    pieces = ['I will use %{name}. {"st', 'atus": "do', 'ne"} bye']
    canvas, text = Canvas("A text in three chunks, and what feed returns for each"), "".join(pieces)
    y = strip(canvas, text, 52, spans(text))
    at = 0
    for number, piece in enumerate(pieces, 1):
        x = LEFT + CELL * at
        canvas.text(x + 4, 22, f"chunk {number}", "note cut")
        if at:
            canvas.line(x - 0.5, 12, x - 0.5, y - 4, "cut")
        at += len(piece)
    y += 16
    for number, returned in enumerate(feeds(pieces), 1):
        canvas.text(LEFT, y, f"feed(chunk {number})  →  {returned}")
        y += 22
    return canvas.svg(2 * LEFT + CELL * 46, y - 4)


def automaton() -> str:
    """Return the picture of the states of the grammar."""
    text = '{"ok": [1, true]}'
    canvas, step = Canvas("The state of the automaton after each byte of an object"), 40.0
    for number, (character, state) in enumerate(zip(text, states(text), strict=True)):
        x = LEFT + 14 + step * number
        canvas.box(x - 14, 16, 28, 30)
        canvas.text(x, 37, character.replace(" ", "·"), "cell", anchor="middle")
        canvas.text(x + 4, 58, state, "note object" if state == "found" else "note", turn=90)
    return canvas.svg(2 * LEFT + step * len(text) - 12, 172)


def life() -> str:
    """Return the states that a candidate goes through, laid out by hand."""
    canvas = Canvas("What becomes of a candidate")
    boxes = {
        "noise": (20, 96, "noise", "grey", "any byte but a brace"),
        "open": (258, 96, "candidate", "", "bytes are legal so far"),
        "found": (540, 16, "Found", "object", "its last brace closed"),
        "dead": (540, 76, "dead", "dead", "an illegal byte: noise goes on"),
        "dropped": (540, 136, "Dropped", "dropped", "beyond max_object_bytes"),
        "unfinished": (540, 196, "Unfinished", "unfinished", "the input ended"),
    }
    for x, y, name, kind, words in boxes.values():
        canvas.box(x, y, 186 if x < 500 else 236, 46)
        canvas.text(x + 12, y + 19, name, kind)
        canvas.text(x + 12, y + 36, words, "note words")
    canvas.line(206, 119, 256, 119, arrow=True)
    canvas.text(231, 110, "{", "cell", anchor="middle")
    for name in ("found", "dead", "dropped", "unfinished"):
        x, y = boxes[name][:2]
        canvas.line(444, 119, x - 2, y + 23, arrow=True)
    return canvas.svg(796, 258)


def layers() -> str:
    """Return the layers, laid out by hand."""
    canvas = Canvas("The layers: a pipeline without I/O, and the edges that feed it")
    canvas.text(20, 30, "sans-I/O: no clock, no file, no process, no event loop", "note words grey")
    stages = [("encoding", "UTF-8, UTF-16"), ("noise", "escapes out"), ("automaton", "spans"), ("pipeline", "events"),
              ("agents", "one reply"), ("matching", "the contract"), ("watcher", "outcome")]  # fmt: skip
    for number, (name, words) in enumerate(stages):
        x = 20 + 122 * number
        canvas.box(x, 44, 104, 48)
        canvas.text(x + 52, 64, name, anchor="middle")
        canvas.text(x + 52, 82, words, "note words", anchor="middle")
        if number:
            canvas.line(x - 17, 68, x - 2, 68, arrow=True)
    edges = [("process", "run, run_sync"), ("streams", "iter_objects, aiter_objects"), ("cli", "lastbrace …"),
             ("your loop", "feed(chunk)")]  # fmt: skip
    for number, (name, words) in enumerate(edges):
        x = 20 + 213 * number
        canvas.box(x, 122, 196, 48)
        canvas.text(x + 98, 142, name, anchor="middle")
        canvas.text(x + 98, 160, words, "note words", anchor="middle")
        canvas.line(x + 98, 122, x + 98, 96, arrow=True)
    canvas.text(20, 190, "edges: they import the pipeline, and it never imports them", "note words grey")
    return canvas.svg(876, 206)


def pictures() -> dict[str, str]:
    """Return all pictures by the names of their files."""
    return {
        "chunks.svg": chunks(),
        "healing.svg": page(
            "Candidates that die, and the object after them",
            'log %{host} {ok: true} said {"a then {"status": "done"} end',
        ),
        "fragments.svg": page(
            "A torn record, its pieces, and the next record",
            '{"type": "result", "verdict": {"status": "done"}, "text": "all te\n{"status": "continue"}',
        ),
        "unfinished.svg": page(
            "An input that ends inside an object", 'so: {"usage": {"input": 12}, "verdict": {"status": "done"}, "te'
        ),
        "states.svg": automaton(),
        "life.svg": life(),
        "layers.svg": layers(),
    }


def main() -> None:
    """Write the pictures beside the pages."""
    for name, picture in pictures().items():
        (FOLDER / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
