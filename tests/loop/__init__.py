"""Tests of `lastbrace.loop`, each with an agent that does as a list of steps says."""
