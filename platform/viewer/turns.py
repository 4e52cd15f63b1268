"""Deals of Kakkuri as drawn: hands and melds, what may follow, the race of hands, the list of turns."""

from __future__ import annotations

from collections.abc import Sequence

from viewer import cards
from viewer.cards import WILD_CARDS, komatsu_value
from viewer.markup import Html, element, joined
from viewer.mat import kind_of, mat, seat_block
from viewer.scene import Scene, State, first_states, plays_table, substituted
from viewer.shapes import ViewItem
from viewer.words import Words

VALUES = 12
_TOP, _HEIGHT = 8.0, 72.0
"""Of the race's lines, percent of its height: a full hand, and from there to no card."""


# The mat


def turn_mat(scene: Scene) -> Html:
    """The mat: hands in order of play, in the middle what lies there to be followed."""
    order = _order(scene)
    blocks = [_seat(scene, seat) for seat in order]
    return mat(kind_of(scene.deck, scene.view["seats"]), _middle(scene), blocks)


def _order(scene: Scene) -> list[int]:
    """Seats in order of play from the one that takes the first turn."""
    seats = list(range(1, scene.view["seats"] + 1))
    first = next((item["s"] for item in scene.items if "s" in item), scene.deal.get("dealer", 1))
    at = seats.index(first)
    return seats[at:] + seats[:at]


def _seat(scene: Scene, seat: int) -> Html:
    moment, words, stops = scene.moment, scene.words, scene.stops
    melds = [
        (stops.position(at), item["c"])
        for at, item in enumerate(scene.items)
        if item.get("s") == seat and "c" in item
    ]
    piles = [
        moment.timed("span", {"class": "seat-meld"}, *(scene.card(code) for code in codes), first=position)
        for position, codes in melds
    ]
    kind = {"class": "seat-pile-empty"}
    until = melds[0][0] if melds else None
    if seat in _out(scene):
        until = stops.declared
        piles.append(moment.timed("span", kind, words.acts["out"], first=until))
    nothing = moment.timed("span", kind, words.nothing_played, until=until)
    pile = element("p", {"class": "seat-pile"}, nothing, *piles)
    hand = scene.hand(seat, {code: position for position, codes in melds for code in codes})
    is_acting = seat == scene.acting(moment.at)
    return seat_block(seat, scene.label(seat, _said(scene, seat)), hand, pile, is_acting=is_acting)


def _said(scene: Scene, seat: int) -> list[Html]:
    """A turn without a card, beside the hand while it lasts; that a seat has dropped out, from then on."""
    words, stops = scene.words, scene.stops
    said = []
    for at, item in enumerate(scene.items):
        if item.get("s") == seat and "c" not in item:
            position = stops.position(at)
            until = None if item["k"] == "drop" else position + 1
            text = words.acts[item["k"]]
            said.append(scene.moment.timed("span", {"class": "seat-act"}, text, first=position, until=until))
    return said


def _out(scene: Scene) -> set[int]:
    """The seats whose cards put them out of the deal before its first turn."""
    return {item["s"] for item in scene.deal["before"] if item["k"] == "out"}


def _heads(scene: Scene) -> list[tuple[int, str]]:
    """What the middle says, each from a position on: what may follow, at last what ended the deal."""
    words, stops, end = scene.words, scene.stops, scene.deal["end"]
    starts = words.starts.format(seat=scene.deal.get("dealer", 1))
    known = scene.known_from
    heads = [(0, words.may_swap), (known, starts)] if known else [(0, starts)]
    heads += [
        (stops.position(at), may_follow(item["may"], words))
        for at, item in enumerate(scene.items)
        if "may" in item
    ]
    pattern = words.ended.get(end["how"] or "")
    if pattern is None:
        return heads
    heads = [(position, text) for position, text in heads if position < stops.last]
    return [*heads, (stops.last, pattern.format(seat=end["winner"][0] if end["winner"] else ""))]


def _pots(scene: Scene) -> list[tuple[int, int]]:
    """Stones in the pot, each from a position on. Whoever wins takes them; if nobody does, they go back."""
    stops = scene.stops
    pots = [(stops.position(at), item["pot"]) for at, item in enumerate(scene.items) if "pot" in item]
    if pots and scene.deal["end"]["how"]:
        pots = [(position, count) for position, count in pots if position < stops.last]
        pots.append((stops.last, 0))
    return [(0, 0), *pots]


def _middle(scene: Scene) -> Html:
    moment, words, stops = scene.moment, scene.words, scene.stops
    faces = []
    laid = [(stops.position(at), item) for at, item in enumerate(scene.items) if "f" in item]
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
        pattern = words.by_seat if "s" in item else words.turned_up
        caption = element("small", None, pattern.format(value=item["f"], seat=item.get("s")))
        drawn = element("span", {"class": "follow-laid-cards"}, *(scene.card(code) for code in codes))
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
    boxes += [(stops.position(at), item["box"]) for at, item in enumerate(scene.items) if "box" in item]
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
            words.box,
            " ",
            *([] if words.language == "ja" else [element("span", {"lang": "ja"}, "箱"), " "]),
            *scene.changes([(at, str(count)) for at, count in boxes]),
        ),
    )
    pot = element(
        "p",
        {"class": "follow-pot"},
        *scene.changes([(at, words.pot[count > 0].format(count=count)) for at, count in _pots(scene)]),
    )
    return element(
        "div",
        {"class": "mat-middle mat-follow"},
        element("p", {"class": "follow-head"}, *scene.changes(_heads(scene))),
        element("div", {"class": "follow-cards"}, *faces, box),
        pot,
    )


def may_follow(values: Sequence[int], words: Words) -> str:
    """What may follow, in words."""
    if not values:
        return words.none_follows
    return (
        words.any_follows if len(values) == VALUES else words.may_follow.format(values=words.any_of(values))
    )


# The race, the list, the states


def turn_race(scene: Scene) -> list[Html]:
    """Cards left in each hand as falling lines, with turned up cards below; each lap is a link."""
    words, stops, deal = scene.words, scene.stops, scene.deal
    last = max(stops.last, 1)
    size = max((len(hand) for hand in deal["hands"].values()), default=6)
    parts = [
        Html(f'<line class="race-grid" x1="0" x2="100%" y1="{_y(count, size)}%" y2="{_y(count, size)}%"/>')
        for count in range(0, size + 1, 2)
    ]
    parts += [
        Html(f'<text class="race-turned" x="{_x(stops.position(at), last)}%" y="97%">↻</text>')
        for at, item in enumerate(scene.items)
        if item["k"] == "turned"
    ]
    parts += [_line(scene, int(seat), len(hand), size, last) for seat, hand in deal["hands"].items()]
    parts += [_lap(scene, lap, positions, last) for lap, positions in _laps(scene)]
    scale = element(
        "p",
        {"class": "race-scale", "aria-hidden": "true"},
        *(element("span", None, str(count)) for count in range(size, -1, -2)),
    )
    drawing = element("svg", {"class": "river-race-lines", "role": "group", "aria-label": words.race}, *parts)
    return [scale, drawing]


def _x(position: int, last: int) -> float:
    return round(100 * position / last, 2)


def _y(count: int, size: int) -> float:
    return round(_TOP + _HEIGHT * (size - count) / size, 1)


def _line(scene: Scene, seat: int, held: int, size: int, last: int) -> Html:
    side, crest = scene.side[seat], scene.mark_of(seat)
    lines, x, left = [], 0.0, held
    for at, item in enumerate(scene.items):
        if item.get("s") == seat and "left" in item:
            here = _x(scene.stops.position(at), last)
            y, low = _y(left, size), _y(item["left"], size)
            lines.append(f'<line x1="{x}%" x2="{here}%" y1="{y}%" y2="{y}%"/>')
            lines.append(f'<line x1="{here}%" x2="{here}%" y1="{y}%" y2="{low}%"/>')
            x, left = here, item["left"]
    y = _y(left, size)
    lines.append(f'<line x1="{x}%" x2="100%" y1="{y}%" y2="{y}%"/>')
    shift = side * 1.5 - 2
    kind = f"race-line crest-{cards.colour_of(crest)}" + (" is-second" if crest >= 4 else "")
    return Html(f'<g class="{kind}" transform="translate(0 {shift})">{"".join(lines)}</g>')


def _laps(scene: Scene) -> list[tuple[int, list[int]]]:
    """Positions of each lap."""
    laps: dict[int, list[int]] = {}
    lap = 1
    for at, item in enumerate(scene.items):
        lap = item.get("lap", lap)
        laps.setdefault(lap, []).append(scene.stops.position(at))
    return list(laps.items())


def _lap(scene: Scene, lap: int, positions: Sequence[int], last: int) -> Html:
    start, end = _x(positions[0] - 1, last), _x(positions[-1], last)
    rect = Html(f'<rect class="race-lap" x="{start}%" width="{round(end - start, 2)}%" y="0" height="100%"/>')
    return scene.link(positions[-1], {"aria-label": scene.words.lap.format(lap=lap)}, rect)


def turn_list(scene: Scene) -> Html:
    """Every turn in a table: a row for each lap, a column for each seat in order of play."""
    words, stops = scene.words, scene.stops
    order = _order(scene)
    laps: dict[int, dict[int, list[list[int]]]] = {}
    start = None
    group: list[int] = []
    for at, item in enumerate(scene.items):
        position = stops.position(at)
        if "turn" not in item and item["k"] == "turned" and not laps:
            start = position
        elif "turn" not in item:
            group.append(position)  # a card turned up belongs to the turn that turned it
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
        text = scene.link(start, {}, words.start_card.format(value=value))
        about.append(scene.moment.staged("span", {"class": "plays-play"}, text, first=start, last=start))
        about.append(words.after_sentence)
    return joined(
        [
            element("p", {"class": "plays-about"}, *about, words.order_of_turns),
            plays_table(scene, f"plays plays-turns plays-of-{len(order)}", order, rows),
            element("p", {"class": "plays-legend"}, words.legend_turns, *scene.verdict_legend()),
        ]
    )


def _swaps(scene: Scene) -> list[str]:
    """Which hands were swapped before the first turn, as a link to where that has happened."""
    at, words = scene.known_from, scene.words
    if not at:
        return []
    seats = [item["s"] for item in scene.deal["before"] if item.get("a") == "SWAP"]
    pairs = words.comma.join(f"{seat} ↔ {scene.deal['dealer']}" for seat in seats)
    link = scene.link(at, {}, words.swapped.format(swaps=pairs) if seats else words.not_swapped)
    return [
        scene.moment.staged("span", {"class": "plays-play"}, link, first=at, last=at),
        words.after_sentence,
    ]


def _out_token(scene: Scene) -> Html:
    """That a seat is out of the deal, in the first cell of its column."""
    at, words = scene.stops.declared, scene.words
    link = scene.link(at, {"title": words.acts["out"]}, words.acts_short["out"])
    token = scene.moment.staged("span", {"class": "plays-turn plays-turn-pass"}, link, first=at, last=at)
    return element("td", {"class": "plays-play"}, token)


def _turn(scene: Scene, turn: Sequence[int]) -> Html:
    """The steps of one turn. A pass after other plays adds nothing to read: it shares the place before it."""
    tokens: list[Html] = []
    places: list[tuple[str, int, int, ViewItem]] = []
    for position in turn:
        item = scene.step(position)
        text = token(item, scene)
        if item["k"] == "turned" and places:
            held, first, _, turner = places[-1]
            places[-1] = (held + text, first, position, turner)
        elif item["k"] == "pass" and places and "verdict" not in item:
            held, first, _, earlier = places[-1]
            places[-1] = (held, first, position, earlier)
        else:
            places.append((text, position, position, item))
    for text, first, last, item in places:
        kind = f"plays-turn plays-turn-{item['k']}"
        tokens.append(scene.play("span", kind, text, first=first, last=last))
    return joined(tokens, " ")


def token(item: ViewItem, scene: Scene) -> str:
    """A step as the list has it: ``6``, ``7*``, ``6×3``, ``pass``, and ``5`` for a card turned up."""
    if item["k"] == "turned":
        return str(item["f"])
    if "c" not in item:
        return scene.words.acts_short[item["k"]]
    count = len(item["c"])
    return f"{item['f']}{f'×{count}' if count > 1 else ''}{'*' if _is_wild(item, scene) else ''}"


def _is_wild(item: ViewItem, scene: Scene) -> bool:
    """Whether a wild card stands for another value than its own."""
    return any(code in WILD_CARDS and komatsu_value(code, scene.court) != item["f"] for code in item["c"])


def turn_states(scene: Scene) -> list[State]:
    """Every position of the deal in words."""
    stops, words = scene.stops, scene.words
    swaps = words.may_swap + words.full_stop if scene.known_from else ""
    last = max(stops.last, 1)
    states = first_states(scene, swaps, _x(1, last))
    for at, item in enumerate(scene.items):
        position = stops.position(at)
        said = step_said(item, scene)
        group = stops.group_of(position)
        number = stops.numbers[group] if group is not None else 0
        first = said.split(". ")[0].split("。")[0].rstrip(".")
        title = f"{words.turn.format(turn=number)}{words.comma}{first}"
        states.append(State(stops.keys[position], 0, 0, _x(position, last), said, title))
    return [state._replace(acting=scene.acting(at)) for at, state in enumerate(states)]


def step_said(item: ViewItem, scene: Scene) -> str:
    """One step in a sentence."""
    words = scene.words
    if item["k"] == "turned":
        turned = words.turns_up.format(value=item["f"])
        return words.sentences(turned, _ended(may_follow(item["may"], words), words))
    if "c" not in item:
        said = words.sentence.format(seat=item["s"], said=words.acts[item["k"]])
    else:
        meld = words.melds[len(item["c"]) - 1].format(value=item["f"])
        if _is_wild(item, scene):
            meld = words.with_wild.format(meld=meld)
        left = words.left[min(item["left"], 2)].format(count=item["left"])
        said = words.plays_meld.format(seat=item["s"], meld=meld, left=left)
    is_followed = "may" in item and item.get("left") != 0
    follows = _ended(may_follow(item["may"], words), words) if is_followed else ""
    return words.sentences(said, substituted(item, words), follows)


def _ended(text: str, words: Words) -> str:
    return text + words.full_stop


def ending(scene: Scene) -> str:
    """How the deal ended."""
    end = scene.deal["end"]
    pattern = scene.words.endings.get(end["how"] or "", "")
    return pattern.format(seat=end["winner"][0] if end["winner"] else "")
