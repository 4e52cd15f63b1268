"""A search bot for Kakkuri: each legal action is tried in many deals that agree with what is known.

``determinize`` draws hidden hands and box, ``state_from`` makes a state of the engine; the deal is then
played to its end, everybody playing as many cards as fit, and the action with the best mean of stones is
answered. docs/searching.md explains it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from bots.sdk import Bot, KakkuriView, Request, determinize, state_from
from engine import State

THINK_MS = 45.0
"""CPU time of a decision: over a deal less than bank and increments give for it, on a slower machine too."""


class KakkuriSearch(Bot):
    """Plays every preset of Kakkuri, for two to eight seats."""

    name = "kakkuri-search"
    skip_forced = True

    def act(self, request: Request) -> str:
        """The action with the best mean; before anybody has looked, the word that changes nothing."""
        if request.phase != "turn":
            return next(word for word in ("KEEP", "DEAL") if word in request.legal)
        view = KakkuriView(request)
        stop = process_time() + min(THINK_MS, (request.bank_ms + request.increment_ms) / 2) / 1000
        means = dict.fromkeys(request.legal, 0)
        while process_time() < stop:
            state = state_from(view, determinize(view, request.rng))
            for action in means:
                means[action] += played_out(state.apply(view.seat, action), view.seat, request.rng.random)
        return max(means, key=means.__getitem__)


def played_out(state: State, seat: int, random: Callable[[], float]) -> int:
    """Stones this seat wins in the deal if all play what fits, most cards first, and at times keep it."""
    while state.to_act:
        actor = state.to_act[0]
        action = state.legal(actor)[-1]
        if "@" not in action or random() < 0.15:
            action = state.fallback(actor)
        state = state.apply(actor, action)
    outcome = state.outcome()
    assert outcome is not None
    return outcome.deals[0][seat]


if __name__ == "__main__":
    KakkuriSearch().run()
