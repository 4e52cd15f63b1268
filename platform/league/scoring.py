"""From stones at the tables to board scores, totals and match points; forfeits are applied here.

Reports and records hold the stones as they were played. A forfeit changes what counts:

- F is the price of a board: 2 on a deal board, the starting stones on a game board.
- At a forfeited table each forfeiting entry gets -F on every board and each of its m-1 opponents
  +F/(m-1), added up over those who forfeited.
- Nobody gains by forfeiting: if every forfeiting entry had played below -F x boards, the played
  results of the table stand.
- With two sides, one half of a comparison is worth nothing without the other. A forfeited table
  therefore also replaces the other table of the same boards by -F/+F; if both entries forfeited, at
  the same table or one at each, the boards of both tables count 0.

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
"""By board and entry, in stones."""


class TableResult(NamedTuple):
    """What was played at one table."""

    rotation: int
    stones: Mapping[int, Mapping[str, int]]
    """By board and entry, as played; the entries of a board sum to zero."""
    forfeited: frozenset[str] = frozenset()
    """Entries that forfeited the table."""


class FixtureOutcome(NamedTuple):
    """Where a fixture stands: who met and with what totals."""

    entries: tuple[str, ...]
    """In the order of the pairing; a single one has a bye."""
    totals: Mapping[str, Fraction] | None = None
    """Sum of board scores by entry; None while it is being played, of a void one or a bye."""
    is_void: bool = False
    per_side: int = 1
    """How many of the entries make a side: the first so many are the first side, and so on."""
    earlier: tuple[tuple[int, FixtureOutcome], ...] = ()
    """Outcomes that later rulings replaced, each after the number of the last round of the stage that was
    drawn by it, ascending."""

    def when_drawn(self, number: int) -> FixtureOutcome:
        """The outcome that the draw of this round of the stage went by."""
        return next((outcome for last, outcome in self.earlier if number <= last), self)

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """The entries by side, in the order of the pairing; of a bye the single entry."""
        if self.per_side == 1 or self.is_bye:
            return tuple((entry,) for entry in self.entries)
        size = self.per_side
        return tuple(self.entries[at : at + size] for at in range(0, len(self.entries), size))

    @property
    def is_bye(self) -> bool:
        """Nobody was met: board score 0, and match points as ``bye_points`` says."""
        return len(self.entries) == 1

    @property
    def is_done(self) -> bool:
        """Nothing more will be played."""
        return self.is_void or self.is_bye or self.totals is not None


def forfeit_stones(board_kind: str, game_forfeit: int) -> int:
    """F, the stones a forfeit costs on one board of this kind (``deal`` or ``game``).

    ``game_forfeit`` is what the engine says a game board costs: the starting stones, 12 in Meiji.
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
    """A table's result by entry, from its results by seat.

    ``seats`` says which entry sits where; ``results`` are (board, seat, stones), one for every seat of
    every board. The seats of a pair each show what their pair won.

    Raises:
        ScoresError: a seat is missing, two seats of an entry disagree, or a board does not sum to zero.
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
    """Board scores of a fixture: the mean of an entry's results over the tables of the rotation.

    Takes all tables of the fixture, in any order; ``forfeit`` is F (see ``forfeit_stones``). ``sides``
    names the entries of each side where several make one: they win, lose and forfeit together, and each
    gets the score of its side. On every board the scores sum to zero.

    Raises:
        ScoresError: a rotation or board is missing, comes twice, or is cut differently elsewhere.
    """
    if sides is None or all(len(side) == 1 for side in sides):
        return _side_scores(tables, forfeit)
    scores = _side_scores((_by_side(table, sides) for table in tables), forfeit)
    return {
        board: dict(sorted((entry, by_side[side[0]]) for side in sides for entry in side))
        for board, by_side in scores.items()
    }


def _by_side(table: TableResult, sides: Sequence[tuple[str, ...]]) -> TableResult:
    """The table as played by sides, each under the name of its first entry."""
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
    """Board scores where every entry is a side of its own."""
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
    """Board scores of a fixture the organiser decided, whatever was played, for boards 1 to ``boards``.

    ``forfeit``: as if the sides of these entries had forfeited every table: -F, and F/(m-1) for each of
    their opponents, added up; so all sides together forfeit for nothing. ``draw``: 0 for everybody.
    ``void``: no scores at all, as it counts for nobody. Every member of a side has its side's score.

    Raises:
        ScoresError: another kind (``lift`` means the scores as played: see ``board_scores``), nobody who
            forfeits, or somebody who does not play.
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
    lost = [bool(losers & set(side)) for side in sides]
    share = Fraction(forfeit, len(sides) - 1)
    by_entry = {
        entry: (Fraction(-forfeit) if mine else Fraction()) + share * (sum(lost) - mine)
        for side, mine in zip(sides, lost, strict=True)
        for entry in side
    }
    return {board: dict(sorted(by_entry.items())) for board in range(1, boards + 1)}


def fixture_totals(scores: Mapping[int, Mapping[str, Fraction]]) -> dict[str, Fraction]:
    """Sum of board scores by entry."""
    totals: dict[str, Fraction] = {}
    for by_entry in scores.values():
        for entry, score in by_entry.items():
            totals[entry] = totals.get(entry, Fraction()) + score
    return dict(sorted(totals.items()))


Stones = TypeVar("Stones", int, Fraction)


def duel_points(mine: Stones, theirs: Stones, draw_margin: Stones | int = 0) -> int:
    """Match points of one entry against another: 2, 1 or 0; totals no further apart than the margin draw.

    In stones, or all three in whole parts of them.
    """
    if abs(mine - theirs) <= draw_margin:
        return DRAW
    return WIN if mine > theirs else LOSS


def bye_points(sides: int = 2) -> int:
    """Match points of a bye where fixtures bring so many entries together.

    With two sides it is a win. With n it is a fixture drawn with n-1 others: what a fixture gives on
    average, so that sitting out once more than others is neither gain nor loss.
    """
    return WIN if sides == 2 else DRAW * (sides - 1)


def _entries_of(chunk: Sequence[TableResult]) -> list[str]:
    """The entries of the tables, which must be the same on every board."""
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
    """What counts at the tables of one chunk, forfeits applied."""
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
    """Whether a forfeit replaces the played results: not if it would spare all who forfeited a worse loss."""
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
