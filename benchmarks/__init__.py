"""How fast lastbrace is beside what people use today, and how much memory it takes: ``python -m benchmarks``."""
