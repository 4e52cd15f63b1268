"""The verbs that move a tournament on; each can be tried out first."""

from __future__ import annotations

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.permissions import SignedIn
from arena.api.serializers.base import Body, Nothing, checked
from arena.api.serializers.competition import Reason, TournamentOut
from arena.api.verbs import rehearsed, telling_whats_allowed
from arena.api.views.base import DRY_RUN, View
from arena.competition.models import Tournament
from arena.competition.selectors import tournament_detail, tournament_get
from arena.competition.services import (
    tournament_archive,
    tournament_lock,
    tournament_open,
    tournament_pause,
    tournament_resume,
    tournament_start,
)
from arena.jobs.flow import (
    tournament_advance,
    tournament_cancel,
    tournament_close_early,
    tournament_finalise,
)
from arena.matches.leases import tables_retry


class Verb(View):
    """A verb that moves a tournament on; what follows from it is done at once."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)
    body: ClassVar[type[Body]] = Nothing

    def act(self, tournament: Tournament, reason: str) -> None:
        """The one service of this verb."""
        raise NotImplementedError

    def move(self, public_id: str) -> Response:
        """Act, let the tournament advance, and show where it stands; of a dry run, where it would stand."""
        wanted = checked(self.body, self.request)
        tournament = tournament_get(public_id, self.request.user)
        with telling_whats_allowed(tournament, self.user), rehearsed(self.is_dry_run):
            self.act(tournament, wanted.get("reason", ""))
            if self.is_dry_run:
                return self.rehearsal(TournamentOut, tournament_detail(public_id, self.request.user))
        tournament_advance(tournament)
        return self.answer(TournamentOut, tournament_detail(public_id, self.request.user))


class Open(Verb):
    """Open registration and publish the commitment."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Open registration and publish the commitment."""
        tournament_open(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Open registration.

        The commitment to the deals is published.
        """
        return self.move(tournament)


class Lock(Verb):
    """Close registration and publish the digest of the field."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Close registration and publish the digest of the field."""
        tournament_lock(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Lock the field of a tournament.

        Registration is closed and the digest of the field published.
        """
        return self.move(tournament)


class Start(Verb):
    """Start the first round."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Start the first round."""
        tournament_start(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Start a tournament.

        Its first round begins.
        """
        return self.move(tournament)


class Pause(Verb):
    """Start no further table."""

    body = Reason

    def act(self, tournament: Tournament, reason: str) -> None:
        """Start no further table."""
        tournament_pause(tournament, self.user, reason)

    @extend_schema(parameters=[DRY_RUN], request=Reason, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Pause a tournament.

        No further table is started.
        """
        return self.move(tournament)


class Resume(Verb):
    """Go on."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Go on."""
        tournament_resume(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Resume a tournament."""
        return self.move(tournament)


class CloseEarly(Verb):
    """End it with the rounds closed so far; their standings are the result."""

    body = Reason

    def act(self, tournament: Tournament, reason: str) -> None:
        """End it with the rounds closed so far; their standings are the result."""
        tournament_close_early(tournament, self.user, reason)

    @extend_schema(parameters=[DRY_RUN], request=Reason, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """End a tournament with the rounds closed so far.

        Their standings are the result.
        """
        return self.move(tournament)


class RetryTables(Verb):
    """Send every table that faults of the platform hold up back to wait for a worker."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Send every table that faults of the platform hold up back to wait for a worker."""
        tables_retry(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Send all tables that our faults hold up back to wait."""
        return self.move(tournament)


class Finalise(Verb):
    """Run the audit of a provisional tournament now."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Run the audit of a provisional tournament now."""
        tournament_finalise(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Run the audit of a provisional tournament."""
        return self.move(tournament)


class Cancel(Verb):
    """End it before its time: what is open is void, boards are unsealed, the secret is revealed."""

    body = Reason

    def act(self, tournament: Tournament, reason: str) -> None:
        """End it before its time: what is open is void, boards are unsealed, the secret is revealed."""
        tournament_cancel(tournament, self.user, reason)

    @extend_schema(parameters=[DRY_RUN], request=Reason, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Cancel a tournament.

        What is open is void, boards are unsealed, the secret is revealed.
        """
        return self.move(tournament)


class Archive(Verb):
    """Put a final tournament away; it stays readable."""

    def act(self, tournament: Tournament, reason: str) -> None:
        """Put a final tournament away; it stays readable."""
        tournament_archive(tournament, self.user)

    @extend_schema(parameters=[DRY_RUN], request=Nothing, responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Archive a final tournament.

        It stays readable.
        """
        return self.move(tournament)


VERB_VIEWS: dict[str, type[Verb]] = {
    "open": Open,
    "lock": Lock,
    "start": Start,
    "pause": Pause,
    "resume": Resume,
    "close_early": CloseEarly,
    "retry_tables": RetryTables,
    "finalise": Finalise,
    "cancel": Cancel,
    "archive": Archive,
}
"""View by the last word of its address."""
