"""What entries do against some opponents more than against others: forfeits, and waiting before they answer.

Friends who may not lose on purpose, since pairs are tested, can forfeit instead, and who wants to tell
another at the table something can answer late: wall time passes without CPU time. Each is counted by fixture.
Given how often an entry did it in all its fixtures, it would fall on an opponent's fixtures by chance: the
tail of Fisher's exact test. The same for all opponents of an entry together, since three friends may forfeit
once each. All tests count together (Benjamini-Hochberg). A finding is a reason to look; people decide.

Source: docs/contracts.md#scores-standings-ratings.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Literal, NamedTuple

from league.rating.significance import hypergeometric_tail, q_values

FALSE_DISCOVERY_RATE = 0.05
"""Of all findings, the share that is false on the average."""
WAIT_MS = 10.0
"""Idle time below this is no wait: without delays the gaps between answers vary by half a millisecond."""
WAIT_FACTOR = 4.0
"""And below so many times that of whoever answers soonest at the table: then the machine was slow."""
MIN_WAITS = 3
MIN_WAITING_SHARE = 0.02
"""Of its answers at a table: with fewer waits it did not wait there."""

Kind = Literal["against", "receives", "often"]


class Encounter(NamedTuple):
    """A settled fixture, and who did there what is counted."""

    fixture: str
    """Public id."""
    board_set: str
    sides: tuple[tuple[str, ...], ...]
    boards: Mapping[str, Sequence[int]]
    """By entry that did it, the boards on which, from 1; who did not is missing."""


class BoardReference(NamedTuple):
    """A board to look at."""

    board_set: str
    fixture: str
    board: int


class OpponentFinding(NamedTuple):
    """Too often to be chance."""

    kind: Kind
    """``against``: the entry did it against the other; ``receives``: all its opponents, against the other;
    ``often``: the entry, more than the rest of the field."""
    entry: str | None
    """None: several entries, of ``receives``."""
    other: str | None
    """None of ``often``."""
    seen: int
    """Fixtures in which it was done, each entry's counted."""
    meetings: int
    """Fixtures in which it could have been."""
    expected: float
    """How many of them there would be by chance."""
    p: float
    q: float
    """The share of false findings to expect among all tests as unlikely."""
    boards: tuple[BoardReference, ...]
    """Sorted."""


class SeatIdle(NamedTuple):
    """How long an entry's bot was idle before its answers at a table."""

    entry: str
    idle_ms: Sequence[tuple[int, float]]
    """Board from 1, and wall time less CPU time and less what a busy machine took, in ms; in any order."""


class _Test(NamedTuple):
    kind: Kind
    entry: str | None
    other: str | None
    seen: int
    draws: list[tuple[int, int, int]]

    @property
    def expected(self) -> float:
        return math.fsum(marked * drawn / count for count, marked, drawn in self.draws)


def findings_by_opponent(
    encounters: Iterable[Encounter], *, false_share: float = FALSE_DISCOVERY_RATE
) -> tuple[OpponentFinding, ...]:
    """Who did it too often against whom; most unlikely first, the same whatever the order of encounters."""
    given = sorted(encounters, key=lambda one: one.fixture)
    played: Counter[str] = Counter()
    done: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for one in given:
        for entry in sorted(_entries(one)):
            played[entry] += 1
            done[entry] += entry in one.boards
            for other in sorted(_opponents(one, entry)):
                met[entry, other] += 1
                seen[entry, other] += entry in one.boards
    tests: list[_Test] = []
    towards: dict[str, list[str]] = defaultdict(list)
    for entry, other in sorted(met):
        # Who never did it, or always, or has one opponent alone, cannot stand out.
        if 0 < done[entry] < played[entry] and met[entry, other] < played[entry]:
            draw = (played[entry], done[entry], met[entry, other])
            tests.append(_Test("against", entry, other, seen[entry, other], [draw]))
            towards[other].append(entry)
    for other, entries in sorted(towards.items()):
        if sum(seen[entry, other] > 0 for entry in entries) > 1:
            draws = [(played[entry], done[entry], met[entry, other]) for entry in entries]
            count = sum(seen[entry, other] for entry in entries)
            tests.append(_Test("receives", None, other, count, draws))
    return _significant_findings(tests, given, false_share)


def findings_by_entry(
    encounters: Iterable[Encounter], *, false_share: float = FALSE_DISCOVERY_RATE
) -> tuple[OpponentFinding, ...]:
    """Who did it too often, compared with everybody's fixtures together; most unlikely first."""
    given = sorted(encounters, key=lambda one: one.fixture)
    played: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for one in given:
        played.update(_entries(one))
        done.update(_entries(one) & set(one.boards))
    count, marked = played.total(), done.total()
    tests = [
        _Test("often", entry, None, done[entry], [(count, marked, played[entry])]) for entry in sorted(played)
    ]
    return _significant_findings(tests, given, false_share)


def waiting_boards(seats: Sequence[SeatIdle]) -> dict[str, tuple[int, ...]]:
    """By entry that waited at this table, the boards on which, sorted; an entry's seats count together.

    A wait is an answer that took long, idle, beside whoever answers soonest: if everybody is slow, it was the
    machine. Costs one pass.
    """
    answers: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for seat in seats:
        answers[seat.entry] += seat.idle_ms
    usual = min((median(idle for _, idle in some) for some in answers.values() if some), default=0.0)
    least = max(WAIT_MS, WAIT_FACTOR * usual)
    found = {}
    for entry, some in sorted(answers.items()):
        boards = [board for board, idle in some if idle >= least]
        if len(boards) >= max(MIN_WAITS, MIN_WAITING_SHARE * len(some)):
            found[entry] = tuple(sorted(set(boards)))
    return found


def _entries(one: Encounter) -> set[str]:
    return {entry for side in one.sides for entry in side}


def _opponents(one: Encounter, entry: str) -> set[str]:
    return {other for side in one.sides if entry not in side for other in side}


def _significant_findings(
    tests: Sequence[_Test], given: Sequence[Encounter], false_share: float
) -> tuple[OpponentFinding, ...]:
    p = [hypergeometric_tail(test.seen, test.draws) for test in tests]
    found = [
        OpponentFinding(
            test.kind,
            test.entry,
            test.other,
            test.seen,
            sum(drawn for _, _, drawn in test.draws),
            test.expected,
            chance,
            q,
            _boards(given, test),
        )
        for test, chance, q in zip(tests, p, q_values(p).tolist(), strict=True)
        if q <= false_share
    ]
    return tuple(sorted(found, key=lambda one: (one.p, one.kind, one.entry or "", one.other or "")))


def _boards(given: Sequence[Encounter], test: _Test) -> tuple[BoardReference, ...]:
    return tuple(
        sorted(
            {
                BoardReference(one.board_set, one.fixture, board)
                for one in given
                for entry, boards in one.boards.items()
                if test.entry in (None, entry)
                and (test.other is None or test.other in _opponents(one, entry))
                for board in boards
            }
        )
    )
