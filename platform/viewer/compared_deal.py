"""One deal of two tables, with both scenes at one stop."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from viewer.comparison import Comparison, compare_deals
from viewer.moment import ReplayMoment
from viewer.position import PositionError, TablePosition, first_position, parse_position, positions_at
from viewer.render import NO_CONTEXT, Around, position_states, scene_of
from viewer.scene import PositionState, Scene, declarations_text
from viewer.shapes import View
from viewer.texts import ENGLISH, ViewerTexts


class ComparedTable(NamedTuple):
    label: str
    view: View
    around: Around = NO_CONTEXT
    href: str | None = None
    """Address of its replay."""


class ComparedDeal(NamedTuple):
    """One deal of two tables at one stop."""

    tables: Sequence[ComparedTable]
    scenes: Sequence[Scene]
    states: Sequence[Sequence[PositionState]]
    """By table: its positions, also those between stops."""
    comparison: Comparison
    at: int
    """Index of the stop."""

    @property
    def texts(self) -> ViewerTexts:
        return self.scenes[0].texts

    @property
    def is_tricks(self) -> bool:
        return self.scenes[0].deck == "french"


def compared_deal(
    tables: Sequence[ComparedTable], position: str = "", texts: ViewerTexts = ENGLISH
) -> ComparedDeal:
    """Return the deal at the first stop that is not before a position such as ``b3t7p2``.

    An empty position is the start of the first deal. Raise ``PositionError`` if neither table has the
    position, or one of them does not have the deal.
    """
    table, parsed = _parse(tables, position)
    start = parsed._replace(at=0)
    positions = [positions_at(table.view, start) for table in tables]
    scenes = [scene_of(table.view, start, texts=texts, around=table.around) for table in tables]
    comparison = compare_deals([scene.deal for scene in scenes], positions)
    stop = min(bisect_left(comparison.positions(table), parsed.at), len(comparison.stops) - 1)
    difference = comparison.difference
    moved = [
        scene._replace(
            moment=ReplayMoment(comparison.stops[stop][index], None, comparison.positions(index)),
            outlined=difference.outlined(index) if difference else frozenset(),
        )
        for index, scene in enumerate(scenes)
    ]
    return ComparedDeal(
        tables,
        moved,
        [position_states(scene) for scene in moved],
        comparison,
        stop,
    )


def _parse(tables: Sequence[ComparedTable], text: str) -> tuple[int, TablePosition]:
    """Return the table that has a position, and the position."""
    if not text:
        return 0, first_position(tables[0].view)
    try:
        return 0, parse_position(text, tables[0].view)
    except PositionError:
        try:
            return 1, parse_position(text, tables[1].view)
        except PositionError:
            pass
        raise


def difference_sentence(deal: ComparedDeal) -> str:
    """Return where the tables first differ, with the cost if there are notes."""
    texts, difference = deal.texts, deal.comparison.difference
    if difference is None:
        return texts.no_difference
    if deal.comparison.has_other_cards:
        return texts.other_cards
    parts = [table.label + texts.colon + _first(deal, index) for index, table in enumerate(deal.tables)]
    head = texts.first_difference + texts.colon + group_title(deal, difference.stop) + texts.full_stop
    return texts.sentences(head, *parts)


def _first(deal: ComparedDeal, index: int) -> str:
    """Return the first difference at a table: the step, or the declarations that the other does not have."""
    scene, difference = deal.scenes[index], deal.comparison.difference
    assert difference is not None, "the caller has looked"
    state = deal.states[index][deal.comparison.stops[difference.stop][index]]
    if difference.step is not None:
        return said_with_cost(state, scene.texts)
    items = [scene.deal["before"][number] for number in sorted(difference.outlined(index))]
    return scene.texts.sentences(declarations_text(scene, items), state.cost_said)


def said_with_cost(state: PositionState, texts: ViewerTexts) -> str:
    return texts.sentences(state.said, state.cost_said)


def group_title(deal: ComparedDeal, stop: int) -> str:
    for scene, position in zip(deal.scenes, deal.comparison.stops[stop], strict=True):
        group = scene.stops.group_of(position)
        if scene.stops.keys[position] == deal.comparison.keys[stop] and group is not None:
            return number_title(deal, scene.stops.numbers[group])
    return deal.texts.declared if stop else deal.texts.start


def number_title(deal: ComparedDeal, number: int) -> str:
    texts = deal.texts
    return texts.trick.format(trick=number) if deal.is_tricks else texts.turn.format(turn=number)
