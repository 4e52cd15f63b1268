"""Panels next to and below the mat: sentence, result, clocks, display options, help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from viewer.markup import Html, element
from viewer.note_panel import notes_panel
from viewer.scene import PositionState, Scene
from viewer.texts import ViewerTexts, milliseconds, signed
from viewer.tricks import result_reason
from viewer.turns import ending


def panels(scene: Scene, state: PositionState) -> Html:
    """Return the position as a sentence, and the solver's notes if there are any."""
    texts = scene.texts
    title = texts.this_play if scene.deck == "french" else texts.this_turn
    paragraphs = [element("p", {"data-sentence": True, "class": "replay-sentence"}, _sentence(scene, state))]
    if scene.deck == "komatsu":
        wild = [] if texts.language == "ja" else [element("span", {"lang": "ja"}, "鬼札"), ": "]
        head = ["鬼札："] if texts.language == "ja" else ["Wild cards "]
        paragraphs.append(element("p", {"class": "small"}, *head, *wild, texts.wild_cards))
    panels = [panel(title, *paragraphs)]
    if scene.notes is not None:
        panels.append(notes_panel(scene))
    return element("div", {"class": "replay-panels"}, *panels)


def _sentence(scene: Scene, state: PositionState) -> str:
    return scene.texts.sentences(state.said, "" if scene.moment.seat is not None else state.cost_said)


def panel(title: str, *children: str) -> Html:
    return element("section", {"class": "replay-panel"}, element("h2", None, title), *children)


def result_list(scene: Scene) -> Html:
    """Return pictures and stones of each side that played."""
    texts, end = scene.texts, scene.deal["end"]
    rows = []
    for index, seats in enumerate(scene.view["sides"]):
        if set(seats) & set(scene.deal.get("resting", [])):
            continue
        pictures = end.get("pictures", [])
        won = texts.counted(texts.pictures, pictures[index]) + texts.comma if index < len(pictures) else ""
        number = texts.pair(seats) if len(seats) > 1 else texts.seat_name(seats[0]).lower()
        rows.append(
            element(
                "li",
                None,
                element(
                    "span",
                    None,
                    scene.mark(seats[0]),
                    " ",
                    scene.side_label(seats),
                    " ",
                    element("small", None, number),
                ),
                element(
                    "span",
                    {"class": "n"},
                    won,
                    element("b", None, signed(end["stones"].get(str(seats[0]), 0))),
                ),
            )
        )
    return element("ul", {"class": "replay-result"}, *rows)


def result_panel(scene: Scene, board_href: str | None) -> Html:
    texts = scene.texts
    reason = result_reason(scene) if scene.deck == "french" else ending(scene)
    return panel(
        texts.result,
        result_list(scene),
        element("p", {"class": "small"}, reason),
        *([element("p", None, element("a", {"href": board_href}, texts.board_page))] if board_href else []),
    )


def clocks_panel(scene: Scene) -> list[Html]:
    """Return the CPU time of each side on the deal, and of its banks; empty without times."""
    texts = scene.texts
    times: dict[int, list[int]] = {}
    for item in [*scene.deal["before"], *scene.items]:
        if "us" in item and "s" in item:
            times.setdefault(scene.side[item["s"]], []).append(item["us"])
    if not times:
        return []
    rows = []
    for index, seats in enumerate(scene.view["sides"]):
        if index in times:
            total = sum(times[index])
            used = texts.longest.format(total=milliseconds(total), longest=milliseconds(max(times[index])))
            text = [element("span", None, used), *_bank(scene, seats)]
            name = texts.side_name(seats)
            rows.append(
                element(
                    "li",
                    None,
                    element("span", None, scene.mark(seats[0]), " ", name),
                    *_bank_bar(scene, seats, total),
                    element("span", {"class": "n"}, *text),
                )
            )
    legend = [element("p", {"class": "small"}, texts.bank_bars)] if scene.deal.get("bank") else []
    return [panel(texts.cpu, element("ul", {"class": "replay-clocks"}, *rows), *legend)]


def _remaining_banks(scene: Scene, seats: Sequence[int]) -> list[int]:
    """Return the remaining banks of these seats, in microseconds; empty if unknown."""
    banks = scene.deal.get("bank", {})
    return [banks[str(seat)] for seat in seats if str(seat) in banks]


def _bank_bar(scene: Scene, seats: Sequence[int], used: int) -> list[Html]:
    """Return a bar that is full if the deal used the whole banks of a side."""
    left = _remaining_banks(scene, seats)
    if not left:
        return []
    width = f"{100 * used / ((used + sum(left)) or 1):.1f}%"
    return [Html(f'<svg class="cpu-bar" aria-hidden="true"><rect width="{width}" height="100%"/></svg>')]


def _bank(scene: Scene, seats: Sequence[int]) -> list[Html]:
    left = _remaining_banks(scene, seats)
    if not left:
        return []
    text = scene.texts.bank if len(left) == 1 else scene.texts.banks
    return [element("span", {"class": "clock-bank"}, text.format(left=milliseconds(min(left))))]


def display_options(scene: Scene) -> Html:
    """Return the display options, which the script stores in the browser."""
    texts = scene.texts
    if scene.deck == "french":
        label, option = texts.four_colours, "four"
    else:
        label, option = texts.french_cards, "french"
    box = element("input", {"type": "checkbox", "data-option": option})
    return element(
        "p",
        {"class": "replay-options"},
        element("label", None, box, " ", label),
    )


def help_dialog(texts: ViewerTexts, keys: Mapping[str, str] | None = None) -> Html:
    """Return the keys, by default all of a replay, and the speed.

    Once per page, outside the part that changes.
    """
    rows = [
        element(
            "div",
            None,
            element("dt", None, *(element("kbd", None, key) for key in keys.split(" "))),
            element("dd", None, does),
        )
        for keys, does in (texts.keys if keys is None else keys).items()
    ]
    speeds = [
        element(
            "label",
            None,
            element("input", {"type": "radio", "name": "speed", "value": value, "checked": value == "1"}),
            f" {value}×",
        )
        for value in ("0.5", "1", "2")
    ]
    close = element("button", {"type": "submit", "class": "replay-close", "value": "close"}, texts.close)
    return element(
        "dialog",
        {"class": "replay-dialog", "aria-labelledby": "replay-keys"},
        element("h2", {"id": "replay-keys"}, texts.help),
        element("dl", None, *rows),
        element(
            "form",
            {"method": "dialog"},
            element("fieldset", None, element("legend", None, texts.speed), *speeds),
            close,
        ),
    )


def live_region(rest_of_title: str) -> Html:
    """Return the element that receives the spoken sentence, once per page, outside the part that changes.

    ``rest_of_title`` follows the position in the page's title.
    """
    attributes = {
        "class": "unseen",
        "aria-live": "polite",
        "data-announcement": True,
        "data-rest": rest_of_title,
    }
    return element("p", attributes)
