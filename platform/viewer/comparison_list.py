"""The list of differences between two tables, without script: a link to the stop of each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from viewer import cards
from viewer.compared_deal import ComparedDeal, difference_sentence, number_title
from viewer.markup import Html, element, escaped, joined
from viewer.moment import add_class
from viewer.running import captured_by_trick, deciding_trick
from viewer.scene import Scene, declaration_text
from viewer.shapes import ViewItem
from viewer.texts import ViewerTexts
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
    number: int = 0
    """Trick or turn; 0 for declarations."""


class _Running(NamedTuple):
    """Pictures of the playing sides after each trick at one table, and the trick that decided the winner."""

    captured: dict[int, tuple[int, ...]]
    decided: int


def _running(scene: Scene) -> _Running:
    resting = set(scene.deal.get("resting", ()))
    playing = [index for index, side in enumerate(scene.view["sides"]) if not resting.intersection(side)]
    captured = captured_by_trick(scene.deal)
    return _Running(
        {number: tuple(counts[index] for index in playing) for number, counts in captured.items()},
        deciding_trick(captured),
    )


def difference_list(deal: ComparedDeal) -> Html:
    """Return the declarations, tricks or turns that differ in a table, each with a link to its stop."""
    texts, comparison = deal.texts, deal.comparison
    rows = [] if comparison.has_other_cards else _rows(deal)
    if not rows:
        return element("p", None, difference_sentence(deal))
    running = [_running(scene) for scene in deal.scenes]
    last = max(each.decided for each in running)
    has_later = False
    body = []
    for row in rows:
        stop = comparison.difference.stop if comparison.difference and row is rows[0] else row.last
        href = deal.scenes[0].links.to(comparison.keys[stop])
        link = element("a", {"href": href, "data-go": stop}, row.title)
        attributes = add_class({"data-at": f"{row.first}-{row.last}"}, _time(row, deal.at))
        if last and row.number > last and row is not rows[0]:
            attributes = add_class(attributes, "is-after")
            has_later = True
        cells = [
            element(
                "td",
                {"data-label": deal.tables[table].label},
                _cell(deal, row, table, is_first=row is rows[0]),
                *_score(running[table], row.number, texts),
            )
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
                *_score_legend(deal),
                *legend,
            ),
            *([_more(texts)] if has_later else []),
        ]
    )


def _score(running: _Running, number: int, texts: ViewerTexts) -> list[Html]:
    if number not in running.captured:
        return []
    score = element("b", {"class": "compare-score"}, "–".join(map(str, running.captured[number])))
    if number != running.decided:
        return [Html(f" {score}")]
    return [Html(f" {score} "), element("small", {"class": "compare-decides"}, texts.decides)]


def _score_legend(deal: ComparedDeal) -> list[Html]:
    if not deal.is_tricks:
        return []
    texts, scene = deal.texts, deal.scenes[0]
    resting = set(scene.deal.get("resting", ()))
    sides = [texts.pair(side) for side in scene.view["sides"] if not resting.intersection(side)]
    return [element("span", None, " ", texts.pictures_so_far.format(first=sides[0], second=sides[1]))]


def _more(texts: ViewerTexts) -> Html:
    """Return the control of narrow windows that shows the tricks after the decision."""
    return element(
        "label", {"class": "compare-more"}, element("input", {"type": "checkbox"}), " ", texts.later_tricks
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
            rows.append(Row(title, min(firsts), max(lasts), (steps[0], steps[1]), number))
    return rows


def _item(scene: Scene, step: int) -> ViewItem:
    return scene.deal["before"][step] if step < 0 else scene.items[step]


def _item_key(item: ViewItem) -> tuple[object, ...]:
    return item["k"], item.get("s"), item.get("a")


def _answers(scene: Scene, steps: Sequence[int]) -> set[tuple[object, ...]]:
    return {_item_key(_item(scene, step)) for step in steps}


def _differ(deal: ComparedDeal, steps: tuple[Sequence[int], Sequence[int]]) -> bool:
    return _answers(deal.scenes[0], steps[0]) != _answers(deal.scenes[1], steps[1])


def _outlined(deal: ComparedDeal, row: Row, table: int, *, is_first: bool) -> frozenset[int]:
    """Return the steps that are marked: the first difference, else the winner of a trick that another won."""
    difference = deal.comparison.difference
    if is_first and difference is not None:
        if difference.step is not None:
            return frozenset({difference.step})
        scene = deal.scenes[table]
        known = _answers(deal.scenes[1 - table], row.steps[1 - table])
        return frozenset(step for step in row.steps[table] if _item_key(_item(scene, step)) not in known)
    winners = [
        _item(scene, steps[-1]).get("w") if steps else None
        for scene, steps in zip(deal.scenes, row.steps, strict=True)
    ]
    if winners[0] == winners[1]:
        return frozenset()
    scene = deal.scenes[table]
    return frozenset(step for step in row.steps[table] if _item(scene, step).get("s") == winners[table])


def _cell(deal: ComparedDeal, row: Row, table: int, *, is_first: bool) -> Html:
    scene = deal.scenes[table]
    outlined = _outlined(deal, row, table, is_first=is_first)
    plays: list[Html] = []
    for step in row.steps[table]:
        item = _item(scene, step)
        is_other = step in outlined
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
