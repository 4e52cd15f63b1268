"""A position of Kakkuri: what is to be followed, the hands, the melds of each seat, the turns before."""

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
    Look,
    Observation,
    Play,
    Rows,
    Scene,
    SeatScene,
    card_chip,
    card_sign,
)
from viewer.turns import may_follow
from viewer.words import Words

ACT_KINDS = {"PASS": "pass", DROP: "drop", "TURN": "turn", "SANSOKU": "sansoku"}
"""The words of a turn, as entries of a view call them."""


class Turn(NamedTuple):
    """One turn of a seat."""

    seat: int
    follow: int | None
    """What was to be followed when it began."""
    chips: list[Chip]
    left: int
    is_over: bool


def turn_scene(look: Look) -> Scene:
    """See ``viewer.position_scene``.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: an observation is not of Kakkuri.
    """
    seen, words = look.observation, look.words
    follow = "–" if seen["follow"] is None else str(seen["follow"])
    back = [words.labels["came_back"]] if seen["return_turn"] else []
    pot = words.pot[seen["pot"] > 0].format(count=seen["pot"])
    return Scene(
        kind="pile",
        headline=look.where(*back),
        own=look.own,
        legal=[_action(action, words, seen["phase"]) for action in seen["legal"]] if look.own else [],
        centre=[
            Line(words.labels["to_follow"], note=words.comma.join((follow, *back))),
            *(Line(words.labels["turned_up"], [_card(code, words)]) for code in seen["turned"][-1:]),
            Line(words.box, note=words.comma.join((str(seen["box_size"]), pot))),
        ],
        facts=_facts(look),
        seats=[_seat(look, seat) for seat in range(1, seen["seats"] + 1)],
        laid=[Play(seat, _action(meld, words)) for seat, meld in seen["plays"]],
        rows=_rows(look),
        score_name=words.stones,
        play_phase=TURNS,
    )


def turn_said(event: Event, words: Words, options: Mapping[str, Any]) -> str:
    """An event in a sentence."""
    match event["e"]:
        case "act" if "@" in event["action"]:
            return words.plays_card.format(seat=event["seat"], card=_action(event["action"], words).text)
        case "act":
            said = _action(event["action"], words, event["phase"]).meaning
            return words.sentence.format(seat=event["seat"], said=said)
        case "deal":
            return words.sentence.format(seat=event["dealer"], said=words.said["deal DEAL"])
        case "turned":
            return words.turns_up.format(value=card_sign(event["card"]))
        case "deal_end":
            winner = event["winner"][0] if event["winner"] else ""
            return words.endings[event["how"]].format(seat=winner)
    return words.sentence.format(seat=event["seat"], said=words.said[event["e"]])


def meld_cards(meld: str) -> list[str]:
    """The cards of a meld.

    >>> meld_cards("7H+7D+AC@7")
    ['7H', '7D', 'AC']
    """
    return meld.partition("@")[0].split("+")


def meld_value(meld: str) -> int:
    """The value of a meld.

    >>> meld_value("AC@7")
    7
    """
    return int(meld.partition("@")[2])


def follows(observation: Observation, words: Words) -> str:
    """What may follow now, in words."""
    follow = observation["follow"]
    if follow is None:
        return words.starts.format(seat=observation["dealer"])
    is_back = observation["return_turn"] and not observation["played_this_turn"]
    if is_back and not observation["box_size"] and not observation["turned_this_turn"]:
        return words.any_follows
    return may_follow(sorted(next_values(follow)), words)


def _facts(look: Look) -> list[Line]:
    seen, words = look.observation, look.words
    facts = [Line("", note=follows(seen, words) + words.full_stop)]
    if seen["last"]:
        facts.append(Line(words.labels["played_last"], note=words.seat_name(seen["last"])))
    turned = [words.acts["turn"]] if seen["turned_this_turn"] else []
    played = [f"{words.played} {seen['played_this_turn']}"] if seen["played_this_turn"] else []
    if turned or played:
        facts.append(Line(words.this_turn, note=words.comma.join((*turned, *played))))
    if len(seen["turned"]) > 1:
        facts.append(Line(words.labels["turned_up"], [_card(code, words) for code in seen["turned"]]))
    passed = [
        f"{value}{words.colon}{words.comma.join(str(seat) for seat, _ in group)}"
        for value, group in groupby(seen["passes"], key=lambda each: each[1])
    ]
    if passed:
        facts.append(Line(words.labels["passed"], note="; ".join(passed)))
    return facts


def _seat(look: Look, seat: int) -> SeatScene:
    seen, words = look.observation, look.words
    court = look.options.get("court_order", COURT_ORDER)
    hand = sorted(look.hand(seat), key=lambda card: (komatsu_value(card, court), SUITS.index(card[1])))
    states = {"dropped": words.labels["dropped"], "out": words.acts["out"]}
    standing = [text for name, text in states.items() if seat in seen[name]]
    roles = {
        words.dealer: seat == seen["dealer"],
        words.acts_short["sansoku"]: seat in seen["sansoku"],
    }
    return SeatScene(
        seat,
        cards=[_card(code, words) for code in hand],
        hidden=0 if hand else seen["hand_sizes"][str(seat)],
        badges=[role for role, applies in roles.items() if applies],
        stones=seen["stones"][str(seat)],
        said=words.comma.join(standing),
        is_active=not standing,
        is_next=seat in seen["to_act"],
    )


def _rows(look: Look) -> Rows | None:
    """The turns of the events; passes one after the other share a line."""
    words = look.words
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
    labels = words.labels
    return Rows(words.turns, [labels["seat"], labels["to_follow"], words.played, labels["cards_left"]], lines)


def _is_pass(turn: Turn) -> bool:
    return [chip.code for chip in turn.chips] == [PASS] and not turn.chips[0].is_played


def _turns(look: Look) -> list[Turn]:
    words, follow = look.words, None
    court = look.options.get("court_order", COURT_ORDER)
    left = dict.fromkeys(range(1, look.observation["seats"] + 1), HAND)
    turns: list[Turn] = []
    for event in look.events:
        if event["e"] == "turned":
            follow = komatsu_value(event["card"], court)
            if turns and not turns[-1].is_over:
                card = _card(event["card"], words)
                turns[-1].chips[-1] = card._replace(text=words.turned_up.format(value=card.text))
        if event["e"] != "act" or event["phase"] != TURNS:
            continue
        seat, action = event["seat"], event["action"]
        chip = _action(action, words)._replace(is_played=bool(event.get("verdict")))
        if "@" not in action:
            chip = chip._replace(text=words.acts_short.get(ACT_KINDS[action], action))
        left[seat] -= len(meld_cards(action)) if "@" in action else 0
        is_over = action in (PASS, DROP) or not left[seat]
        if turns and turns[-1].seat == seat and not turns[-1].is_over:
            # A pass that only ends a turn says nothing.
            ends = action == PASS and not chip.is_played
            chips = turns[-1].chips if ends else [*turns[-1].chips, chip]
            turns[-1] = turns[-1]._replace(chips=chips, left=left[seat], is_over=is_over)
        else:
            turns.append(Turn(seat, follow, [chip], left[seat], is_over))
        if "@" in action:
            follow = meld_value(action)
    return turns


def _card(code: str, words: Words) -> Chip:
    return card_chip(code, words, is_special=code in WILDS)


def _action(action: str, words: Words, phase: str = TURNS) -> Chip:
    """A word, or a meld: its cards, and the value where the cards alone do not show it."""
    if "@" not in action:
        meaning = words.acts[ACT_KINDS[action]] if action in ACT_KINDS else words.said[f"{phase} {action}"]
        return Chip(action, action, meaning)
    parts = [_card(code, words) for code in meld_cards(action)]
    as_value = words.as_value.format(value=meld_value(action))
    text = " ".join(part.text for part in parts)
    if all(part.is_special for part in parts):
        text = f"{text} {as_value}"
    meaning = words.comma.join((*(part.meaning for part in parts), as_value))
    suits = "".join(part.suits for part in parts)
    return Chip(action, text, meaning, suits, any(part.is_special for part in parts))
