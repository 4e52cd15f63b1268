"""Rendering of deals of Kakeya and Etori: hands, trick, pictures, river of tricks, list of plays."""

from __future__ import annotations

from engine.cards import PICTURES
from viewer import cards
from viewer.markup import Html, element, joined
from viewer.mat import mat, mat_class, rensho_term, seat_block
from viewer.scene import PositionState, Scene, first_states, plays_table, substitution_text
from viewer.solver_notes import best_cards, step_cost, step_note
from viewer.texts import ViewerTexts

SPECULATION_PRESET = "etori.meiji"


# The mat


def trick_mat(scene: Scene) -> Html:
    blocks = [_seat(scene, seat) for seat in range(1, scene.view["seats"] + 1)]
    corners = (_conditions(scene), _captured(scene))
    return mat(mat_class(scene.deck, scene.view["seats"]), _middle(scene), blocks, *corners)


def _seat(scene: Scene, seat: int) -> Html:
    label = scene.label(seat)
    if seat in scene.deal.get("resting", []):
        rests = element("p", {"class": "seat-rests"}, scene.texts.rests)
        return seat_block(seat, label, rests, is_resting=True)
    played = {
        item["a"]: scene.stops.position(index) for index, item in enumerate(scene.items) if item["s"] == seat
    }
    return seat_block(
        seat, label, scene.hand(seat, played), is_acting=seat == _acting(scene, scene.moment.at)
    )


def _middle(scene: Scene) -> Html:
    moment, stops, texts = scene.moment, scene.stops, scene.texts
    seats = [seat for seat in range(1, scene.view["seats"] + 1) if str(seat) in scene.deal["hands"]]
    slots = [_slot(scene, seat) for seat in seats]
    heads = []
    for index, (first, last) in enumerate(stops.groups):
        begins = first if index else 0
        ends = stops.groups[index + 1][0] if index + 1 < len(stops.groups) else None
        heads.append(
            moment.timed("b", None, texts.trick.format(trick=stops.numbers[index]), first=begins, until=ends)
        )
        if not index and "leaders" in scene.deal:
            heads += _leading(scene, first)
        if "trump" in scene.deal:
            led = texts.suit_led.format(suit=texts.suits[scene.step(first)["a"][1]])
            heads.append(moment.timed("span", None, led, first=first, until=last))
        heads.append(moment.timed("span", None, _takes(scene, index), first=last, until=ends))
    head = element("p", {"class": "trick-head"}, *heads)
    return element("div", {"class": f"mat-middle mat-trick mat-trick-{scene.view['seats']}"}, *slots, head)


def _leading(scene: Scene, first: int) -> list[Html]:
    """Return the seats that may lead to the first trick until the declarations, then the one that leads."""
    moment, texts, declared = scene.moment, scene.texts, scene.stops.declared
    leads = scene.about(texts.to_lead, scene.items[0]["s"])
    heads = [moment.timed("span", None, leads, first=declared, until=first)]
    if declared:
        seats = scene.deal.get("leaders", [])
        if scene.reader is not None:
            names = texts.any_of(scene.reader.names[seat] for seat in seats)
        else:
            names = texts.seat_name(0).replace("0", texts.any_of(seats))
        may_lead = texts.about_seat(texts.to_lead, 0, {0: names})
        heads.append(moment.timed("span", None, may_lead, until=declared))
    return heads


def _slot(scene: Scene, seat: int) -> Html:
    """Return a seat's place in the trick; the empty place lies below the cards."""
    stops, drawn_position = scene.stops, scene.moment.at
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
        element("i", {"class": "slot-turn"}, scene.texts.to_play),
    )
    attributes = {
        "class": f"slot slot-{seat}",
        "data-slot": seat,
        "data-acting": seat == _acting(scene, drawn_position),
        "data-wins": seat == _winning(scene, drawn_position),
    }
    return element("span", attributes, empty, *drawn)


def _laid(scene: Scene, code: str, first: int, until: int | None) -> Html:
    if scene.moment.is_omitted(first, until):
        return Html("")
    kind = scene.outline(scene.step_at(first))
    if not scene.moment.is_now(first, until):
        if scene.moment.seat is not None:
            return Html("")
        kind += " gone"
    return scene.card(code, {**scene.moment.span(first, until), "class": kind.strip() or None})


def _conditions(scene: Scene) -> Html:
    deal = scene.deal
    if "trump" not in deal:
        return Html("")
    return trumps_corner(scene.view["preset"], deal["trump"], deal["rensho"], scene.texts)


def trumps_corner(preset: str, trump: str, rensho: str, texts: ViewerTexts) -> Html:
    highest = Html(texts.speculation) if preset == SPECULATION_PRESET else rensho_term(texts)
    suit = [cards.suit_text(trump, texts), " ", element("b", None, texts.suits[trump])]
    return element(
        "p",
        {"class": "mat-corner mat-trumps"},
        element("span", None, texts.trumps, " ", *suit),
        " ",
        element("span", None, highest, " ", element("b", None, cards.card_text(rensho, texts))),
    )


def _captured(scene: Scene) -> Html:
    """Return the pictures of each playing side so far; empty in a game that does not count them."""
    moment, stops, texts = scene.moment, scene.stops, scene.texts
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
                    card = cards.card_text(code, texts)
                    taken.append(moment.timed("span", {"data-captured": code}, card, " ", first=last))
        rows.append(
            element(
                "span",
                {"class": "mat-taken", "data-side": side},
                scene.mark(seats[0]),
                element("span", {"class": "unseen"}, texts.side_name(seats)),
                *scene.changes([(first, str(count)) for first, count in counts]),
                *([] if moment.stops else [element("span", {"class": "mat-taken-cards"}, *taken)]),
            )
        )
    title = texts.pictures_taken
    term = Html("") if texts.language == "ja" else element("span", {"lang": "ja"}, "絵柄")
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
    """Return a column per trick: pictures of the first side upwards, of the second downwards, costs below."""
    texts, stops = scene.texts, scene.stops
    columns = []
    up, down = [*scene.playing_sides, 0, 0][:2]
    for index, (first, last) in enumerate(stops.groups):
        won = _pictures_of(scene, index)
        winner = scene.side.get(_winner(scene, index))
        cost = sum(step_cost(scene.notes, scene.step_at(position)) for position in range(first, last + 1))
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
                texts.cost_mark.format(count=cost) if cost and scene.moment.seat is None else "",
            ),
            element("span", {"class": "unseen"}, _takes(scene, index)),
        ]
        number = element("span", {"class": "river-number"}, str(stops.numbers[index]), " ")
        outcome = scene.moment.staged("span", {"class": "river-won"}, *marks, first=last, last=last)
        column = scene.link(last, {}, number, outcome)
        columns.append(scene.moment.marked("li", None, column, first=first, last=last))
    sides = [texts.pair(scene.view["sides"][side]) for side in (up, down)] if _counts_pictures(scene) else []
    labels = element(
        "p",
        {"class": "river-sides", "aria-hidden": "true"},
        *(element("span", None, side) for side in sides),
    )
    return [labels, element("ol", {"class": f"river-tricks river-of-{len(columns)}"}, *columns)]


def _colour(scene: Scene, side: int) -> str:
    return cards.crest_colour(scene.crest_index(scene.view["sides"][side][0]))


def trick_list(scene: Scene) -> Html:
    """Return every play in a table: a row per trick, a column per seat."""
    texts, stops = scene.texts, scene.stops
    seats = [seat for seat in range(1, scene.view["seats"] + 1) if str(seat) in scene.deal["hands"]]
    rows = []
    for index, (first, last) in enumerate(stops.groups):
        winner = _winner(scene, index)
        cells = {}
        for position in range(first, last + 1):
            cells[scene.step(position)["s"]] = _cell(scene, position, position == first, winner)
        number = element("th", {"scope": "row"}, str(stops.numbers[index]))
        row = [number, *(cells.get(seat, element("td", None)) for seat in seats)]
        rows.append(scene.moment.marked("tr", None, *row, first=first, last=last))
    legend = [
        element("u", None, texts.led),
        texts.comma,
        element("b", None, texts.won),
        *scene.verdict_legend(),
        *scene.cost_legend(),
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
    marks = scene.cost_marks([scene.step_at(position)])
    text = cards.card_text(item["a"], scene.texts)
    return scene.play("td", kind, text, *marks, first=position, last=position)


def trick_states(scene: Scene) -> list[PositionState]:
    stops, texts = scene.stops, scene.texts
    states = first_states(scene)
    columns = max(len(stops.groups), 1)
    for index, (first, last) in enumerate(stops.groups):
        for position in range(first, last + 1):
            item = scene.step(position)
            card = texts.card_name(item["a"])
            cost = step_cost(scene.notes, scene.step_at(position))
            played = scene.about(texts.plays_card, item["s"], card=card)
            takes = _takes_sentence(scene, index) if position == last else ""
            text = texts.sentences(played, substitution_text(item, texts), takes)
            costs = _spoken_cost(scene, scene.step_at(position)) if cost else ""
            x = 100 * (index + (position - first + 1) / (last - first + 1)) / columns
            title = f"{texts.trick.format(trick=item['t'])}{texts.comma}{played}"
            states.append(
                PositionState(
                    stops.keys[position],
                    0,
                    item["w"],
                    round(x, 2),
                    text,
                    title.removesuffix(texts.full_stop),
                    cost,
                    costs,
                )
            )
    return [state._replace(acting=_acting(scene, index)) for index, state in enumerate(states)]


def _spoken_cost(scene: Scene, step: int) -> str:
    note = step_note(scene.notes, step)
    best = best_cards(note, scene.sign(scene.items[step]["s"])) if note else []
    if note is None or not best:
        return ""
    cost, card = note.get("cost", 0), scene.texts.card_name(best[0])
    return scene.texts.counted(scene.texts.spoken_cost, cost, card=card)


def result_reason(scene: Scene) -> str:
    texts, end = scene.texts, scene.deal["end"]
    if not end["winner"]:
        return texts.nobody_won
    if not _counts_pictures(scene):
        return ""
    side = next(index for index, seats in enumerate(scene.view["sides"]) if end["winner"][0] in seats)
    pictures = end.get("pictures", [])
    won = pictures[side] if side < len(pictures) else 0
    pattern = texts.categories.get(end.get("category") or "", texts.no_category)
    pays = abs(end["stones"].get(str(end["winner"][0]), 0))
    text = pattern.format(pictures=texts.counted(texts.pictures, won), pays=pays)
    return texts.sentences(text, texts.even if won == 8 else "")


def _acting(scene: Scene, position: int) -> int:
    """Return the seat to act at a position; 0 at the end, and before the leader is known."""
    return 0 if position < scene.stops.declared else scene.acting(position)


def _winning(scene: Scene, position: int) -> int:
    return scene.step(position)["w"] if position > scene.stops.declared else 0


def _counts_pictures(scene: Scene) -> bool:
    return "pictures" in scene.deal["end"]


def _pictures_of(scene: Scene, group: int) -> int:
    if not _counts_pictures(scene):
        return 0
    first, last = scene.stops.groups[group]
    return sum(scene.step(position)["a"] in PICTURES for position in range(first, last + 1))


def _winner(scene: Scene, group: int) -> int:
    """Return the winner of a trick; 0 if there is none."""
    return scene.step(scene.stops.groups[group][1])["w"]


def _takes(scene: Scene, group: int) -> str:
    count, winner = _pictures_of(scene, group), _winner(scene, group)
    return scene.about(scene.texts.takes_short[min(count, 2)], winner, count=count) if winner else ""


def _takes_sentence(scene: Scene, group: int) -> str:
    texts, count, winner = scene.texts, _pictures_of(scene, group), _winner(scene, group)
    pattern = texts.takes_pictures[count != 1] if count else texts.takes
    return scene.about(pattern, winner, count=count) if winner else ""
