"""Installed games and presets, described as plain values from the engine."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from django.utils import translation

from arena.common.errors import NotFound
from arena.common.game_titles import preset_title
from arena.competition.event_options import formats_for
from engine import games
from engine.errors import UnknownGame
from engine.game import Board, Game
from engine.games import all_games, family_of, game_named, preset_named
from league.formats import offered_formats

SAMPLE_SEED = "0" * 64
SAMPLE_STEPS = 400
"""Decisions sampled to infer the types of an observation's fields; more than a deal usually takes."""
JSON_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    list: "array",
    dict: "object",
    type(None): "null",
}


def game_keys() -> list[str]:
    return list(all_games())


def preset_keys() -> list[str]:
    return [preset for game in all_games().values() for preset in game.presets]


def games_described() -> list[dict[str, Any]]:
    return [
        {"key": game.key, "rules_version": game.rules_version, "presets": list(game.presets)}
        for game in all_games().values()
    ]


def presets_of(key: str) -> list[str]:
    return list(game_named(key).presets)


def presets_by_family(key: str) -> dict[str, list[str]]:
    return {family: list(names) for family, names in groupby(presets_of(key), family_of)}


def family_keys() -> list[str]:
    """Return the families of presets of all games, such as ``etori``, in the order of games and presets."""
    return list(dict.fromkeys(map(family_of, preset_keys())))


def presets_of_family(family: str) -> list[str]:
    return [preset for preset in preset_keys() if family_of(preset) == family]


def preset_family(preset: str) -> str:
    return family_of(preset)


def preset_game(preset: str) -> str:
    """Return the key of the preset's game. Raises LookupError for an unknown preset."""
    return preset_named(preset)[0].key


def preset_options(preset: str) -> dict[str, Any]:
    return preset_named(preset)[1].as_dict()


def preset_described(key: str, preset: str) -> dict[str, Any]:
    """Describe a preset for the API. Raises NotFound, with ``allowed``."""
    try:
        game = game_named(key)
    except UnknownGame as error:
        raise NotFound(f"{error}.", "unknown_game", allowed=game_keys()) from None
    if preset not in game.presets:
        names = list(game.presets)
        raise NotFound(
            f"{key} has no preset {preset!r}; presets: {', '.join(names)}.", "unknown_preset", allowed=names
        )
    ruleset = game.presets[preset]
    sides = game.sides(ruleset)
    with translation.override("en"):
        title = preset_title(preset)
    return {
        "game": game.key,
        "preset": preset,
        "title": title,
        "rules_version": game.rules_version,
        "seats": game.seats(ruleset),
        "sides": [list(side) for side in sides],
        "tables_per_fixture": len(sides),
        "formats": formats_for(len(sides), len(sides[0])),
        "starting_stones": game.starting_stones(ruleset),
        "options": ruleset.as_dict(),
        "decisions_bound": {kind: game.decisions_bound(ruleset, kind) for kind in ("deal", "game")},
        "observation": observation_fields(game, preset),
    }


def seat_counts(preset: str) -> tuple[int, ...]:
    return games.seat_counts(preset)


def formats_described() -> list[dict[str, Any]]:
    """Describe the formats that organisers may choose, with their options, by key."""
    return [
        {
            "key": format_.key,
            "title": format_.title,
            "needs_results": format_.needs_results,
            "mixes_partners": format_.mixes_partners,
            "repeats": format_.repeats,
            "options": [
                {"name": name, "kind": kind, "default": default, "meaning": meaning}
                for name, kind, default, meaning, *_bounds in format_.option_descriptions()
            ],
        }
        for format_ in offered_formats().values()
    ]


def observation_fields(game: Game, preset: str) -> dict[str, str]:
    """Return JSON types by field, such as ``integer or null``, as observed in one sample deal."""
    met: dict[str, set[str]] = {}
    state = game.start(game.presets[preset], Board("deal", 1, SAMPLE_SEED))
    step = 0
    while state.to_act and step < SAMPLE_STEPS:
        seat = state.to_act[0]
        for name, value in state.observe(seat).items():
            met.setdefault(name, set()).add(JSON_TYPES[type(value)])
        legal = state.legal(seat)
        # Alternate first and last choice, to reach every phase and every kind of answer.
        state = state.apply(seat, legal[0 if step % 2 else -1])
        step += 1
    return {name: " or ".join(sorted(types, key=_null_last)) for name, types in sorted(met.items())}


def _null_last(name: str) -> tuple[bool, str]:
    return name == "null", name
