"""A review bot: asks for a review of its own shape, reads it also where it is almost JSON, else asks once more."""

import sys
from typing import Annotated, Literal

import msgspec

import lastbrace

ANSWER = '{"verdict": "needs-work", "summary": "it returns {"success": false} now", "findings": ["app.py:3"]}'
DEMO = [sys.executable, "-m", "lastbrace.demo", "--fast", "--answer", ANSWER]  # it forgot to escape its quotes
PATCH = """--- a/app.py
+++ b/app.py
@@ -3 +3 @@
-    return {"success": True}
+    return {"success": False}
"""


class Review(msgspec.Struct):
    verdict: Literal["approve", "needs-work"]
    summary: Annotated[str, msgspec.Meta(description="one sentence")]
    findings: Annotated[list[str], msgspec.Meta(description="a file and a line")] = []


def review(patch: str, attempts: int = 2) -> Review:
    """Return the review of a patch. Raises ValueError when there is none after so many attempts."""
    task = f"Review this patch:\n\n{patch}"
    for _ in range(attempts):
        prompt = lastbrace.prompts.instruction(task, Review)
        outcome = lastbrace.run_sync(DEMO, input=prompt, schema=Review, ignore=[prompt], recover=True, timeout=600)
        if outcome.ok and outcome.value is not None:
            return outcome.value
        if outcome.recovered is not None and outcome.returncode == 0 and "unreadable" not in outcome.recovered.repairs:
            print(f"(recovered: {', '.join(outcome.recovered.repairs)})")
            return outcome.recovered.value
        task += f"\n\nYour last answer could not be read: {outcome.reason}."
    raise ValueError(outcome.reason)


try:
    result = review(PATCH)
except (lastbrace.BackendError, ValueError) as error:
    sys.exit(f"no review: {error}")
print(f"{result.verdict}: {result.summary}")
for finding in result.findings:
    print(f"- {finding}")
