"""What stands beside and below the mat: sentence, result, clocks, the reader's choices, the help."""

from __future__ import annotations

from collections.abc import Sequence

from viewer.markup import Html, element
from viewer.noted import notes_panel
from viewer.scene import Scene, State
from viewer.tricks import result_reason
from viewer.turns import ending
from viewer.words import Words, milliseconds, signed


def panels(scene: Scene, state: State) -> Html:
    """The position in a sentence, and the solver's notes where there are any."""
    words = scene.words
    title = words.this_play if scene.deck == "french" else words.this_turn
    said = [element("p", {"data-said": True, "class": "replay-said"}, _sentence(scene, state))]
    if scene.deck == "komatsu":
        wild = [] if words.language == "ja" else [element("span", {"lang": "ja"}, "鬼札"), ": "]
        head = ["鬼札："] if words.language == "ja" else ["Wild cards "]
        said.append(element("p", {"class": "small"}, *head, *wild, words.wild_cards))
    panels = [panel(title, *said)]
    if scene.notes is not None:
        panels.append(notes_panel(scene))
    return element("div", {"class": "replay-panels"}, *panels)


def _sentence(scene: Scene, state: State) -> str:
    return scene.words.sentences(state.said, "" if scene.moment.seat is not None else state.cost_said)


def panel(title: str, *children: str) -> Html:
    """A titled panel."""
    return element("section", {"class": "replay-panel"}, element("h2", None, title), *children)


def result_panel(scene: Scene, board_href: str | None) -> Html:
    """What the deal paid, and why."""
    words, end = scene.words, scene.deal["end"]
    rows = []
    for at, seats in enumerate(scene.view["sides"]):
        if set(seats) & set(scene.deal.get("resting", [])):
            continue
        pictures = end.get("pictures", [])
        won = words.counted(words.pictures, pictures[at]) + words.comma if at < len(pictures) else ""
        number = words.pair(seats) if len(seats) > 1 else words.seat_name(seats[0]).lower()
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
    reason = result_reason(scene) if scene.deck == "french" else ending(scene)
    return panel(
        words.result,
        element("ul", {"class": "replay-result"}, *rows),
        element("p", {"class": "small"}, reason),
        *([element("p", None, element("a", {"href": board_href}, words.board_page))] if board_href else []),
    )


def clocks_panel(scene: Scene) -> list[Html]:
    """CPU time of each side on the deal, and of its banks; nothing if no times were kept."""
    words = scene.words
    times: dict[int, list[int]] = {}
    for item in [*scene.deal["before"], *scene.items]:
        if "us" in item and "s" in item:
            times.setdefault(scene.side[item["s"]], []).append(item["us"])
    if not times:
        return []
    rows = []
    for at, seats in enumerate(scene.view["sides"]):
        if at in times:
            total = sum(times[at])
            used = words.longest.format(total=milliseconds(total), longest=milliseconds(max(times[at])))
            text = [element("span", None, used), *_bank(scene, seats)]
            name = words.side_name(seats)
            rows.append(
                element(
                    "li",
                    None,
                    element("span", None, scene.mark(seats[0]), " ", name),
                    *_bank_bar(scene, seats, total),
                    element("span", {"class": "n"}, *text),
                )
            )
    legend = [element("p", {"class": "small"}, words.bank_bars)] if scene.deal.get("bank") else []
    return [panel(words.cpu, element("ul", {"class": "replay-clocks"}, *rows), *legend)]


def _banks_left(scene: Scene, seats: Sequence[int]) -> list[int]:
    """What is left of the banks of these seats, in microseconds; nothing where that is not known."""
    banks = scene.deal.get("bank", {})
    return [banks[str(seat)] for seat in seats if str(seat) in banks]


def _bank_bar(scene: Scene, seats: Sequence[int], used: int) -> list[Html]:
    """A bar that is full if the deal used up all that the banks of a side held for it."""
    left = _banks_left(scene, seats)
    if not left:
        return []
    width = f"{100 * used / ((used + sum(left)) or 1):.1f}%"
    return [Html(f'<svg class="cpu-bar" aria-hidden="true"><rect width="{width}" height="100%"/></svg>')]


def _bank(scene: Scene, seats: Sequence[int]) -> list[Html]:
    """What a side has left: each of its seats a bank of its own, of which the smallest is named."""
    left = _banks_left(scene, seats)
    if not left:
        return []
    text = scene.words.bank if len(left) == 1 else scene.words.banks
    return [element("span", {"class": "clock-bank"}, text.format(left=milliseconds(min(left))))]


def choices(scene: Scene) -> Html:
    """Choices of the reader's, which the script keeps in the browser."""
    words = scene.words
    if scene.deck == "french":
        label, option = words.four_colours, "four"
    else:
        label, option = words.french_cards, "french"
    box = element("input", {"type": "checkbox", "data-option": option})
    return element(
        "p",
        {"class": "replay-options"},
        element("label", None, box, " ", label),
    )


def help_dialog(words: Words) -> Html:
    """All keys, and the speed. Once a page, outside what changes."""
    rows = [
        element(
            "div",
            None,
            element("dt", None, *(element("kbd", None, key) for key in keys.split(" "))),
            element("dd", None, does),
        )
        for keys, does in words.keys.items()
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
    close = element("button", {"type": "submit", "class": "replay-close", "value": "close"}, words.close)
    return element(
        "dialog",
        {"class": "replay-dialog", "aria-labelledby": "replay-keys"},
        element("h2", {"id": "replay-keys"}, words.help),
        element("dl", None, *rows),
        element(
            "form",
            {"method": "dialog"},
            element("fieldset", None, element("legend", None, words.speed), *speeds),
            close,
        ),
    )


def live_region(rest_of_title: str) -> Html:
    """Where the script puts the sentence that is spoken. Once a page, outside what changes.

    ``rest_of_title`` follows the position in the page's title.
    """
    attributes = {"class": "unseen", "aria-live": "polite", "data-spoken": True, "data-rest": rest_of_title}
    return element("p", attributes)
