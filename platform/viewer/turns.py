"""Rendering of deals of Kakkuri: hands and melds, values to follow, race of hands, list of turns."""

from __future__ import annotations

from collections.abc import Sequence

from viewer import cards
from viewer.cards import WILD_CARDS, komatsu_value
from viewer.markup import Html, element, joined
from viewer.mat import mat, mat_class, seat_block
from viewer.scene import PositionState, Scene, first_states, plays_table, substitution_text
from viewer.shapes import ViewItem
from viewer.solver_notes import step_cost, step_note
from viewer.texts import ViewerTexts, loss_text

VALUES = 12
_TOP, _HEIGHT = 8.0, 72.0
"""Of the race's lines, percent of its height: a full hand, and from there to no card."""


# The mat


def turn_mat(scene: Scene) -> Html:
    order = _order(scene)
    blocks = [_seat(scene, seat) for seat in order]
    return mat(mat_class(scene.deck, scene.view["seats"]), _middle(scene), blocks)


def _order(scene: Scene) -> list[int]:
    seats = list(range(1, scene.view["seats"] + 1))
    first = next((item["s"] for item in scene.items if "s" in item), scene.deal.get("dealer", 1))
    start = seats.index(first)
    return seats[start:] + seats[:start]


def _seat(scene: Scene, seat: int) -> Html:
    moment, texts, stops = scene.moment, scene.texts, scene.stops
    melds = [
        (stops.position(index), item["c"])
        for index, item in enumerate(scene.items)
        if item.get("s") == seat and "c" in item
    ]
    piles = [
        moment.timed(
            "span",
            {"class": "seat-meld" + scene.outline(scene.step_at(position))},
            *(scene.card(code) for code in codes),
            first=position,
        )
        for position, codes in melds
    ]
    kind = {"class": "seat-pile-empty"}
    until = melds[0][0] if melds else None
    if seat in _out(scene):
        until = stops.declared
        piles.append(moment.timed("span", kind, texts.acts["out"], first=until))
    nothing = moment.timed("span", kind, texts.nothing_played, until=until)
    pile = element("p", {"class": "seat-pile"}, nothing, *piles)
    hand = scene.hand(seat, {code: position for position, codes in melds for code in codes})
    is_acting = seat == scene.acting(moment.at)
    return seat_block(seat, scene.label(seat, _turn_actions(scene, seat)), hand, pile, is_acting=is_acting)


def _turn_actions(scene: Scene, seat: int) -> list[Html]:
    """Return actions without a card, next to the hand while they last; a drop remains."""
    texts, stops = scene.texts, scene.stops
    bubbles = []
    for index, item in enumerate(scene.items):
        if item.get("s") == seat and "c" not in item:
            position = stops.position(index)
            until = None if item["k"] == "drop" else position + 1
            text = texts.acts[item["k"]]
            bubbles.append(
                scene.moment.timed(
                    "span", {"class": "seat-act" + scene.outline(index)}, text, first=position, until=until
                )
            )
    return bubbles


def _out(scene: Scene) -> set[int]:
    return {item["s"] for item in scene.deal["before"] if item["k"] == "out"}


def _heads(scene: Scene) -> list[tuple[int, str]]:
    """Return the texts of the middle by first position: values that may follow, finally the end."""
    texts, stops, end = scene.texts, scene.stops, scene.deal["end"]
    starts = scene.about(texts.starts, scene.deal.get("dealer", 1))
    known = scene.known_from
    heads = [(0, texts.may_swap), (known, starts)] if known else [(0, starts)]
    heads += [
        (stops.position(index), may_follow(item["may"], texts))
        for index, item in enumerate(scene.items)
        if "may" in item
    ]
    pattern = texts.ended.get(end["how"] or "")
    if pattern is None:
        return heads
    heads = [(position, text) for position, text in heads if position < stops.last]
    return [*heads, (stops.last, scene.about(pattern, end["winner"][0] if end["winner"] else 0))]


def _pots(scene: Scene) -> list[tuple[int, int]]:
    """Return the stones in the pot by first position."""
    stops = scene.stops
    pots = [(stops.position(index), item["pot"]) for index, item in enumerate(scene.items) if "pot" in item]
    if pots and scene.deal["end"]["how"]:
        pots = [(position, count) for position, count in pots if position < stops.last]
        pots.append((stops.last, 0))
    return [(0, 0), *pots]


def _middle(scene: Scene) -> Html:
    moment, texts, stops = scene.moment, scene.texts, scene.stops
    faces = []
    laid = [(stops.position(index), item) for index, item in enumerate(scene.items) if "f" in item]
    faces.append(
        moment.timed(
            "span",
            {"class": "follow-laid"},
            element("span", {"class": "follow-laid-empty"}),
            until=laid[0][0] if laid else None,
        )
    )
    for number, (position, item) in enumerate(laid):
        until = laid[number + 1][0] if number + 1 < len(laid) else None
        codes = item.get("c") or [item["a"]]
        pattern = texts.by_seat if "s" in item else texts.turned_up
        caption = element("small", None, scene.about(pattern, item.get("s", 0), value=item["f"]))
        kind = "follow-laid-cards" + scene.outline(scene.step_at(position))
        drawn = element("span", {"class": kind}, *(scene.card(code) for code in codes))
        faces.append(
            moment.timed(
                "span",
                {"class": "follow-laid"},
                drawn,
                element("small", None, caption),
                first=position,
                until=until,
            )
        )
    boxes = [(0, scene.deal.get("box", 0))]
    boxes += [(stops.position(index), item["box"]) for index, item in enumerate(scene.items) if "box" in item]
    box = element(
        "span",
        {"class": "follow-box"},
        element(
            "span",
            {"class": "follow-box-cards", "aria-hidden": "true"},
            Html('<svg class="card-face card-komatsu"><use href="#k-back"/></svg>'),
        ),
        element(
            "small",
            None,
            texts.box,
            " ",
            *([] if texts.language == "ja" else [element("span", {"lang": "ja"}, "箱"), " "]),
            *scene.changes([(index, str(count)) for index, count in boxes]),
        ),
    )
    pot = element(
        "p",
        {"class": "follow-pot"},
        *scene.changes([(index, texts.pot[count > 0].format(count=count)) for index, count in _pots(scene)]),
    )
    return element(
        "div",
        {"class": "mat-middle mat-follow"},
        element("p", {"class": "follow-head"}, *scene.changes(_heads(scene))),
        element("div", {"class": "follow-cards"}, *faces, box),
        pot,
    )


def may_follow(values: Sequence[int], texts: ViewerTexts) -> str:
    """Return the values that may follow, as text."""
    if not values:
        return texts.none_follows
    return (
        texts.any_follows if len(values) == VALUES else texts.may_follow.format(values=texts.any_of(values))
    )


# The race, the list, the states


def turn_race(scene: Scene) -> list[Html]:
    """Return the cards left in each hand as falling lines, with cards turned up below; each lap is a link."""
    texts, stops, deal = scene.texts, scene.stops, scene.deal
    last = max(stops.last, 1)
    size = max((len(hand) for hand in deal["hands"].values()), default=6)
    parts = [
        Html(f'<line class="race-grid" x1="0" x2="100%" y1="{_y(count, size)}%" y2="{_y(count, size)}%"/>')
        for count in range(0, size + 1, 2)
    ]
    parts += [
        Html(f'<text class="race-turn" x="{_x(stops.position(index), last)}%" y="97%">↻</text>')
        for index, item in enumerate(scene.items)
        if item["k"] == "turned"
    ]
    parts += [_line(scene, int(seat), len(hand), size, last) for seat, hand in deal["hands"].items()]
    parts += [_lap(scene, lap, positions, last) for lap, positions in _laps(scene)]
    scale = element(
        "p",
        {"class": "race-scale", "aria-hidden": "true"},
        *(element("span", None, str(count)) for count in range(size, -1, -2)),
    )
    drawing = element("svg", {"class": "river-race-lines", "role": "group", "aria-label": texts.race}, *parts)
    return [scale, drawing]


def _x(position: int, last: int) -> float:
    return round(100 * position / last, 2)


def _y(count: int, size: int) -> float:
    return round(_TOP + _HEIGHT * (size - count) / size, 1)


def _line(scene: Scene, seat: int, count: int, size: int, last: int) -> Html:
    side, crest = scene.side[seat], scene.crest_index(seat)
    lines, x, left = [], 0.0, count
    for index, item in enumerate(scene.items):
        if item.get("s") == seat and "left" in item:
            here = _x(scene.stops.position(index), last)
            y, low = _y(left, size), _y(item["left"], size)
            lines.append(f'<line x1="{x}%" x2="{here}%" y1="{y}%" y2="{y}%"/>')
            lines.append(f'<line x1="{here}%" x2="{here}%" y1="{y}%" y2="{low}%"/>')
            x, left = here, item["left"]
    y = _y(left, size)
    lines.append(f'<line x1="{x}%" x2="100%" y1="{y}%" y2="{y}%"/>')
    shift = side * 1.5 - 2
    kind = f"race-line crest-{cards.crest_colour(crest)}" + (" is-second" if crest >= 4 else "")
    return Html(f'<g class="{kind}" transform="translate(0 {shift})">{"".join(lines)}</g>')


def _laps(scene: Scene) -> list[tuple[int, list[int]]]:
    laps: dict[int, list[int]] = {}
    lap = 1
    for index, item in enumerate(scene.items):
        lap = item.get("lap", lap)
        laps.setdefault(lap, []).append(scene.stops.position(index))
    return list(laps.items())


def _lap(scene: Scene, lap: int, positions: Sequence[int], last: int) -> Html:
    start, end = _x(positions[0] - 1, last), _x(positions[-1], last)
    rect = Html(f'<rect class="race-lap" x="{start}%" width="{round(end - start, 2)}%" y="0" height="100%"/>')
    return scene.link(positions[-1], {"aria-label": scene.texts.lap.format(lap=lap)}, rect)


def turn_list(scene: Scene) -> Html:
    """Return every turn in a table: a row per lap, a column per seat in order of play."""
    texts, stops = scene.texts, scene.stops
    order = _order(scene)
    laps: dict[int, dict[int, list[list[int]]]] = {}
    start = None
    group: list[int] = []
    for index, item in enumerate(scene.items):
        position = stops.position(index)
        if "turn" not in item and item["k"] == "turned" and not laps:
            start = position
        elif "turn" not in item:
            group.append(position)  # a card turned up belongs to the current turn
        elif group and scene.step(group[0])["turn"] == item["turn"]:
            group.append(position)
        else:
            group = [position]
            laps.setdefault(item["lap"], {}).setdefault(item["s"], []).append(group)
    out = {seat: _out_token(scene) for seat in _out(scene)}
    rows = []
    for lap, cells in laps.items():
        turns = [position for turn in cells.values() for group in turn for position in group]
        row = [element("th", {"scope": "row"}, str(lap))]
        row += [
            out.pop(seat)
            if seat in out
            else element("td", {"class": "plays-play"}, *(_turn(scene, turn) for turn in cells.get(seat, [])))
            for seat in order
        ]
        first, last = min(turns), max(turns)
        rows.append(scene.moment.marked("tr", None, *row, first=first, last=last))
    about = _swaps(scene)
    if start is not None:
        value = scene.step(start)["f"]
        text = scene.link(start, {}, texts.start_card.format(value=value))
        about.append(scene.moment.staged("span", {"class": "plays-play"}, text, first=start, last=start))
        about.append(texts.after_sentence)
    return joined(
        [
            element("p", {"class": "plays-note"}, *about, texts.order_of_turns),
            plays_table(scene, f"plays plays-turns plays-of-{len(order)}", order, rows),
            element(
                "p",
                {"class": "plays-legend"},
                texts.legend_turns,
                *scene.verdict_legend(),
                *scene.cost_legend(),
            ),
        ]
    )


def _swaps(scene: Scene) -> list[str]:
    position, texts = scene.known_from, scene.texts
    if not position:
        return []
    seats = [item["s"] for item in scene.deal["before"] if item.get("a") == "SWAP"]
    pairs = texts.comma.join(f"{seat} ↔ {scene.deal['dealer']}" for seat in seats)
    link = scene.link(position, {}, texts.swapped.format(swaps=pairs) if seats else texts.not_swapped)
    return [
        scene.moment.staged("span", {"class": "plays-play"}, link, first=position, last=position),
        texts.after_sentence,
    ]


def _out_token(scene: Scene) -> Html:
    """Return the mark of a seat that is out of the deal, for the first cell of its column."""
    position, texts = scene.stops.declared, scene.texts
    link = scene.link(position, {"title": texts.acts["out"]}, texts.acts_short["out"])
    token = scene.moment.staged(
        "span", {"class": "plays-turn plays-turn-pass"}, link, first=position, last=position
    )
    return element("td", {"class": "plays-play"}, token)


def _turn(scene: Scene, turn: Sequence[int]) -> Html:
    """Return the steps of one turn. A pass after other plays shares the place before it."""
    tokens: list[Html] = []
    places: list[tuple[str, int, int, ViewItem]] = []
    for position in turn:
        item = scene.step(position)
        text = step_token(item, scene)
        if item["k"] == "turned" and places:
            earlier_text, first, _, turner = places[-1]
            places[-1] = (earlier_text + text, first, position, turner)
        elif item["k"] == "pass" and places and "verdict" not in item:
            earlier_text, first, _, earlier = places[-1]
            places[-1] = (earlier_text, first, position, earlier)
        else:
            places.append((text, position, position, item))
    for text, first, last, item in places:
        kind = f"plays-turn plays-turn-{item['k']}"
        steps = range(scene.step_at(first), scene.step_at(last) + 1)
        tokens.append(scene.play("span", kind, text, *scene.cost_marks(steps), first=first, last=last))
    return joined(tokens, " ")


def step_token(item: ViewItem, scene: Scene) -> str:
    """Return a step as in the list: ``6``, ``7*``, ``6×3``, ``pass``, and ``5`` for a card turned up."""
    if item["k"] == "turned":
        return str(item["f"])
    if "c" not in item:
        return scene.texts.acts_short[item["k"]]
    count = len(item["c"])
    return f"{item['f']}{f'×{count}' if count > 1 else ''}{'*' if _is_wild(item, scene) else ''}"


def action_token(action: str, scene: Scene) -> str:
    """Return an action of a turn as in the list: ``AC@7`` is ``7*``."""
    if "@" not in action:
        return scene.texts.acts_short.get(action.lower(), action)
    cards_of_meld, _, value = action.partition("@")
    item: ViewItem = {"k": "meld", "a": action, "c": cards_of_meld.split("+"), "f": int(value)}
    return step_token(item, scene)


def _is_wild(item: ViewItem, scene: Scene) -> bool:
    """Return whether a wild card stands for a value other than its own."""
    return any(code in WILD_CARDS and komatsu_value(code, scene.court) != item["f"] for code in item["c"])


def turn_states(scene: Scene) -> list[PositionState]:
    stops, texts = scene.stops, scene.texts
    swaps = texts.may_swap + texts.full_stop if scene.known_from else ""
    last = max(stops.last, 1)
    states = first_states(scene, swaps, _x(1, last))
    for index, item in enumerate(scene.items):
        position = stops.position(index)
        text = step_sentence(item, scene)
        group = stops.group_of(position)
        number = stops.numbers[group] if group is not None else 0
        first = text.split(". ")[0].split("。")[0].rstrip(".")
        title = f"{texts.turn.format(turn=number)}{texts.comma}{first}"
        x, cost = _x(position, last), step_cost(scene.notes, index)
        cost_said = _spoken_loss(scene, index) if cost else ""
        states.append(PositionState(stops.keys[position], 0, 0, x, text, title, cost, cost_said))
    return [state._replace(acting=scene.acting(index)) for index, state in enumerate(states)]


def _spoken_loss(scene: Scene, step: int) -> str:
    note = step_note(scene.notes, step)
    if note is None or "average" not in note:
        return ""
    best = scene.texts.comma.join(action_token(action, scene) for action in note["average"]["best"])
    return scene.texts.spoken_loss.format(loss=loss_text(note["average"]["loss"]), action=best)


def step_sentence(item: ViewItem, scene: Scene) -> str:
    texts = scene.texts
    if item["k"] == "turned":
        turned = texts.turns_up.format(value=item["f"])
        return texts.sentences(turned, _with_full_stop(may_follow(item["may"], texts), texts))
    if "c" not in item:
        action = scene.own_forms(item["s"]).get(item["k"], texts.acts[item["k"]])
        text = scene.about(texts.sentence, item["s"], said=action)
    else:
        meld = texts.melds[len(item["c"]) - 1].format(value=item["f"])
        if _is_wild(item, scene):
            meld = texts.with_wild.format(meld=meld)
        left = texts.left[min(item["left"], 2)].format(count=item["left"])
        text = scene.about(texts.plays_meld, item["s"], meld=meld, left=left)
    is_followed = "may" in item and item.get("left") != 0
    follows = _with_full_stop(may_follow(item["may"], texts), texts) if is_followed else ""
    return texts.sentences(text, substitution_text(item, texts), follows)


def _with_full_stop(text: str, texts: ViewerTexts) -> str:
    return text + texts.full_stop


def ending(scene: Scene) -> str:
    end = scene.deal["end"]
    pattern = scene.texts.endings.get(end["how"] or "", "")
    return scene.about(pattern, end["winner"][0] if end["winner"] else 0)
