"""Sharing a casual table that is over: an address that its person makes, gives away and takes back."""

from __future__ import annotations

import datetime
import re
import secrets

from django.utils import timezone

from arena.common.errors import Conflict, NotFound
from arena.common.ids import ALPHABET
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.selectors import table_of, tables_of

KEY_CHARACTERS = 26
"""Of an alphabet of 31: some 128 bits, which nobody guesses."""
LINK_DAYS = 30
"""So long a link is good."""
MAX_SHARED = 50
"""Tables of one person that others can look at."""
_KEY = re.compile(f"[{ALPHABET}]{{{KEY_CHARACTERS}}}")


def share(person: Person, table_id: str) -> None:
    """Make the link by which everybody who has it can look at the table; nothing if it has one.

    Raises:
        NotFound: ``play_unknown``.
        Conflict: ``wrong_state`` if it is not over; ``play_shares``.
    """
    table = table_of(person, table_id)
    if not table.is_over:
        raise Conflict("A table can be shared once it is over.", "wrong_state", state=table.state)
    if shared_until(table) is not None:
        return
    since = timezone.now() - datetime.timedelta(days=LINK_DAYS)
    others = tables_of(person).filter(shared_at__gt=since).exclude(shared_as="").count()
    if others >= MAX_SHARED:
        raise Conflict(
            f"You share {others} tables, which is the limit. Take one of their links back first.",
            "play_shares",
        )
    key = "".join(secrets.choice(ALPHABET) for _ in range(KEY_CHARACTERS))
    # Of two clicks at once the second finds another key there and makes none.
    rows = CasualTable.objects.filter(pk=table.pk, shared_as=table.shared_as)
    rows.update(shared_as=key, shared_at=timezone.now())


def unshare(person: Person, table_id: str) -> None:
    """End the link; a later one has another address. Harmless if there is none.

    Raises:
        NotFound: ``play_unknown``.
    """
    table = table_of(person, table_id)
    CasualTable.objects.filter(pk=table.pk).update(shared_as="", shared_at=None)


def shared_table(key: str) -> CasualTable:
    """The table of a link. One query.

    Raises:
        NotFound: code ``play_not_shared``: there is no such link, or not any more; it does not say which.
    """
    found = CasualTable.objects.filter(shared_as=key).first() if _KEY.fullmatch(key) else None
    if found is None or not found.is_over or shared_until(found) is None:
        raise NotFound(
            "This link shows no table: it was taken back, its time is over, or it was never made.",
            "play_not_shared",
        )
    return found


def shared_until(table: CasualTable) -> datetime.datetime | None:
    """When the table's link ends; None if it has none."""
    if not table.shared_as or table.shared_at is None:
        return None
    until = table.shared_at + datetime.timedelta(days=LINK_DAYS)
    return until if until > timezone.now() else None
