"""Calls about tournaments: making and running them, entering, standings, exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from bots.kit.client.follow import follow
from bots.kit.client.shapes import (
    Entry,
    EntryIn,
    Fairness,
    Fixture,
    Round,
    StageStandings,
    Tournament,
    TournamentIn,
    TournamentTextsIn,
)
from bots.kit.client.sse import ServerEvent
from bots.kit.client.transport import Download, Transport

VERBS = ("open", "lock", "start", "pause", "resume", "finalise", "close_early", "cancel", "archive")
"""What moves a tournament on."""
OVER = ("final", "archived", "cancelled")
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
    ) -> Iterator[Tournament]:
        """Tournaments the caller may see, newest first."""
        return self.rows(
            Tournament, "tournaments", state=state, game=game, preset=preset, organiser=organiser
        )

    def tournament(self, tournament_id: str) -> Tournament:
        """A tournament."""
        return self.one(Tournament, f"tournaments/{tournament_id}")

    def tournament_create(self, fields: TournamentIn) -> Tournament:
        """Make a draft."""
        return self.act(Tournament, "tournaments", fields)

    def tournament_change(self, tournament_id: str, fields: TournamentTextsIn) -> Tournament:
        """Change texts and times."""
        changed: Tournament = self.patch(f"tournaments/{tournament_id}", fields)
        return changed

    def tournament_act(self, tournament_id: str, verb: str, reason: str | None = None) -> Tournament:
        """Move a tournament on by one of ``VERBS``."""
        body = {} if reason is None else {"reason": reason}
        return self.act(Tournament, f"tournaments/{tournament_id}/{verb}", body)

    def entries(
        self, tournament_id: str, *, player: str | None = None, status: str | None = None
    ) -> Iterator[Entry]:
        """Entries in the order they came, withdrawn ones included."""
        return self.rows(Entry, f"tournaments/{tournament_id}/entries", player=player, status=status)

    def entry_create(self, tournament_id: str, fields: EntryIn) -> Entry:
        """Enter a ready version."""
        return self.act(Entry, f"tournaments/{tournament_id}/entries", fields)

    def entry_withdraw(self, tournament_id: str, entry_id: str) -> None:
        """Withdraw an entry."""
        self.delete(f"tournaments/{tournament_id}/entries/{entry_id}")

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

    def standings(self, tournament_id: str) -> list[StageStandings]:
        """The standings of every stage begun, after its closed rounds."""
        return self.one(list[StageStandings], f"tournaments/{tournament_id}/standings")

    def fairness(self, tournament_id: str) -> Fairness:
        """What lets anybody check that the deals were fixed before play."""
        return self.one(Fairness, f"tournaments/{tournament_id}/fairness")

    def export(self, tournament_id: str) -> AbstractContextManager[Download]:
        """Everything of the event that is not sealed, as a zip for ``rensho verify``."""
        return self.download(f"tournaments/{tournament_id}/export")

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
