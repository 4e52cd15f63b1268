"""A search bot for Kakeya and Etori: each legal card is tried in many deals that agree with what is known.

``determinize`` draws the hidden hands, ``state_from`` makes a state of the engine and ``position_of`` numbers
of it; the kernel plays each of these worlds to its end after each card, by sensible players, and the one with
the best mean of stones is played. docs/searching.md explains it.
"""

from __future__ import annotations

from time import process_time

from bots.sdk import PACK, Bot, KakeyaView, Request, determinize, state_from
from engine.kernel import playouts_by_card, position_of

THINK_MS = 20.0
"""CPU time of a decision, which is what the clock grants for each."""
WORLDS = 10
"""At a time: many worlds tell more than many playouts of one."""


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
        totals: dict[int, int] = {}
        while not totals or process_time() < stop:
            worlds = [position_of(state_from(view, determinize(view, request.rng))) for _ in range(WORLDS)]
            # Values are those of places 0 and 2.
            sign = 1 - 2 * (worlds[0].turn % 2)
            for card, found in playouts_by_card(worlds, 1, request.rng.getrandbits(64), "rules").items():
                totals[card] = totals.get(card, 0) + sign * found.total
        return PACK[max(totals, key=totals.__getitem__)]


if __name__ == "__main__":
    KakeyaSearch().run()
