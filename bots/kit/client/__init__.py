"""A typed client of a server's REST API, for the kit's commands and for programs of one's own.

    from bots.kit.client import Client

    with Client("https://rensho.example", "rensho_...") as client:
        for tournament in client.tournaments(state=["running"]):
            print(tournament["name"], tournament["state"])

``shapes`` has the type of every answer. What the server refuses is one exception, Refused, with its code, the
state and what would be allowed now; a server that cannot answer is ServerUnable.
"""

from __future__ import annotations

from bots.kit.client import shapes
from bots.kit.client.address import place_of, public_id, server_url
from bots.kit.client.client import Client
from bots.kit.client.errors import NotLoggedIn, Refused, SealedYet, ServerUnable
from bots.kit.client.sse import ServerEvent

__all__ = [
    "Client",
    "NotLoggedIn",
    "Refused",
    "SealedYet",
    "ServerEvent",
    "ServerUnable",
    "place_of",
    "public_id",
    "server_url",
    "shapes",
]
