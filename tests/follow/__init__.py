"""Tests of `lastbrace.follow`, of its parts, and of the command."""
