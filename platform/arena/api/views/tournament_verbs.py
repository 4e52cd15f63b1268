"""The verbs that move a tournament on; each can be tried out first."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.serializers.base import checked
from arena.api.serializers.competition import Reason, TournamentOut
from arena.api.views.base import DRY_RUN, Verb, rehearsed, telling_whats_allowed
from arena.competition import services
from arena.competition.selectors import tournament_detail, tournament_get
from arena.jobs import flow
from arena.matches.leases import tables_retry


class TournamentVerb(Verb):
    """A verb that moves a tournament on; what follows from it is done at once."""

    @extend_schema(parameters=[DRY_RUN], responses=TournamentOut)
    def post(self, request: Request, tournament: str) -> Response:
        """Act, let the tournament advance, and show where it stands; of a dry run, where it would stand."""
        wanted = checked(self.body, request)
        found = tournament_get(tournament, request.user)
        with telling_whats_allowed(found, self.user), rehearsed(self.is_dry_run):
            self.service(found, self.user, **wanted)
            if self.is_dry_run:
                return self.rehearsal(TournamentOut, tournament_detail(tournament, request.user))
        flow.tournament_advance(found)
        return self.answer(TournamentOut, tournament_detail(tournament, request.user))


class Open(TournamentVerb):
    """Open registration.

    The commitment to the deals is published.
    """

    service = staticmethod(services.tournament_open)


class Lock(TournamentVerb):
    """Lock the field of a tournament.

    Registration is closed and the digest of the field published.
    """

    service = staticmethod(services.tournament_lock)


class Start(TournamentVerb):
    """Start a tournament.

    Its first round begins.
    """

    service = staticmethod(services.tournament_start)


class Pause(TournamentVerb):
    """Pause a tournament.

    No further table is started.
    """

    body = Reason
    service = staticmethod(services.tournament_pause)


class Resume(TournamentVerb):
    """Resume a tournament."""

    service = staticmethod(services.tournament_resume)


class CloseEarly(TournamentVerb):
    """End a tournament with the rounds closed so far.

    Their standings are the result.
    """

    body = Reason
    service = staticmethod(flow.tournament_close_early)


class RetryTables(TournamentVerb):
    """Send all tables that our faults hold up back to wait."""

    service = staticmethod(tables_retry)


class Finalise(TournamentVerb):
    """Finalise a provisional tournament.

    It is audited now, and its review ends if that passes and no report is open.
    """

    service = staticmethod(flow.tournament_finalise)


class Cancel(TournamentVerb):
    """Cancel a tournament.

    What is open is void, boards are unsealed, the secret is revealed.
    """

    body = Reason
    service = staticmethod(flow.tournament_cancel)


class Archive(TournamentVerb):
    """Archive a final tournament.

    It stays readable.
    """

    service = staticmethod(services.tournament_archive)


VERB_VIEWS: dict[str, type[TournamentVerb]] = {
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
