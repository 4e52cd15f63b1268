"""A solver's notes: the cost of a play, and the best plays. See ``viewer.shapes.Notes``."""

from __future__ import annotations

from itertools import groupby

from viewer import cards
from viewer.markup import Html, element, joined
from viewer.scene import Scene
from viewer.shapes import BoardNotes, NotedStep
from viewer.texts import ViewerTexts, signed


def step_cost(notes: BoardNotes | None, step: int) -> int:
    """Return the stones that a step cost the side of its player; 0 if unknown."""
    noted = notes["steps"].get(str(step)) if notes else None
    return noted.get("c", 0) if noted else 0


def best_card(noted: NotedStep) -> str | None:
    best = noted.get("best", [])
    return best[0] if best else None


def spoken_cost(notes: BoardNotes | None, step: int, texts: ViewerTexts) -> str:
    noted = notes["steps"][str(step)] if notes else None
    best = best_card(noted) if noted else None
    if noted is None or best is None:
        return ""
    return texts.counted(texts.spoken_cost, noted.get("c", 0), card=texts.card_name(best))


def notes_panel(scene: Scene) -> Html:
    """Return the solver's panel for the position: all cards for a costly play, a sentence for others."""
    texts, notes, moment = scene.texts, scene.notes, scene.moment
    assert notes is not None, "the caller has looked"
    head = element("h2", None, texts.solver)
    is_closed = moment.seat is not None
    closed = element("p", {"data-for-seat": True, "class": None if is_closed else "gone"}, texts.for_all_only)
    foot = element("p", {"class": "small"}, texts.all_known)
    if is_closed:
        return element("section", {"class": "replay-panel replay-notes"}, head, closed, foot)
    start, length = scene.stops.position(0), len(scene.items)
    parts = []
    solved = [step for step in range(length) if str(step) in notes["steps"]]
    begins = min(solved, default=length)
    key = scene.stops.keys[start + begins] if begins < length else scene.stops.keys[-1]
    parts.append(moment.timed("p", None, texts.solved_from.format(key=key), until=start + begins))
    for value, steps in groupby(range(begins, length), key=lambda step: _value_without_cost(notes, step)):
        run = list(steps)
        span = (start + run[0], start + run[-1] + 1)
        if value is None:
            parts += [_costly(scene, step) for step in run if step_cost(notes, step)]
            parts += [
                moment.timed("p", None, texts.not_solved, first=start + step, until=start + step + 1)
                for step in run
                if str(step) not in notes["steps"]
            ]
        else:
            seats = _first_side(scene)
            text = texts.costs_nothing.format(seats=seats, value=signed(value))
            parts.append(moment.timed("p", None, text, first=span[0], until=span[1]))
    return element("section", {"class": "replay-panel replay-notes"}, head, *parts, closed, foot)


def _value_without_cost(notes: BoardNotes, step: int) -> int | None:
    """Return the value after a step that cost nothing; None for a costly or unknown one."""
    noted = notes["steps"].get(str(step))
    return noted["v"] if noted and not noted.get("c") else None


def _first_side(scene: Scene) -> str:
    sides = scene.playing_sides
    name = scene.texts.side_name(scene.view["sides"][sides[0]])
    return name[:1].lower() + name[1:]


def _costly(scene: Scene, step: int) -> Html:
    texts, notes = scene.texts, scene.notes
    assert notes is not None, "the caller has looked"
    noted, item = notes["steps"][str(step)], scene.items[step]
    code = item["a"]
    name = texts.card_name(code)
    text: list[str] = [
        element(
            "b", None, texts.counted(texts.cost_stones, noted.get("c", 0), card=name[:1].upper() + name[1:])
        )
    ]
    best, every = best_card(noted), noted.get("all", {})
    if best is not None and best in every:
        text += [
            texts.after_sentence,
            texts.would_have.format(
                card=texts.card_name(best),
                seats=_first_side(scene),
                best=signed(every[best][0]),
                value=signed(noted["v"]),
            ),
        ]
    position = scene.stops.position(step)
    return scene.moment.timed(
        "div",
        {"class": "replay-note", "data-note": position},
        element("p", None, *text),
        _choices(scene, item["s"], code, noted),
        first=position,
        until=position + 1,
    )


def _choices(scene: Scene, seat: int, played: str, noted: NotedStep) -> Html:
    """Return all cards the seat could play; equal ones share a row."""
    texts = scene.texts
    first = scene.playing_sides[0]
    best = set(noted.get("best", []))
    gives = noted.get("all", {})

    def kind(code: str) -> tuple[bool, bool, int, int]:
        return (code not in best, code == played, gives[code][0], gives[code][1])

    rows = []
    for key, equal in groupby(sorted(gives, key=lambda code: (*kind(code), code[1], code[0])), key=kind):
        codes = list(equal)
        mark = texts.was_played if key[1] else texts.best if not key[0] else ""
        rows.append(
            element(
                "tr",
                {"class": "is-played" if key[1] else None},
                element(
                    "td",
                    None,
                    joined([cards.card_text(code, texts) for code in codes], " "),
                    " ",
                    element("small", None, mark),
                ),
                element("td", {"class": "n"}, f"{key[3]} – {16 - key[3]}"),
                element("td", {"class": "n"}, signed(key[2])),
            )
        )
    head = element(
        "tr",
        None,
        element("th", {"scope": "col"}, texts.could_play.format(seat=seat)),
        element("th", {"scope": "col", "class": "n"}, texts.pictures_column),
        element(
            "th",
            {"scope": "col", "class": "n"},
            texts.stones_to,
            " ",
            scene.mark(scene.view["sides"][first][0]),
            element("span", {"class": "unseen"}, texts.side_name(scene.view["sides"][first])),
        ),
    )
    return element(
        "table", {"class": "replay-note-choices"}, element("thead", None, head), element("tbody", None, *rows)
    )
