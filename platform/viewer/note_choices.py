"""The choices of a costly play: the question of a retry, and the table of legal cards with their values."""

from __future__ import annotations

from itertools import groupby

from analysis.shapes import StepNote
from viewer import cards
from viewer.markup import Html, element, joined
from viewer.scene import Scene
from viewer.solver_notes import card_values, step_cost
from viewer.texts import signed


def question_parts(scene: Scene, step: int, note: StepNote) -> list[Html]:
    texts, item, position = scene.texts, scene.items[step], scene.stops.position(step)
    key, retry = scene.stops.keys[position], scene.retry
    values, sign = card_values(note), scene.sign(item["s"])
    best = max(sign * value for value in values.values())
    answers = {}
    for card in _in_hand_order(scene, item["s"], values):
        name = texts.card_name(card)
        name = name[:1].upper() + name[1:]
        cost = best - sign * values[card]
        answers[card] = (
            texts.counted(texts.would_cost, cost, card=name)
            if cost
            else texts.would_be_best.format(card=name)
        )
    spent = int(step_cost(scene.notes, step))
    question = scene.about(
        texts.retry_question[spent != 1], item["s"], count=spent, card=texts.card_name(item["a"])
    )
    choices = [
        element(
            "a",
            {
                "class": cards.text_class(card),
                "data-choose": card,
                "data-answer": answer,
                "href": scene.links.to(key, retry=card),
                "aria-label": texts.card_name(card),
            },
            cards.plain_text(card),
        )
        for card, answer in answers.items()
        if card != item["a"]
    ]
    chosen = retry.chosen if retry and retry.position == position else ""
    back = {"data-go": position, "href": scene.links.to(key)}
    return [
        element("p", {"data-question": True}, question),
        element("p", {"class": "note-choices"}, *choices),
        element("p", {"data-result": True}, element("b", None, answers.get(chosen, ""))),
        element("p", {"class": "note-links"}, element("a", back, texts.back_to_game)),
    ]


def _in_hand_order(scene: Scene, seat: int, values: dict[str, int]) -> list[str]:
    return [card for card in scene.deal["hands"][str(seat)] if card in values]


def choices_table(scene: Scene, step: int, note: StepNote) -> Html:
    """Return all legal cards with cost and value, best first; equal cards share a row."""
    texts, item = scene.texts, scene.items[step]
    seat, played, sign = item["s"], item["a"], scene.sign(item["s"])
    values = card_values(note)
    best = max(sign * value for value in values.values())
    rows = []
    hand = _in_hand_order(scene, seat, values)
    for (cost, is_played), equal in groupby(
        sorted(hand, key=lambda card: (best - sign * values[card], card == played)),
        key=lambda card: (best - sign * values[card], card == played),
    ):
        codes = list(equal)
        mark = texts.was_played if is_played else texts.best if not cost else ""
        rows.append(
            element(
                "tr",
                {"class": "is-played" if is_played else None},
                element(
                    "td",
                    None,
                    joined([cards.card_text(code, texts) for code in codes], " "),
                    *([" ", element("small", None, mark)] if mark else []),
                ),
                element("td", {"class": "n"}, texts.cost_mark.format(count=cost) if cost else "–"),
                element("td", {"class": "n"}, signed(values[codes[0]])),
            )
        )
    first = scene.view["sides"][scene.playing_sides[0]]
    head = element(
        "tr",
        None,
        element("th", {"scope": "col"}, scene.about(texts.could_play, seat)),
        element("th", {"scope": "col", "class": "n"}, texts.cost),
        element(
            "th",
            {"scope": "col", "class": "n"},
            f"{texts.stones_to} {texts.pair(first)}",
        ),
    )
    body = element("tbody", None, *rows)
    return element("table", {"class": "replay-note-choices"}, element("thead", None, head), body)
