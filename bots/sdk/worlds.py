"""Random hidden hands that fit a request, and engine states of them, for searches (``engine.Worlds``)."""

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
        """The attributes that these functions need of a view, such as ``KakeyaView`` or ``KakkuriView``."""

        observation: Mapping[str, Any]
        ruleset: Mapping[str, Any]


_SLIPS = (LookupError, TypeError, ValueError, AttributeError, StopIteration)
"""Exceptions from reading an invalid view, hands or random generator."""
_rules: tuple[object, str, Ruleset] | None = None
"""Last options and preset, with their ruleset: the same for a whole table."""
_read: tuple[View, Worlds] | None = None
"""Last view with its worlds: a search draws many times from one view."""


def determinize(view: View, rng: Random) -> dict[int, tuple[str, ...]]:
    """Draw hands of every seat, uniformly from all deals that are consistent with the view.

    Costs about 100 microseconds for a new view, then 20 per draw; several times that if many suits were not
    followed or several seats declared sansoku. The own hand is included. Before cards are dealt or looked at,
    these are the future hands. Kakkuri's box has key 0, top card first. Raise ``WorldError`` if the view
    contradicts the rules, or its game cannot make states from observations.
    """
    try:
        return _worlds(view).draw(rng)
    except EngineError as fault:
        raise WorldError(str(fault)) from None
    except _SLIPS as fault:
        raise _refusal(view, fault) from fault


def state_from(view: View, hands: Hands) -> State:
    """Return the engine's state of this view with these hands; it ends with this deal.

    ``state.observe(view.seat)`` equals ``view.observation``; the own hand may be left out. Costs about 20
    microseconds, and 50 more for a new view. Raise ``WorldError`` if hands, view and rules contradict each
    other.
    """
    try:
        return _worlds(view).state(hands)
    except EngineError as fault:
        raise WorldError(str(fault)) from None
    except _SLIPS as fault:
        raise _refusal(view, fault) from fault


def _refusal(view: View, slip: Exception) -> WorldError:
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
