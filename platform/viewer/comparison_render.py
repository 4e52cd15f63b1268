"""Two tables that played the same deal as HTML at one stop, controlled by ``static/replay.js``."""

from __future__ import annotations

from viewer.compared_deal import ComparedDeal, difference_sentence, group_title, said_with_cost
from viewer.comparison import Comparison
from viewer.comparison_list import difference_list
from viewer.markup import Html, element
from viewer.panels import display_options, panel, result_list
from viewer.render import controls, deal_lines, hint, hooks, states_data
from viewer.texts import ViewerTexts
from viewer.tricks import trick_mat
from viewer.turns import turn_mat


def comparison_part(deal: ComparedDeal) -> Html:
    texts, scene, keys, stop = deal.texts, deal.scenes[0], deal.comparison.keys, deal.at
    ends = _ends(deal.comparison)
    targets = {
        "start": 0,
        "group-back": max((end for end in ends if end < stop), default=0),
        "back": stop - 1,
        "on": stop + 1,
        "group-on": min((end for end in ends if end > stop), default=len(keys) - 1),
        "end": len(keys) - 1,
    }
    hrefs = {
        name: scene.links.to(keys[target])
        for name, target in targets.items()
        if 0 <= target < len(keys) and target != stop
    }
    difference = deal.comparison.difference
    attributes = {
        **hooks(scene, deal.tables[0].around),
        "class": "replay replay-compare",
        "data-title": _deal_title(deal) or None,
        "data-position": stop,
        "data-difference": difference.stop if difference else None,
        "data-tables": "|".join(table.label + texts.colon for table in deal.tables),
    }
    return element(
        "div",
        attributes,
        element("p", {"class": "compare-summary"}, difference_sentence(deal)),
        element(
            "div",
            {"class": "compare-tables"},
            _switch(deal),
            *(_table(deal, index) for index in (0, 1)),
        ),
        element(
            "div",
            {"class": "replay-bar"},
            controls(hrefs, texts, is_tricks=deal.is_tricks),
            *_difference_link(deal),
        ),
        hint(scene, keys[stop]),
        panel(texts.differences, difference_list(deal)),
        _deals(deal),
        display_options(scene),
        states_data(_states(deal)),
    )


def comparison_title(deal: ComparedDeal) -> str:
    """Return the stop as text, with the deal of a game, for titles."""
    return " · ".join(filter(None, [_title(deal, deal.at), _deal_title(deal)]))


def shortcuts(texts: ViewerTexts) -> dict[str, str]:
    """Return the keys and their functions; there are no views of single seats."""
    return {key: does for key, does in texts.keys.items() if "8" not in key} | dict(texts.compare_keys)


# Parts


def _deals(deal: ComparedDeal) -> Html:
    """Return links to the deals that both tables played; empty for a single one."""
    scene = deal.scenes[0]
    lines = [{key: label for key, label, _, _ in deal_lines(scene)} for scene in deal.scenes]
    items = []
    for key, label in lines[0].items():
        if key not in lines[1]:
            continue
        attributes = {
            "href": scene.links.to(key),
            "data-board": key,
            "aria-label": scene.texts.deal.format(deal=label),
            "aria-current": "page" if key == scene.stops.keys[0] else None,
        }
        items.append(element("li", None, element("a", attributes, element("b", None, label))))
    if len(items) < 2:
        return Html("")
    attributes = {"class": "replay-boards", "aria-label": scene.texts.deals_list}
    return element("nav", attributes, element("ol", None, *items))


def _switch(deal: ComparedDeal) -> Html:
    """Return the choice of a table, which narrow windows show one at a time, also without script."""
    labels = [
        element(
            "label",
            None,
            element(
                "input",
                {"type": "radio", "name": "compare-table", "value": index, "checked": not index},
            ),
            table.label,
        )
        for index, table in enumerate(deal.tables)
    ]
    names = " / ".join(table.label for table in deal.tables)
    return element("div", {"class": "compare-switch", "role": "radiogroup", "aria-label": names}, *labels)


def _table(deal: ComparedDeal, index: int) -> Html:
    table, scene = deal.tables[index], deal.scenes[index]
    state = deal.states[index][deal.comparison.stops[deal.at][index]]
    name = element("a", {"href": f"{table.href}#{state.key}"}, table.label) if table.href else table.label
    return element(
        "section",
        {"class": "compare-table", "data-table": index, "aria-label": table.label},
        element("div", {"class": "compare-head"}, element("h2", None, name), result_list(scene)),
        trick_mat(scene) if deal.is_tricks else turn_mat(scene),
        element("p", {"data-sentence": True, "class": "replay-sentence"}, said_with_cost(state, scene.texts)),
    )


def _difference_link(deal: ComparedDeal) -> list[Html]:
    difference = deal.comparison.difference
    if difference is None or not difference.stop:
        return []
    href = deal.scenes[0].links.to(deal.comparison.keys[difference.stop])
    attributes = {"class": "compare-first", "href": href, "data-go": difference.stop}
    return [element("a", attributes, deal.texts.first_difference)]


def _ends(comparison: Comparison) -> list[int]:
    """Return the stops at the end of a trick or turn, and the first difference."""
    groups = [key.partition("p")[0] for key in comparison.keys]
    ends = {index for index, group in enumerate(groups) if group != [*groups, None][index + 1]}
    return sorted(ends | ({comparison.difference.stop} if comparison.difference else set()))


def _deal_title(deal: ComparedDeal) -> str:
    scene = deal.scenes[0]
    return scene.texts.deal.format(deal=scene.deal["deal"]) if len(scene.board["deals"]) > 1 else ""


def _title(deal: ComparedDeal, stop: int) -> str:
    difference = deal.comparison.difference
    if difference is None or stop < difference.stop:
        return deal.states[0][deal.comparison.stops[stop][0]].title
    group = group_title(deal, stop)
    is_first = stop == difference.stop
    return f"{deal.texts.first_difference}{deal.texts.colon}{group}" if is_first and stop else group


def _states(deal: ComparedDeal) -> list[tuple[object, ...]]:
    """Return the stops for the script, like positions, with what differs between tables as lists."""
    rows: list[tuple[object, ...]] = []
    earlier = (0, 0)
    for stop, here in enumerate(deal.comparison.stops):
        both = [deal.states[index][position] for index, position in enumerate(here)]
        cost = sum(
            deal.states[index][position].cost
            for index in (0, 1)
            for position in range(earlier[index] + 1, here[index] + 1)
        )
        rows.append(
            (
                deal.comparison.keys[stop],
                [state.acting for state in both],
                [state.wins for state in both],
                0,
                [state.said for state in both],
                _title(deal, stop),
                cost,
                [state.cost_said for state in both],
            )
        )
        earlier = here
    return rows
