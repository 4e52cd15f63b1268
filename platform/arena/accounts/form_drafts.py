"""Drafts of forms that save themselves: private to one account, bounded, and deleted after a while."""

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
MAX_DRAFT_BYTES = 32_000
DRAFT_RETENTION_DAYS = 90
"""Days from the last save of a draft to its deletion."""


@transaction.atomic
def draft_save(
    user: User, kind: str, data: Mapping[str, str], public_id: str = "", version: int = 0
) -> FormDraft:
    """Save the content of a form: in the draft with this id if its version still matches, else in a new one.

    Raises Invalid (``draft_too_large``), Conflict (``too_many_drafts``; ``stale_draft`` if another window has
    saved the draft since, which then does not change).
    """
    if len(json.dumps(dict(data))) > MAX_DRAFT_BYTES:
        raise Invalid(f"The draft is too large (at most {MAX_DRAFT_BYTES:,} bytes).", "draft_too_large")
    draft = FormDraft.objects.filter(owner=user, public_id=public_id).first() if public_id else None
    if draft is not None:
        saved = FormDraft.objects.filter(pk=draft.pk, version=version).update(
            data=dict(data), version=F("version") + 1, saved_at=timezone.now()
        )
        if not saved:
            raise Conflict("The draft has been saved in another window since you opened it.", "stale_draft")
        draft.refresh_from_db()
        return draft
    # Lock the account's row, so that two windows cannot both create the last draft.
    User.objects.select_for_update().get(pk=user.pk)
    if FormDraft.objects.filter(owner=user).count() >= MAX_DRAFTS:
        raise Conflict(
            f"You have {MAX_DRAFTS} drafts, which is the limit. Delete one first.", "too_many_drafts"
        )
    return FormDraft.objects.create(owner=user, kind=kind, data=dict(data))


def drafts_of(user: User, kind: str) -> list[FormDraft]:
    """Return the drafts of an account, the most recently saved first. One query."""
    return list(FormDraft.objects.filter(owner=user, kind=kind).order_by("-saved_at", "-id"))


def draft_get(user: User, public_id: str) -> FormDraft:
    """Return a draft of this account. Raises NotFound (``draft_not_found``)."""
    draft = FormDraft.objects.filter(owner=user, public_id=public_id).first()
    if draft is None:
        raise NotFound(f"There is no draft {public_id!r}.", "draft_not_found")
    return draft


def draft_delete(user: User, public_id: str) -> None:
    FormDraft.objects.filter(owner=user, public_id=public_id).delete()


def drafts_prune() -> int:
    """Delete drafts that were last saved ``DRAFT_RETENTION_DAYS`` ago; return how many."""
    before = timezone.now() - datetime.timedelta(days=DRAFT_RETENTION_DAYS)
    return FormDraft.objects.filter(saved_at__lt=before).delete()[0]
