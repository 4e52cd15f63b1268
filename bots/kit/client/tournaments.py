"""Calls about tournaments: making and running them, entering, standings, exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from bots.kit.client.follow import follow
from bots.kit.client.shapes import (
    Crosstable,
    Entry,
    EntryChangeIn,
    EntryIn,
    Fixture,
    Invitation,
    InvitationIn,
    Plan,
    Round,
    StageStandings,
    Tournament,
    TournamentChangeIn,
    TournamentIn,
)
from bots.kit.client.sse import ServerEvent
from bots.kit.client.transport import Download, Transport

VERBS = (
    "open",
    "lock",
    "start",
    "pause",
    "resume",
    "retry_tables",
    "finalise",
    "close_early",
    "cancel",
    "archive",
)
"""What moves a tournament on."""
OVER_STATES = ("final", "archived", "cancelled")
"""States of a tournament in which nothing will change any more."""


class TournamentCalls(Transport):
    """Tournaments from draft to archive."""

    def tournaments(
        self,
        *,
        state: Sequence[str] | None = None,
        game: str | None = None,
        preset: str | None = None,
        organiser: str | None = None,
        player: str | None = None,
        series: str | None = None,
        kind: Sequence[str] | None = None,
    ) -> Iterator[Tournament]:
        """Tournaments the caller may see, newest first; events alone unless kinds are named."""
        return self.rows(
            Tournament,
            "tournaments",
            state=state,
            game=game,
            preset=preset,
            organiser=organiser,
            player=player,
            series=series,
            kind=kind,
        )

    def tournament(self, tournament_id: str) -> Tournament:
        """A tournament."""
        return self.fetch(Tournament, f"tournaments/{tournament_id}")

    def tournament_create(self, fields: TournamentIn) -> Tournament:
        """Make a draft."""
        return self.post_typed(Tournament, "tournaments", fields)

    def plan_preview(self, fields: TournamentIn) -> Plan:
        """What a tournament with these fields would take and cost; nothing is made."""
        return self.post_typed(Plan, "tournaments", fields, dry_run=True)

    def plan(self, tournament_id: str) -> Plan:
        """What a tournament takes and costs at most, and as expected."""
        return self.fetch(Plan, f"tournaments/{tournament_id}/plan")

    def tournament_change(self, tournament_id: str, fields: TournamentChangeIn) -> Tournament:
        """Change fields that its state allows."""
        return self.patch(Tournament, f"tournaments/{tournament_id}", fields)

    def tournament_act(
        self, tournament_id: str, verb: str, reason: str | None = None, *, dry_run: bool | None = None
    ) -> Tournament:
        """Move a tournament on by one of ``VERB_HELP``; of a dry run, how it would be."""
        body = {} if reason is None else {"reason": reason}
        return self.post_typed(Tournament, f"tournaments/{tournament_id}/{verb}", body, dry_run=dry_run)

    def entries(
        self,
        tournament_id: str,
        *,
        player: str | None = None,
        status: Sequence[str] | None = None,
        version: str | None = None,
    ) -> Iterator[Entry]:
        """Entries in the order they came, withdrawn ones included."""
        path = f"tournaments/{tournament_id}/entries"
        return self.rows(Entry, path, player=player, status=status, version=version)

    def entry_create(self, tournament_id: str, fields: EntryIn, *, dry_run: bool | None = None) -> Entry:
        """Enter a ready version, or two as a pair."""
        return self.post_typed(Entry, f"tournaments/{tournament_id}/entries", fields, dry_run=dry_run)

    def entry_change(self, tournament_id: str, entry_id: str, fields: EntryChangeIn) -> Entry:
        """Set or clear an entry's seed, as its organiser."""
        return self.patch(Entry, f"tournaments/{tournament_id}/entries/{entry_id}", fields)

    def entry_withdraw(
        self,
        tournament_id: str,
        entry_id: str,
        reason: str = "",
        *,
        may_leave: bool = True,
        dry_run: bool | None = None,
    ) -> Entry:
        """Take an entry back, or leave after the lock; without ``may_leave`` the server then refuses."""
        path = f"tournaments/{tournament_id}/entries/{entry_id}/withdraw"
        return self.post_typed(Entry, path, {"reason": reason, "may_leave": may_leave}, dry_run=dry_run)

    def entry_confirm(self, tournament_id: str, entry_id: str, *, dry_run: bool | None = None) -> Entry:
        """Agree to a pair with a version of one's own."""
        path = f"tournaments/{tournament_id}/entries/{entry_id}/confirm"
        return self.post_typed(Entry, path, dry_run=dry_run)

    def entry_decline(
        self, tournament_id: str, entry_id: str, reason: str = "", *, dry_run: bool | None = None
    ) -> Entry:
        """Refuse a pair with a version of one's own."""
        path = f"tournaments/{tournament_id}/entries/{entry_id}/decline"
        return self.post_typed(Entry, path, {"reason": reason}, dry_run=dry_run)

    def invitations(self, tournament_id: str) -> Iterator[Invitation]:
        """Who is invited; for the organiser."""
        return self.rows(Invitation, f"tournaments/{tournament_id}/invitations")

    def invitation_create(self, tournament_id: str, fields: InvitationIn) -> Invitation:
        """Invite a player."""
        return self.post_typed(Invitation, f"tournaments/{tournament_id}/invitations", fields)

    def invitation_remove(self, tournament_id: str, handle: str) -> None:
        """Take an invitation back."""
        self.delete(f"tournaments/{tournament_id}/invitations/{handle}")

    def rounds(self, tournament_id: str) -> Iterator[Round]:
        """Rounds in the order they are played."""
        return self.rows(Round, f"tournaments/{tournament_id}/rounds")

    def fixtures(
        self,
        tournament_id: str,
        *,
        stage: int | None = None,
        round: int | None = None,
        entry: str | None = None,
    ) -> Iterator[Fixture]:
        """Fixtures in the order of their rounds."""
        path = f"tournaments/{tournament_id}/fixtures"
        return self.rows(Fixture, path, stage=stage, round=round, entry=entry)

    def standings(
        self,
        tournament_id: str,
        *,
        stage: int | None = None,
        as_of: str | int | None = None,
    ) -> list[StageStandings]:
        """The standings of every stage begun, after its closed rounds; or of one stage as it stood then.

        ``as_of`` is the number of a closed round, or a moment. Rows that are too many for one answer are
        fetched by further ones.
        """
        path = f"tournaments/{tournament_id}/standings"
        stages = self.fetch(list[StageStandings], path, stage=stage, as_of=as_of)
        for stage_rows in stages:
            while first := stage_rows.get("next_first"):
                (part,) = self.fetch(
                    list[StageStandings], path, stage=stage_rows["stage"], as_of=as_of, first=first
                )
                stage_rows["rows"] += part["rows"]
                stage_rows["next_first"] = part.get("next_first")
        return stages

    def crosstable(self, tournament_id: str, *, stage: int | None = None) -> Crosstable:
        """How each fared against each, from closed rounds; of the last stage begun unless one is named."""
        return self.fetch_with_rows(
            Crosstable, f"tournaments/{tournament_id}/crosstable", "rows", stage=stage
        )

    def export(self, tournament_id: str) -> AbstractContextManager[Download]:
        """Everything of the event that is not sealed, as a zip for ``rensho verify``."""
        return self.download(f"tournaments/{tournament_id}/export")

    def export_ndjson(self, tournament_id: str) -> AbstractContextManager[Download]:
        """The same without records, one JSON object a line, the last of which counts the lines."""
        return self.download(f"tournaments/{tournament_id}/export.ndjson")

    def changes(
        self,
        tournament_id: str,
        note: Callable[[str], None],
        *,
        patience_s: float,
        reconnect_s: float | None = None,
        poll_s: float,
    ) -> Iterator[ServerEvent | None]:
        """Follow a tournament: an event, or None after a break, means that there is something to look at."""
        path = f"tournaments/{tournament_id}/events"
        return follow(self, path, note, patience_s=patience_s, reconnect_s=reconnect_s, poll_s=poll_s)
