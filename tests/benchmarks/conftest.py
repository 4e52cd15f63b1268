"""Tournaments in the states that tests of demo and seeding start from."""

from tests.arena.conftest import counters, locked, running

__all__ = ["counters", "locked", "running"]
