"""Tournaments in the states that tests of demo and seeding start from."""

from tests.arena.conftest import counters, rows_of_the_played, shared_played

__all__ = ["counters", "rows_of_the_played", "shared_played"]
