"""The replay of a table as HTML at one position: mat, river, controls, list of plays, result, notes.

``replay`` gives the whole, which a page wraps in its frame and ``static/replay.js`` sets in motion;
``deal_part`` the part that changes from deal to deal.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from viewer import cards
from viewer.markup import Html, element, joined
from viewer.moment import Moment
from viewer.panels import choices, clocks_panel, panel, panels, result_panel
from viewer.position import Place, deal_of, stops_at
from viewer.scene import Links, Name, Scene, State
from viewer.shapes import Notes, View, ViewBoard, ViewDeal
from viewer.tricks import trick_list, trick_mat, trick_river, trick_states
from viewer.turns import turn_list, turn_mat, turn_race, turn_states
from viewer.words import ENGLISH, Words, signed

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

SHORT = 6
"""So many deals fit beside the heading,"""
SHORT_OF_MANY = 4
"""or so many if their results name one of many sides."""


class Around(NamedTuple):
    """What is known of a table besides its view."""

    names: Mapping[int, Name] = {}
    notes: Notes | None = None
    links: Links = Links()
    fault_hrefs: Callable[[int, str, int, int], str | None] | None = None
    """Where a fault is explained: of a seat, with its verdict, on a board, the how manieth there from 0."""
    board_href: str | None = None
    """Of the page that compares all tables on a board; ``{board}`` stands for its number."""
    marks: Mapping[int, int] = {}
    """By seat: the crest its side has wherever the fixture is shown, counted from 0."""


ALONE = Around()
"""A view without anything else."""


def scene_of(
    view: View, place: Place, *, seat: int | None = None, words: Words = ENGLISH, around: Around = ALONE
) -> Scene:
    """One deal at one position.

    Raises:
        PositionError: the table has no such board or deal.
    """
    board, deal = deal_of(view, place)
    stops = stops_at(view, place)
    notes = (
        around.notes["boards"].get(str(board["board"])) if around.notes and board["kind"] == "deal" else None
    )
    moment = Moment(min(place.at, stops.last), seat)
    faults = _fault_hrefs(board, deal, around)
    return Scene(
        view, board, deal, stops, moment, words, around.names, around.links, notes, faults, around.marks
    )


def _fault_hrefs(board: ViewBoard, deal: ViewDeal, around: Around) -> dict[int, str]:
    """By index of a step of the deal for which the referee played."""
    if around.fault_hrefs is None:
        return {}
    found: dict[int, str] = {}
    seen: Counter[int] = Counter()
    for other in board["deals"]:
        for step, item in enumerate((*other["before"], *other["steps"]), start=-len(other["before"])):
            if "verdict" not in item:
                continue
            seat = item["s"]
            href = around.fault_hrefs(seat, item["verdict"], board["board"], seen[seat])
            seen[seat] += 1
            if other is deal and step >= 0 and href:
                found[step] = href
    return found


def replay_of(scene: Scene, around: Around = ALONE) -> Html:
    """The replay at one position, with the symbols it uses."""
    return joined([cards.deck_symbols(scene.deck, scene.court), cards.marks(), deal_part(scene, around)])


def states_of(scene: Scene) -> list[State]:
    """What is to be said of every position of the deal."""
    return trick_states(scene) if scene.deck == "french" else turn_states(scene)


def deal_part(scene: Scene, around: Around = ALONE) -> Html:
    """Everything that changes when another deal is chosen."""
    is_tricks = scene.deck == "french"
    states = states_of(scene)
    state = states[scene.moment.at]
    main = element(
        "div",
        {"class": "replay-main"},
        trick_mat(scene) if is_tricks else turn_mat(scene),
        _river(scene, state, is_tricks),
        _controls(scene),
        _hint(scene, state),
        panels(scene, state),
    )
    side = element(
        "div",
        {"class": "replay-side"},
        panel(
            scene.words.plays if is_tricks else scene.words.turns,
            trick_list(scene) if is_tricks else turn_list(scene),
        ),
        result_panel(scene, board_href(scene, around)),
        *clocks_panel(scene),
        choices(scene),
    )
    return element(
        "div",
        _hooks(scene, around),
        _boards(scene),
        element("div", {"class": "replay-columns"}, main, side),
        *([_data(states)] if scene.moment.seat is None else []),
    )


def _hooks(scene: Scene, around: Around) -> dict[str, str | int | bool | None]:
    words = scene.words
    return {
        "class": "replay",
        "data-deal": scene.stops.keys[0],
        "data-position": scene.moment.at,
        "data-title": board_title(scene),
        "data-seat-view": scene.moment.seat,
        "data-game": "tricks" if scene.deck == "french" else "turns",
        "data-backs": "|".join(words.backs),
        "data-play": f"{words.play}|{words.pause}",
        "data-copied": words.copied,
        "data-after-sentence": words.after_sentence,
        "data-board-page": board_href(scene, around),
    }


def board_href(scene: Scene, around: Around) -> str | None:
    """The page of the board at all its tables, if there is one."""
    return around.board_href and around.board_href.replace("{board}", str(scene.board["board"]))


# Parts


def _deals(scene: Scene) -> list[tuple[str, str, str, str]]:
    """Key, label and result of every deal of the table, and both in words."""
    words, found = scene.words, []
    for board in scene.view["boards"]:
        has_deals = len(board["deals"]) > 1
        for deal in board["deals"]:
            key = f"b{board['board']}" + (f"d{deal['deal']}" if has_deals else "")
            label = f"{deal['deal']}" if has_deals and len(scene.view["boards"]) == 1 else f"{board['board']}"
            if has_deals and len(scene.view["boards"]) > 1:
                label = f"{board['board']}.{deal['deal']}"
            name = words.board.format(board=board["board"])
            if has_deals:
                name += words.comma + words.deal.format(deal=deal["deal"])
            result, in_words = _result(scene, deal)
            found.append((key, label, result, name + words.colon + in_words))
    return found


def _result(scene: Scene, deal: ViewDeal) -> tuple[str, str]:
    """What a deal paid, in short and with whom: to the first of two sides, or the winner of many."""
    words, sides, winner = scene.words, scene.view["sides"], deal["end"]["winner"]
    if scene.deck == "komatsu":
        result = words.seat_name(winner[0]) if winner else "–"
        return result, result
    is_of_two = len(sides) == 2
    seats = sides[0] if is_of_two else winner
    if not seats:
        return "0", "0"
    paid = signed(deal["end"]["stones"].get(str(seats[0]), 0))
    return paid if is_of_two else f"{words.pair(seats)} {paid}", f"{words.side_name(seats)} {paid}"


def _boards(scene: Scene) -> Html:
    here = scene.stops.keys[0]
    items = []
    for key, label, result, in_words in _deals(scene):
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
    is_short = len(items) <= (SHORT_OF_MANY if is_of_many else SHORT)
    kind = "replay-boards is-short" if is_short else "replay-boards"
    return element("nav", {"class": kind, "aria-label": scene.words.boards}, element("ol", None, *items))


def _river(scene: Scene, state: State, is_tricks: bool) -> Html:
    x, y = f"{state.x}%", "68%" if is_tricks else "100%"
    head = Html(f'<svg class="river-head" aria-hidden="true"><line x1="{x}" x2="{x}" y1="0" y2="{y}"/></svg>')
    labels, drawing = trick_river(scene) if is_tricks else turn_race(scene)
    label = scene.words.river if is_tricks else scene.words.race
    track = element("div", {"class": "river-track"}, drawing, head)
    kind = "river" if is_tricks else "river river-race"
    return element("nav", {"class": kind, "aria-label": label}, labels, track)


def _controls(scene: Scene) -> Html:
    words, stops, at = scene.words, scene.stops, scene.moment.at
    is_tricks = scene.deck == "french"
    targets = {
        "start": (words.to_start, 0),
        "group-back": (words.trick_back if is_tricks else words.turn_back, group_back(scene, at)),
        "back": (words.play_back, at - 1),
        "play": (words.play, None),
        "on": (words.play_on, at + 1),
        "group-on": (words.trick_on if is_tricks else words.turn_on, group_on(scene, at)),
        "end": (words.to_end, stops.last),
    }
    buttons = []
    for name, (label, target) in targets.items():
        icon = Html(f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{ICONS[name]}"/></svg>')
        if target is None:
            attributes = {
                "class": "replay-button replay-play",
                "type": "button",
                "data-control": name,
                "aria-label": label,
                "aria-pressed": "false",
                "disabled": True,
            }
            buttons.append(element("button", attributes, icon))
            continue
        is_here = not 0 <= target <= stops.last or target == at
        href = None if is_here else scene.links.to(stops.keys[target], scene.moment.seat)
        attributes = {
            "class": "replay-button",
            "data-control": name,
            "aria-label": label,
            "title": label,
            "href": href,
        }
        if is_here:
            attributes |= {"role": "link", "aria-disabled": "true"}
        buttons.append(element("a", attributes, icon))
    return element(
        "div",
        {"class": "replay-bar"},
        element("div", {"class": "replay-controls", "role": "group", "aria-label": words.controls}, *buttons),
        _seen_by(scene),
    )


def group_back(scene: Scene, at: int) -> int:
    """The end of the trick or turn before the one a position is in."""
    ends = [
        0,
        *([scene.stops.declared] if scene.stops.declared else []),
        *(last for _, last in scene.stops.groups),
    ]
    return max((end for end in ends if end < at), default=0)


def group_on(scene: Scene, at: int) -> int:
    """The next end of a trick or turn."""
    ends = [scene.stops.declared, *(last for _, last in scene.stops.groups)]
    return min((end for end in ends if end > at), default=scene.stops.last)


def _seen_by(scene: Scene) -> Html:
    words, here = scene.words, scene.moment.seat
    key = scene.stops.keys[scene.moment.at]
    choices = [(None, words.everybody), *((seat, str(seat)) for seat in range(1, scene.view["seats"] + 1))]
    items = []
    for seat, label in choices:
        attributes = {
            "href": scene.links.to(key, seat),
            "data-see": seat or 0,
            "aria-label": words.seat_name(seat) if seat else words.everybody,
            "aria-current": "true" if seat == here else None,
        }
        items.append(element("a", attributes, label))
    title = element("span", {"id": "seen-by"}, words.seen_by)
    return element(
        "div",
        {"class": "replay-seen"},
        title,
        element("div", {"class": "replay-segments", "role": "group", "aria-labelledby": "seen-by"}, *items),
    )


def _hint(scene: Scene, state: State) -> Html:
    words = scene.words
    keys = [element("kbd", None, "←"), " ", element("kbd", None, "→"), " "]
    keys_line = words.keys_line if scene.deck == "french" else words.keys_line_turns
    before, _, rest = keys_line.partition("{shift}")
    between, _, after = rest.partition("{question}")
    keys += [
        before,
        element("kbd", None, "Shift"),
        between,
        element(
            "button",
            {"type": "button", "class": "replay-help", "data-help": True, "aria-label": words.help},
            "?",
        ),
        after,
        words.after_sentence,
    ]
    link = element(
        "a", {"data-here": True, "href": scene.links.to(state.key, scene.moment.seat)}, f"#{state.key}"
    )
    lines = [] if scene.deck == "french" else [words.cards_left, words.after_sentence]
    return element(
        "p",
        {"class": "replay-hint"},
        *lines,
        element("span", {"class": "replay-keys"}, *keys),
        element("span", {"class": "replay-here"}, words.this_position, words.colon, link),
    )


def _data(states: list[State]) -> Html:
    """The states for the script; ``<`` is written so that no text can end the element."""
    rows = [
        [state.key, state.acting, state.wins, state.x, state.said, state.title, state.cost, state.cost_said]
        for state in states
    ]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return element("script", {"type": "application/json", "data-states": True}, Html(text))


def position_title(scene: Scene) -> str:
    """The position in words, for a page's title and for share cards; says nothing that is not known there."""
    return f"{states_of(scene)[scene.moment.at].title} · {board_title(scene)}"


def board_title(scene: Scene) -> str:
    """``Board 3``, with the deal if it has several."""
    title = scene.words.board.format(board=scene.board["board"])
    if len(scene.board["deals"]) > 1:
        title += scene.words.comma + scene.words.deal.format(deal=scene.deal["deal"])
    return title
