"""Who an entry is, wherever an answer names one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, TypedDict

from arena.competition.models import Entry, Tournament
from arena.competition.selectors import NamedEntry, NamedVersion, names_in
from arena.roster.models import BotVersion


class EnteredVersion(TypedDict):
    """A version as entered."""

    id: str
    bot: Annotated[str, "The bot's name."]
    number: int
    bundle_sha256: str


class EntryName(TypedDict):
    """Who an entry is, wherever one is named; what ``entry_named`` gives."""

    entry: str
    player: str
    bot: Annotated[str, 'The bot\'s name; of a pair of versions both, joined by " + ".']
    versions: Annotated[list[EnteredVersion], "One for all seats of its side, or one for each."]


def version_named(version: BotVersion) -> EnteredVersion:
    """A version as entered."""
    return {
        "id": version.public_id,
        "bot": version.bot.name,
        "number": version.number,
        "bundle_sha256": version.bundle_sha256,
    }


def named_entry(entry: Entry) -> NamedEntry:
    """Who an entry is that came with player, versions and bots."""
    versions = tuple(NamedVersion(**version_named(version)) for version in entry.versions())
    return NamedEntry(entry.public_id, entry.status, entry.player.handle, versions)


def entry_named(entry: Entry) -> EntryName:
    """The name of an entry that came with player, versions and bots."""
    return entry_name(named_entry(entry))


def entry_name(entry: NamedEntry) -> EntryName:
    """The name of an entry."""
    return {
        "entry": entry.id,
        "player": entry.player,
        "bot": " + ".join(version.bot for version in entry.versions),
        "versions": [
            {
                "id": version.id,
                "bot": version.bot,
                "number": version.number,
                "bundle_sha256": version.bundle_sha256,
            }
            for version in entry.versions
        ],
    }


def names_of(tournament: Tournament, entries: Iterable[str]) -> dict[str, EntryName]:
    """Who these entries are, by public id. One query."""
    wanted = set(entries)
    if not wanted:
        return {}
    return {name: entry_name(entry) for name, entry in names_in(tournament.pk).items() if name in wanted}
