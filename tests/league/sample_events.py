"""Events of every shape that league's tests derive again, and where to find their parts in an export."""

from __future__ import annotations

import functools
from typing import Any

from tests.league.events import Event, Fixture

SEVEN = list("abcdefg")


def winner(fixture: Fixture) -> str:
    """Who won it at the tables."""
    totals = fixture.outcome().totals or {}
    return max(totals, key=lambda entry: totals[entry])


def eventful() -> Event:
    """Swiss rounds in which one leaves and some fixtures are ruled on, then the best three once more."""
    return Event(
        SEVEN,
        [
            {"format": "swiss", "options": {"rounds": 5}},
            {"format": "round_robin", "qualify": 3, "boards": 3},
        ],
        {
            (1, 2): [
                lambda e: e.rule(1, 1, "forfeit", winner(e.rounds[0][0])),
                lambda e: e.leave("b"),
            ],
            (1, 4): [lambda e: e.rule(2, 2, "draw"), lambda e: e.rule(1, 1, "lift")],
            (1, 5): [lambda e: e.rule(4, 1, "void")],
            (2, 1): [lambda e: e.leave("a")],
        },
        seeds={"d": 1},
    )


def in_passes(most: int = 6) -> Event:
    """Three entries who play again and again until they are told apart."""
    return Event(list("abc"), [{"format": "round_robin", "boards": 8}], max_passes=most, spread=6)


def knockout() -> Event:
    """Groups of four, of which five go on; the best of them leaves before its semi-final."""
    return Event(
        list("abcdefgh"),
        [
            {"format": "groups", "options": {"groups": 2}},
            {"format": "single_elimination", "qualify": 5, "options": {"third_place": True}},
        ],
        {(2, 1): [lambda e: e.leave("a")]},
    )


def movement() -> Event:
    """Eight individuals who partner each other, one of whom leaves; one pair forfeits a fixture."""
    return Event(
        list("abcdefgh"),
        [{"format": "movement"}],
        {
            (1, 3): [lambda e: e.leave("c")],
            (1, 5): [lambda e: e.rule(1, 1, "forfeit", e.rounds[0][0].names[3])],
        },
    )


def heats() -> Event:
    """Four entries in heats of three, of which one sits out; one forfeits a table of the last round."""
    return Event(
        list("abcd"),
        [{"format": "heats", "options": {"rounds": 4}}],
        sides=((1,), (2,), (3,)),
        crashes=frozenset({(4, 1, "a")}),
    )


EVENTS = {
    "eventful": eventful,
    "heats": heats,
    "in_passes": in_passes,
    "passes_to_the_end": lambda: in_passes(2),
    "knockout": knockout,
    "double": lambda: Event(SEVEN, [{"format": "double_elimination"}]),
    "movement": movement,
    "by_stones": lambda: Event(SEVEN, [{"format": "swiss", "options": {"rounds": 4}}], scoring="board_score"),
}


@functools.cache
def event(name: str) -> Event:
    """One of them, played once for all tests: only its documents are changed."""
    return EVENTS[name]()


def stage_of(document: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return document["stages"][number - 1]


def fixture_of(document: dict[str, Any], number: int, place: int, stage: int = 1) -> dict[str, Any]:
    return stage_of(document, stage)["rounds"][number - 1]["fixtures"][place - 1]


def entry_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for entry in document["entries"] if entry["id"] == name)
