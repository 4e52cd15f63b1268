"""A position of Kakeya or Etori: the trick, the hands, pictures taken, the tricks before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from engine.cards import PICTURES
from engine.games.kakeya.notation import LEAD, PLAY, TRICKS, TRUMP
from engine.games.kakeya.scoring import trick_powers
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
    is_card,
    suit_chip,
)
from viewer.scene import said_by
from viewer.words import Words

POINTS_PRESET = "etori.meiji"
"""Counts points where the others count stones."""
EVEN = 8
"""Pictures of each side in a deal that is even."""


class Trick(NamedTuple):
    """A trick as far as it has gone."""

    cards: list[tuple[int, str]]
    number: int
    winner: int
    """So far; 0 before its first card."""
    is_done: bool

    @property
    def pictures(self) -> int:
        """Among its cards."""
        return sum(code in PICTURES for _, code in self.cards)


def tricks_of(observation: Observation) -> list[Trick]:
    """The finished tricks."""
    order = list(observation["active"])
    if observation["direction"] == "left":
        order.reverse()
    tricks = []
    for number, done in enumerate(observation["tricks"], start=1):
        first = order.index(done["leader"])
        played = zip(order[first:] + order[:first], map(str, done["cards"]), strict=True)
        tricks.append(Trick(list(played), number, int(done["winner"]), is_done=True))
    return tricks


def trick_on_table(observation: Observation) -> Trick:
    """The trick that lies on the table: a finished one until the next card."""
    played = [(int(seat), str(code)) for seat, code in observation["trick"]]
    number = len(observation["tricks"]) + 1
    if played:
        powers = trick_powers(observation["trump"], observation["rensho"])[played[0][1][1]]
        return Trick(played, number, max(played, key=lambda play: powers[play[1]])[0], is_done=False)
    return tricks_of(observation)[-1] if number > 1 else Trick([], number, 0, is_done=False)


def trick_scene(look: Look) -> Scene:
    """See ``viewer.position_scene``.

    Raises:
        KeyError, ValueError, TypeError, AttributeError: an observation is not of Kakeya.
    """
    seen, words = look.observation, look.words
    trick, tricks = trick_on_table(seen), tricks_of(seen)
    if look.is_asked and trick.is_done:
        trick = Trick([], trick.number + 1, 0, is_done=False)
    number = words.trick.format(trick=trick.number)
    return Scene(
        kind="trick",
        headline=look.where(number if seen["phase"] == PLAY else words.declared),
        own=look.own,
        legal=[_action(look, action) for action in seen["legal"]] if look.own else [],
        centre=[
            Line(words.trumps, [suit_chip(seen["trump"], words)]),
            Line(words.rensho, [_card(look, seen["rensho"])]),
            *([Line("", note=number)] if seen["phase"] == PLAY else []),
            *(
                Line(
                    words.pair(_side(seen, int(seat))),
                    _cards(look, codes),
                    words.counted(words.pictures, len(codes)),
                )
                for seat, codes in seen["pictures"].items()
            ),
        ],
        seats=[_seat(look, seat, trick) for seat in range(1, seen["seats"] + 1)],
        laid=[
            Play(seat, _card(look, code), is_led=not place, is_winner=seat == trick.winner)
            for place, (seat, code) in enumerate(trick.cards)
        ],
        rows=_rows(look, tricks),
        score_name=words.labels["points"] if seen["preset"] == POINTS_PRESET else words.stones,
        play_phase=PLAY,
    )


def trick_said(event: Event, words: Words, options: Mapping[str, Any]) -> str:
    """An event in a sentence."""
    match event["e"]:
        case "act" if is_card(event["action"]):
            return words.plays_card.format(seat=event["seat"], card=card_sign(event["action"]))
        case "act":
            said = said_by({"k": event["phase"], "s": event["seat"], "a": event["action"]}, words)
            return words.sentence.format(seat=event["seat"], said=said)
        case "deal":
            return f"{words.trumps} {suit_chip(event['trump'], words).text}{words.full_stop}"
        case "trick":
            count = event["pictures"]
            pattern = words.counted(words.takes_pictures, count, seat=event["winner"])
            return pattern if count else words.takes.format(seat=event["winner"])
    if not event["winner"]:
        return words.nobody_won
    counts, winner = event["pictures"], event["winner"]
    won = next(count for seat, count in counts.items() if int(seat) in winner)
    score = "–".join(str(count) for count in sorted(counts.values(), reverse=True))
    pattern = words.categories.get(event["category"] or "", words.no_category)
    pays = abs(event["stones"][str(winner[0])])
    return words.sentences(
        f"{words.side_name(winner)}{words.colon}{score}{words.full_stop}",
        pattern.format(pictures=words.counted(words.pictures, won), pays=pays),
        words.even if won == EVEN else "",
    )


def _side(seen: Observation, seat: int) -> tuple[int, int]:
    """The pair of its lower seat."""
    return seat, seat + seen["seats"] // 2


def _seat(look: Look, seat: int, trick: Trick) -> SeatScene:
    seen, words = look.observation, look.words
    is_active = seat in seen["active"]
    dealers = [seen["dealer"]] if seen["dealer"] else seen["dealers"]
    roles = {
        words.labels["partner"]: look.own is not None and seat == seen["partner"],
        words.deals: seat in dealers,
        words.may_lead: seat in seen["leaders"] and not (seen["tricks"] or seen["trick"]),
    }
    hand = look.hand(seat)
    is_dealt = is_active and seen["phase"] != TRUMP
    has_played = not trick.is_done and seat in dict(trick.cards)
    said = [
        said_by({"k": kind, "s": seat, "a": answers[str(seat)]}, words)
        for kind, answers in ((TRUMP, seen["proposals"]), (LEAD, seen["declarations"]))
        if str(seat) in answers
    ]
    return SeatScene(
        seat,
        cards=_cards(look, hand),
        hidden=TRICKS - len(seen["tricks"]) - has_played if is_dealt and seat not in look.eyes else 0,
        badges=[role for role, applies in roles.items() if applies],
        said=words.comma.join(said if is_active else [words.rests, *said]),
        stones=seen["stones"][str(seat)],
        is_active=is_active,
        is_next=seat in seen["to_act"],
    )


def _rows(look: Look, tricks: Sequence[Trick]) -> Rows | None:
    """The tricks, each card below its seat, with the pictures of each pair so far."""
    seen, words = look.observation, look.words
    by_referee = {event["action"] for event in look.events if event.get("verdict")}
    taken = dict.fromkeys(map(int, seen["pictures"]), 0)
    lines = []
    for trick in tricks:
        plays = dict(trick.cards)
        cells = []
        for seat in seen["active"]:
            chip = _card(look, plays[seat])._replace(is_played=plays[seat] in by_referee)
            mark = "▸" if seat == trick.cards[0][0] else ""
            cells.append(Line(mark, [chip], "*" if seat == trick.winner else ""))
        taken[(trick.winner - 1) % (seen["seats"] // 2) + 1] += trick.pictures
        counts = [trick.pictures or "", *taken.values()]
        lines.append([Line(str(trick.number)), *cells, *(Line(str(count)) for count in counts)])
    if not lines:
        return None
    names = [words.seat_name(seat) for seat in seen["active"]]
    sides = [words.pair(_side(seen, seat)) for seat in taken]
    return Rows(words.labels["tricks"], ["#", *names, words.pictures_column, *sides], lines)


def _card(look: Look, code: str) -> Chip:
    return card_chip(code, look.words, is_special=code == look.observation["rensho"])


def _cards(look: Look, codes: Sequence[str]) -> list[Chip]:
    return [_card(look, code) for code in codes]


def _action(look: Look, action: str) -> Chip:
    if is_card(action):
        return _card(look, action)
    if action in look.words.suits:
        return suit_chip(action, look.words)
    return Chip(action, action, look.words.said.get(f"{look.observation['phase']} {action}", ""))
