"""Refusals that say what would be allowed, and verbs tried out without doing them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from arena.accounts.selectors import Viewer
from arena.common.errors import Conflict
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import entry_verbs_now, fields_now, verbs_now

__all__ = ["entry_verbs_now", "fields_now", "rehearsed", "telling_whats_allowed", "verbs_now"]


@contextmanager
def telling_whats_allowed(
    tournament: Tournament, viewer: Viewer, entry: Entry | None = None
) -> Iterator[None]:
    """Let a Conflict that leaves this block also say where the tournament stands and what it allows now.

    With an ``entry`` it is told what can be done with that; ``allowed_now`` are the tournament's verbs still.
    """
    try:
        yield
    except Conflict as conflict:
        tournament.refresh_from_db()
        conflict.extra.setdefault("state", tournament.state)
        conflict.extra["allowed_now"] = verbs_now(tournament, viewer)
        if entry is not None:
            entry.refresh_from_db()
            conflict.extra["entry_status"] = entry.status
            conflict.extra["entry_allowed_now"] = entry_verbs_now(entry, viewer)
        raise


@contextmanager
def rehearsed(is_dry_run: bool) -> Iterator[None]:
    """Do what is in the block, or with ``is_dry_run`` see what would come of it and take it all back.

    The services run as they always do, so what they refuse is refused here too. What is done once a change
    stands (messages to workers, webhooks) waits for the commit that never comes.
    """
    if not is_dry_run:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
