"""A search bot for Kakeya and Etori: it tries each legal card in many deals that fit its knowledge.

``determinize`` draws the hidden hands, ``state_from`` makes a state of the engine, and ``position_of``
converts it to numbers. After each card, the kernel plays each of these worlds to its end by sensible
policies. The bot plays the card with the best mean in stones. docs/searching.md explains it.
"""

from __future__ import annotations

from time import process_time

from bots.sdk import PACK, Bot, KakeyaView, Request, determinize, state_from
from engine.kernel import playouts_by_card, position_of

THINK_MS = 20.0
"""CPU time per decision: the increment of the clock."""
WORLDS = 10
"""Worlds per batch. Many worlds are more informative than many playouts of one world."""


class KakeyaSearch(Bot):
    """Plays every preset of Kakeya and Etori."""

    name = "kakeya-search"
    skip_forced = True

    def act(self, request: Request) -> str:
        """Return the card with the best mean; before the play, the first word that changes nothing."""
        if request.phase != "play":
            return next((word for word in ("KEEP", "DEFER") if word in request.legal), request.legal[0])
        view = KakeyaView(request)
        stop = process_time() + min(THINK_MS, (request.bank_ms + request.increment_ms) / 2) / 1000
        totals: dict[int, int] = {}
        while not totals or process_time() < stop:
            worlds = [position_of(state_from(view, determinize(view, request.rng))) for _ in range(WORLDS)]
            # Values are for players 0 and 2.
            sign = 1 - 2 * (worlds[0].turn % 2)
            for card, results in playouts_by_card(worlds, 1, request.rng.getrandbits(64), "rules").items():
                totals[card] = totals.get(card, 0) + sign * results.total
        return PACK[max(totals, key=totals.__getitem__)]


if __name__ == "__main__":
    KakeyaSearch().run()
