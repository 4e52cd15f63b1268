"""Typed client of the REST API of a server, for the commands of the kit and for other programs.

    from bots.kit.client import Client

    with Client("https://rensho.example", "rensho_...") as client:
        for tournament in client.tournaments(state=["running"]):
            print(tournament["name"], tournament["state"])

``shapes`` has the types of all answers. A rejected request raises Refused, a server that does not answer
ServerUnavailable.
"""

from __future__ import annotations

from bots.kit.client import shapes
from bots.kit.client.account import AccountCalls
from bots.kit.client.address import kind_and_id, public_id, server_url
from bots.kit.client.bots import BotCalls
from bots.kit.client.errors import NotLoggedIn, Refused, ServerUnavailable, StillSealed
from bots.kit.client.play import PlayCalls
from bots.kit.client.remote import RemoteCalls
from bots.kit.client.series import SeriesCalls
from bots.kit.client.sse import ServerEvent
from bots.kit.client.tournaments import TournamentCalls

__all__ = [
    "Client",
    "NotLoggedIn",
    "Refused",
    "ServerEvent",
    "ServerUnavailable",
    "StillSealed",
    "kind_and_id",
    "public_id",
    "server_url",
    "shapes",
]


class Client(
    AccountCalls,
    BotCalls,
    TournamentCalls,
    PlayCalls,
    SeriesCalls,
    RemoteCalls,
):
    """Client of one server. Lists are iterators that fetch one page after another."""
