"""The parts of `benchmarks/robust.py`."""
