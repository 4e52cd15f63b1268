"""The replay of a table as HTML at one position: ``replay_of``, controlled by ``static/replay.js``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from analysis.shapes import DealNotes, Notes
from viewer import cards
from viewer.markup import Html, element, joined
from viewer.moment import ReplayMoment
from viewer.panels import clocks_panel, display_options, panel, panels, result_panel
from viewer.position import DealPositions, PositionError, TablePosition, find_deal, positions_at
from viewer.scene import CostlyKeys, FieldPlay, Name, PositionLinks, PositionState, Reader, Retry, Scene
from viewer.shapes import View, ViewBoard, ViewDeal
from viewer.solver_notes import card_values, costly_keys, notes_of_deal, step_cost, step_note
from viewer.texts import ENGLISH, ViewerTexts, signed
from viewer.tricks import trick_list, trick_mat, trick_river, trick_states
from viewer.turns import turn_list, turn_mat, turn_race, turn_states
from viewer.value_plot import playhead, value_plot

ICONS = {
    "start": "M6 5v14M18 5l-9 7 9 7Z",
    "group-back": "M11 5l-8 7 8 7ZM20 5l-8 7 8 7Z",
    "back": "M15 5l-8 7 8 7",
    "play": "M8 5v14l11-7Z",
    "pause": "M8 5v14M16 5v14",
    "on": "M9 5l8 7-8 7",
    "group-on": "M13 5l8 7-8 7ZM4 5l8 7-8 7Z",
    "end": "M18 5v14M6 5l9 7-9 7Z",
}

RETRY = "1"
"""Text of ``retry`` that asks the question."""
MAX_SHORT_DEALS = 6
"""Maximum deals next to the heading."""
MAX_SHORT_DEALS_MANY_SIDES = 4
"""Maximum deals next to the heading if results name one of many sides."""


class Around(NamedTuple):
    """Data about a table in addition to its view."""

    names: Mapping[int, Name] = {}
    notes: Notes | None = None
    links: PositionLinks = PositionLinks()
    fault_hrefs: Callable[[int, str, int, int], str | None] | None = None
    """Address of a fault: by seat, verdict, board, and number of the fault there from 0."""
    board_href: str | None = None
    reader: Reader | None = None
    marks: Mapping[int, int] = {}
    """By seat: the crest of its side in the fixture, counted from 0."""
    field: Callable[[int], Sequence[Sequence[FieldPlay]]] | None = None
    """Plays of other tables on a board, as in ``Scene.field``."""
    explore_href: str = ""
    """Address at which readers try other cards from a position, ``?at=``; empty without one."""


NO_CONTEXT = Around()


def scene_of(
    view: View,
    position: TablePosition,
    *,
    seat: int | None = None,
    retry: str = "",
    texts: ViewerTexts = ENGLISH,
    around: Around = NO_CONTEXT,
) -> Scene:
    """Return one deal at one position.

    ``retry`` asks for a better card than the costly play that led to the position: any text asks, a card
    answers. Without such a play, or for one seat, it has no effect. Raise ``PositionError`` if the table has
    no such deal, or the card cannot be played.
    """
    board, deal = find_deal(view, position)
    stops = positions_at(view, position)
    number = min(position.at, stops.last)
    notes = notes_of_deal(around.notes, board["board"], deal["deal"])
    question = _retry(notes, deal, stops, number, retry) if retry and seat is None else None
    return Scene(
        view,
        board,
        deal,
        stops,
        ReplayMoment(number - 1 if question else number, seat),
        texts,
        around.names,
        around.links,
        notes,
        _fault_hrefs(board, deal, around),
        around.marks,
        _costly(view, (board, deal), around.notes),
        question,
        reader=around.reader,
        field=around.field(board["board"]) if around.field and notes else (),
    )


def _retry(
    notes: DealNotes | None, deal: ViewDeal, stops: DealPositions, number: int, chosen: str
) -> Retry | None:
    step = number - stops.position(0)
    note = step_note(notes, step)
    if note is None or "values" not in note or not step_cost(notes, step):
        return None
    if chosen == RETRY:
        return Retry(number)
    hand = [card for card in deal["hands"][str(deal["steps"][step]["s"])] if card in card_values(note)]
    if chosen not in hand:
        raise PositionError("card", text=chosen[:24], cards=" ".join(hand))
    return Retry(number, chosen)


def _costly(view: View, here: tuple[ViewBoard, ViewDeal], notes: Notes | None) -> CostlyKeys:
    if notes is None:
        return CostlyKeys()
    deals = [(board, deal) for board in view["boards"] for deal in board["deals"]]
    index = next(index for index, (_, deal) in enumerate(deals) if deal is here[1])
    before = (keys[-1] for pair in reversed(deals[:index]) if (keys := costly_keys(notes, *pair)))
    after = (keys[0] for pair in deals[index + 1 :] if (keys := costly_keys(notes, *pair)))
    return CostlyKeys(next(before, None), costly_keys(notes, *here), next(after, None))


def _fault_hrefs(board: ViewBoard, deal: ViewDeal, around: Around) -> dict[int, str]:
    """Return addresses by index of a step for which the referee played."""
    if around.fault_hrefs is None:
        return {}
    hrefs: dict[int, str] = {}
    faults_of_seat: Counter[int] = Counter()
    for other in board["deals"]:
        for step, item in enumerate((*other["before"], *other["steps"]), start=-len(other["before"])):
            if "verdict" not in item:
                continue
            seat = item["s"]
            href = around.fault_hrefs(seat, item["verdict"], board["board"], faults_of_seat[seat])
            faults_of_seat[seat] += 1
            if other is deal and step >= 0 and href:
                hrefs[step] = href
    return hrefs


def replay_of(scene: Scene, around: Around = NO_CONTEXT) -> Html:
    """Return the replay at one position, with the symbols it uses."""
    return joined([cards.deck_symbols(scene.deck, scene.court), cards.marks(), deal_part(scene, around)])


def position_states(scene: Scene) -> list[PositionState]:
    return trick_states(scene) if scene.deck == "french" else turn_states(scene)


def deal_part(scene: Scene, around: Around = NO_CONTEXT) -> Html:
    is_tricks = scene.deck == "french"
    states = position_states(scene)
    state = states[scene.moment.at]
    legend = [] if is_tricks else [scene.texts.cards_left, scene.texts.after_sentence]
    main = element(
        "div",
        {"class": "replay-main"},
        trick_mat(scene) if is_tricks else turn_mat(scene),
        _river(scene, states, is_tricks),
        _controls(scene),
        hint(scene, state.key, *legend, explore_href=around.explore_href),
        panels(scene, state),
    )
    side = element(
        "div",
        {"class": "replay-side"},
        panel(
            scene.texts.plays if is_tricks else scene.texts.turns,
            trick_list(scene) if is_tricks else turn_list(scene),
        ),
        result_panel(scene, board_href(scene, around)),
        *clocks_panel(scene),
        display_options(scene),
    )
    return element(
        "div",
        _hooks(scene, around),
        _boards(scene),
        element("div", {"class": "replay-columns"}, main, side),
        *([states_data(states)] if scene.moment.seat is None else []),
    )


def _hooks(scene: Scene, around: Around) -> dict[str, str | int | bool | None]:
    return {
        **hooks(scene, around),
        "data-position": scene.moment.at,
        "data-seat-view": scene.moment.seat,
        "data-backs": "|".join(scene.texts.backs),
        "data-costly-before": scene.costly.before,
        "data-costly-after": scene.costly.after,
        "data-retry-position": scene.retry.position if scene.retry else None,
        "data-chosen": (scene.retry.chosen or None) if scene.retry else None,
    }


def hooks(scene: Scene, around: Around) -> dict[str, str | int | bool | None]:
    """Return the attributes of a deal that every page of a replay has."""
    texts = scene.texts
    return {
        "class": "replay",
        "data-deal": scene.stops.keys[0],
        "data-title": board_title(scene),
        "data-game": "tricks" if scene.deck == "french" else "turns",
        "data-play": f"{texts.play}|{texts.pause}",
        "data-copied": texts.copied,
        "data-after-sentence": texts.after_sentence,
        "data-board-page": board_href(scene, around),
    }


def board_href(scene: Scene, around: Around) -> str | None:
    """Return the page of the board with all its tables, if there is one."""
    return around.board_href and around.board_href.replace("{board}", str(scene.board["board"]))


# Parts


def deal_lines(scene: Scene) -> list[tuple[str, str, str, str]]:
    """Return key, label and result of every deal of the table, and both as text."""
    texts, rows = scene.texts, []
    for board in scene.view["boards"]:
        has_deals = len(board["deals"]) > 1
        for deal in board["deals"]:
            key = f"b{board['board']}" + (f"d{deal['deal']}" if has_deals else "")
            label = f"{deal['deal']}" if has_deals and len(scene.view["boards"]) == 1 else f"{board['board']}"
            if has_deals and len(scene.view["boards"]) > 1:
                label = f"{board['board']}.{deal['deal']}"
            name = texts.board.format(board=board["board"])
            if has_deals:
                name += texts.comma + texts.deal.format(deal=deal["deal"])
            result, in_words = _result(scene, deal)
            rows.append((key, label, result, name + texts.colon + in_words))
    return rows


def _result(scene: Scene, deal: ViewDeal) -> tuple[str, str]:
    """Return the payment of a deal, short and with its recipient: the first of two sides, else the winner."""
    texts, sides, winner = scene.texts, scene.view["sides"], deal["end"]["winner"]
    if scene.deck == "komatsu":
        result = scene.about("{name}", winner[0]) if winner else "–"
        return result, result
    is_of_two = len(sides) == 2
    seats = sides[0] if is_of_two else winner
    if not seats:
        return "0", "0"
    paid = signed(deal["end"]["stones"].get(str(seats[0]), 0))
    return paid if is_of_two else f"{texts.pair(seats)} {paid}", f"{texts.side_name(seats)} {paid}"


def _boards(scene: Scene) -> Html:
    here = scene.stops.keys[0]
    items = []
    for key, label, result, in_words in deal_lines(scene):
        attributes = {
            "href": scene.links.to(key, scene.moment.seat),
            "data-board": key,
            "aria-label": in_words,
            "title": in_words,
            "aria-current": "page" if key == here else None,
        }
        inner = (element("b", None, label), element("span", None, result))
        items.append(element("li", None, element("a", attributes, *inner)))
    is_of_many = scene.deck == "french" and len(scene.view["sides"]) > 2
    is_short = len(items) <= (MAX_SHORT_DEALS_MANY_SIDES if is_of_many else MAX_SHORT_DEALS)
    kind = "replay-boards is-short" if is_short else "replay-boards"
    return element("nav", {"class": kind, "aria-label": scene.texts.boards}, element("ol", None, *items))


def _river(scene: Scene, states: list[PositionState], is_tricks: bool) -> Html:
    labels, drawing = trick_river(scene) if is_tricks else turn_race(scene)
    label = scene.texts.river if is_tricks else scene.texts.race
    head = playhead(states[scene.moment.at].x, "68%" if is_tricks else "100%")
    track = element("div", {"class": "river-track"}, drawing, head)
    kind = "river" if is_tricks else "river river-race"
    river = element("nav", {"class": kind, "aria-label": label}, labels, track)
    plot = value_plot(scene, states)
    return element("div", {"class": "river-rows"}, river, plot) if plot else river


def _controls(scene: Scene) -> Html:
    stops, position = scene.stops, scene.moment.at
    targets = {
        "start": 0,
        "group-back": previous_group_end(scene, position),
        "back": position - 1,
        "on": position + 1,
        "group-on": next_group_end(scene, position),
        "end": stops.last,
    }
    hrefs = {
        name: scene.links.to(stops.keys[target], scene.moment.seat)
        for name, target in targets.items()
        if 0 <= target <= stops.last and target != position
    }
    return element(
        "div",
        {"class": "replay-bar"},
        controls(hrefs, scene.texts, is_tricks=scene.deck == "french"),
        _perspective_links(scene),
    )


def controls(hrefs: Mapping[str, str], texts: ViewerTexts, *, is_tricks: bool) -> Html:
    """Return the buttons of a replay, with targets by name; a button without a target is disabled."""
    labels = {
        "start": texts.to_start,
        "group-back": texts.trick_back if is_tricks else texts.turn_back,
        "back": texts.play_back,
        "play": texts.play,
        "on": texts.play_on,
        "group-on": texts.trick_on if is_tricks else texts.turn_on,
        "end": texts.to_end,
    }
    buttons = []
    for name, label in labels.items():
        icon = Html(f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{ICONS[name]}"/></svg>')
        if name == "play":
            play = {
                "class": "replay-button replay-play",
                "type": "button",
                "data-control": name,
                "aria-label": label,
                "aria-pressed": "false",
                "disabled": True,
            }
            buttons.append(element("button", play, icon))
            continue
        attributes = {
            "class": "replay-button",
            "data-control": name,
            "aria-label": label,
            "title": label,
            "href": hrefs.get(name),
        }
        if name not in hrefs:
            attributes |= {"role": "link", "aria-disabled": "true"}
        buttons.append(element("a", attributes, icon))
    return element(
        "div", {"class": "replay-controls", "role": "group", "aria-label": texts.controls}, *buttons
    )


def previous_group_end(scene: Scene, position: int) -> int:
    ends = [
        0,
        *([scene.stops.declared] if scene.stops.declared else []),
        *(last for _, last in scene.stops.groups),
    ]
    return max((end for end in ends if end < position), default=0)


def next_group_end(scene: Scene, position: int) -> int:
    ends = [scene.stops.declared, *(last for _, last in scene.stops.groups)]
    return min((end for end in ends if end > position), default=scene.stops.last)


def _perspective_links(scene: Scene) -> Html:
    texts, here = scene.texts, scene.moment.seat
    key = scene.stops.keys[scene.moment.at]
    choices = [(None, texts.everybody), *((seat, str(seat)) for seat in range(1, scene.view["seats"] + 1))]
    items = []
    for seat, label in choices:
        attributes = {
            "href": scene.links.to(key, seat),
            "data-see": seat or 0,
            "aria-label": texts.seat_name(seat) if seat else texts.everybody,
            "aria-current": "true" if seat == here else None,
        }
        items.append(element("a", attributes, label))
    title = element("span", {"id": "seen-by"}, texts.seen_by)
    return element(
        "div",
        {"class": "replay-seen"},
        title,
        element("div", {"class": "replay-segments", "role": "group", "aria-labelledby": "seen-by"}, *items),
    )


def hint(scene: Scene, key: str, *before: str, explore_href: str = "") -> Html:
    """Return the line below the controls: ``before``, the keys, addresses of position and explorer."""
    texts = scene.texts
    keys = [element("kbd", None, "←"), " ", element("kbd", None, "→"), " "]
    keys_line = texts.keys_line if scene.deck == "french" else texts.keys_line_turns
    line, _, remainder = keys_line.partition("{shift}")
    between, _, after = remainder.partition("{question}")
    keys += [
        line,
        element("kbd", None, "Shift"),
        between,
        element(
            "button",
            {"type": "button", "class": "replay-help", "data-help": True, "aria-label": texts.help},
            "?",
        ),
        after,
        texts.after_sentence,
    ]
    link = element("a", {"data-here": True, "href": scene.links.to(key, scene.moment.seat)}, f"#{key}")
    explore: list[Html] = []
    if explore_href and scene.moment.seat is None:
        attributes = {"data-explore": explore_href, "href": f"{explore_href}?at={key}", "rel": "nofollow"}
        explore.append(element("a", attributes, texts.try_another))
    return element(
        "p",
        {"class": "replay-hint"},
        *before,
        element("span", {"class": "replay-keys"}, *keys),
        element("span", {"class": "replay-here"}, texts.this_position, texts.colon, link),
        *explore,
    )


def states_data(rows: Sequence[Sequence[object]]) -> Html:
    """Return the states for the script; ``<`` is escaped, so that no text can end the element."""
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return element("script", {"type": "application/json", "data-states": True}, Html(text))


def position_title(scene: Scene) -> str:
    """Return the position as text for titles and share cards, without anything unknown at the position."""
    return f"{position_states(scene)[scene.moment.at].title} · {board_title(scene)}"


def board_title(scene: Scene) -> str:
    title = scene.texts.board.format(board=scene.board["board"])
    if len(scene.board["deals"]) > 1:
        title += scene.texts.comma + scene.texts.deal.format(deal=scene.deal["deal"])
    return title
