"""Perfect-information Monte Carlo: solves or plays out possible deals. Stateless.

``determinize`` draws worlds (possible hidden hands). With few cards left, the bot solves each world with open
hands; with more, sensible policies play it out. Words about the lead are compared by playouts. The bot never
changes trumps, since no cards are dealt then. It plays every preset of Kakeya and Etori. The number of worlds
depends on the nodes searched, not on time, so the same request gets the same answer on every machine, unless
the clock would run out.
"""

from __future__ import annotations

from time import process_time

from bots.sdk import PACK, Bot, KakeyaView, Request
from bots.sdk.kakeya_search import lead_word, positions
from engine.kernel import Limits, Position, is_compiled, playouts_by_card, solve_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from bots.sdk import Hello

RESERVE_MS = 3.0
"""Part of the decision time, in ms, for reading the request and writing the answer."""
BANK_PART = 1 / 8
"""Maximum share of the bank that a decision may use on top of its increment."""
BATCH = 10 if is_compiled else 1
"""Worlds played out between two checks of the clock."""


class KakeyaPimc(Bot):
    name = "kakeya_pimc"
    skip_forced = True

    def on_hello(self, hello: Hello) -> None:
        if not is_compiled:
            self.log("engine.kernel is not compiled here: time allows only a few worlds")

    def act(self, request: Request) -> str:
        began = process_time()
        if request.phase == "trump":
            return "KEEP"
        budget = max(1.0, request.increment_ms + request.bank_ms * BANK_PART - RESERVE_MS) / 1000
        view, worlds, end = KakeyaView(request), int(self.parameters["worlds"]), began + budget
        if len(view.legal) == 1:
            return view.legal[0]
        if request.phase == "lead":
            return lead_word(view, request, worlds, end)
        if len(view.hand) <= self.parameters["solve_from"]:
            totals = self.solved(positions(view, request, worlds, end), end)
        else:
            totals = self.played_out(positions(view, request, worlds, end), request)
        return PACK[max(totals, key=totals.__getitem__)]

    def solved(self, worlds: Iterator[Position], end: float) -> dict[int, int]:
        """Return twice the summed value of the solved worlds to the own pair, by card."""
        totals: dict[int, int] = {}
        nodes = int(self.parameters["nodes"])
        for world in worlds:
            left = max(0.0005, end - process_time())
            answers = solve_moves(world, "stones", Limits(nodes=nodes, seconds=left))
            nodes -= sum(answer.nodes for _, answer in answers)
            is_stopped = any(answer.state != "exact" for _, answer in answers)
            if is_stopped and totals:
                # A world solved only for some cards would weigh the cards unequally.
                break
            sign = 1 - 2 * (world.turn % 2)
            for card, answer in answers:
                totals[card] = totals.get(card, 0) + sign * (answer.low + answer.high)
            if is_stopped or nodes <= 0:
                break
        return totals

    def played_out(self, worlds: Iterator[Position], request: Request) -> dict[int, int]:
        """Return the summed value of playouts to the own pair, by card."""
        totals: dict[int, int] = {}
        seed, batch = request.rng.getrandbits(64), []
        for world in worlds:
            batch.append(world)
            if len(batch) == BATCH:
                self.count(batch, seed, totals)
                batch, seed = [], request.rng.getrandbits(64)
        if batch:
            self.count(batch, seed, totals)
        return totals

    def count(self, worlds: list[Position], seed: int, totals: dict[int, int]) -> None:
        sign = 1 - 2 * (worlds[0].turn % 2)
        for card, results in playouts_by_card(worlds, 1, seed, "rules").items():
            totals[card] = totals.get(card, 0) + sign * results.total


if __name__ == "__main__":
    KakeyaPimc().run()
