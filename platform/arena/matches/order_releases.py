"""Whether this code may play a table that another release may have written.

A claim reads the oldest release that may use the database, and the version of the rules for which the
tournament was made. The order states the version, which the referee compares again.
"""

from __future__ import annotations

from django.db.models import Subquery, Value
from django.db.models.functions import Coalesce

from arena.common.models import Compatibility
from arena.common.revisions import is_supported_by, release
from engine import EngineError, game_named


class ReleaseTooOld(Exception):
    """This code must not play a table. The message has the releases and the remedy."""


REMEDY = "Update this worker (deploy/README.md, Updating and rolling back)."


def oldest_release_value() -> Coalesce:
    """Return an expression for queries: the oldest release that may use the database, or ""."""
    return Coalesce(Subquery(Compatibility.objects.values("oldest_release")[:1]), Value(""))


def require_supported(oldest_release: str, game: str, rules_version: int) -> None:
    """Raise ReleaseTooOld unless this code may play tables of these rules in such a database."""
    if not is_supported_by(oldest_release):
        raise ReleaseTooOld(
            f"The database needs release {oldest_release} or newer; this worker has {release()}. {REMEDY}"
        )
    try:
        known = game_named(game).rules_version
    except EngineError:
        raise ReleaseTooOld(
            f"This worker, release {release()}, does not have the game {game}. {REMEDY}"
        ) from None
    if known < rules_version:
        raise ReleaseTooOld(
            f"The tournament has rules_version {rules_version} of {game}; this worker, release {release()}, "
            f"has {known}. {REMEDY}"
        )
