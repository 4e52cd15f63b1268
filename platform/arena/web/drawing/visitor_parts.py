"""Parts of a tournament's page for one visitor: own entries, and held back tables for organisers."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext_lazy, pgettext_lazy

from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import LEAVABLE_STATES, allowed_entry_actions
from arena.competition.selectors import Viewer, entries_of_account
from arena.matches.fixture_selectors import open_fixtures_of, quarantined_tables
from arena.standings.selectors import last_places
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.wording import join_facts

VERB_LABELS = {
    "confirm": pgettext_lazy("of an entry", "Agree"),
    "decline": pgettext_lazy("of an entry", "Decline"),
    "withdraw": pgettext_lazy("of an entry", "Withdraw"),
}
"""Labels of buttons, by action."""
LEAVE_LABEL = gettext_lazy("Leave the tournament")
"""Label of *Withdraw* once the field is fixed."""
LEAVE_CONSEQUENCES = gettext_lazy(
    "This cannot be undone, and you cannot enter again. The entry plays no more rounds and loses its "
    "unfinished fixtures. Results of finished fixtures stay."
)
DECLINE_CONSEQUENCES = gettext_lazy(
    "The pair will not be entered. The other owner can ask you again while entry is open."
)
STATUS_LABELS = {
    Entry.Status.PENDING: pgettext_lazy("of an entry", "waiting for the partner's owner to agree"),
    Entry.Status.ENTERED: pgettext_lazy("of an entry", "entered"),
    Entry.Status.LEFT: pgettext_lazy("of an entry", "left"),
    Entry.Status.WITHDRAWN: pgettext_lazy("of an entry", "withdrawn"),
}


class EntryButton(NamedTuple):
    verb: str
    text: str
    consequences: str
    """Consequences to confirm; empty if the action needs no confirmation."""
    leaves: bool
    """Whether the entry leaves after the field is fixed; the form then has to confirm it."""


def entry_buttons(entry: Entry, user: User) -> list[EntryButton]:
    """Return the actions of the visitor; an account whose consent is pending confirms or declines."""
    verbs = [verb for verb in allowed_entry_actions(entry, user) if verb in VERB_LABELS]
    if "decline" in verbs and "withdraw" in verbs:
        verbs.remove("withdraw")
    return [_button(verb, is_withdrawal_final(entry)) for verb in verbs]


def is_withdrawal_final(entry: Entry) -> bool:
    """Whether the field is fixed, so that a withdrawn entry cannot enter again."""
    return entry.tournament.state in LEAVABLE_STATES


def _button(verb: str, is_fixed: bool) -> EntryButton:
    if verb == "withdraw" and is_fixed:
        return EntryButton(verb, str(LEAVE_LABEL), str(LEAVE_CONSEQUENCES), leaves=True)
    return EntryButton(
        verb, str(VERB_LABELS[verb]), str(DECLINE_CONSEQUENCES) if verb == "decline" else "", leaves=False
    )


@dataclasses.dataclass(frozen=True)
class OwnEntry:
    id: str
    entry: EntryLabel
    status: str
    buttons: list[EntryButton]
    rank: int | None
    """Rank in the last stage with standings of it."""
    stage: int | None
    """Number of that stage."""
    meeting: OwnMeeting | None = None


class OwnMeeting(NamedTuple):
    """The fixture of an entry in the open round."""

    fixture: str
    round: int
    opponents: str
    """Names; empty for a bye."""


def own_meetings(tournament: Tournament, own: Sequence[OwnEntry]) -> list[OwnEntry]:
    """Return the entries with their fixtures in the open round. Two queries, or none if it is not live."""
    if not own or tournament.state not in (Tournament.State.RUNNING, Tournament.State.PAUSED):
        return list(own)
    fixtures = open_fixtures_of([entry.entry.id for entry in own])

    def meeting(entry: OwnEntry) -> OwnMeeting | None:
        fixture = fixtures.get(entry.entry.id)
        if fixture is None:
            return None
        return OwnMeeting(
            fixture.fixture, fixture.round, join_facts(entry_label(other).name for other in fixture.opponents)
        )

    return [dataclasses.replace(entry, meeting=meeting(entry)) for entry in own]


def own_entries(tournament: Tournament, viewer: Viewer) -> list[OwnEntry]:
    """Return the visitor's entries, without withdrawn ones. Two queries."""
    if not isinstance(viewer, User):
        return []
    entries = list(entries_of_account(tournament, viewer))
    ranks = last_places(entries) if entries else {}
    return [
        OwnEntry(
            entry.public_id,
            entry_label(entry),
            str(STATUS_LABELS[Entry.Status(entry.status)]),
            entry_buttons(entry, viewer),
            *ranks.get(entry.pk, (None, None)),
        )
        for entry in entries
    ]


@dataclasses.dataclass(frozen=True)
class HeldBackTable:
    """A quarantined table, the reason, and the time until which it can be retried."""

    table: str
    fixture: int
    round: int
    reason: str
    until: datetime.datetime


def held_back_tables(tournament: Tournament) -> list[HeldBackTable]:
    """Return the quarantined tables, oldest first. One query."""
    wait = datetime.timedelta(hours=tournament.quarantine_hours)
    return [
        HeldBackTable(
            table.public_id,
            table.fixture.number,
            table.fixture.board_set.round.number,
            table.reason,
            table.state_at + wait,
        )
        for table in quarantined_tables(tournament)
    ]
