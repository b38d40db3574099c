"""Ready commands for the CLIs of agents: a machine-readable stream, the prompt by stdin, the session resumed.

A prompt by stdin is never a word of the command: it cannot be taken for an option, is as long as it likes (Claude Code
takes 10 MB), and nobody sees it among the processes. What an agent may do unasked is your decision: give the flags for
that as ``args``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

ARGS = "{args}"
"""Where a template's own arguments go."""
SESSION = "{session_id}"
"""Where the session that is resumed goes."""


@dataclass(frozen=True, slots=True)
class Template:
    """A command for an agent, as two lists of words: to begin a session, and to go on with one.

    ``agent`` is the name of its adapter, ``args`` are further arguments of yours, put where the CLI takes them in both.
    ``tells_cost``: its output says what a run cost.

    >>> CODEX.with_args("--sandbox", "workspace-write").words("0199-aa")
    ['codex', 'exec', '--json', '--sandbox', 'workspace-write', 'resume', '0199-aa', '-']
    """

    agent: str
    start: tuple[str, ...]
    resume: tuple[str, ...]
    args: tuple[str, ...] = ()
    tells_cost: bool = False

    def with_args(self, *args: str) -> Template:
        """Return the same with further arguments: a model, what the agent may do, a program in another place."""
        return replace(self, args=(*self.args, *args))

    def words(self, session_id: str | None = None) -> list[str]:
        """Return the command, which reads its prompt on stdin."""
        words: list[str] = []
        for word in self.start if session_id is None else self.resume:
            words += self.args if word == ARGS else [session_id if word == SESSION and session_id else word]
        return words


# "Run Claude Code programmatically": -p reads stdin; stream-json needs --verbose; "Continue conversations": --resume
# with the session id of the stream. code.claude.com/docs/en/headless
CLAUDE = Template(
    "claude",
    start=("claude", "-p", "--output-format", "stream-json", "--verbose", ARGS),
    resume=("claude", "-p", "--output-format", "stream-json", "--verbose", "--resume", SESSION, ARGS),
    tells_cost=True,
)
# openai/codex codex-rs/exec/src/cli.rs: PROMPT "-" is stdin, also after `resume SESSION_ID`; flags such as --sandbox
# belong to `exec` and go before `resume`, and so did --json before it was made global.
CODEX = Template(
    "codex",
    start=("codex", "exec", "--json", ARGS, "-"),
    resume=("codex", "exec", "--json", ARGS, "resume", SESSION, "-"),
)
# google-gemini/gemini-cli docs/cli/headless.md (a stdin that is no terminal is the prompt), docs/cli/session-management
# .md "Resume by ID". With --resume it reads stdin since the end of 2025 (issue #14180).
GEMINI = Template(
    "gemini",
    start=("gemini", "--output-format", "stream-json", ARGS),
    resume=("gemini", "--output-format", "stream-json", "--resume", SESSION, ARGS),
)
# anomalyco/opencode packages/opencode/src/cli/cmd/run.ts: a stdin that is no terminal is read to its end and is the
# message where none is given; --session goes on with one.
OPENCODE = Template(
    "opencode",
    start=("opencode", "run", "--format", "json", ARGS),
    resume=("opencode", "run", "--format", "json", "--session", SESSION, ARGS),
    tells_cost=True,
)

TEMPLATES = {template.agent: template for template in (CLAUDE, CODEX, GEMINI, OPENCODE)}
"""All of them, by the name of their agent."""
