"""Benchmarks and demo of the platform; run from a check-out, not part of the wheel."""
