"""Public links to finished casual tables: create, resolve and delete."""

from __future__ import annotations

import datetime
import re
import secrets

from django.utils import timezone

from arena.common.errors import Conflict, NotFound
from arena.common.ids import ALPHABET
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.selectors import require_unsealed, table_of, tables_of

KEY_CHARACTERS = 26
"""From an alphabet of 31: about 128 bits, not guessable."""
LINK_DAYS = 30
"""Lifetime of a link in days."""
MAX_SHARED = 50
"""Maximum shared tables per person."""
_KEY = re.compile(f"[{ALPHABET}]{{{KEY_CHARACTERS}}}")


def share(person: Person, table_id: str) -> None:
    """Create the public link of a table, once. Raises NotFound, Conflict (``wrong_state``,
    ``casual_table_sealed`` or limit)."""
    table = table_of(person, table_id)
    if not table.is_over:
        raise Conflict("A table can be shared once it is over.", "wrong_state", state=table.state)
    require_unsealed(table)
    if shared_until(table) is not None:
        return
    since = timezone.now() - datetime.timedelta(days=LINK_DAYS)
    shared_count = tables_of(person).filter(shared_at__gt=since).exclude(share_token="").count()
    if shared_count >= MAX_SHARED:
        raise Conflict(
            f"You share {shared_count} tables, which is the limit. Delete one of their links first.",
            "share_limit",
        )
    key = "".join(secrets.choice(ALPHABET) for _ in range(KEY_CHARACTERS))
    # Conditional update: of two concurrent requests, only the first creates a key.
    rows = CasualTable.objects.filter(pk=table.pk, share_token=table.share_token)
    rows.update(share_token=key, shared_at=timezone.now())


def unshare(person: Person, table_id: str) -> None:
    """Delete the link; a new one will have another key. Idempotent. Raises NotFound
    (``casual_table_not_found``).
    """
    table = table_of(person, table_id)
    CasualTable.objects.filter(pk=table.pk).update(share_token="", shared_at=None)


def shared_table(key: str) -> CasualTable:
    """Return the table of a link. One query. Raises NotFound (``shared_table_not_found``)."""
    table = CasualTable.objects.filter(share_token=key).first() if _KEY.fullmatch(key) else None
    if table is None or not table.is_over or shared_until(table) is None:
        raise NotFound(
            "This link leads to no table: it was deleted, has expired, or never existed.",
            "shared_table_not_found",
        )
    return table


def shared_until(table: CasualTable) -> datetime.datetime | None:
    if not table.share_token or table.shared_at is None:
        return None
    until = table.shared_at + datetime.timedelta(days=LINK_DAYS)
    return until if until > timezone.now() else None
