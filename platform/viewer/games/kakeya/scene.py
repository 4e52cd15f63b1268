"""Scene of a position of Kakeya or Etori: the trick, the hands, pictures taken, previous tricks."""

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
    Observation,
    Play,
    PositionScene,
    SceneInput,
    SeatRows,
    SeatScene,
    card_chip,
    card_sign,
    is_card,
    suit_chip,
)
from viewer.scene import declaration_text
from viewer.texts import ViewerTexts

POINTS_PRESET = "etori.meiji"
"""Preset that counts points instead of stones."""
EVEN_PICTURES = 8
"""Pictures of each side in an even deal."""


class TableTrick(NamedTuple):
    """A trick, possibly unfinished."""

    cards: list[tuple[int, str]]
    number: int
    winner: int
    """Current winner; 0 before its first card."""
    is_done: bool

    @property
    def pictures(self) -> int:
        """Number of pictures among its cards."""
        return sum(code in PICTURES for _, code in self.cards)


def finished_tricks(observation: Observation) -> list[TableTrick]:
    order = list(observation["active"])
    if observation["direction"] == "left":
        order.reverse()
    tricks = []
    for number, done in enumerate(observation["tricks"], start=1):
        first = order.index(done["leader"])
        played = zip(order[first:] + order[:first], map(str, done["cards"]), strict=True)
        tricks.append(TableTrick(list(played), number, int(done["winner"]), is_done=True))
    return tricks


def current_trick(observation: Observation) -> TableTrick:
    played = [(int(seat), str(code)) for seat, code in observation["trick"]]
    number = len(observation["tricks"]) + 1
    if played:
        powers = trick_powers(observation["trump"], observation["rensho"])[played[0][1][1]]
        return TableTrick(played, number, max(played, key=lambda play: powers[play[1]])[0], is_done=False)
    return finished_tricks(observation)[-1] if number > 1 else TableTrick([], number, 0, is_done=False)


def trick_scene(look: SceneInput) -> PositionScene:
    """Return the scene, or raise KeyError, ValueError, TypeError or AttributeError for other observations."""
    observation, texts = look.observation, look.texts
    trick, tricks = current_trick(observation), finished_tricks(observation)
    if look.is_asked and trick.is_done:
        trick = TableTrick([], trick.number + 1, 0, is_done=False)
    number = texts.trick.format(trick=trick.number)
    return PositionScene(
        kind="trick",
        headline=look.where(number if observation["phase"] == PLAY else texts.declared),
        own=look.own,
        legal=[_action(look, action) for action in observation["legal"]] if look.own else [],
        centre=[
            Line(texts.trumps, [suit_chip(observation["trump"], texts)]),
            Line(texts.rensho, [_card(look, observation["rensho"])]),
            *([Line("", note=number)] if observation["phase"] == PLAY else []),
            *(
                Line(
                    texts.pair(_side(observation, int(seat))),
                    _cards(look, codes),
                    texts.counted(texts.pictures, len(codes)),
                )
                for seat, codes in observation["pictures"].items()
            ),
        ],
        seats=[_seat(look, seat, trick) for seat in range(1, observation["seats"] + 1)],
        laid=[
            Play(seat, _card(look, code), is_led=not position, is_winner=seat == trick.winner)
            for position, (seat, code) in enumerate(trick.cards)
        ],
        rows=_rows(look, tricks),
        score_name=texts.labels["points"] if observation["preset"] == POINTS_PRESET else texts.stones,
        play_phase=PLAY,
    )


def trick_event_text(event: Event, texts: ViewerTexts, options: Mapping[str, Any]) -> str:
    match event["e"]:
        case "act" if is_card(event["action"]):
            return texts.about_seat(texts.plays_card, event["seat"], card=card_sign(event["action"]))
        case "act":
            text = declaration_text({"k": event["phase"], "s": event["seat"], "a": event["action"]}, texts)
            return texts.about_seat(texts.sentence, event["seat"], said=text)
        case "deal":
            return f"{texts.trumps} {suit_chip(event['trump'], texts).text}{texts.full_stop}"
        case "trick":
            count = event["pictures"]
            pattern = texts.takes_pictures[count != 1] if count else texts.takes
            return texts.about_seat(pattern, event["winner"], count=count)
    if not event["winner"]:
        return texts.nobody_won
    counts, winner = event["pictures"], event["winner"]
    won = next(count for seat, count in counts.items() if int(seat) in winner)
    score = "–".join(str(count) for count in sorted(counts.values(), reverse=True))
    pattern = texts.categories.get(event["category"] or "", texts.no_category)
    pays = abs(event["stones"][str(winner[0])])
    return texts.sentences(
        f"{texts.side_name(winner)}{texts.colon}{score}{texts.full_stop}",
        pattern.format(pictures=texts.counted(texts.pictures, won), pays=pays),
        texts.even if won == EVEN_PICTURES else "",
    )


def _side(observation: Observation, seat: int) -> tuple[int, int]:
    return seat, seat + observation["seats"] // 2


def _seat(look: SceneInput, seat: int, trick: TableTrick) -> SeatScene:
    observation, texts = look.observation, look.texts
    is_active = seat in observation["active"]
    dealers = [observation["dealer"]] if observation["dealer"] else observation["dealers"]
    roles = {
        texts.labels["partner"]: look.own is not None and seat == observation["partner"],
        texts.deals: seat in dealers,
        texts.may_lead: seat in observation["leaders"]
        and not (observation["tricks"] or observation["trick"]),
    }
    hand = look.hand(seat)
    is_dealt = is_active and observation["phase"] != TRUMP
    has_played = not trick.is_done and seat in dict(trick.cards)
    declarations = [
        declaration_text({"k": kind, "s": seat, "a": answers[str(seat)]}, texts)
        for kind, answers in ((TRUMP, observation["proposals"]), (LEAD, observation["declarations"]))
        if str(seat) in answers
    ]
    return SeatScene(
        seat,
        cards=_cards(look, hand),
        hidden=TRICKS - len(observation["tricks"]) - has_played if is_dealt and seat not in look.eyes else 0,
        badges=[role for role, applies in roles.items() if applies],
        said=texts.comma.join(declarations if is_active else [texts.rests, *declarations]),
        stones=observation["stones"][str(seat)],
        is_active=is_active,
        is_next=seat in observation["to_act"],
    )


def _rows(look: SceneInput, tricks: Sequence[TableTrick]) -> SeatRows | None:
    """Return the tricks, each card below its seat, with the running pictures of each pair."""
    observation, texts = look.observation, look.texts
    by_referee = {event["action"] for event in look.events if event.get("verdict")}
    taken = dict.fromkeys(map(int, observation["pictures"]), 0)
    lines = []
    for trick in tricks:
        plays = dict(trick.cards)
        cells = []
        for seat in observation["active"]:
            chip = _card(look, plays[seat])._replace(is_played=plays[seat] in by_referee)
            mark = "▸" if seat == trick.cards[0][0] else ""
            cells.append(Line(mark, [chip], "*" if seat == trick.winner else ""))
        taken[(trick.winner - 1) % (observation["seats"] // 2) + 1] += trick.pictures
        counts = [trick.pictures or "", *taken.values()]
        lines.append([Line(str(trick.number)), *cells, *(Line(str(count)) for count in counts)])
    if not lines:
        return None
    names = [texts.seat_name(seat) for seat in observation["active"]]
    sides = [texts.pair(_side(observation, seat)) for seat in taken]
    return SeatRows(texts.labels["tricks"], ["#", *names, texts.pictures_column, *sides], lines)


def _card(look: SceneInput, code: str) -> Chip:
    return card_chip(code, look.texts, is_special=code == look.observation["rensho"])


def _cards(look: SceneInput, codes: Sequence[str]) -> list[Chip]:
    return [_card(look, code) for code in codes]


def _action(look: SceneInput, action: str) -> Chip:
    if is_card(action):
        return _card(look, action)
    if action in look.texts.suits:
        return suit_chip(action, look.texts)
    return Chip(action, action, look.texts.said.get(f"{look.observation['phase']} {action}", ""))
