"""The parts of `benchmarks/soak.py` and `benchmarks/faults.py`."""
