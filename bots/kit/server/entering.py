"""Entering an uploaded version in a tournament, in place of an earlier version of the same bot.

An entry that is withdrawn after the lock leaves for good and forfeits what is open, so nothing is withdrawn
unless registration is open and the new entry is known to be taken.
"""

from __future__ import annotations

from typing import NamedTuple

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Entry, EntryIn, Tournament, Version
from bots.kit.client.tournaments import OVER_STATES
from bots.kit.errors import EnvironmentFailure, InvalidInput, KitError, error_text

REGISTRATION = "registration"
DRAFT = "draft"
ENTERED = "entered"
FIELD_FIXED = "field_fixed"
"""The code of a refusal to withdraw what would leave for good."""
CAPACITY_CODES = ("too_many_entries", "tournament_full")
"""Codes of refusals that end when the earlier version makes way; the server looks at these last."""


class EnterResult(NamedTuple):
    """An entry, and the one that made way for it."""

    entry: Entry
    replaced: Entry | None


def require_registration(event: Tournament) -> None:
    """Refuse what is going to be entered before it is uploaded.

    Raises:
        InvalidInput: the tournament takes no entries now; the text says why and what to do.
    """
    if event["state"] == REGISTRATION:
        return
    later = (
        "submit without --enter, and enter it once registration is open"
        if event["state"] == DRAFT
        else "submit without --enter; rensho tournaments list --state registration shows what can be entered"
    )
    raise InvalidInput(f"{_closed_text(event)} Nothing was uploaded: {later}.")


def version_enter(client: Client, event_id: str, version: Version) -> EnterResult:
    """Enter a ready version; an earlier one of the same bot, entered alone, makes way for it.

    If this version is entered already, nothing is done. The new entry is tried first, and the earlier one
    withdrawn only if nothing else is in the way. If the new one is refused all the same, the earlier version
    is entered again.

    Raises:
        InvalidInput: registration is closed, or the server refuses; the text says what is entered now.
        EnvironmentFailure: the server stopped answering; the text says where to look.
    """
    event = client.tournament(event_id)
    handle = client.me()["handle"] or ""
    earlier = _earlier_entry(client, event_id, version, handle)
    if earlier is not None and earlier["version"]["id"] == version["id"]:
        return EnterResult(earlier, None)
    unchanged = f"Version {version['number']} is uploaded and not entered"
    unchanged += f"; version {earlier['version']['number']} stays entered." if earlier else "."
    if event["state"] != REGISTRATION:
        raise InvalidInput(f"{_closed_text(event)} {unchanged}")
    is_organiser = handle in (event["organiser"], *event["co_organisers"])
    fields = _fields(version["id"], earlier, is_organiser=is_organiser)
    try:
        if earlier is None:
            return EnterResult(client.entry_create(event_id, fields), None)
        client.entry_create(event_id, fields, dry_run=True)
    except Refused as refusal:
        if earlier is None or refusal.code not in CAPACITY_CODES:
            raise InvalidInput(f"{_refusal_text(refusal, event_id, version)} {unchanged}") from None
    again = _fields(earlier["version"]["id"], earlier, is_organiser=is_organiser)
    try:
        _withdraw(client, event, earlier, unchanged)
        try:
            return EnterResult(client.entry_create(event_id, fields), earlier)
        except Refused as refusal:
            raise _restore_earlier(client, event_id, version, earlier, again, refusal) from None
    except EnvironmentFailure as error:
        raise EnvironmentFailure(
            f"{error} Version {version['number']} was to take the place of version "
            f"{earlier['version']['number']}: rensho entries list {event_id} shows which is entered; if none "
            f"is: rensho entries enter {event_id} {version['id']}"
        ) from None


def _closed_text(event: Tournament) -> str:
    """Why a tournament that is not in registration takes no entry."""
    name, state = event["name"], event["state"]
    if state == DRAFT:
        return f"{name} is a draft: its registration is not open yet."
    if state in OVER_STATES:
        return f"{name} is {state}: it takes no entries any more."
    return f"{name} is {state}: registration is closed, and what is entered plays on."


def _earlier_entry(client: Client, event_id: str, version: Version, handle: str) -> Entry | None:
    """The caller's entry of the bot alone, not of a pair."""
    for entry in client.entries(event_id, player=handle, status=[ENTERED]):
        is_alone = entry["player"] == handle and entry["partner_version"] is None
        if is_alone and entry["version"]["bot"] == version["bot_name"]:
            return entry
    return None


def _fields(version_id: str, earlier: Entry | None, *, is_organiser: bool) -> EntryIn:
    """What to enter, with the consent of the earlier entry, and its seed if the caller may set it."""
    fields: EntryIn = {"version": version_id}
    if earlier is not None:
        fields["accepts_partners"] = earlier["accepts_partners"]
        if is_organiser:
            fields["seed"] = earlier["seed"]
    return fields


def _refusal_text(refusal: Refused, event_id: str, version: Version) -> str:
    if refusal.code == "partners_not_accepted":
        return (
            "There your bot partners every other one in turn: agree with "
            f"rensho entries enter {event_id} {version['id']} --accept-partners."
        )
    return error_text(refusal)


def _withdraw(client: Client, event: Tournament, earlier: Entry, unchanged: str) -> None:
    """Take the earlier entry back, as long as registration is open.

    Raises:
        InvalidInput: the server refuses; or registration closed just before.
    """
    try:
        client.entry_withdraw(event["id"], earlier["id"], may_leave=False)
    except Refused as refusal:
        if refusal.code == FIELD_FIXED:
            raise InvalidInput(f"Registration of {event['name']} closed just now. {unchanged}") from None
        raise InvalidInput(f"{refusal} {unchanged}") from None


def _restore_earlier(
    client: Client, event_id: str, version: Version, earlier: Entry, fields: EntryIn, refusal: Refused
) -> InvalidInput:
    """Enter the earlier version again; gives the error that says what came of it."""
    number, reason = earlier["version"]["number"], error_text(refusal)
    try:
        client.entry_create(event_id, fields)
    except KitError as error:
        return InvalidInput(
            f"{reason} Version {number} had made way, and could not be entered again: {error} Neither is "
            f"entered now; to try again: rensho entries enter {event_id} {version['id']}"
        )
    return InvalidInput(
        f"{reason} Version {version['number']} is not entered; version {number} had made way and is entered "
        "again."
    )
