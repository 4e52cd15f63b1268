"""Observations of a deal under way as JSON, written from what they have in common.

A referee sends one for every card, and of its two dozen fields six change from card to card. What they
say is decided by ``KakeyaState.observe`` alone; the tests hold both against each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import KAKEYA_PACK, Card
from engine.game import Seat, json_text

if TYPE_CHECKING:
    from engine.games.kakeya.deal import Said
    from engine.games.kakeya.state import KakeyaState, Trick

CHANGING = ("to_act", "legal", "hand", "trick", "tricks", "pictures")
"""Fields that change within the play of a deal, in the order of the observation."""

_GAP = "?"
_GAP_TEXT = json_text(_GAP)


class DealTexts:
    """Remembers, for one deal, the text that its observations share. Nobody can see it from outside."""

    __slots__ = ("_frames", "_pictures", "_tricks")

    def __init__(self) -> None:
        self._frames: dict[tuple[Seat, Said], list[str]] = {}
        self._tricks: tuple[tuple[Trick, ...], str] = ((), "")
        self._pictures: tuple[tuple[int, ...], str] = ((), "")

    def observed(self, state: KakeyaState, seat: Seat) -> str:
        """What ``json_text(state.observe(seat))`` gives, for a state in which cards are played."""
        frame = self._frames.get((seat, state.said))
        if frame is None:
            shape = state.observe(seat) | dict.fromkeys(CHANGING, _GAP)
            frame = self._frames[seat, state.said] = json_text(shape).split(_GAP_TEXT)
        deal = state.deal
        start, after_to_act, after_legal, after_hand, after_trick, after_tricks, end = frame
        hand = _listed(KAKEYA_PACK.listed(deal.hands[seat] & state.unplayed))
        trick = ""
        if state.trick:
            order = deal.seating.order
            first = order.index(state.to_act[0]) - len(state.trick)
            trick = ",".join([f'[{order[first + i]},"{card}"]' for i, card in enumerate(state.trick)])
        return (
            f"{start}[{state.to_act[0]}]{after_to_act}{_listed(state.legal(seat))}{after_legal}{hand}"
            f"{after_hand}[{trick}]{after_trick}[{self._tricks_text(state.tricks)}]{after_tricks}"
            f"{self._pictures_text(state)}{end}"
        )

    def _tricks_text(self, tricks: tuple[Trick, ...]) -> str:
        known, text = self._tricks
        if tricks is known:
            return text
        # A trick more than last time is the rule; anything else is somebody looking back.
        added = tricks[len(known) :] if tricks[: len(known)] == known else tricks
        parts = [text] if added is not tricks and text else []
        for leader, cards, winner in added:
            parts.append(f'{{"leader":{leader},"cards":{_listed(cards)},"winner":{winner}}}')
        text = ",".join(parts)
        self._tricks = tricks, text
        return text

    def _pictures_text(self, state: KakeyaState) -> str:
        known, text = self._pictures
        if state.captured is not known:
            sides = state.deal.of_playing(state.captured)
            listed = [f'"{side[0]}":{_listed(KAKEYA_PACK.listed(mask))}' for side, mask in sides]
            text = f"{{{','.join(listed)}}}"
            self._pictures = state.captured, text
        return text


def _listed(cards: tuple[Card, ...]) -> str:
    """Cards as a JSON list; nothing in a card needs escaping."""
    return '["' + '","'.join(cards) + '"]' if cards else "[]"
