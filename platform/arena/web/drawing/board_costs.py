"""Solver notes on a board: values of its leads, the costliest play of each table, plays of the field."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from arena.common.process_cache import CacheKey, process_cache
from arena.matches.models import Table
from arena.matches.replays import stored_notes
from arena.mounts import FEATURES
from arena.web.drawing.board_facts import load_table_view
from viewer.position import deal_positions
from viewer.shapes import View, ViewBoard, ViewDeal, ViewItem
from viewer.solver_notes import best_cards, card_values, is_unlucky, notes_of_deal, step_cost, step_note
from viewer.texts import ENGLISH, loss_text


class CostlyMoment(NamedTuple):
    position: str
    """Position after the play, as in the address of the table's page."""
    group: int
    """Number of the trick or turn; 0 for declarations."""
    seat: int
    item: ViewItem
    cost: float
    """Double-dummy stones; on average in Kakkuri."""
    is_unlucky: bool
    step: int
    """Index of the play; -1 for declarations."""

    @property
    def mark(self) -> str:
        text = ENGLISH.unlucky_mark if self.is_unlucky else ENGLISH.cost_mark
        return text.format(count=loss_text(self.cost))


class Decision(NamedTuple):
    """A play of Kakeya or Etori at one table, with its position."""

    key: str
    """Position after the play."""
    card: str
    state: tuple[Any, ...]
    """Equal for equal positions of a board."""


class BoardCosts(NamedTuple):
    """A board at one table."""

    is_noted: bool
    """Some of its plays are analysed."""
    begins: int
    """Trick or turn from which on all plays are analysed; 1: the whole deal. Of the first deal."""
    side: tuple[int, ...]
    """First playing side, to which values are stones."""
    leads: Mapping[int, int]
    """Value of the deal by seat that leads first; empty if it was not solved, and for games."""
    costliest: CostlyMoment | None
    play: CostlyMoment | None
    """Costliest play of a single deal of Kakeya or Etori."""
    values: Mapping[str, int]
    """Value of each legal card at ``play``."""
    best: tuple[str, ...]
    decisions: tuple[Decision, ...]
    """All plays of a single deal of Kakeya or Etori."""


def table_notes(tables: Collection[Table]) -> dict[int, str]:
    """Return the hashes of public solver notes, by primary key of the table."""
    return {key: sha256 for feature in FEATURES for key, sha256 in feature.table_notes(tables).items()}


def costs_by_table(tables: Sequence[Table], number: int) -> dict[int, BoardCosts]:
    """Return a board at each table that has a view; empty if no table has notes.

    The tables' boards are closed. One query per feature.
    """
    hashes = table_notes(tables)
    if not hashes:
        return {}
    by_table = {}
    for table in tables:
        costs = costs_of(table, hashes.get(table.pk, ""))
        if number in costs:
            by_table[table.pk] = costs[number]
    return by_table


def costs_of(table: Table, notes_sha256: str) -> Mapping[int, BoardCosts]:
    """Return the boards of a table by number; empty without a view. The caller checks visibility."""
    key = CacheKey("board costs", (table.view_sha256, notes_sha256))
    return process_cache.get_or_build(key, lambda: _read(table, notes_sha256))


def _read(table: Table, notes_sha256: str) -> Mapping[int, BoardCosts]:
    view = load_table_view(table)
    if view is None:
        return {}
    stored = stored_notes(notes_sha256)
    notes = None if stored is None else json.loads(stored)
    return {board["board"]: _board_costs(view, board, notes) for board in view["boards"]}


def _board_costs(view: View, board: ViewBoard, notes: Any) -> BoardCosts:
    first = board["deals"][0]
    is_single = len(board["deals"]) == 1
    resting = set(first.get("resting", ()))
    side = next(side for side in view["sides"] if not resting.intersection(side))
    noted = notes_of_deal(notes, board["board"], first["deal"])
    begins = noted["from"] if noted is not None else None
    moments = [moment for deal in board["deals"] for moment in _costly(board, deal, notes)]
    costliest = max(moments, key=lambda moment: moment.cost, default=None)
    plays = [moment for moment in moments if moment.step >= 0] if is_single and "trump" in first else []
    play = max(plays, key=lambda moment: moment.cost, default=None)
    note = step_note(noted, play.step) if play is not None else None
    return BoardCosts(
        is_noted=begins is not None,
        begins=0 if begins is None or begins >= len(first["steps"]) else _group(first["steps"][begins]),
        side=tuple(side),
        leads={int(seat): value for seat, value in noted["leads"].items()} if noted and is_single else {},
        costliest=costliest,
        play=play,
        values=card_values(note) if note is not None else {},
        best=tuple(best_cards(note, 1 if play.seat in side else -1)) if note is not None and play else (),
        decisions=_decisions(board, first) if is_single and "trump" in first else (),
    )


def _costly(board: ViewBoard, deal: ViewDeal, notes: Any) -> list[CostlyMoment]:
    """Return the decisions that cost stones, in the order of play."""
    noted = notes_of_deal(notes, board["board"], deal["deal"])
    if noted is None:
        return []
    positions = deal_positions(board["board"], deal, has_deals=len(board["deals"]) > 1)
    moments = [
        CostlyMoment(positions.keys[positions.declared], 0, note["seat"], item, note["cost"], False, -1)
        for index, item in enumerate(deal["before"])
        if (note := noted["declarations"].get(str(index))) is not None and note.get("cost")
    ]
    for step, item in enumerate(deal["steps"]):
        cost = step_cost(noted, step)
        if cost:
            key = positions.keys[positions.position(step)]
            unlucky = is_unlucky(noted, step)
            moments.append(CostlyMoment(key, _group(item), item["s"], item, cost, unlucky, step))
    return moments


def _group(item: ViewItem) -> int:
    return item.get("t", item.get("turn", 0))


def _decisions(board: ViewBoard, deal: ViewDeal) -> tuple[Decision, ...]:
    positions = deal_positions(board["board"], deal, has_deals=False)
    cards = sorted(card for hand in deal["hands"].values() for card in hand)
    bits = {card: 1 << number for number, card in enumerate(cards)}
    played = 0  # a mask, since there are thousands
    trick: list[str] = []
    pictures: tuple[int, ...] = ()
    decisions = []
    for step, item in enumerate(deal["steps"]):
        if not item["p"]:
            trick = []
        state = (item["s"], deal["trump"], tuple(trick), played, pictures)
        decisions.append(Decision(positions.keys[positions.position(step)], item["a"], state))
        played |= bits[item["a"]]
        trick.append(item["a"])
        pictures = tuple(item["e"])
    return tuple(decisions)


class FieldPlay(NamedTuple):
    """A card that tables played in the same position, or best cards that no table played."""

    cards: tuple[str, ...]
    cost: int
    is_best: bool
    tables: tuple[tuple[int, str], ...]
    """Primary key of each table, and the position after its play."""

    @property
    def mark(self) -> str:
        return ENGLISH.cost_mark.format(count=self.cost) if self.cost else ""


class Field(NamedTuple):
    """The costliest play of a board, and what the other tables played in the same position."""

    table: int
    """Primary key of the table of the costliest play."""
    moment: CostlyMoment
    plays: tuple[FieldPlay, ...]
    """Best cards first."""
    others: int
    """Tables that did not reach the position."""


def field_of(costs: Mapping[int, BoardCosts]) -> Field | None:
    """Return the field at the costliest play; of equal costs, the play with most tables in its position.

    None if no table has a play with a double-dummy cost.
    """
    costliest: Field | None = None
    for table, board in costs.items():
        moment = board.play
        if moment is None:
            continue
        field = _field(table, board, moment, costs)
        if costliest is None or (moment.cost, -field.others) > (
            costliest.moment.cost,
            -costliest.others,
        ):
            costliest = field
    return costliest


def plays_at(
    states: Sequence[tuple[Any, ...]], costs: Mapping[int, BoardCosts]
) -> list[dict[str, list[tuple[int, str]]]]:
    """Return the cards played in each state: by card, the primary key of each table and the position after
    its play.
    """
    by_table = {table: {each.state: each for each in board.decisions} for table, board in costs.items()}
    plays = []
    for state in states:
        tables: dict[str, list[tuple[int, str]]] = {}
        for table, decisions in by_table.items():
            if (decision := decisions.get(state)) is not None:
                tables.setdefault(decision.card, []).append((table, decision.key))
        plays.append(tables)
    return plays


def _field(table: int, board: BoardCosts, moment: CostlyMoment, costs: Mapping[int, BoardCosts]) -> Field:
    state = board.decisions[moment.step].state
    tables = plays_at([state], costs)[0]
    sign = 1 if moment.seat in board.side else -1
    top = max(sign * value for value in board.values.values())
    plays = [
        FieldPlay((card,), top - sign * value, card in board.best, tuple(tables[card]))
        for card, value in board.values.items()
        if card in tables
    ]
    if not set(tables) & set(board.best):
        plays.append(FieldPlay(board.best, 0, True, ()))
    plays.sort(key=lambda play: (play.cost, -len(play.tables)))
    reached = sum(map(len, tables.values()))
    return Field(table, moment, tuple(plays), sum(bool(each.decisions) for each in costs.values()) - reached)


def leads_of(costs: Mapping[int, BoardCosts]) -> tuple[tuple[int, int], ...]:
    """Return seats that may lead and the value of the deal, if the tables with notes agree; else empty.

    Where trumps are proposed, tables may have played different deals of the same cards.
    """
    leads = {tuple(sorted(board.leads.items())) for board in costs.values() if board.leads}
    return leads.pop() if len(leads) == 1 else ()
