"""A search bot for Kakkuri: it tries each legal action in many deals that fit its knowledge.

``determinize`` draws the hidden hands and the box, and ``state_from`` makes a state of the engine. From
there, the kernel continues to similar deals and plays each to its end by the policy ``rules``. The bot
answers with the action with the best mean if it leads the policy's own action by more than chance.
docs/searching.md explains it.
"""

from __future__ import annotations

from bots.sdk import Bot, KakkuriView, Request, determinize, state_from
from engine.kernel import shedding_position_of, shedding_search

STARTS = 8
DEALS = 2000
"""Deals per decision, 8 to 40 ms. A number, not a time, so that the same request always gets the same
answer.
"""


class KakkuriSearch(Bot):
    """Plays every preset of Kakkuri, for two to eight seats."""

    name = "kakkuri-search"
    skip_forced = True

    def act(self, request: Request) -> str:
        """Return the action with the largest lead; before the seats look, the word that changes nothing."""
        if request.phase != "turn":
            return next(word for word in ("KEEP", "DEAL") if word in request.legal)
        view = KakkuriView(request)
        starts = [
            shedding_position_of(state_from(view, determinize(view, request.rng))) for _ in range(STARTS)
        ]
        passes = view.observation["passes"]
        results = shedding_search(starts, DEALS, request.rng.getrandbits(64), passes)
        return max(results, key=lambda action: results[action].lead(1.0))


if __name__ == "__main__":
    KakkuriSearch().run()
