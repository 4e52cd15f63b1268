"""What a visitor has entered in an event, and what can be done with it now."""

from __future__ import annotations

import dataclasses

from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import entry_verbs_now
from arena.competition.selectors import Viewer, entries_of_account
from arena.web.labels import EntryLabel, entry_label

VERBS = {"confirm": "Agree", "decline": "Decline", "withdraw": "Withdraw"}
"""What a button says."""
STATUS = {
    Entry.Status.PENDING: "waits for the partner's owner to agree",
    Entry.Status.ENTERED: "entered",
    Entry.Status.LEFT: "left",
    Entry.Status.WITHDRAWN: "withdrawn",
}


@dataclasses.dataclass(frozen=True)
class Own:
    """One entry the visitor has a bot in."""

    id: str
    entry: EntryLabel
    status: str
    buttons: list[tuple[str, str]]
    """Verb and text."""


def own_entries(tournament: Tournament, viewer: Viewer) -> list[Own]:
    """The visitor's entries, withdrawn ones left out. One query."""
    if not isinstance(viewer, User):
        return []
    return [
        Own(
            entry.public_id,
            entry_label(entry),
            STATUS[Entry.Status(entry.status)],
            [(verb, VERBS[verb]) for verb in entry_verbs_now(entry, viewer) if verb in VERBS],
        )
        for entry in entries_of_account(tournament, viewer)
    ]
