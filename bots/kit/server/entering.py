"""Entering of an uploaded version in a tournament, in place of an earlier version of the same bot.

Withdrawing after the lock forfeits open fixtures. Therefore, an entry is withdrawn only while entry is
open and after a dry run has accepted the new entry.
"""

from __future__ import annotations

from typing import NamedTuple

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Entry, EntryIn, Tournament, Version
from bots.kit.client.tournaments import OVER_STATES
from bots.kit.errors import EnvironmentFailure, InvalidInput, KitError, error_text

OPEN = "open"
DRAFT = "draft"
ENTERED = "entered"
WRONG_STATE = "wrong_state"
"""Error code of an entry while the tournament is not open."""
FIELD_FIXED = "field_fixed"
"""Error code of a withdrawal that would be a departure."""
CAPACITY_CODES = ("too_many_entries", "tournament_full")
"""Error codes that withdrawing the earlier entry resolves. The server checks these limits last."""


class NotEntered(InvalidInput):
    """The version is uploaded but not entered. The message has the reason and the remedy."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
        """Error code of the server, such as ``tournament_full``."""


class EnterResult(NamedTuple):
    entry: Entry
    replaced: Entry | None


def require_registration(event: Tournament) -> None:
    """Raise ``InvalidInput`` with reason and remedy if the tournament accepts no entries now."""
    if event["state"] == OPEN:
        return
    later = (
        "submit without --enter, and enter the version when entry is open"
        if event["state"] == DRAFT
        else "submit without --enter; for tournaments that accept entries: "
        "rensho tournaments list --state open"
    )
    raise InvalidInput(f"{_closed_text(event)} Nothing was uploaded: {later}.")


def version_enter(client: Client, event_id: str, version: Version) -> EnterResult:
    """Enter a ready version; it replaces an earlier single entry of the same bot.

    Does nothing if this version is already entered. A dry run tries the new entry first. The earlier entry is
    withdrawn only if nothing but capacity prevents the new entry, and entered again if that is then rejected.
    Raise ``NotEntered`` with what is entered if the server rejects the entry, ``EnvironmentFailure`` with
    the commands to check and continue if it stops answering.
    """
    event = client.tournament(event_id)
    handle = client.me()["handle"] or ""
    earlier = _earlier_entry(client, event_id, version, handle)
    if earlier is not None and earlier["version"]["id"] == version["id"]:
        return EnterResult(earlier, None)
    unchanged = f"Version {version['number']} was uploaded but not entered"
    unchanged += f"; version {earlier['version']['number']} remains entered." if earlier else "."
    if event["state"] != OPEN:
        raise NotEntered(f"{_closed_text(event)} {unchanged}", WRONG_STATE)
    is_organiser = handle in (event["organiser"], *event["co_organisers"])
    fields = _fields(version["id"], earlier, is_organiser=is_organiser)
    try:
        if earlier is None:
            return EnterResult(client.entry_create(event_id, fields), None)
        client.entry_create(event_id, fields, dry_run=True)
    except Refused as refusal:
        if earlier is None or refusal.code not in CAPACITY_CODES:
            text = f"{_refusal_text(refusal, event_id, version)} {unchanged}"
            raise NotEntered(text, refusal.code) from None
    again = _fields(earlier["version"]["id"], earlier, is_organiser=is_organiser)
    try:
        _withdraw(client, event, earlier, unchanged)
        try:
            return EnterResult(client.entry_create(event_id, fields), earlier)
        except Refused as refusal:
            raise _restore_earlier(client, event_id, version, earlier, again, refusal) from None
    except EnvironmentFailure as error:
        raise EnvironmentFailure(
            f"{error} It is unknown whether version {version['number']} has replaced version "
            f"{earlier['version']['number']}. To check: rensho entries list {event_id}. If neither is "
            f"entered: rensho entries enter {event_id} {version['id']}"
        ) from None


def _closed_text(event: Tournament) -> str:
    name, state = event["name"], event["state"]
    if state == DRAFT:
        return f"{name} is a draft: it is not open for entry yet."
    if state in OVER_STATES:
        return f"{name} is {state}: it no longer accepts entries."
    return f"{name} is {state}: entry has closed; entered versions continue to play."


def _earlier_entry(client: Client, event_id: str, version: Version, handle: str) -> Entry | None:
    """Return the account's entry of this bot alone, not of a pair."""
    for entry in client.entries(event_id, player=handle, status=[ENTERED]):
        is_alone = entry["player"] == handle and entry["partner_version"] is None
        if is_alone and entry["version"]["bot"] == version["bot_name"]:
            return entry
    return None


def _fields(version_id: str, earlier: Entry | None, *, is_organiser: bool) -> EntryIn:
    """Return the fields of the entry, with consent and, for organisers, seed of the earlier entry."""
    fields: EntryIn = {"version": version_id}
    if earlier is not None:
        fields["accepts_partners"] = earlier["accepts_partners"]
        if is_organiser:
            fields["seed"] = earlier["seed"]
    return fields


def _refusal_text(refusal: Refused, event_id: str, version: Version) -> str:
    if refusal.code == "partners_not_accepted":
        return (
            "This tournament mixes partners: accept every partner with "
            f"rensho entries enter {event_id} {version['id']} --accept-partners."
        )
    return error_text(refusal)


def _withdraw(client: Client, event: Tournament, earlier: Entry, unchanged: str) -> None:
    """Withdraw the earlier entry while the tournament is open, or raise ``NotEntered``."""
    try:
        client.entry_withdraw(event["id"], earlier["id"], may_leave=False)
    except Refused as refusal:
        if refusal.code == FIELD_FIXED:
            text = f"Entry to {event['name']} closed just now. {unchanged}"
            raise NotEntered(text, refusal.code) from None
        raise NotEntered(f"{refusal} {unchanged}", refusal.code) from None


def _restore_earlier(
    client: Client, event_id: str, version: Version, earlier: Entry, fields: EntryIn, refusal: Refused
) -> NotEntered:
    """Enter the earlier version again and return the error to raise."""
    number, reason = earlier["version"]["number"], error_text(refusal)
    try:
        client.entry_create(event_id, fields)
    except KitError as error:
        return NotEntered(
            f"{reason} Version {number} was withdrawn and could not be entered again: {error} Neither is "
            f"entered now. To retry: rensho entries enter {event_id} {version['id']}",
            refusal.code,
        )
    return NotEntered(
        f"{reason} Version {version['number']} is not entered; version {number} was withdrawn and is entered "
        "again.",
        refusal.code,
    )
