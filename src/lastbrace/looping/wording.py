"""The words that a loop itself says to an agent."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..completion import Completion

# Without a brace: an agent that echoes it has not answered.
CONTRACT = """\
Your last message does not say how the task stands. End your answer with one JSON object on a line of its own. Its
member "status" is one of the words "done" (nothing is left to do), "continue" (go on in another turn) and "error" (it
cannot be done). Its member "summary" says in a sentence what you did, and with "continue" its member "next" says what
is to be done next. Both are strings; leave out what you have no words for."""
AGAIN = "Your last message does not hold the answer that was asked for, in its form. Answer again, in that form."
MARKER = "When nothing is left to do, and not before, end your answer with this line:\n{marker}"
_GO_ON = "Go on with the task."
_GO_ON_ANEW = "$task\n\nThe work on this has begun already. Look at what is there, and go on."


@dataclass(frozen=True, slots=True)
class Wording:
    """Makes the next prompt.

    ``go_on`` is the template of a prompt that goes on, in which ``$task``, ``$next`` and ``$summary`` stand for what
    was asked first and what the last completion said. Without it, ``next`` alone is the prompt; without that, words of
    our own, with the ``reminder``. ``contract`` are the words for who does not keep to it.

    >>> from lastbrace import Completion, Status
    >>> Wording("task").after(Completion(Status.CONTINUE, next="step 2"), in_session=True)
    'step 2'
    >>> Wording("task", go_on="$task: $next").after(Completion(Status.CONTINUE, next="step 2"), in_session=False)
    'task: step 2'
    """

    task: str
    go_on: str | None = None
    contract: str = CONTRACT
    reminder: str = ""

    def after(self, completion: Completion | None, *, in_session: bool) -> str:
        """Return the prompt after a completion ``continue``."""
        said = clean(completion.next or "") if completion is not None else ""
        done = clean(completion.summary or "") if completion is not None else ""
        if self.go_on is None and said.strip():
            return said
        template = self.go_on or (_GO_ON if in_session else _GO_ON_ANEW) + self.reminder
        return Template(template).safe_substitute(task=self.task, next=said, summary=done)

    def ask_again(self, prompt: str, *, in_session: bool) -> str:
        """Return the prompt after a turn that went well and did not say how the task stands."""
        return self.contract if in_session else f"{prompt}\n\n{self.contract}"


_WORDS = {"json": CONTRACT, "marker": MARKER, "schema": AGAIN}


def wording_for(task: str, *, go_on: str | None, contract: str, marker: str) -> Wording:
    """Return the wording of a loop with this task, by what its turns are judged."""
    words = _WORDS[contract].format(marker=marker)
    return Wording(task, go_on, words, f"\n\n{words}".replace("$", "$$") if contract == "marker" else "")


def clean(text: str) -> str:
    r"""Return an agent's text as one that can go to a program: no NUL, no half characters.

    >>> clean("a\0b\ud83d")
    'ab\ufffd'
    """
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
