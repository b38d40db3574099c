"""A completion out of an OpenAI-compatible stream (``data: {...}`` lines), as its tokens arrive: ``pip install httpx``.

A server of our own stands in for the model; put your base URL and key in place of it.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx

import lastbrace

TOKENS = ["Fixed. ", '{"status": ', '"done", "summ', 'ary": "3 tests', ' fixed"}']


class Model(BaseHTTPRequestHandler):
    """Answers each request with the same tokens."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        for token in [*TOKENS, None]:
            choice = {
                "index": 0,
                "delta": {"content": token} if token else {},
                "finish_reason": None if token else "stop",
            }
            chunk = {"id": "c-1", "object": "chat.completion.chunk", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def ask(url: str, prompt: str, watcher: lastbrace.Watcher) -> lastbrace.Outcome:
    """Read the model's answer to its end, and return the verdict."""
    body = {"model": "any", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    with httpx.stream("POST", f"{url}/v1/chat/completions", json=body, timeout=60, trust_env=False) as response:
        response.raise_for_status()
        for chunk in response.iter_bytes():
            watcher.feed(chunk)
    return watcher.close()


with HTTPServer(("127.0.0.1", 0), Model) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    watcher = lastbrace.Watcher(agent="openai", on_completion=lambda said: print(f">>> {said.status}: {said.summary}"))
    outcome = ask(f"http://127.0.0.1:{server.server_port}", "Fix the tests.", watcher)
    server.shutdown()
print(f"the model said: {outcome.reply.text}" if outcome.ok else f"no success: {outcome.reason}")
