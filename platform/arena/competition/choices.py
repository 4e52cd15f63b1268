"""Formats with their options, and options of a preset, as plain values for forms."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from arena.competition.event_options import formats_for
from engine import EngineError, preset_named
from league.formats import offered_formats
from league.options import OptionDescription

OptionOffered = OptionDescription


class FormatOffered(NamedTuple):
    key: str
    title: str
    summary: str
    options: tuple[OptionOffered, ...]


@cache
def formats_offered() -> dict[str, FormatOffered]:
    return {
        key: FormatOffered(key, format_.title, format_.summary, tuple(format_.option_descriptions()))
        for key, format_ in offered_formats().items()
    }


def preset_formats(preset: str) -> list[str]:
    game, ruleset = preset_named(preset)
    sides = game.sides(ruleset)
    return formats_for(len(sides), len(sides[0]))


def rule_refusal(preset: str, name: str, value: Any) -> str:
    """Return why a rules option cannot have this value; empty if it can."""
    game, _ruleset = preset_named(preset)
    try:
        game.ruleset(preset, {name: value})
    except EngineError as error:
        return f"{error}."
    return ""
