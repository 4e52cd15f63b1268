"""The tables of docs/organisers.md are those of the declarations."""

from __future__ import annotations

from tests.arena.competition.guide_tables import GUIDE, written


def test_the_tables_are_those_of_the_declarations() -> None:
    page = GUIDE.read_text()
    assert written(page) == page, "python -m tests.arena.competition.guide_tables writes them"
