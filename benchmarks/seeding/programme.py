"""Plan of a seeded database: events in every state, of several presets and formats, up to the
requested size.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.common.errors import NotFound
from arena.competition.games import games_described, preset_described
from arena.competition.models import Tournament

State = Tournament.State
PLAYED = (State.PROVISIONAL, State.FINAL, State.ARCHIVED)
"""States in which every round was played."""
BEGUN = (*PLAYED, State.RUNNING, State.PAUSED)
SHOWN = (State.FINAL, State.RUNNING, State.PAUSED, State.PROVISIONAL, State.ARCHIVED, State.CANCELLED)
WAITING = (State.DRAFT, State.OPEN, State.LOCKED)
MEDIUM = 4500
"""Maximum fixtures of an ordinary event."""
MAX_LEAGUE_FIXTURES = 200
"""Maximum entries of a round robin."""
SHOW = 30
"""Approximate fixtures of an event that exists to show a state."""

PAIRABLE = ("round_robin", "swiss")
"""Formats in which some entries are pairs of two versions."""


@dataclasses.dataclass(frozen=True)
class EventPlan:
    name: str
    game: str
    preset: str
    sides: int
    state: str
    entries: int
    fixtures: int
    """Number of fixtures at which no more rounds are opened; the format may end earlier."""
    stages: Sequence[Mapping[str, Any]]
    boards: int = 1
    with_pairs: bool = False

    @property
    def is_small(self) -> bool:
        """Whether fixtures and seats are few enough for all kinds of bots to meet."""
        return self.fixtures <= SHOW and self.sides == 2


class EventPlanner:
    def __init__(self, presets: Sequence[str], fixtures: int, most_entries: Mapping[str, int]) -> None:
        self._presets = [preset_of(name) for name in presets]
        self._left = fixtures
        self._whole = fixtures
        self._most = most_entries
        self._serial = 0

    def made(self, fixtures: int) -> None:
        """Record the actual number of fixtures of the last event."""
        self._left -= fixtures

    def events(self) -> Iterator[EventPlan]:
        """Yield the events in order; the caller must call ``made`` after each."""
        for index, state in enumerate(WAITING):
            yield self._event(self._presets[index % len(self._presets)], state, 8, 0)
        show = max(4, min(SHOW, self._whole // 20))
        by_preset = [
            [(preset, stages) for stages in stage_plans(list(preset["formats"]))] for preset in self._presets
        ]
        # One event of each preset first, so that a small database has all presets.
        displayed = [pair for rank in itertools.zip_longest(*by_preset) for pair in rank if pair is not None]
        for index in range(max(len(SHOWN), len(displayed))):
            if self._left <= 0:
                return
            preset, stages = displayed[index % len(displayed)]
            state = SHOWN[index % len(SHOWN)]
            # Short enough that a running or cancelled event is not over before.
            size = show if state in PLAYED else max(1, show // 5)
            yield self._event(preset, state, 8, min(size, self._left), stages, boards=2)
        two_sided = [preset for preset in self._presets if len(preset["sides"]) == 2]
        if two_sided and self._left > MEDIUM:
            yield self._league(two_sided[0], State.FINAL, max(self._left // 2, MEDIUM))
        while self._left > 0:
            preset = self._presets[self._serial % len(self._presets)]
            # A fixture of n sides has n tables of at least n seats, mostly distinct.
            fixtures = min(self._left, 8 * MEDIUM // len(preset["sides"]) ** 3)
            state = State.RUNNING if fixtures == self._left else PLAYED[self._serial % 2 + 1]
            yield self._league(preset, state, fixtures)

    def _league(self, preset: Mapping[str, Any], state: str, fixtures: int) -> EventPlan:
        sides = len(preset["sides"])
        most = self._most[preset["game"]]
        if sides == 2:
            entries = max(2, min(math.isqrt(2 * fixtures) + 1, most, MAX_LEAGUE_FIXTURES))
            if entries * (entries - 1) // 2 > fixtures and state != State.RUNNING:
                entries -= 1
            cycles = 2 if fixtures >= entries * (entries - 1) else 1
            stages = [{"format": "round_robin", "options": {"cycles": cycles}}]
            return self._event(preset, state, entries, fixtures, stages)
        # Heats seat every entry once per round, with any number of rounds.
        # At most as many entries as there are bots of the allowed styles (events.MULTI_SEAT_STYLES).
        entries = max(2 * sides, min(most // 5, sides * max(1, math.isqrt(fixtures))))
        rounds = max(1, min(40, fixtures // max(1, entries // sides)))
        stage = {"format": preset["formats"][0], "options": {"rounds": rounds}}
        return self._event(preset, state, entries, fixtures, [stage])

    def _event(
        self,
        preset: Mapping[str, Any],
        state: str,
        entries: int,
        fixtures: int,
        stages: Sequence[Mapping[str, Any]] | None = None,
        *,
        boards: int = 1,
    ) -> EventPlan:
        self._serial += 1
        sides = len(preset["sides"])
        game = preset["game"]
        entries = min(max(entries, 2 * sides if sides > 2 else 2), self._most[game])
        chosen = stages or [{"format": preset["formats"][0], "options": {}}]
        return EventPlan(
            name=f"{preset['preset']} {state} {self._serial}",
            game=game,
            preset=preset["preset"],
            sides=sides,
            state=state,
            entries=max(entries, sides),
            fixtures=fixtures,
            stages=chosen,
            boards=boards,
            with_pairs=boards > 1 and len(preset["sides"][0]) == 2 and chosen[0]["format"] in PAIRABLE,
        )


def stage_plans(formats: list[str]) -> list[list[Mapping[str, Any]]]:
    alone: list[list[Mapping[str, Any]]] = [[{"format": name, "options": {}}] for name in formats]
    if {"groups", "single_elimination"} <= set(formats):
        alone.append([{"format": "groups"}, {"format": "single_elimination", "qualify": 4}])
    return alone


def preset_of(name: str) -> Mapping[str, Any]:
    """Return a preset as the API describes it.

    Raises:
        NotFound: no game has it; the message lists the presets.
    """
    names = {preset: game["key"] for game in games_described() for preset in game["presets"]}
    if name not in names:
        raise NotFound(f"No game has a preset {name!r}; presets: {', '.join(names)}.", "unknown_preset")
    return preset_described(names[name], name)
