"""Tests of lastbrace."""
