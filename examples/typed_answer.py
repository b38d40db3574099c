"""An answer of your own shape: the newest object that has it, as your type, or the reason why there is none."""

from typing import Literal

import msgspec

import lastbrace

ANSWER = """
I looked at {every} file. A draft: {"verdict": "maybe", "findings": []}
Here is my review:

```json
{"verdict": "needs-work", "findings": [{"file": "app.py", "line": 3, "note": "shadows a builtin"}]}
```
It follows the format {"type": "object"} that you gave.
"""


class Finding(msgspec.Struct):
    file: str
    line: int
    note: str


class Review(msgspec.Struct):
    verdict: Literal["approve", "needs-work"]
    findings: list[Finding]


review = lastbrace.last_object(ANSWER, schema=Review)
for finding in review.findings:
    print(f"{finding.file}:{finding.line}: {finding.note}")

try:
    lastbrace.last_object('{"verdict": "approve", "findings": [', schema=Review)
except lastbrace.NoObjectError as error:
    print(f"no review: {error}")
