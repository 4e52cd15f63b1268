"""Begin and end maintenance mode."""

from __future__ import annotations

import logging

from django.db import transaction

from arena.accounts.models import User, audit
from arena.common.errors import Invalid
from arena.common.maintenance import maintenance_refresh
from arena.common.models import Maintenance
from arena.matches.waits import all_tables_mark_unpublished

log = logging.getLogger(__name__)

MESSAGE_CHARACTERS = 200
KEY = 1


def maintenance_begin(actor: User | None, message: str = "") -> None:
    """Switch maintenance mode on, or change its message. Raises Invalid ``message_too_long``."""
    message = " ".join(message.split())
    if len(message) > MESSAGE_CHARACTERS:
        raise Invalid(
            f"The message has {len(message)} characters; at most {MESSAGE_CHARACTERS} are allowed.",
            "message_too_long",
        )
    with transaction.atomic():
        row, is_new = Maintenance.objects.update_or_create(pk=KEY, defaults={"message": message})
        audit(actor, "begin" if is_new else "change", row, message=message)
    log.warning("maintenance mode is on")
    maintenance_refresh()


def maintenance_end(actor: User | None) -> bool:
    """Switch maintenance mode off; return whether it was on. The next tick offers all waiting tables."""
    with transaction.atomic():
        row = Maintenance.objects.select_for_update().first()
        if row is not None:
            audit(actor, "end", row)
            row.delete()
            all_tables_mark_unpublished()
    if row is not None:
        log.warning("maintenance mode is off")
    maintenance_refresh()
    return row is not None
