"""Shared parts of bots that search Kakeya and Etori. Needs ``engine.kernel``, so the runtime ``python/2``."""

from __future__ import annotations

from time import process_time

from bots.sdk.worlds import determinize, state_from
from engine.kernel import playouts, position_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from bots.sdk.games.kakeya import KakeyaView
    from bots.sdk.messages import Request
    from engine import State
    from engine.kernel import Position

PLAYOUTS = 4
"""Playouts per world and word about the lead."""


def positions(view: KakeyaView, request: Request, most: int, end: float) -> Iterator[Position]:
    """Yield at most ``most`` positions consistent with the view, at least one, until the CPU time ``end``."""
    return map(position_of, _worlds(view, request, most, end))


def lead_word(view: KakeyaView, request: Request, most: int, end: float) -> str:
    """Return the word about the lead that is best for the pair, if the partner says the other word."""
    sign = 1 if min(view.active) in (view.seat, view.partner) else -1
    totals = dict.fromkeys(view.legal, 0)
    seed = request.rng.getrandbits(64)
    for number, dealt in enumerate(_worlds(view, request, most, end)):
        for word in totals:
            state = dealt.apply(view.seat, word)
            while state.phase == "lead":
                other = next(answer for answer in state.legal(state.to_act[0]) if answer != word)
                state = state.apply(state.to_act[0], other)
            result = playouts(position_of(state), PLAYOUTS, seed, number * PLAYOUTS, "rules")
            totals[word] += sign * result.total
    return max(totals, key=totals.__getitem__)


def _worlds(view: KakeyaView, request: Request, most: int, end: float) -> Iterator[State]:
    for number in range(most):
        if number and process_time() >= end:
            return
        yield state_from(view, determinize(view, request.rng))
