"""What an organiser chooses from, as plain values: formats with their options, rules of a preset."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from arena.competition.event_options import formats_for
from engine import EngineError, preset_named
from league.formats import offered_formats
from league.options import OptionDescribed

OptionOffered = OptionDescribed
"""One option of a format, as the format describes it."""


class FormatOffered(NamedTuple):
    """One format, as it describes itself."""

    key: str
    title: str
    summary: str
    options: tuple[OptionOffered, ...]


@cache
def formats_offered() -> dict[str, FormatOffered]:
    """Every format that organisers may choose by key, sorted."""
    return {
        key: FormatOffered(key, format_.title, format_.summary, tuple(format_.options_described()))
        for key, format_ in offered_formats().items()
    }


def preset_formats(preset: str) -> list[str]:
    """The formats that bring the sides of a preset together, the usual one first."""
    game, ruleset = preset_named(preset)
    sides = game.sides(ruleset)
    return formats_for(len(sides), len(sides[0]))


def rule_refusal(preset: str, name: str, value: Any) -> str:
    """Why one option of the rules cannot have this value; empty if it can."""
    game, _ruleset = preset_named(preset)
    try:
        game.ruleset(preset, {name: value})
    except EngineError as error:
        return f"{error}."
    return ""
