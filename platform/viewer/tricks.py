"""Deals of Kakeya and Etori as drawn: hands, the trick, pictures, the river of tricks, the list of plays."""

from __future__ import annotations

from engine.cards import PICTURES
from viewer import cards
from viewer.markup import Html, element, joined
from viewer.mat import kind_of, mat, rensho_term, seat_block
from viewer.noted import cost_of, spoken_cost
from viewer.scene import Scene, State, first_states, plays_table, substituted
from viewer.words import Words

SPECULATION_PRESET = "etori.meiji"


# The mat


def trick_mat(scene: Scene) -> Html:
    """The mat: hands around the trick, trumps and pictures in its corners."""
    blocks = [_seat(scene, seat) for seat in range(1, scene.view["seats"] + 1)]
    corners = (_conditions(scene), _captured(scene))
    return mat(kind_of(scene.deck, scene.view["seats"]), _middle(scene), blocks, *corners)


def _seat(scene: Scene, seat: int) -> Html:
    label = scene.label(seat)
    if seat in scene.deal.get("resting", []):
        rests = element("p", {"class": "seat-rests"}, scene.words.rests)
        return seat_block(seat, label, rests, is_resting=True)
    played = {item["a"]: scene.stops.position(at) for at, item in enumerate(scene.items) if item["s"] == seat}
    return seat_block(
        seat, label, scene.hand(seat, played), is_acting=seat == _acting(scene, scene.moment.at)
    )


def _middle(scene: Scene) -> Html:
    moment, stops, words = scene.moment, scene.stops, scene.words
    seats = [seat for seat in range(1, scene.view["seats"] + 1) if str(seat) in scene.deal["hands"]]
    slots = [_slot(scene, seat) for seat in seats]
    heads = []
    for at, (first, last) in enumerate(stops.groups):
        begins = first if at else 0
        ends = stops.groups[at + 1][0] if at + 1 < len(stops.groups) else None
        heads.append(
            moment.timed("b", None, words.trick.format(trick=stops.numbers[at]), first=begins, until=ends)
        )
        if not at and "leaders" in scene.deal:
            heads += _leading(scene, first)
        if "trump" in scene.deal:
            led = words.suit_led.format(suit=words.suits[scene.step(first)["a"][1]])
            heads.append(moment.timed("span", None, led, first=first, until=last))
        heads.append(moment.timed("span", None, _takes(scene, at), first=last, until=ends))
    head = element("p", {"class": "trick-head"}, *heads)
    return element("div", {"class": f"mat-middle mat-trick mat-trick-{scene.view['seats']}"}, *slots, head)


def _leading(scene: Scene, first: int) -> list[Html]:
    """Who leads to the first trick: the seats that may until they have declared, then the one that does."""
    moment, words, declared = scene.moment, scene.words, scene.stops.declared
    leads = words.to_lead.format(seats=words.seat_name(scene.items[0]["s"]))
    heads = [moment.timed("span", None, leads, first=declared, until=first)]
    if declared:
        leaders = words.seat_name(0).replace("0", words.any_of(scene.deal.get("leaders", [])))
        heads.append(moment.timed("span", None, words.to_lead.format(seats=leaders), until=declared))
    return heads


def _slot(scene: Scene, seat: int) -> Html:
    """The place of one seat's card in the trick; the empty place lies below the cards."""
    stops, at = scene.stops, scene.moment.at
    drawn = []
    for number, (first, last) in enumerate(stops.groups):
        ends = stops.groups[number + 1][0] if number + 1 < len(stops.groups) else None
        for position in range(first, last + 1):
            item = scene.step(position)
            if item["s"] == seat:
                drawn.append(_laid(scene, item["a"], position, ends))
    empty = element(
        "span",
        {"class": "slot-empty", "aria-hidden": "true"},
        element("i", {"class": "slot-seat"}, str(seat)),
        element("i", {"class": "slot-turn"}, scene.words.to_play),
    )
    attributes = {
        "class": f"slot slot-{seat}",
        "data-slot": seat,
        "data-acting": seat == _acting(scene, at),
        "data-wins": seat == _winning(scene, at),
    }
    return element("span", attributes, empty, *drawn)


def _laid(scene: Scene, code: str, first: int, until: int | None) -> Html:
    attributes: dict[str, object] = {"data-in": first, "data-out": until}
    if not scene.moment.is_now(first, until):
        if scene.moment.seat is not None:
            return Html("")
        attributes["class"] = "gone"
    return scene.card(code, attributes)


def _conditions(scene: Scene) -> Html:
    deal = scene.deal
    if "trump" not in deal:
        return Html("")
    return trumps_corner(scene.view["preset"], deal["trump"], deal["rensho"], scene.words)


def trumps_corner(preset: str, trump: str, rensho: str, words: Words) -> Html:
    """Trumps and the card that beats everything, in a corner of the mat."""
    highest = Html(words.speculation) if preset == SPECULATION_PRESET else rensho_term(words)
    suit = [cards.suit_text(trump, words), " ", element("b", None, words.suits[trump])]
    return element(
        "p",
        {"class": "mat-corner mat-trumps"},
        element("span", None, words.trumps, " ", *suit),
        " ",
        element("span", None, highest, " ", element("b", None, cards.card_text(rensho, words))),
    )


def _captured(scene: Scene) -> Html:
    """Pictures taken so far, of each side that plays; nothing in a game that does not count them."""
    moment, stops, words = scene.moment, scene.stops, scene.words
    if not _counts_pictures(scene):
        return Html("")
    rows = []
    for side in scene.playing_sides:
        seats = scene.view["sides"][side]
        counts, taken = [(0, 0)], []
        for first, last in stops.groups:
            item = scene.step(last)
            if item["w"] not in seats or item["e"][side] == counts[-1][1]:
                continue
            counts.append((last, item["e"][side]))
            for position in range(first, last + 1):
                code = scene.step(position)["a"]
                if code in PICTURES:
                    card = cards.card_text(code, words)
                    taken.append(moment.timed("span", {"data-captured": code}, card, " ", first=last))
        rows.append(
            element(
                "span",
                {"class": "mat-taken", "data-side": side},
                scene.mark(seats[0]),
                element("span", {"class": "unseen"}, words.side_name(seats)),
                *scene.changes([(first, str(count)) for first, count in counts]),
                element("span", {"class": "mat-taken-cards"}, *taken),
            )
        )
    title = words.pictures_taken
    term = Html("") if words.language == "ja" else element("span", {"lang": "ja"}, "絵柄")
    return element(
        "div",
        {"class": "mat-corner mat-captured"},
        element(
            "span",
            {"class": "mat-taken-head"},
            title.split(" ")[0],
            " ",
            term,
            " ",
            " ".join(title.split(" ")[1:]),
        )
        if term
        else element("span", {"class": "mat-taken-head"}, title),
        *rows,
    )


# River, list, states


def trick_river(scene: Scene) -> list[Html]:
    """A column for each trick: pictures the first side won upwards, the second's downwards, costs below."""
    words, stops = scene.words, scene.stops
    columns = []
    up, down = [*scene.playing_sides, 0, 0][:2]
    for at, (first, last) in enumerate(stops.groups):
        won = _pictures_of(scene, at)
        winner = scene.side.get(_winner(scene, at))
        cost = sum(cost_of(scene.notes, position - stops.position(0)) for position in range(first, last + 1))
        marks = [
            element(
                "span",
                {"class": f"river-up crest-{_colour(scene, up)}", "data-n": won if winner == up else None},
            ),
            element(
                "span",
                {
                    "class": f"river-down crest-{_colour(scene, down)}",
                    "data-n": None if winner == up else won,
                },
            ),
            element(
                "span",
                {"class": "river-cost"},
                words.cost_mark.format(count=cost) if cost and scene.moment.seat is None else "",
            ),
            element("span", {"class": "unseen"}, _takes(scene, at)),
        ]
        number = element("span", {"class": "river-number"}, str(stops.numbers[at]), " ")
        outcome = scene.moment.staged("span", {"class": "river-won"}, *marks, first=last, last=last)
        column = scene.link(last, {}, number, outcome)
        columns.append(scene.moment.marked("li", None, column, first=first, last=last))
    sides = [words.pair(scene.view["sides"][side]) for side in (up, down)] if _counts_pictures(scene) else []
    labels = element(
        "p",
        {"class": "river-sides", "aria-hidden": "true"},
        *(element("span", None, side) for side in sides),
    )
    return [labels, element("ol", {"class": f"river-tricks river-of-{len(columns)}"}, *columns)]


def _colour(scene: Scene, side: int) -> str:
    return cards.colour_of(scene.mark_of(scene.view["sides"][side][0]))


def trick_list(scene: Scene) -> Html:
    """Every play in a table: a row for each trick, a column for each seat."""
    words, stops = scene.words, scene.stops
    seats = [seat for seat in range(1, scene.view["seats"] + 1) if str(seat) in scene.deal["hands"]]
    rows = []
    for at, (first, last) in enumerate(stops.groups):
        winner = _winner(scene, at)
        cells = {}
        for position in range(first, last + 1):
            cells[scene.step(position)["s"]] = _cell(scene, position, position == first, winner)
        number = element("th", {"scope": "row"}, str(stops.numbers[at]))
        row = [number, *(cells.get(seat, element("td", None)) for seat in seats)]
        rows.append(scene.moment.marked("tr", None, *row, first=first, last=last))
    has_costs = scene.notes is not None and scene.moment.seat is None
    legend = [
        element("u", None, words.led),
        words.comma,
        element("b", None, words.won),
        *scene.verdict_legend(),
        *(
            [
                words.comma,
                element("span", {"class": "play-cost"}, words.cost_mark.format(count=1)),
                " ",
                words.legend_plays,
            ]
            if has_costs
            else []
        ),
    ]
    return joined(
        [
            plays_table(scene, "plays", seats, rows),
            element("p", {"class": "plays-legend"}, *legend),
        ]
    )


def _cell(scene: Scene, position: int, is_led: bool, winner: int) -> Html:
    item = scene.step(position)
    kind = "plays-play" + (" is-led" if is_led else "") + (" is-won" if item["s"] == winner else "")
    marks = []
    cost = cost_of(scene.notes, position - scene.stops.position(0))
    if cost and scene.moment.seat is None:
        marks.append(element("span", {"class": "play-cost"}, scene.words.cost_mark.format(count=cost)))
    text = cards.card_text(item["a"], scene.words)
    return scene.play("td", kind, text, *marks, first=position, last=position)


def trick_states(scene: Scene) -> list[State]:
    """Every position of the deal in words."""
    stops, words = scene.stops, scene.words
    states = first_states(scene)
    columns = max(len(stops.groups), 1)
    for at, (first, last) in enumerate(stops.groups):
        for position in range(first, last + 1):
            item = scene.step(position)
            card = words.card_name(item["a"])
            step = position - stops.position(0)
            cost = cost_of(scene.notes, step)
            played = words.plays_card.format(seat=item["s"], card=card)
            takes = _takes_sentence(scene, at) if position == last else ""
            said = words.sentences(played, substituted(item, words), takes)
            costs = spoken_cost(scene.notes, step, words) if cost else ""
            x = 100 * (at + (position - first + 1) / (last - first + 1)) / columns
            title = f"{words.trick.format(trick=item['t'])}{words.comma}{played}"
            states.append(
                State(
                    stops.keys[position],
                    0,
                    item["w"],
                    round(x, 2),
                    said,
                    title.removesuffix(words.full_stop),
                    cost,
                    costs,
                )
            )
    return [state._replace(acting=_acting(scene, at)) for at, state in enumerate(states)]


def result_reason(scene: Scene) -> str:
    """Why the deal paid what it paid."""
    words, end = scene.words, scene.deal["end"]
    if not end["winner"]:
        return words.nobody_won
    if not _counts_pictures(scene):
        return ""
    side = next(at for at, seats in enumerate(scene.view["sides"]) if end["winner"][0] in seats)
    pictures = end.get("pictures", [])
    won = pictures[side] if side < len(pictures) else 0
    pattern = words.categories.get(end.get("category") or "", words.no_category)
    pays = abs(end["stones"].get(str(end["winner"][0]), 0))
    text = pattern.format(pictures=words.counted(words.pictures, won), pays=pays)
    return words.sentences(text, words.even if won == 8 else "")


def _acting(scene: Scene, at: int) -> int:
    """The seat to act at a position; 0 at the end, and while nobody is known to lead."""
    return 0 if at < scene.stops.declared else scene.acting(at)


def _winning(scene: Scene, at: int) -> int:
    return scene.step(at)["w"] if at > scene.stops.declared else 0


def _counts_pictures(scene: Scene) -> bool:
    return "pictures" in scene.deal["end"]


def _pictures_of(scene: Scene, group: int) -> int:
    if not _counts_pictures(scene):
        return 0
    first, last = scene.stops.groups[group]
    return sum(scene.step(position)["a"] in PICTURES for position in range(first, last + 1))


def _winner(scene: Scene, group: int) -> int:
    """The seat that took a trick; 0 if nobody did."""
    return scene.step(scene.stops.groups[group][1])["w"]


def _takes(scene: Scene, group: int) -> str:
    count, winner = _pictures_of(scene, group), _winner(scene, group)
    return scene.words.takes_short[min(count, 2)].format(seat=winner, count=count) if winner else ""


def _takes_sentence(scene: Scene, group: int) -> str:
    words, count, winner = scene.words, _pictures_of(scene, group), _winner(scene, group)
    if not count:
        return words.takes.format(seat=winner) if winner else ""
    return words.counted(words.takes_pictures, count, seat=winner)
