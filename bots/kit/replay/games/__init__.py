"""Presenters of single games: each module here is named as a game's key and exports a ``PRESENTER``.

A game without a module here is shown by ``PlainPresenter``. Adding one edits nothing else.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from bots.kit.replay.presenter import PlainPresenter, Presenter


@functools.cache
def presenters() -> dict[str, type[Presenter]]:
    """The ``PRESENTER`` of each module here, by the key of the game it is named as."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return {name: importlib.import_module(f"{__name__}.{name}").PRESENTER for name in names}


def presenter_of(game: str) -> type[Presenter]:
    """What shows records of the game with this key.

    Raises:
        AttributeError: a module here has no ``PRESENTER``.
    """
    return presenters().get(game, PlainPresenter)
