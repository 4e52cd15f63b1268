"""Drafts of forms that save themselves: of one account alone, bounded, and deleted when nobody came back."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.models import FormDraft, User
from arena.common.errors import Conflict, Invalid, NotFound

MAX_DRAFTS = 20
"""Of one account."""
MAX_DRAFT_BYTES = 32_000
"""Of one draft, as JSON."""
DRAFT_RETENTION_DAYS = 90
"""Since it was saved last."""


@transaction.atomic
def draft_save(
    user: User, kind: str, data: Mapping[str, str], public_id: str = "", version: int = 0
) -> FormDraft:
    """Save what was typed: as the draft of this id if it is still of this version, else as another one.

    Raises:
        Invalid: code ``draft_too_large``.
        Conflict: code ``too_many_drafts``; ``stale_draft`` if it was saved elsewhere since: nothing of either
            is lost, as the draft stays as it is and the caller has what was typed.
    """
    if len(json.dumps(dict(data))) > MAX_DRAFT_BYTES:
        raise Invalid(f"This is more than a draft can hold ({MAX_DRAFT_BYTES:,} bytes).", "draft_too_large")
    found = FormDraft.objects.filter(owner=user, public_id=public_id).first() if public_id else None
    if found is not None:
        saved = FormDraft.objects.filter(pk=found.pk, version=version).update(
            data=dict(data), version=F("version") + 1, saved_at=timezone.now()
        )
        if not saved:
            raise Conflict("This draft was saved in another window since you opened it.", "stale_draft")
        found.refresh_from_db()
        return found
    # The account's row is held, so that two windows do not both take the last place.
    User.objects.select_for_update().get(pk=user.pk)
    if FormDraft.objects.filter(owner=user).count() >= MAX_DRAFTS:
        raise Conflict(f"You have {MAX_DRAFTS} drafts already; delete one first.", "too_many_drafts")
    return FormDraft.objects.create(owner=user, kind=kind, data=dict(data))


def drafts_of(user: User, kind: str) -> list[FormDraft]:
    """The drafts of an account, the last saved first. One query."""
    return list(FormDraft.objects.filter(owner=user, kind=kind).order_by("-saved_at", "-id"))


def draft_get(user: User, public_id: str) -> FormDraft:
    """One draft of the account's own.

    Raises:
        NotFound: none, or somebody else's.
    """
    found = FormDraft.objects.filter(owner=user, public_id=public_id).first()
    if found is None:
        raise NotFound(f"There is no draft {public_id!r}.", "draft_missing")
    return found


def draft_delete(user: User, public_id: str) -> None:
    """Delete a draft of the account's own; one that is not there is no mistake."""
    FormDraft.objects.filter(owner=user, public_id=public_id).delete()


def drafts_prune() -> int:
    """Delete drafts nobody came back to; how many."""
    before = timezone.now() - datetime.timedelta(days=DRAFT_RETENTION_DAYS)
    return FormDraft.objects.filter(saved_at__lt=before).delete()[0]
