"""Hidden hands drawn from all that one request says, and engine states made of them, for searches.

Imported only by bots that ask for it, since the engine comes with it. What is certain and what a state is,
the engine alone says (``engine.Worlds``); nothing of the rules is here.
"""

from __future__ import annotations

from bots.sdk.errors import WorldError
from engine import EngineError, game_named
from engine.refusals import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random
    from typing import Any, Protocol  # Any: fields of decoded JSON have no narrower type

    from engine import Hands, Ruleset, State, Worlds

    class View(Protocol):
        """What these functions need of a view: ``KakeyaView``, ``KakkuriView`` or that of another game."""

        observation: Mapping[str, Any]
        ruleset: Mapping[str, Any]


_SLIPS = (LookupError, TypeError, ValueError, AttributeError, StopIteration)
"""What reading something raises that is no view, no hands or no random numbers."""
_rules: tuple[object, str, Ruleset] | None = None
"""The options and preset read last, and the rules they make: the same for a whole table."""
_read: tuple[View, Worlds] | None = None
"""The view read last, and what it leaves open: a search asks for many draws of one view."""


def determinize(view: View, rng: Random) -> dict[int, tuple[str, ...]]:
    """Hands of every seat, drawn uniformly from all deals that what this seat may know leaves possible.

    Costs about 100 microseconds for a new view, then 20 a draw; several times that at worst, where many
    suits were not followed or several seats declared sansoku. The own hand is among them. In phases before
    cards are dealt or looked at, they are the hands that will be. Kakkuri's box is under 0, top card first.

    Raises:
        WorldError: the view contradicts the rules, or its game has no states of observations.
    """
    try:
        return _worlds(view).draw(rng)
    except EngineError as fault:
        raise WorldError(str(fault)) from None
    except _SLIPS as fault:
        raise _refusal(view, fault) from fault


def state_from(view: View, hands: Hands) -> State:
    """The engine's state of this view, if these are the hands; it is over with this deal.

    ``state.observe(view.seat)`` gives ``view.observation`` again. ``hands`` is what ``determinize`` gives, or
    chosen otherwise; the own hand may be left out. Costs about 20 microseconds, the first of a view 50 more.

    Raises:
        WorldError: the hands contradict the view, or it contradicts the rules.
    """
    try:
        return _worlds(view).state(hands)
    except EngineError as fault:
        raise WorldError(str(fault)) from None
    except _SLIPS as fault:
        raise _refusal(view, fault) from fault


def _refusal(view: View, slip: Exception) -> WorldError:
    """Why a view and what came with it cannot be read."""
    if not (hasattr(view, "observation") and hasattr(view, "ruleset")):
        return WorldError(f"{quoted(type(view).__name__)} is no view: give KakeyaView(request) or the like")
    reason = f"{type(slip).__name__} {quoted(str(slip))}"
    return WorldError(f"not the view, hands or random numbers of a request: {reason}; give them unchanged")


def _worlds(view: View) -> Worlds:
    global _read, _rules
    if _read is not None and _read[0] is view:
        return _read[1]
    observation = view.observation
    game = game_named(observation["game"])
    if _rules is None or _rules[0] is not view.ruleset or _rules[1] != observation["preset"]:
        ruleset = game.ruleset(observation["preset"], view.ruleset)
        _rules = view.ruleset, observation["preset"], ruleset
    worlds = game.worlds(_rules[2], dict(observation))
    _read = view, worlds
    return worlds
