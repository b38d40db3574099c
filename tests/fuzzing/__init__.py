"""Coverage-guided fuzzing: `python -m tests.fuzzing scanner --seconds 600`, after `pip install -e '.[fuzz]'`.

A target is a function that takes any bytes, and fails where a user would notice something wrong. The corpus of each is
in `tests/data/fuzz`; `tests/test_fuzzing.py` runs every target on it without a fuzzer.
"""
