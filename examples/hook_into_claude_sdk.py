"""A completion out of the messages of the Claude Agent SDK: ``pip install claude-agent-sdk``.

With an account, put ``query(prompt="Fix the tests.")`` in place of ``scripted()``.
"""

import asyncio
from collections.abc import AsyncIterator

from claude_agent_sdk import AssistantMessage, Message, ResultMessage, TextBlock

import lastbrace


async def watch(messages: AsyncIterator[Message], watcher: lastbrace.Watcher) -> lastbrace.Outcome:
    """Read what the agent says to its end, and return the verdict: an answer, from a run that did not fail."""
    failed = True  # until a result says otherwise
    async for message in messages:
        if isinstance(message, AssistantMessage) and message.parent_tool_use_id is None:  # not a subagent
            for block in message.content:
                if isinstance(block, TextBlock):
                    watcher.feed(block.text + "\n")
        elif isinstance(message, ResultMessage):
            failed = message.is_error
            print(f"{message.num_turns} turns, {message.total_cost_usd or 0:.2f} USD")
    return watcher.close(returncode=int(failed))


async def scripted() -> AsyncIterator[Message]:
    """Yield what the SDK would."""
    for text in ("I look at the tests.", 'Fixed.\n{"status": "done", "summary": "3 tests fixed"}'):
        yield AssistantMessage(content=[TextBlock(text)], model="claude")
    yield ResultMessage("success", 900, 800, is_error=False, num_turns=2, session_id="s-1", total_cost_usd=0.01)


async def main() -> None:
    watcher = lastbrace.Watcher(on_completion=lambda said: print(f">>> {said.status}: {said.summary}"))
    outcome = await watch(scripted(), watcher)
    print("all went well" if outcome.ok else f"no success: {outcome.reason}")


if __name__ == "__main__":
    asyncio.run(main())
