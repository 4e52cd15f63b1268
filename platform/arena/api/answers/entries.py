"""Responses: entries, and the name of an entry in other responses."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Annotated, TypedDict, cast

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.impartiality import has_interest
from arena.competition.models import Entry, Invitation, Tournament
from arena.competition.permissions import allowed_entry_actions
from arena.competition.selectors import NamedEntry, NamedVersion, entry_names, may_organise
from arena.roster.models import BotVersion


class EnteredVersion(TypedDict):
    """A version of an entry."""

    id: str
    bot: Annotated[str, "The bot's name."]
    number: int
    bundle_sha256: str


class EntryName(TypedDict):
    """Identity of an entry: player, bot and versions."""

    entry: str
    player: str
    bot: Annotated[str, 'The bot\'s name; for a pair both names, joined by " + ".']
    versions: Annotated[list[EnteredVersion], "One for all seats of its side, or one per seat."]


class EntryOut(TypedDict):
    """An entry of a tournament."""

    id: str
    tournament: str
    player: str
    partner: Annotated[str | None, "Handle of the other player whose version plays the higher seat, if any."]
    version: EnteredVersion
    partner_version: EnteredVersion | None
    accepts_partners: bool
    seed: int | None
    status: Annotated[str, Entry.Status]
    status_reason: str
    status_at: datetime.datetime
    left_stage: Annotated[int | None, "Number of the stage in which it left."]
    left_round: Annotated[int | None, "Number of the last round it was paired in; 0: none."]
    is_organiser_entry: bool
    created_at: datetime.datetime
    allowed_actions: Annotated[list[str], "Actions that you may take on it now."]


class InvitationOut(TypedDict):
    """An invitation of a player to a tournament."""

    player: str
    created_at: datetime.datetime


def invitation_out(invitation: Invitation, _: Request) -> InvitationOut:
    return build_shape(InvitationOut, invitation, player=invitation.player.handle)


def entry_out(entry: Entry, request: Request, interests: dict[int, bool] | None = None) -> EntryOut:
    """Return an entry with the fields that the viewer may see.

    ``interests`` caches, by the tournament's primary key, whether an organiser has an interest in it, which
    takes one query each.
    """
    viewer, interests = request.user, {} if interests is None else interests
    if entry.tournament_id not in interests and may_organise(viewer, entry.tournament):
        interests[entry.tournament_id] = has_interest(viewer, entry.tournament)
    owners, partner = entry.owners(), entry.partner_version
    return build_shape(
        EntryOut,
        entry,
        tournament=entry.tournament.public_id,
        player=entry.player.handle,
        partner=owners[1].handle if len(owners) > 1 else None,
        version=entered_version(entry.version),
        partner_version=None if partner is None else entered_version(partner),
        allowed_actions=allowed_entry_actions(entry, viewer, has_entry=interests.get(entry.tournament_id)),
    )


def entered_version(version: BotVersion) -> EnteredVersion:
    return {
        "id": version.public_id,
        "bot": version.bot.name,
        "number": version.number,
        "bundle_sha256": version.bundle_sha256,
    }


def named_entry(entry: Entry) -> NamedEntry:
    """Return the identity of an entry with loaded player, versions and bots, as a ``NamedEntry``."""
    versions = tuple(NamedVersion(**entered_version(version)) for version in entry.versions())
    return NamedEntry(entry.public_id, entry.status, entry.player.handle, versions)


def entry_name_of(entry: Entry) -> EntryName:
    """Return the identity of an entry with loaded player, versions and bots, as response."""
    return entry_name_from(named_entry(entry))


def entry_name_from(entry: NamedEntry) -> EntryName:
    """Return a ``NamedEntry`` as response."""
    return {
        "entry": entry.id,
        "player": entry.player,
        "bot": " + ".join(version.bot for version in entry.versions),
        "versions": [cast(EnteredVersion, version._asdict()) for version in entry.versions],
    }


def entry_names_of(tournament: Tournament, entries: Iterable[str]) -> dict[str, EntryName]:
    """Return the identities of entries by public id. One query."""
    entry_ids = set(entries)
    if not entry_ids:
        return {}
    return {
        name: entry_name_from(entry)
        for name, entry in entry_names(tournament.pk).items()
        if name in entry_ids
    }
