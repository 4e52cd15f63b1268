"""Layouts: observations as arrays of numbers, actions as indices.

A layout fixes the meaning of every input and output of a network. Its version is part of the names of the
environments (``kakeya4_v0``) and of policy files, and increases whenever a meaning changes. docs/rl.md lists
the fields.

``rensho new --template policy`` copies this package into a bot, since the runtimes of bots do not contain it.
It therefore imports only numpy, ``engine`` and, relatively, itself.
"""

from __future__ import annotations

from engine import UnknownGame, all_games, preset_named
from engine.refusals import quoted

from .base import Array, Field, Layout, LayoutError
from .kakeya import KAKEYA
from .kakkuri import KAKKURI
from .policy import Policy, load_policy, untrained_policy

__all__ = [
    "LAYOUTS",
    "Array",
    "Field",
    "Layout",
    "LayoutError",
    "Policy",
    "environment_names",
    "layout",
    "load_policy",
    "preset_of",
    "untrained_policy",
]

LAYOUTS: dict[str, Layout] = {each.name: each for each in (KAKEYA, KAKKURI)}
"""By the key of the game."""


def environment_names() -> tuple[str, ...]:
    """Return the names of all environments: a preset and the version of its layout."""
    return tuple(
        f"{preset}_v{LAYOUTS[game.key].version}"
        for game in all_games().values()
        if game.key in LAYOUTS
        for preset in game.presets
    )


def layout(name: str) -> Layout:
    """Return the layout of an environment, such as ``kakeya4_v0``, or raise ``LayoutError``.

    >>> layout("kakeya4_v0").size, len(layout("kakeya4_v0").actions)
    (527, 61)
    """
    game, _ = preset_named(preset_of(name))
    return LAYOUTS[game.key]


def preset_of(name: str) -> str:
    """Return the preset of an environment. Raise ``LayoutError`` for an unknown preset or version."""
    preset, mark, version = str(name).rpartition("_v")
    if not mark or not version.isdecimal():
        raise LayoutError(f"{quoted(name)} names no environment: give a preset and a version: {_known()}")
    try:
        game, _ = preset_named(preset)
    except UnknownGame:
        raise LayoutError(f"unknown preset {quoted(preset)}; environments: {_known()}") from None
    known = LAYOUTS.get(game.key)
    if known is None:
        raise LayoutError(f"{game.key} has no layout, and so no environment; environments: {_known()}")
    if int(version) != known.version:
        raise LayoutError(
            f"there is no version {version} of {preset}: give {preset}_v{known.version}, or install the "
            "release of Rensho that has this version"
        )
    return preset


def _known() -> str:
    return ", ".join(environment_names())
