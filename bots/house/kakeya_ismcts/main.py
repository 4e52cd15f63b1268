"""A player that searches: information-set Monte Carlo tree search in the kernel. Keeps no state.

``determinize`` draws worlds, which are the hidden hands in so many ways; ``search_cards`` goes through all of
them in one tree of what everybody sees, and plays each simulation to its end by players who are sensible.
The card with the most simulations is played. Before the play, each word about who leads is tried in the same
worlds, played out by the same players. Trumps are never changed: no cards are dealt yet then, so no suit is
better than another. It plays every preset of Kakeya and Etori.

So many simulations are the same on every machine, and with them the same request gets the same answer. Only
where they would take more of the clock than there is, is the search cut short.
"""

from __future__ import annotations

from time import process_time

from bots.sdk import PACK, Bot, KakeyaView, Request
from bots.sdk.kakeya_search import lead_word, positions
from engine.kernel import is_compiled, search_cards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bots.sdk import Hello

RESERVE_MS = 3.0
"""Of a decision's time, for what the search does not measure: reading the request, the answer."""
BANK_PART = 1 / 20
"""The most of the bank that a decision may use on top of its increment."""
WORLDS_PART = 0.4
"""The most of a decision's time for the drawing of worlds."""


class KakeyaIsmcts(Bot):
    """Searches a tree of information sets."""

    name = "kakeya_ismcts"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        """See ``Bot.on_hello``."""
        if not is_compiled:
            self.log("engine.kernel is not compiled here: as many simulations as time allows, which are few")

    def act(self, request: Request) -> str:
        """See ``Bot.act``."""
        began = process_time()
        if request.phase == "trump":
            return "KEEP"
        budget = max(1.0, request.increment_ms + request.bank_ms * BANK_PART - RESERVE_MS) / 1000
        view, worlds = KakeyaView(request), int(self.parameters["worlds"])
        if len(view.legal) == 1:
            return view.legal[0]
        if request.phase == "lead":
            return lead_word(view, request, worlds, began + budget)
        found = search_cards(
            list(positions(view, request, worlds, began + WORLDS_PART * budget)),
            request.rng.getrandbits(64),
            int(self.parameters["simulations"]),
            max(0.0001, began + budget - process_time()),
            exploration=self.parameters["exploration"],
        )
        return PACK[max(found, key=lambda card: found[card].visits)]


if __name__ == "__main__":
    KakeyaIsmcts().run()
