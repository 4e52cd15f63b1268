"""A search bot for Kakkuri: each legal action is tried in many deals that agree with what is known.

``determinize`` draws hidden hands and box, ``state_from`` makes a state of the engine, and the kernel goes on
from there: to deals near it, each played to its end by the policy ``rules``. The action with the best mean is
answered, if it leads what that policy would do by more than chance. docs/searching.md explains it.
"""

from __future__ import annotations

from bots.sdk import Bot, KakkuriView, Request, determinize, state_from
from engine.kernel import shedding_position_of, shedding_search

STARTS = 8
DEALS = 2000
"""A number, not a time: the same request gets the same answer everywhere. 8 to 40 ms a decision."""


class KakkuriSearch(Bot):
    """Plays every preset of Kakkuri, for two to eight seats."""

    name = "kakkuri-search"
    skip_forced = True

    def act(self, request: Request) -> str:
        """The action that leads most; before anybody has looked, the word that changes nothing."""
        if request.phase != "turn":
            return next(word for word in ("KEEP", "DEAL") if word in request.legal)
        view = KakkuriView(request)
        starts = [
            shedding_position_of(state_from(view, determinize(view, request.rng))) for _ in range(STARTS)
        ]
        passes = view.observation["passes"]
        found = shedding_search(starts, DEALS, request.rng.getrandbits(64), passes)
        return max(found, key=lambda action: found[action].lead(1.0))


if __name__ == "__main__":
    KakkuriSearch().run()
