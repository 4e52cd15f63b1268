"""Demo: complete events over the public interfaces, for ``make demo`` and the system tests."""
