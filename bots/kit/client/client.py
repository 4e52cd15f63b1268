"""One typed client of the whole API."""

from __future__ import annotations

from bots.kit.client.account import AccountCalls
from bots.kit.client.bots import BotCalls
from bots.kit.client.events import EventCalls
from bots.kit.client.play import PlayCalls
from bots.kit.client.series import SeriesCalls
from bots.kit.client.tournaments import TournamentCalls


class Client(AccountCalls, BotCalls, TournamentCalls, PlayCalls, EventCalls, SeriesCalls):
    """Calls one server, typed by its contract; lists are iterators that fetch page after page.

    >>> from bots.kit.client import Client, server_url
    >>> with Client(server_url("http://127.0.0.1:8000/")) as client:
    ...     client.url, client.has_token
    ('http://127.0.0.1:8000', False)
    """
