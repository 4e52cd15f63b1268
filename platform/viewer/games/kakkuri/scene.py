"""Scene of a position of Kakkuri: the value to follow, the hands, the melds of each seat, previous turns."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

from engine.cards import SUITS
from engine.games.kakkuri.deal import HAND
from engine.games.kakkuri.melds import WILDS, next_values
from engine.games.kakkuri.notation import DROP, PASS
from engine.games.kakkuri.state import TURNS
from viewer.cards import COURT_ORDER, komatsu_value
from viewer.position_scene import (
    Chip,
    Event,
    Line,
    Observation,
    Play,
    PositionScene,
    SceneInput,
    SeatRows,
    SeatScene,
    card_chip,
    card_sign,
)
from viewer.texts import ViewerTexts
from viewer.turns import may_follow

ACT_KINDS = {"PASS": "pass", DROP: "drop", "TURN": "turn", "SANSOKU": "sansoku"}
"""Actions of a turn, with their kinds of entries in a view."""


class SeatTurn(NamedTuple):
    seat: int
    follow: int | None
    chips: list[Chip]
    left: int
    is_over: bool


def turn_scene(look: SceneInput) -> PositionScene:
    """Return the scene, or raise KeyError, ValueError, TypeError or AttributeError for other observations."""
    observation, texts = look.observation, look.texts
    follow = "–" if observation["follow"] is None else str(observation["follow"])
    back = [texts.labels["came_back"]] if observation["return_turn"] else []
    pot = texts.pot[observation["pot"] > 0].format(count=observation["pot"])
    return PositionScene(
        kind="pile",
        headline=look.where(*back),
        own=look.own,
        legal=[_action(action, texts, observation["phase"]) for action in observation["legal"]]
        if look.own
        else [],
        centre=[
            Line(texts.labels["to_follow"], note=texts.comma.join((follow, *back))),
            *(Line(texts.labels["turned_up"], [_card(code, texts)]) for code in observation["turned"][-1:]),
            Line(texts.box, note=texts.comma.join((str(observation["box_size"]), pot))),
        ],
        facts=_facts(look),
        seats=[_seat(look, seat) for seat in range(1, observation["seats"] + 1)],
        laid=[Play(seat, _action(meld, texts)) for seat, meld in observation["plays"]],
        rows=_rows(look),
        score_name=texts.stones,
        play_phase=TURNS,
    )


def turn_event_text(event: Event, texts: ViewerTexts, options: Mapping[str, Any]) -> str:
    match event["e"]:
        case "act" if "@" in event["action"]:
            return texts.about_seat(
                texts.plays_card, event["seat"], card=_action(event["action"], texts).text
            )
        case "act":
            text = _action(event["action"], texts, event["phase"]).meaning
            return texts.about_seat(texts.sentence, event["seat"], said=text)
        case "deal":
            return texts.about_seat(texts.sentence, event["dealer"], said=texts.said["deal DEAL"])
        case "turned":
            return texts.turns_up.format(value=card_sign(event["card"]))
        case "deal_end":
            winner = event["winner"][0] if event["winner"] else 0
            return texts.about_seat(texts.endings[event["how"]], winner)
    return texts.about_seat(texts.sentence, event["seat"], said=texts.said[event["e"]])


def meld_cards(meld: str) -> list[str]:
    """Return the cards of a meld.

    >>> meld_cards("7H+7D+AC@7")
    ['7H', '7D', 'AC']
    """
    return meld.partition("@")[0].split("+")


def meld_value(meld: str) -> int:
    """Return the value of a meld, 7 of ``AC@7``."""
    return int(meld.partition("@")[2])


def following_text(observation: Observation, texts: ViewerTexts) -> str:
    follow = observation["follow"]
    if follow is None:
        return texts.about_seat(texts.starts, observation["dealer"])
    is_back = observation["return_turn"] and not observation["played_this_turn"]
    if is_back and not observation["box_size"] and not observation["turned_this_turn"]:
        return texts.any_follows
    return may_follow(sorted(next_values(follow)), texts)


def _facts(look: SceneInput) -> list[Line]:
    observation, texts = look.observation, look.texts
    facts = [Line("", note=following_text(observation, texts) + texts.full_stop)]
    if observation["last"]:
        facts.append(Line(texts.labels["played_last"], note=texts.seat_name(observation["last"])))
    turned = [texts.acts["turn"]] if observation["turned_this_turn"] else []
    played = [f"{texts.played} {observation['played_this_turn']}"] if observation["played_this_turn"] else []
    if turned or played:
        facts.append(Line(texts.this_turn, note=texts.comma.join((*turned, *played))))
    if len(observation["turned"]) > 1:
        facts.append(Line(texts.labels["turned_up"], [_card(code, texts) for code in observation["turned"]]))
    passed = [
        f"{value}{texts.colon}{texts.comma.join(str(seat) for seat, _ in group)}"
        for value, group in groupby(observation["passes"], key=lambda each: each[1])
    ]
    if passed:
        facts.append(Line(texts.labels["passed"], note="; ".join(passed)))
    return facts


def _seat(look: SceneInput, seat: int) -> SeatScene:
    observation, texts = look.observation, look.texts
    court = look.options.get("court_order", COURT_ORDER)
    hand = sorted(look.hand(seat), key=lambda card: (komatsu_value(card, court), SUITS.index(card[1])))
    states = {"dropped": texts.labels["dropped"], "out": texts.acts["out"]}
    standing = [text for name, text in states.items() if seat in observation[name]]
    roles = {
        texts.dealer: seat == observation["dealer"],
        texts.acts_short["sansoku"]: seat in observation["sansoku"],
    }
    return SeatScene(
        seat,
        cards=[_card(code, texts) for code in hand],
        hidden=0 if hand else observation["hand_sizes"][str(seat)],
        badges=[role for role, applies in roles.items() if applies],
        stones=observation["stones"][str(seat)],
        said=texts.comma.join(standing),
        is_active=not standing,
        is_next=seat in observation["to_act"],
    )


def _rows(look: SceneInput) -> SeatRows | None:
    """Return the turns of the events; consecutive passes share a row."""
    texts = look.texts
    turns = _turns(look)
    if not turns:
        return None
    lines = []
    for is_pass, run in groupby(turns, key=_is_pass):
        group = list(run)
        for same in [group] if is_pass else [[turn] for turn in group]:
            left = "" if is_pass else str(same[0].left)
            seats = " ".join(str(turn.seat) for turn in same)
            lines.append([Line(seats), Line(str(same[0].follow or "")), Line("", same[0].chips), Line(left)])
    labels = texts.labels
    return SeatRows(
        texts.turns,
        [labels["seat"], labels["to_follow"], texts.played, labels["cards_left"]],
        lines,
    )


def _is_pass(turn: SeatTurn) -> bool:
    return [chip.code for chip in turn.chips] == [PASS] and not turn.chips[0].is_played


def _turns(look: SceneInput) -> list[SeatTurn]:
    texts, follow = look.texts, None
    court = look.options.get("court_order", COURT_ORDER)
    left = dict.fromkeys(range(1, look.observation["seats"] + 1), HAND)
    turns: list[SeatTurn] = []
    for event in look.events:
        if event["e"] == "turned":
            follow = komatsu_value(event["card"], court)
            if turns and not turns[-1].is_over:
                card = _card(event["card"], texts)
                turns[-1].chips[-1] = card._replace(text=texts.turned_up.format(value=card.text))
        if event["e"] != "act" or event["phase"] != TURNS:
            continue
        seat, action = event["seat"], event["action"]
        chip = _action(action, texts)._replace(is_played=bool(event.get("verdict")))
        if "@" not in action:
            chip = chip._replace(text=texts.acts_short.get(ACT_KINDS[action], action))
        left[seat] -= len(meld_cards(action)) if "@" in action else 0
        is_over = action in (PASS, DROP) or not left[seat]
        if turns and turns[-1].seat == seat and not turns[-1].is_over:
            # A pass that only ends a turn is not displayed.
            ends = action == PASS and not chip.is_played
            chips = turns[-1].chips if ends else [*turns[-1].chips, chip]
            turns[-1] = turns[-1]._replace(chips=chips, left=left[seat], is_over=is_over)
        else:
            turns.append(SeatTurn(seat, follow, [chip], left[seat], is_over))
        if "@" in action:
            follow = meld_value(action)
    return turns


def _card(code: str, texts: ViewerTexts) -> Chip:
    return card_chip(code, texts, is_special=code in WILDS)


def _action(action: str, texts: ViewerTexts, phase: str = TURNS) -> Chip:
    """Return a chip for a protocol word, or for a meld with its value if the cards do not show it."""
    if "@" not in action:
        meaning = texts.acts[ACT_KINDS[action]] if action in ACT_KINDS else texts.said[f"{phase} {action}"]
        return Chip(action, action, meaning)
    parts = [_card(code, texts) for code in meld_cards(action)]
    as_value = texts.as_value.format(value=meld_value(action))
    text = " ".join(part.text for part in parts)
    if all(part.is_special for part in parts):
        text = f"{text} {as_value}"
    meaning = texts.comma.join((*(part.meaning for part in parts), as_value))
    suits = "".join(part.suits for part in parts)
    return Chip(action, text, meaning, suits, any(part.is_special for part in parts))
