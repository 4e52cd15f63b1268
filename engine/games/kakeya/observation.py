"""Observations of a deal under way as JSON, written from what they have in common.

A referee sends one for every card, and of its two dozen fields six change from card to card. What they
say is decided by ``KakeyaState.observe`` alone; the tests hold both against each other.
"""

from __future__ import annotations

from engine.cards import KAKEYA_PACK, Card
from engine.game import Action, Seat, json_text
from engine.games.kakeya.deal import DealTexts, Trick
from engine.games.kakeya.position import KakeyaPosition

CHANGING = ("to_act", "legal", "hand", "trick", "tricks", "pictures")
"""Fields that change within the play of a deal, in the order of the observation."""

_GAP = "?"
_GAP_TEXT = json_text(_GAP)


def observed_text(state: KakeyaPosition, seat: Seat, legal: tuple[Action, ...]) -> str:
    """What ``json_text(state.observe(seat))`` gives, for a state in which cards are played.

    ``legal`` is what ``state.legal(seat)`` gives.
    """
    deal = state.deal
    texts = deal.texts
    frame = texts.frames.get((seat, state.said))
    if frame is None:
        shape = state.observe(seat) | dict.fromkeys(CHANGING, _GAP)
        frame = texts.frames[seat, state.said] = json_text(shape).split(_GAP_TEXT)
    start, after_to_act, after_legal, after_hand, after_trick, after_tricks, end = frame
    hand = _listed(KAKEYA_PACK.listed(deal.hands[seat] & state.unplayed))
    trick = ""
    if state.trick:
        order = deal.seating.order
        first = order.index(state.to_act[0]) - len(state.trick)
        trick = ",".join([f'[{order[first + i]},"{card}"]' for i, card in enumerate(state.trick)])
    return (
        f"{start}[{state.to_act[0]}]{after_to_act}{_listed(legal)}{after_legal}{hand}"
        f"{after_hand}[{trick}]{after_trick}[{_tricks_text(texts, state.tricks)}]{after_tricks}"
        f"{_pictures_text(texts, state)}{end}"
    )


def _tricks_text(texts: DealTexts, tricks: tuple[Trick, ...]) -> str:
    known, text = texts.tricks
    if tricks is known:
        return text
    # A trick more than last time is the rule; anything else is somebody looking back.
    added = tricks[len(known) :] if tricks[: len(known)] == known else tricks
    parts = [text] if added is not tricks and text else []
    for leader, cards, winner in added:
        parts.append(f'{{"leader":{leader},"cards":{_listed(cards)},"winner":{winner}}}')
    text = ",".join(parts)
    texts.tricks = tricks, text
    return text


def _pictures_text(texts: DealTexts, state: KakeyaPosition) -> str:
    known, text = texts.pictures
    if state.captured is not known:
        sides = state.deal.of_playing(state.captured)
        listed = [f'"{side[0]}":{_listed(KAKEYA_PACK.listed(mask))}' for side, mask in sides]
        text = f"{{{','.join(listed)}}}"
        texts.pictures = state.captured, text
    return text


def _listed(cards: tuple[Card, ...]) -> str:
    """Cards as a JSON list; nothing in a card needs escaping."""
    return '["' + '","'.join(cards) + '"]' if cards else "[]"
