"""From stones at the tables to board scores, totals and match points, with forfeits applied.

Reports and records contain the stones as played. A forfeit changes the scores that count:

- F is the cost of a board: 2 on a deal board, the starting stones on a game board.
- At a forfeited table, each forfeiting entry gets -F on every board and each of its m-1 opponents +F/(m-1),
  added up over the forfeiting entries.
- Forfeiting never improves a result: if every forfeiting entry had played below -F x boards, the played
  results of the table stand.
- With two sides, a forfeited table also replaces the other table of the same boards by -F/+F; if both entries
  forfeited, at the same table or one at each, the boards of both tables count 0.

Source: docs/contracts.md#clocks-faults-verdicts, #scores-standings-ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeVar

from league.errors import ScoresError

WIN, DRAW, LOSS = 2, 1, 0
DEAL_BOARD_FORFEIT = 2

Scores = dict[int, dict[str, Fraction]]
"""Stones by board and entry."""


class TableResult(NamedTuple):
    """Result of one table as played."""

    rotation: int
    stones: Mapping[int, Mapping[str, int]]
    """By board and entry; the entries of a board sum to zero."""
    forfeited: frozenset[str] = frozenset()
    """Entries that forfeited the table."""


class FixtureOutcome(NamedTuple):
    """State of a fixture: its entries and totals."""

    entries: tuple[str, ...]
    """In the order of the pairing; a single one has a bye."""
    totals: Mapping[str, Fraction] | None = None
    """Sum of board scores by entry; None while it is being played, and for a void fixture or a bye."""
    is_void: bool = False
    per_side: int = 1
    """Entries per side: the first ones are the first side, and so on."""
    earlier: tuple[tuple[int, FixtureOutcome], ...] = ()
    """Outcomes that later rulings replaced, each after the last round that was drawn from it, ascending."""

    def when_drawn(self, number: int) -> FixtureOutcome:
        """Return the outcome from which this round of the stage was drawn."""
        return next((outcome for last, outcome in self.earlier if number <= last), self)

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """Entries by side, in the order of the pairing; for a bye the single entry."""
        if self.per_side == 1 or self.is_bye:
            return tuple((entry,) for entry in self.entries)
        size = self.per_side
        return tuple(self.entries[start : start + size] for start in range(0, len(self.entries), size))

    @property
    def is_bye(self) -> bool:
        """Whether the entry has no opponent: board score 0, and match points by ``bye_points``."""
        return len(self.entries) == 1

    @property
    def is_done(self) -> bool:
        return self.is_void or self.is_bye or self.totals is not None


def forfeit_stones(board_kind: str, game_forfeit: int) -> int:
    """Return F, the stones that a forfeit costs on one board of this kind (``deal`` or ``game``).

    ``game_forfeit`` is the engine's cost of a game board: the starting stones, 12 in Meiji.
    """
    if board_kind == "deal":
        return DEAL_BOARD_FORFEIT
    if board_kind == "game":
        return game_forfeit
    raise ScoresError(f"unknown kind of board {board_kind!r}; kinds: deal, game")


def table_result(
    rotation: int,
    seats: Mapping[int, str],
    results: Iterable[tuple[int, int, int]],
    forfeited_seats: Iterable[int] = (),
) -> TableResult:
    """Return the result of a table by entry, from its results by seat.

    ``results`` are (board, seat, stones), one for every seat of every board; both seats of a pair have its
    result. Raise ``ScoresError`` for a missing seat, two seats of an entry that disagree, or a sum other than
    zero.
    """
    by_board: dict[int, dict[int, int]] = {}
    for board, seat, stones in results:
        if seat not in seats:
            raise ScoresError(
                f"rotation {rotation}, board {board}: a result for seat {seat}, where nobody sits"
            )
        if by_board.setdefault(board, {}).setdefault(seat, stones) != stones:
            raise ScoresError(f"rotation {rotation}, board {board}: two results for seat {seat}")
    if not by_board:
        raise ScoresError(f"rotation {rotation}: no results")
    stones_by_entry: dict[int, dict[str, int]] = {}
    for board, by_seat in sorted(by_board.items()):
        missing = sorted(set(seats) - set(by_seat))
        if missing:
            raise ScoresError(f"rotation {rotation}, board {board}: no result for seat {missing[0]}")
        by_entry: dict[str, int] = {}
        for seat, stones in sorted(by_seat.items()):
            if by_entry.setdefault(seats[seat], stones) != stones:
                raise ScoresError(f"rotation {rotation}, board {board}: the seats of {seats[seat]} disagree")
        if sum(by_seat.values()) != 0 or sum(by_entry.values()) != 0:
            raise ScoresError(f"rotation {rotation}, board {board}: stones do not sum to zero: {by_entry}")
        stones_by_entry[board] = by_entry
    return TableResult(rotation, stones_by_entry, frozenset(seats[seat] for seat in forfeited_seats))


def board_scores(
    tables: Iterable[TableResult], forfeit: int, sides: Sequence[tuple[str, ...]] | None = None
) -> Scores:
    """Return the board scores of a fixture: the mean of an entry's results over the tables of the rotation.

    Takes all tables, in any order; ``forfeit`` is F. ``sides`` has the entries of each side if a side has
    several: they win, lose and forfeit together. Scores of a board sum to zero. Raise ``ScoresError`` if a
    rotation or board is missing, duplicate, or divided differently at another table.
    """
    if sides is None or all(len(side) == 1 for side in sides):
        return _side_scores(tables, forfeit)
    scores = _side_scores((_by_side(table, sides) for table in tables), forfeit)
    return {
        board: dict(sorted((entry, by_side[side[0]]) for side in sides for entry in side))
        for board, by_side in scores.items()
    }


def _by_side(table: TableResult, sides: Sequence[tuple[str, ...]]) -> TableResult:
    """Return the result by side, each under the name of its first entry."""
    side_of = {entry: side[0] for side in sides for entry in side}
    by_side: dict[int, dict[str, int]] = {}
    for board, by_entry in table.stones.items():
        if sorted(by_entry) != sorted(side_of):
            where = f"rotation {table.rotation}, board {board}"
            raise ScoresError(f"{where}: entries {sorted(by_entry)} where the sides have {sorted(side_of)}")
        by_side[board] = {}
        for entry, stones_won in sorted(by_entry.items()):
            if by_side[board].setdefault(side_of[entry], stones_won) != stones_won:
                raise ScoresError(
                    f"rotation {table.rotation}, board {board}: the partners of {entry} disagree"
                )
    strangers = sorted(table.forfeited - set(side_of))
    if strangers:
        raise ScoresError(f"rotation {table.rotation}: {strangers[0]} forfeited but did not play")
    return TableResult(table.rotation, by_side, frozenset(side_of[entry] for entry in table.forfeited))


def _side_scores(tables: Iterable[TableResult], forfeit: int) -> Scores:
    """Return board scores if every entry is a separate side."""
    chunks: dict[tuple[int, ...], list[TableResult]] = {}
    for table in tables:
        chunks.setdefault(tuple(sorted(table.stones)), []).append(table)
    scores: Scores = {}
    for boards, chunk in sorted(chunks.items()):
        entries = _entries_of(chunk)
        rotations = sorted(table.rotation for table in chunk)
        if rotations != list(range(len(entries))):
            raise ScoresError(
                f"boards {boards}: rotations {rotations} of {len(entries)} entries; need one of each"
            )
        repeated = sorted(set(boards) & set(scores))
        if repeated:
            raise ScoresError(f"board {repeated[0]} is in two tables of a rotation")
        counted = _counted_results(chunk, entries, forfeit)
        for board in boards:
            scores[board] = {
                entry: sum((results[board][entry] for results in counted), Fraction()) / len(chunk)
                for entry in sorted(entries)
            }
    return scores


def adjudicated_scores(
    kind: str, forfeiters: Iterable[str], sides: Sequence[tuple[str, ...]], boards: int, forfeit: int
) -> Scores:
    """Return the board scores of an adjudicated fixture, independent of its play, for boards 1 to ``boards``.

    ``forfeit``: as if the sides of these entries had forfeited every table: -F, and F/(m-1) for each of their
    opponents, added up; if all sides forfeit, all get 0. ``draw``: 0 for every entry. ``void``: no scores.
    Raise ``ScoresError`` for another kind (``lift``: see ``board_scores``), or missing or unknown forfeiters.
    """
    if kind == "void":
        return {}
    if kind not in ("forfeit", "draw"):
        raise ScoresError(f"no scores follow from the adjudication {kind!r}; kinds: forfeit, draw, void")
    losers = frozenset(forfeiters) if kind == "forfeit" else frozenset[str]()
    strangers = sorted(losers - {entry for side in sides for entry in side})
    if strangers:
        raise ScoresError(f"{strangers[0]} is to forfeit a fixture it does not play")
    if kind == "forfeit" and not losers:
        raise ScoresError("a forfeit must name at least one entry that forfeits")
    forfeits = [bool(losers & set(side)) for side in sides]
    share = Fraction(forfeit, len(sides) - 1)
    by_entry = {
        entry: (Fraction(-forfeit) if has_forfeited else Fraction()) + share * (sum(forfeits) - has_forfeited)
        for side, has_forfeited in zip(sides, forfeits, strict=True)
        for entry in side
    }
    return {board: dict(sorted(by_entry.items())) for board in range(1, boards + 1)}


def fixture_totals(scores: Mapping[int, Mapping[str, Fraction]]) -> dict[str, Fraction]:
    totals: dict[str, Fraction] = {}
    for by_entry in scores.values():
        for entry, score in by_entry.items():
            totals[entry] = totals.get(entry, Fraction()) + score
    return dict(sorted(totals.items()))


Stones = TypeVar("Stones", int, Fraction)


def duel_points(total: Stones, opponent_total: Stones, draw_margin: Stones | int = 0) -> int:
    """Return the match points of one entry against another: 2, 1 or 0; totals within the margin are a draw.

    All three values are in stones, or in the same whole parts of a stone.
    """
    if abs(total - opponent_total) <= draw_margin:
        return DRAW
    return WIN if total > opponent_total else LOSS


def bye_points(sides: int = 2) -> int:
    """Return the match points of a bye: a win with two sides, draws with all n-1 others with n."""
    return WIN if sides == 2 else DRAW * (sides - 1)


def _entries_of(chunk: Sequence[TableResult]) -> list[str]:
    """Return the entries of the tables, which must be the same on every board."""
    entries = sorted(next(iter(chunk[0].stones.values())))
    for table in chunk:
        for board, by_entry in table.stones.items():
            if sorted(by_entry) != entries:
                where = f"rotation {table.rotation}, board {board}"
                raise ScoresError(f"{where}: entries {sorted(by_entry)} where others have {entries}")
        strangers = sorted(table.forfeited - set(entries))
        if strangers:
            raise ScoresError(f"rotation {table.rotation}: {strangers[0]} forfeited but did not play")
    return entries


def _counted_results(chunk: Sequence[TableResult], entries: Sequence[str], forfeit: int) -> list[Scores]:
    """Return the results that count at the tables of one chunk, with forfeits applied."""
    if len(entries) != 2:
        return [
            _forfeit_scores(table, entries, table.forfeited, forfeit)
            if _is_replaced(table, forfeit)
            else _played_scores(table)
            for table in chunk
        ]
    forfeiters = frozenset[str]().union(*(table.forfeited for table in chunk))
    if not forfeiters:
        return [_played_scores(table) for table in chunk]
    return [
        _played_scores(table)
        if len(forfeiters) == 1 and table.forfeited and not _is_replaced(table, forfeit)
        else _forfeit_scores(table, entries, forfeiters, forfeit)
        for table in chunk
    ]


def _is_replaced(table: TableResult, forfeit: int) -> bool:
    """Return whether a forfeit replaces the played results: not if all forfeiters did worse."""
    least = -forfeit * len(table.stones)
    totals = [sum(by_entry[entry] for by_entry in table.stones.values()) for entry in table.forfeited]
    return any(total >= least for total in totals)


def _played_scores(table: TableResult) -> Scores:
    return {
        board: {entry: Fraction(stones) for entry, stones in by_entry.items()}
        for board, by_entry in table.stones.items()
    }


def _forfeit_scores(
    table: TableResult, entries: Sequence[str], forfeiters: frozenset[str], forfeit: int
) -> Scores:
    share = Fraction(forfeit, len(entries) - 1)
    by_entry = {
        entry: sum(
            (Fraction(-forfeit) if entry == loser else share for loser in sorted(forfeiters)), Fraction()
        )
        for entry in entries
    }
    return {board: dict(by_entry) for board in table.stones}
