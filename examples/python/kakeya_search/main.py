"""A search bot for Kakeya and Etori: each legal card is tried in many deals that agree with what is known.

``determinize`` draws the hidden hands, ``state_from`` makes a state of the engine; the deal is then played
to its end by cards at random, and the card with the best mean of stones is played. docs/searching.md explains
it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from bots.sdk import Bot, KakeyaView, Request, determinize, state_from
from engine import State

THINK_MS = 45.0
"""CPU time of a decision: over a deal less than bank and increments give for it, on a slower machine too."""


class KakeyaSearch(Bot):
    """Plays every preset of Kakeya and Etori."""

    name = "kakeya-search"
    skip_forced = True

    def act(self, request: Request) -> str:
        """The card with the best mean; before the play, the first word that changes nothing."""
        if request.phase != "play":
            return next((word for word in ("KEEP", "DEFER") if word in request.legal), request.legal[0])
        view = KakeyaView(request)
        stop = process_time() + min(THINK_MS, (request.bank_ms + request.increment_ms) / 2) / 1000
        means = dict.fromkeys(request.legal, 0)
        while process_time() < stop:
            state = state_from(view, determinize(view, request.rng))
            for card in means:
                means[card] += played_out(state.apply(view.seat, card), view.seat, request.rng.random)
        return max(means, key=means.__getitem__)


def played_out(state: State, seat: int, random: Callable[[], float]) -> int:
    """Stones this seat wins in the deal if all play at random from here."""
    while state.to_act:
        actor = state.to_act[0]
        legal = state.legal(actor)
        state = state.apply(actor, legal[int(random() * len(legal))])
    outcome = state.outcome()
    assert outcome is not None
    return outcome.deals[0][seat]


if __name__ == "__main__":
    KakeyaSearch().run()
