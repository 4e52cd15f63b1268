"""Services of the actions that change the state of a tournament (``competition.tournament_actions``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from arena.accounts.models import User
from arena.competition import services
from arena.competition.models import Tournament
from arena.jobs import flow
from arena.matches.leases import tables_retry

Act = Callable[[Tournament, User, str], object]


def _without_reason(service: Callable[[Tournament, User], object]) -> Act:
    return lambda tournament, actor, reason: service(tournament, actor)


SERVICES: Mapping[str, Act] = {
    "open": _without_reason(services.tournament_open),
    "lock": _without_reason(services.tournament_lock),
    "start": _without_reason(services.tournament_start),
    "pause": services.tournament_pause,
    "resume": _without_reason(services.tournament_resume),
    "close_early": flow.tournament_close_early,
    "retry_tables": _without_reason(tables_retry),
    "finalise": _without_reason(flow.tournament_finalise),
    "archive": _without_reason(services.tournament_archive),
    "cancel": flow.tournament_cancel,
}
"""Called with tournament, actor and reason; the reason is empty for actions without one."""
