"""A typed client of a server's REST API, for the kit's commands and for programs of one's own.

    from bots.kit.client import Client

    with Client("https://rensho.example", "rensho_...") as client:
        for tournament in client.tournaments(state=["running"]):
            print(tournament["name"], tournament["state"])

``shapes`` has the type of every answer. What the server refuses is one exception, Refused, with its code, the
state and what would be allowed now; a server that cannot answer is ServerUnavailable.
"""

from __future__ import annotations

from bots.kit.client import shapes
from bots.kit.client.account import AccountCalls
from bots.kit.client.address import kind_and_id, public_id, server_url
from bots.kit.client.bots import BotCalls
from bots.kit.client.errors import NotLoggedIn, Refused, ServerUnavailable, StillSealed
from bots.kit.client.play import PlayCalls
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
):
    """Calls one server, typed by its contract; lists are iterators that fetch page after page.

    >>> from bots.kit.client import Client, server_url
    >>> with Client(server_url("http://127.0.0.1:8000/")) as client:
    ...     client.url, client.has_token
    ('http://127.0.0.1:8000', False)
    """
