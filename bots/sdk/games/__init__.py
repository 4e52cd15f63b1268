"""Views by game: ``view_of`` finds modules by the game's key, which export ``VIEW``."""

from __future__ import annotations

from bots.sdk.errors import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # the attributes of a view depend on its game

    from bots.sdk.messages import Request


_VIEWS: dict[str, Any] = {}


def view_of(request: Request) -> Any:
    """Return the view of the request's game, such as ``KakeyaView``.

    Raise ``ProtocolError`` if the game has no view; read ``request.observation`` itself.
    """
    game = request.observation["game"]
    if game not in _VIEWS:
        _VIEWS[game] = _view_class(game)
    return _VIEWS[game](request)


def _view_class(game: str) -> Any:
    # Imported here: they would slow down the start of every bot.
    from importlib import import_module
    from pkgutil import iter_modules

    if game not in [module.name for module in iter_modules(__path__)]:
        raise ProtocolError(f"the SDK has no view of the game {game!r}: read request.observation")
    return import_module(f"{__name__}.{game}").VIEW
