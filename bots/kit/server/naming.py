"""Whom a name, an id or an address on the command line means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from bots.kit.client import Client
from bots.kit.client.address import place_of
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Bot, Version
from bots.kit.errors import InputUnusable

Thing = TypeVar("Thing")


def own_bots(client: Client, name: str | None = None) -> list[Bot]:
    """One's own bots, or those of this name."""
    handle = client.me()["handle"]
    return list(client.bots(owner=handle, name=name)) if handle else []


def latest(client: Client, bot_id: str) -> Version | None:
    """The latest version of a bot."""
    return max(client.versions(bot_id), key=lambda one: one["number"], default=None)


def versions_named(client: Client, named: str) -> list[Version]:
    """Every version of the bot named, latest first; or the one version named.

    Raises:
        InputUnusable: nothing is called so, or there is no version yet.
    """
    return _named(
        client,
        named,
        lambda bot_id: sorted(client.versions(bot_id), key=lambda one: -one["number"]),
        lambda version: [version],
    )


def version_named(client: Client, named: str, choose: Callable[[Client, str], Version | None]) -> Version:
    """The version named, or the one chosen of the bot named.

    Raises:
        InputUnusable: nothing is called so, or there is no version yet.
    """
    return _named(client, named, lambda bot_id: choose(client, bot_id), lambda version: version)


def _named(
    client: Client,
    named: str,
    of_bot: Callable[[str], Thing | None],
    of_version: Callable[[Version], Thing],
) -> Thing:
    kind, public_id = place_of(named, ("bots", "versions"))
    own = [bot for bot in own_bots(client, named) if bot["name"] == named] if kind == "" else []
    if own:
        return _there(named, of_bot(own[0]["id"]))
    for path in ("bots", "versions"):
        if public_id and kind in ("", path):
            try:
                if path == "versions":
                    return of_version(client.version(public_id))
                return _there(named, of_bot(public_id))
            except Refused as refusal:
                if refusal.http_status != 404:
                    raise
    raise InputUnusable(
        f"{named!r} is neither a bot of yours nor the id of a bot or a version: rensho faults alone lists "
        "all your bots"
    )


def _there(named: str, found: Thing | None) -> Thing:
    if not found:
        raise InputUnusable(f"{named!r} has no version yet: upload one with rensho submit")
    return found
