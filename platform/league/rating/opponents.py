"""Entries that behave differently against some opponents: forfeits, and delays before answers.

Friends who want to lose on purpose can forfeit, and an entry can signal by a late answer: wall time without
CPU time. Each is counted by fixture. Given its frequency over all fixtures of an entry, the number with one
opponent is tested by the tail of Fisher's exact test, and so are all opponents of an entry together. All
tests count together (Benjamini-Hochberg). A finding is a reason to inspect; people decide.

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
"""Expected share of false findings among all findings."""
DELAY_MS = 10.0
"""Minimum idle time of a delayed answer: other idle times vary by half a millisecond."""
DELAY_FACTOR = 4.0
"""Minimum idle time of a delayed answer relative to the table's fastest entry, for slow machines."""
MIN_DELAYS = 3
MIN_DELAYED_SHARE = 0.02
"""Minimum share of answers at a table that are delayed; with fewer, the entry did not delay there."""

Kind = Literal["against", "received", "frequent"]


class Encounter(NamedTuple):
    """A settled fixture, and the entries with the counted behaviour."""

    fixture: str
    """Public id."""
    board_set: str
    sides: tuple[tuple[str, ...], ...]
    boards: Mapping[str, Sequence[int]]
    """By entry with the behaviour: its boards, from 1. Other entries are missing."""


class BoardReference(NamedTuple):
    """A board to inspect."""

    board_set: str
    fixture: str
    board: int


class OpponentFinding(NamedTuple):
    """Behaviour that is too frequent to be chance."""

    kind: Kind
    """``against``: entry against other; ``received``: all others against it; ``frequent``: entry in
    general.
    """
    entry: str | None
    """None: several entries, for ``received``."""
    other: str | None
    """None for ``frequent``."""
    seen: int
    """Number of fixtures with the behaviour, counted per entry."""
    meetings: int
    """Number of fixtures in which it was possible."""
    expected: float
    """Number of such fixtures expected by chance."""
    p: float
    q: float
    """Expected share of false findings among all tests that are at least as unlikely."""
    boards: tuple[BoardReference, ...]


class SeatIdle(NamedTuple):
    """Idle times of an entry's bot before its answers at a table."""

    entry: str
    idle_ms: Sequence[tuple[int, float]]
    """Board from 1, and wall time less CPU time and the delays of a busy machine, in ms; any order."""


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
    """Return behaviour that is too frequent against some opponents, most unlikely first."""
    given = sorted(encounters, key=lambda encounter: encounter.fixture)
    played: Counter[str] = Counter()
    done: Counter[str] = Counter()
    met: Counter[tuple[str, str]] = Counter()
    counted: Counter[tuple[str, str]] = Counter()
    for encounter in given:
        for entry in sorted(_entries(encounter)):
            played[entry] += 1
            done[entry] += entry in encounter.boards
            for other in sorted(_opponents(encounter, entry)):
                met[entry, other] += 1
                counted[entry, other] += entry in encounter.boards
    tests: list[_Test] = []
    towards: dict[str, list[str]] = defaultdict(list)
    for entry, other in sorted(met):
        # Entries that never or always did it, or have a single opponent, cannot deviate.
        if 0 < done[entry] < played[entry] and met[entry, other] < played[entry]:
            draw = (played[entry], done[entry], met[entry, other])
            tests.append(_Test("against", entry, other, counted[entry, other], [draw]))
            towards[other].append(entry)
    for other, entries in sorted(towards.items()):
        if sum(counted[entry, other] > 0 for entry in entries) > 1:
            draws = [(played[entry], done[entry], met[entry, other]) for entry in entries]
            count = sum(counted[entry, other] for entry in entries)
            tests.append(_Test("received", None, other, count, draws))
    return _significant_findings(tests, given, false_share)


def findings_by_entry(
    encounters: Iterable[Encounter], *, false_share: float = FALSE_DISCOVERY_RATE
) -> tuple[OpponentFinding, ...]:
    """Return entries with too frequent behaviour compared with the whole field, most unlikely first."""
    given = sorted(encounters, key=lambda encounter: encounter.fixture)
    played: Counter[str] = Counter()
    done: Counter[str] = Counter()
    for encounter in given:
        played.update(_entries(encounter))
        done.update(_entries(encounter) & set(encounter.boards))
    count, marked = played.total(), done.total()
    tests = [
        _Test("frequent", entry, None, done[entry], [(count, marked, played[entry])])
        for entry in sorted(played)
    ]
    return _significant_findings(tests, given, false_share)


def delayed_boards(seats: Sequence[SeatIdle]) -> dict[str, tuple[int, ...]]:
    """Return the sorted boards with delayed answers by entry that delayed at this table, over all its seats.

    A delayed answer is one with a long idle time relative to the fastest entry: if all are slow, it was the
    machine.
    """
    answers: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for seat in seats:
        answers[seat.entry] += seat.idle_ms
    usual = min((median(idle for _, idle in some) for some in answers.values() if some), default=0.0)
    least = max(DELAY_MS, DELAY_FACTOR * usual)
    result = {}
    for entry, some in sorted(answers.items()):
        boards = [board for board, idle in some if idle >= least]
        if len(boards) >= max(MIN_DELAYS, MIN_DELAYED_SHARE * len(some)):
            result[entry] = tuple(sorted(set(boards)))
    return result


def _entries(encounter: Encounter) -> set[str]:
    return {entry for side in encounter.sides for entry in side}


def _opponents(encounter: Encounter, entry: str) -> set[str]:
    return {other for side in encounter.sides if entry not in side for other in side}


def _significant_findings(
    tests: Sequence[_Test], given: Sequence[Encounter], false_share: float
) -> tuple[OpponentFinding, ...]:
    p = [hypergeometric_tail(test.seen, test.draws) for test in tests]
    findings = [
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
    return tuple(
        sorted(
            findings, key=lambda finding: (finding.p, finding.kind, finding.entry or "", finding.other or "")
        )
    )


def _boards(given: Sequence[Encounter], test: _Test) -> tuple[BoardReference, ...]:
    return tuple(
        sorted(
            {
                BoardReference(encounter.board_set, encounter.fixture, board)
                for encounter in given
                for entry, boards in encounter.boards.items()
                if test.entry in (None, entry)
                and (test.other is None or test.other in _opponents(encounter, entry))
                for board in boards
            }
        )
    )
