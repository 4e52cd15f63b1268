"""Observations of a deal under way as JSON, written from what they have in common.

A referee sends one for every card, and of its two dozen fields six change from card to card. What they
say is decided by ``KakeyaState.observe`` alone; the tests hold both against each other.
"""

from __future__ import annotations

from engine.cards import KAKEYA_PACK, Card
from engine.game import Action, Seat, json_text
from engine.games.kakeya.deal import Deal, DealTexts, Frame, Trick
from engine.games.kakeya.position import KakeyaPosition

CHANGING = ("to_act", "legal", "hand", "trick", "tricks", "pictures")
"""Fields that change within the play of a deal, in the order of the observation."""
OF_SEAT = ("seat", "partner")
"""Fields that differ from seat to seat and not within the play of a deal."""

_GAP = "?"
_GAP_TEXT = json_text(_GAP)
_json_listed = KAKEYA_PACK.json_listed


def observed_text(state: KakeyaPosition, seat: Seat, legal: tuple[Action, ...]) -> str:
    """What ``json_text(state.observe(seat))`` gives, for a state in which cards are played.

    ``legal`` is what ``state.legal(seat)`` gives.
    """
    deal = state.deal
    texts = deal.texts
    if texts is None or texts.said is not state.said:
        texts = _begin(state, seat)
    start, after_to_act, after_legal, after_hand, after_trick, after_tricks, end = texts.frames[seat]
    legal_text = _listed(legal)
    trick, tricks, captured = state.trick, state.tricks, state.captured
    # Whoever leads may play any card of the hand.
    hand_text = legal_text if legal and not trick else _json_listed(deal.hands[seat] & state.unplayed)
    trick_text = ",".join(map(texts.played.__getitem__, trick))
    known_tricks, tricks_text = texts.tricks
    if known_tricks is not tricks:
        tricks_text = _tricks_text(texts, tricks)
    known_captured, pictures_text = texts.pictures
    if known_captured is not captured:
        pictures_text = _pictures_text(deal, texts, captured)
    return (
        f"{start}[{state.to_act[0]}]{after_to_act}{legal_text}{after_legal}{hand_text}"
        f"{after_hand}[{trick_text}]{after_trick}[{tricks_text}]{after_tricks}{pictures_text}{end}"
    )


def _begin(state: KakeyaPosition, seat: Seat) -> DealTexts:
    """Write what stays the same until the deal is over, for all its seats."""
    deal = state.deal
    texts = deal.texts = deal.texts or DealTexts()
    shape = state.observe(seat) | dict.fromkeys((*CHANGING, *OF_SEAT), _GAP)
    pieces = json_text(shape).split(_GAP_TEXT)
    before_seat, start, after_to_act, after_legal, after_hand = pieces[:5]
    after_partner, after_trick, after_tricks, end = pieces[5:]
    frames: dict[Seat, Frame] = {}
    for pair in deal.sides:
        for own, partner in (pair, pair[::-1]):
            frames[own] = (
                f"{before_seat}{own}{start}",
                after_to_act,
                after_legal,
                f"{after_hand}{partner}{after_partner}",
                after_trick,
                after_tricks,
                end,
            )
    texts.frames = frames
    texts.played = {
        card: f'[{player},"{card}"]'
        for player, hand in enumerate(deal.hands)
        for card in KAKEYA_PACK.listed(hand)
    }
    texts.said = state.said
    return texts


def _tricks_text(texts: DealTexts, tricks: tuple[Trick, ...]) -> str:
    known, text = texts.tricks
    # A trick more than last time is the rule; anything else is somebody looking back.
    added = tricks[len(known) :] if tricks[: len(known)] == known else tricks
    parts = [text] if added is not tricks and text else []
    for leader, cards, winner in added:
        parts.append(f'{{"leader":{leader},"cards":{_listed(cards)},"winner":{winner}}}')
    text = ",".join(parts)
    texts.tricks = tricks, text
    return text


def _pictures_text(deal: Deal, texts: DealTexts, captured: tuple[int, ...]) -> str:
    sides, (a, b) = deal.sides, deal.seating.playing
    text = f'{{"{sides[a][0]}":{_json_listed(captured[a])},"{sides[b][0]}":{_json_listed(captured[b])}}}'
    texts.pictures = captured, text
    return text


def _listed(cards: tuple[Card, ...]) -> str:
    """Cards as a JSON list; nothing in a card needs escaping."""
    return '["' + '","'.join(cards) + '"]' if cards else "[]"
