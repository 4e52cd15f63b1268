"""Lookup of bots and versions by name, id or address."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bots.kit.client import Client
from bots.kit.client.address import kind_and_id
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Bot, Version
from bots.kit.errors import InvalidInput

Thing = TypeVar("Thing")
MAX_NAME_CHARS = 150
"""Maximum characters of a name that the server accepts in a query."""


def own_bots(client: Client, name: str | None = None) -> list[Bot]:
    """Return the account's bots, optionally with this name in any case and width, an exact match first."""
    handle = client.me()["handle"]
    bots = client.bots(owner=handle, name=name) if handle else ()
    return sorted(bots, key=lambda bot: bot["name"] != name)


def own_bot(client: Client, named: str) -> Bot:
    """Return one of the account's bots by name or id, or raise ``InvalidInput``."""
    own = own_bots(client)
    for bot in own:
        if named in (bot["name"], bot["id"]):
            return bot
    for bot in own_bots(client, named[:MAX_NAME_CHARS]) if named else ():
        return bot
    raise InvalidInput(f"you have no bot {named!r}; you have: {_names(own)}")


def _names(own: list[Bot]) -> str:
    return ", ".join(bot["name"] for bot in own) or "none yet; create one with rensho submit"


def latest_version(client: Client, bot_id: str) -> Version | None:
    return max(client.versions(bot_id), key=lambda version: version["number"], default=None)


def active_version(client: Client, bot_id: str) -> Version | None:
    """Return the active version of a bot, or its latest version: the server reports what is wrong with it."""
    chosen = client.bot(bot_id)["active_version"]
    return client.version(chosen) if chosen else latest_version(client, bot_id)


def find_versions(client: Client, named: str) -> list[Version]:
    """Return all versions of the named bot, latest first, or the named version alone.

    Raise ``InvalidInput`` if the name is unknown, or the bot has no version.
    """
    return _find(
        client,
        named,
        lambda bot_id: sorted(client.versions(bot_id), key=lambda version: -version["number"]),
        lambda version: [version],
    )


def find_version(client: Client, named: str, choose: Callable[[Client, str], Version | None]) -> Version:
    """Return the named version, or the version that ``choose`` returns for the named bot.

    Raise ``InvalidInput`` if the name is unknown, or the bot has no version.
    """
    return _find(client, named, lambda bot_id: choose(client, bot_id), lambda version: version)


def _find(
    client: Client,
    named: str,
    of_bot: Callable[[str], Thing | None],
    of_version: Callable[[Version], Thing],
) -> Thing:
    kind, found_id = kind_and_id(named, ("bots", "versions"))
    own = own_bots(client, named) if kind == "" else []
    if own:
        return _require_version(named, of_bot(own[0]["id"]))
    for path in ("bots", "versions"):
        if found_id and kind in ("", path):
            try:
                if path == "versions":
                    return of_version(client.version(found_id))
                return _require_version(named, of_bot(found_id))
            except Refused as refusal:
                if refusal.http_status != 404:
                    raise
    raise InvalidInput(
        f"{named!r} is neither one of your bots nor the id of a bot or a version; you have: "
        f"{_names(own_bots(client))}"
    )


def _require_version(named: str, result: Thing | None) -> Thing:
    if not result:
        raise InvalidInput(f"{named!r} has no version yet: upload one with rensho submit")
    return result
