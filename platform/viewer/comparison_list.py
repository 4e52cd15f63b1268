"""The list of differences between two tables, without script: a link to the stop of each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from viewer import cards
from viewer.compared_deal import ComparedDeal, difference_sentence, number_title
from viewer.markup import Html, element, escaped, joined
from viewer.moment import add_class
from viewer.scene import Scene, declaration_text
from viewer.shapes import ViewItem
from viewer.turns import step_token

NO_BREAK, WIDE = "\N{NO-BREAK SPACE}", "\N{EM SPACE}"


class Row(NamedTuple):
    """Declarations, a trick or a turn that differ between the tables."""

    title: str
    first: int
    last: int
    """First and last stop of it."""
    steps: tuple[Sequence[int], Sequence[int]]
    """By table: indexes of its steps, negative ones for declarations."""


def difference_list(deal: ComparedDeal) -> Html:
    """Return the declarations, tricks or turns that differ in a table, each with a link to its stop."""
    texts, comparison = deal.texts, deal.comparison
    rows = [] if comparison.has_other_cards else _rows(deal)
    if not rows:
        return element("p", None, difference_sentence(deal))
    body = []
    for row in rows:
        stop = comparison.difference.stop if comparison.difference and row is rows[0] else row.last
        href = deal.scenes[0].links.to(comparison.keys[stop])
        link = element("a", {"href": href, "data-go": stop}, row.title)
        attributes = add_class({"data-at": f"{row.first}-{row.last}"}, _time(row, deal.at))
        cells = [
            element("td", {"data-label": deal.tables[table].label}, _cell(deal, row, table))
            for table in (0, 1)
        ]
        body.append(element("tr", attributes, element("th", {"scope": "row"}, link), *cells))
    heads = [element("td", None), *(element("th", {"scope": "col"}, table.label) for table in deal.tables)]
    legend = deal.scenes[0].cost_legend() or deal.scenes[1].cost_legend()
    return joined(
        [
            element(
                "table",
                {"class": "compare-list"},
                element("thead", None, element("tr", None, *heads)),
                element("tbody", None, *body),
            ),
            element(
                "p",
                {"class": "plays-legend"},
                element("span", {"data-other": True}, texts.different_play),
                *legend,
            ),
        ]
    )


def _time(row: Row, stop: int) -> str:
    return "is-later" if stop < row.first else "is-now" if stop <= row.last else "is-past"


def _rows(deal: ComparedDeal) -> list[Row]:
    rows = []
    befores = [range(-len(scene.deal["before"]), 0) for scene in deal.scenes]
    groups = [dict(zip(scene.stops.numbers, scene.stops.groups, strict=True)) for scene in deal.scenes]
    if _differ(deal, (befores[0], befores[1])):
        rows.append(Row(deal.texts.declared, 1, 1, (befores[0], befores[1])))
    for number in sorted(groups[0].keys() | groups[1].keys()):
        steps = []
        firsts, lasts = [], []
        for index, scene in enumerate(deal.scenes):
            if number not in groups[index]:
                steps.append(range(0))
                continue
            first, last = groups[index][number]
            steps.append(range(scene.step_at(first), scene.step_at(last) + 1))
            positions = deal.comparison.positions(index)
            firsts.append(bisect_left(positions, first))
            lasts.append(bisect_left(positions, last))
        if _differ(deal, (steps[0], steps[1])):
            title = number_title(deal, number)
            rows.append(Row(title, min(firsts), max(lasts), (steps[0], steps[1])))
    return rows


def _item(scene: Scene, step: int) -> ViewItem:
    return scene.deal["before"][step] if step < 0 else scene.items[step]


def _answers(scene: Scene, steps: Sequence[int]) -> set[tuple[object, ...]]:
    items = [_item(scene, step) for step in steps]
    return {(item["k"], item.get("s"), item.get("a")) for item in items}


def _differ(deal: ComparedDeal, steps: tuple[Sequence[int], Sequence[int]]) -> bool:
    return _answers(deal.scenes[0], steps[0]) != _answers(deal.scenes[1], steps[1])


def _cell(deal: ComparedDeal, row: Row, table: int) -> Html:
    scene, other = deal.scenes[table], 1 - table
    known = _answers(deal.scenes[other], row.steps[other])
    plays: list[Html] = []
    for step in row.steps[table]:
        item = _item(scene, step)
        is_other = (item["k"], item.get("s"), item.get("a")) not in known
        seat = f"{item['s']}{NO_BREAK}" if "s" in item else ""
        marks = [] if step < 0 else scene.cost_marks([step])
        plays.append(joined([seat, _token(scene, step, item, is_other), *marks]))
    return joined(plays, f"{WIDE} ")


def _token(scene: Scene, step: int, item: ViewItem, is_other: bool) -> Html:
    # A single element for each play: a list of two tables has a hundred of them.
    if step >= 0 and scene.deck == "french":
        return cards.card_text(item["a"], scene.texts, {"data-other": is_other})
    text = declaration_text(item, scene.texts) if step < 0 else step_token(item, scene)
    return element("span", {"data-other": True}, text) if is_other else escaped(text)
