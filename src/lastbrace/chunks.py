"""What is fed: bytes, or text."""

from __future__ import annotations

Chunk = bytes | bytearray | memoryview | str


def to_bytes(chunk: Chunk) -> bytes:
    """Return the chunk as bytes: UTF-8 of a ``str`` (lone surrogates as they are), a copy of a buffer."""
    if type(chunk) is bytes:
        return chunk
    if isinstance(chunk, str):
        return chunk.encode("utf-8", "surrogatepass")
    if isinstance(chunk, bytes | bytearray | memoryview):
        return bytes(chunk)
    raise TypeError(f"a chunk is bytes, bytearray, memoryview or str, not {type(chunk).__name__}")
