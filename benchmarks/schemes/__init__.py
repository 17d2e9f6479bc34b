"""The parts of `benchmarks/codecs.py`: pictures, round trips, one module a group of schemes."""
