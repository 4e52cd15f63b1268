"""Fast JSON encoding of observations during a deal, from cached fragments.

Only six of two dozen fields change with each card. ``KakeyaState.observe`` defines the content.
"""

from __future__ import annotations

from engine.cards import KAKEYA_PACK, Card
from engine.game import Action, Seat, json_text
from engine.games.kakeya.deal import DealTexts, Frame, Trick
from engine.games.kakeya.position import KakeyaPosition

CHANGING = ("to_act", "legal", "hand", "trick", "tricks", "pictures")
"""Fields that change during the play of a deal, in the order of the observation."""
OF_SEAT = ("seat", "partner")
"""Fields that differ between seats and are constant during the play of a deal."""

_GAP = "?"
_GAP_TEXT = json_text(_GAP)
_json_listed = KAKEYA_PACK.json_listed


def observation_text(state: KakeyaPosition, seat: Seat, legal: tuple[Action, ...]) -> str:
    """Return ``json_text(state.observe(seat))`` in the play phase; ``legal`` is ``state.legal(seat)``."""
    deal = state.deal
    texts = deal.texts
    if texts is None or texts.said is not state.said:
        texts = _begin(state, seat)
    start, after_to_act, after_legal, after_hand = texts.frames[seat]
    legal_text = _listed(legal)
    trick = state.trick
    # The leader may play any card of the hand.
    hand_text = legal_text if legal and not trick else _json_listed(deal.hands[seat] & state.unplayed)
    trick_text = ",".join(map(texts.played.__getitem__, trick))
    tricks, end = texts.told
    if tricks is not state.tricks:
        end = _end(state, texts)
    return (
        f"{start}[{state.to_act[0]}]{after_to_act}{legal_text}{after_legal}{hand_text}{after_hand}"
        f"[{trick_text}]{end}"
    )


def _begin(state: KakeyaPosition, seat: Seat) -> DealTexts:
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
            )
    texts.frames = frames
    texts.end = (after_trick, after_tricks, end)
    texts.told = (None, "")
    texts.played = {
        card: f'[{player},"{card}"]'
        for player, hand in enumerate(deal.hands)
        for card in KAKEYA_PACK.listed(hand)
    }
    texts.said = state.said
    return texts


def _end(state: KakeyaPosition, texts: DealTexts) -> str:
    """Return the text from the finished tricks on, which changes with each trick."""
    deal, tricks = state.deal, state.tricks
    (a, b), captured = deal.seating.playing, state.captured
    first, second = _pictures_text(texts, captured[a]), _pictures_text(texts, captured[b])
    after_trick, after_tricks, end = texts.end
    text = (
        f"{after_trick}[{_tricks_text(texts, tricks)}]{after_tricks}"
        f'{{"{deal.sides[a][0]}":{first},"{deal.sides[b][0]}":{second}}}{end}'
    )
    texts.told = tricks, text
    return text


def _tricks_text(texts: DealTexts, tricks: tuple[Trick, ...]) -> str:
    known, text = texts.tricks
    # A trick more than last time is the rule; anything else is a look at an earlier state.
    added = tricks[len(known) :] if tricks[: len(known)] == known else tricks
    parts = [text] if added is not tricks and text else []
    for leader, cards, winner in added:
        parts.append(f'{{"leader":{leader},"cards":{_listed(cards)},"winner":{winner}}}')
    text = ",".join(parts)
    texts.tricks = tricks, text
    return text


def _pictures_text(texts: DealTexts, mask: int) -> str:
    text = texts.pictures.get(mask)
    if text is None:
        text = texts.pictures[mask] = _json_listed(mask)
    return text


def _listed(cards: tuple[Card, ...]) -> str:
    """Return cards as a JSON list; cards need no escaping."""
    return '["' + '","'.join(cards) + '"]' if cards else "[]"
