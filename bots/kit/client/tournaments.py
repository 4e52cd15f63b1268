"""API calls: tournaments, entries, invitations, standings and exports."""

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
"""Actions that change the state of a tournament."""
OVER_STATES = ("final", "archived", "cancelled")
"""States in which a tournament no longer changes."""


class TournamentCalls(Transport):
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
        """Yield visible tournaments, newest first; only events unless ``kind`` names others."""
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
        return self.fetch(Tournament, f"tournaments/{tournament_id}")

    def tournament_create(self, fields: TournamentIn) -> Tournament:
        """Create a draft."""
        return self.post_typed(Tournament, "tournaments", fields)

    def plan_preview(self, fields: TournamentIn) -> Plan:
        """Return the plan and the cost of a tournament with these fields (dry run)."""
        return self.post_typed(Plan, "tournaments", fields, dry_run=True)

    def plan(self, tournament_id: str) -> Plan:
        return self.fetch(Plan, f"tournaments/{tournament_id}/plan")

    def tournament_change(self, tournament_id: str, fields: TournamentChangeIn) -> Tournament:
        """Change fields, as far as the state of the tournament allows."""
        return self.patch(Tournament, f"tournaments/{tournament_id}", fields)

    def tournament_act(
        self, tournament_id: str, verb: str, reason: str | None = None, *, dry_run: bool | None = None
    ) -> Tournament:
        """Apply one of ``VERBS``. A dry run returns the tournament as it would be."""
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
        """Yield entries in the order of entry, including withdrawn entries."""
        path = f"tournaments/{tournament_id}/entries"
        return self.rows(Entry, path, player=player, status=status, version=version)

    def entry_create(self, tournament_id: str, fields: EntryIn, *, dry_run: bool | None = None) -> Entry:
        """Enter a ready version, or two versions as a pair."""
        return self.post_typed(Entry, f"tournaments/{tournament_id}/entries", fields, dry_run=dry_run)

    def entry_change(self, tournament_id: str, entry_id: str, fields: EntryChangeIn) -> Entry:
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
        """Withdraw an entry, or leave after the lock. Without ``may_leave`` the server refuses to leave."""
        path = f"tournaments/{tournament_id}/entries/{entry_id}/withdraw"
        return self.post_typed(Entry, path, {"reason": reason, "may_leave": may_leave}, dry_run=dry_run)

    def entry_confirm(self, tournament_id: str, entry_id: str, *, dry_run: bool | None = None) -> Entry:
        """Accept a pair with the account's own version."""
        path = f"tournaments/{tournament_id}/entries/{entry_id}/confirm"
        return self.post_typed(Entry, path, dry_run=dry_run)

    def entry_decline(
        self, tournament_id: str, entry_id: str, reason: str = "", *, dry_run: bool | None = None
    ) -> Entry:
        path = f"tournaments/{tournament_id}/entries/{entry_id}/decline"
        return self.post_typed(Entry, path, {"reason": reason}, dry_run=dry_run)

    def invitations(self, tournament_id: str) -> Iterator[Invitation]:
        return self.rows(Invitation, f"tournaments/{tournament_id}/invitations")

    def invitation_create(self, tournament_id: str, fields: InvitationIn) -> Invitation:
        return self.post_typed(Invitation, f"tournaments/{tournament_id}/invitations", fields)

    def invitation_remove(self, tournament_id: str, handle: str) -> None:
        self.delete(f"tournaments/{tournament_id}/invitations/{handle}")

    def rounds(self, tournament_id: str) -> Iterator[Round]:
        return self.rows(Round, f"tournaments/{tournament_id}/rounds")

    def fixtures(
        self,
        tournament_id: str,
        *,
        stage: int | None = None,
        round: int | None = None,
        entry: str | None = None,
    ) -> Iterator[Fixture]:
        path = f"tournaments/{tournament_id}/fixtures"
        return self.rows(Fixture, path, stage=stage, round=round, entry=entry)

    def standings(
        self,
        tournament_id: str,
        *,
        stage: int | None = None,
        as_of: str | int | None = None,
    ) -> list[StageStandings]:
        """Return the standings after closed rounds of all stages that have begun, or of one stage.

        ``as_of`` is the number of a closed round, or a time. Rows beyond the first answer are fetched, too.
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
        """Return the results of each pair of entries in closed rounds; by default of the latest stage."""
        return self.fetch_with_rows(
            Crosstable, f"tournaments/{tournament_id}/crosstable", "rows", stage=stage
        )

    def export(self, tournament_id: str) -> AbstractContextManager[Download]:
        """Download the unsealed data of a tournament as a zip file for ``rensho verify``."""
        return self.download(f"tournaments/{tournament_id}/export")

    def export_ndjson(self, tournament_id: str) -> AbstractContextManager[Download]:
        """Download the export without records as NDJSON. The last line has the number of lines."""
        return self.download(f"tournaments/{tournament_id}/export.ndjson")

    def changes(
        self,
        tournament_id: str,
        note: Callable[[str], None],
        *,
        outage_timeout_s: float,
        reconnect_s: float | None = None,
        poll_s: float,
    ) -> Iterator[ServerEvent | None]:
        """Follow a tournament. An item, or None after an interruption, means that it may have changed."""
        path = f"tournaments/{tournament_id}/events"
        return follow(
            self, path, note, outage_timeout_s=outage_timeout_s, reconnect_s=reconnect_s, poll_s=poll_s
        )
