"""Simulated work for as long as you like, and what it leaves behind: `python -m tests.soak --minutes 40 --seed 1`."""
