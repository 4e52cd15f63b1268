"""The published queue of commitments: filled in advance, taken in the order of their numbers, each once.

A tournament takes a number in the transaction that creates it; after a rollback the number remains free,
since nothing derived from the secret has left the transaction
(docs/decisions/0013-a-queue-of-commitments.md).
"""

from __future__ import annotations

import datetime
import logging
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Invalid
from arena.common.notes import Note, typed_note
from arena.competition.keys import messages_sign
from arena.competition.models import Commitment, Tournament, new_secret
from arena.competition.selectors import Viewer, tournaments_visible_to
from league.fairness import commitment, commitment_message

log = logging.getLogger(__name__)

State = Commitment.State
MAX_REASON_LENGTH = 300
_IS_FREE = Q(taken_at__isnull=True, revealed_at__isnull=True)


def commitments_fill() -> int:
    """Post commitments until ``COMMITMENTS_FREE_MIN`` are free; return how many. Safe to run concurrently."""
    # One query, so that both values are from the same state.
    counts = Commitment.objects.aggregate(last=Max("number"), free=Count("pk", filter=_IS_FREE))
    missing = settings.COMMITMENTS_FREE_MIN - counts["free"]
    return len(_post(missing, counts["last"])) if missing > 0 else 0


class ReservedCommitment(NamedTuple):
    """A free commitment, locked until the transaction ends."""

    commitment: Commitment
    taken_at: datetime.datetime
    """Time to store for the taker; equals ``posted_at`` if the commitment was posted for it."""


def commitment_reserve() -> ReservedCommitment:
    """Return the free commitment with the lowest number, locked until the transaction ends.

    The transaction has to take it. If the queue is empty, one is posted. Usually one query.
    """
    assert transaction.get_connection().in_atomic_block
    while True:
        free = _free_commitments().select_for_update().order_by("number").first()
        if free is not None:
            # Later than ``posted_at``, even if the clock of the posting machine is ahead.
            least = free.posted_at + datetime.timedelta(microseconds=1)
            return ReservedCommitment(free, max(timezone.now(), least))
        # After a lock wait PostgreSQL drops a row that was taken meanwhile, without finding the next.
        # Read the last number first: if another process posts more, take the lowest of those.
        last = _last_number()
        if not _free_commitments().exists() and (posted := _post(1, last)):
            log.error("the queue of commitments was empty; %s was published on demand", posted[0])
            return ReservedCommitment(posted[0], posted[0].posted_at)


def commitment_take(reserved: ReservedCommitment, tournament: Tournament) -> None:
    """Record in the reserving transaction that the tournament took the commitment. Raises ValueError."""
    taken, taken_at = reserved
    if bytes(tournament.secret) != bytes(taken.secret):
        raise ValueError(f"{tournament} was not made with the secret of {taken}")
    if not _free_commitments().filter(pk=taken.pk).update(taken_at=taken_at, tournament=tournament):
        raise ValueError(f"{taken} is not free")


def commitment_reveal(tournament: Tournament, note: Note) -> None:
    """Record that the secret of the tournament's commitment is revealed. One query."""
    Commitment.objects.filter(tournament=tournament, revealed_at=None).update(
        revealed_at=timezone.now(), note=note
    )


@transaction.atomic
def commitments_burn(through: int, reason: str, actor: User | None = None) -> int:
    """Reveal all free commitments up to a number, so that no tournament takes them, and return how many.

    Use it for secrets that may be known, and after a restore, which frees commitments again. Raises Invalid.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON_LENGTH:
        raise Invalid(f"Give a reason of 1 to {MAX_REASON_LENGTH} characters.", "invalid", field="reason")
    last = Commitment.objects.aggregate(last=Max("number"))["last"] or 0
    if not 1 <= through <= last:
        numbers = (
            f"the published ones have the numbers 1 to {last}" if last else "none has been published yet"
        )
        raise Invalid(f"There is no commitment {through}: {numbers}.", "invalid", field="through")
    burnt = (
        _free_commitments()
        .filter(number__lte=through)
        .update(revealed_at=timezone.now(), note=typed_note(reason))
    )
    if burnt:
        first = Commitment.objects.get(number=through)
        audit(actor, "burn", first, through=through, burnt=burnt, reason=reason)
    return burnt


def commitment_of(tournament: Tournament) -> Commitment | None:
    """Return the commitment that the tournament took from the queue. One query; none for an event."""
    if tournament.kind == Tournament.Kind.TOURNAMENT:
        return None
    return (
        Commitment.objects.select_related("key").defer("key__private").filter(tournament=tournament).first()
    )


def commitments_listed(viewer: Viewer = None) -> QuerySet[Commitment]:
    """Return all commitments, newest first, with ``taker`` and ``taker_name`` if the viewer may see it."""
    visible = tournaments_visible_to(viewer).order_by().filter(pk=OuterRef("tournament"))
    return (
        Commitment.objects.select_related("key")
        .defer("key__private")
        .annotate(taker=Subquery(visible.values("public_id")), taker_name=Subquery(visible.values("name")))
        .order_by("-number")
    )


def commitments_in_state(rows: QuerySet[Commitment], state: str) -> QuerySet[Commitment]:
    if state == State.REVEALED:
        return rows.filter(revealed_at__isnull=False)
    return rows.filter(revealed_at__isnull=True, taken_at__isnull=state == State.POSTED)


def _free_commitments() -> QuerySet[Commitment]:
    return Commitment.objects.filter(_IS_FREE)


def _last_number() -> int | None:
    last: int | None = Commitment.objects.aggregate(last=Max("number"))["last"]
    return last


def _post(count: int, last: int | None) -> list[Commitment]:
    """Post ``count`` commitments after ``last``; empty if another process posted some meanwhile."""
    now = timezone.now()
    first = (last or 0) + 1
    secrets = {number: new_secret() for number in range(first, first + count)}
    digests = {number: commitment(secret) for number, secret in secrets.items()}
    messages = [commitment_message(number, digest, now.isoformat()) for number, digest in digests.items()]
    rows = [
        Commitment(
            number=number,
            secret=secret,
            digest=digests[number],
            key=signature.key,
            signature=signature.hex,
            posted_at=now,
        )
        for (number, secret), signature in zip(secrets.items(), messages_sign(messages), strict=True)
    ]
    try:
        with transaction.atomic():
            return Commitment.objects.bulk_create(rows)
    except IntegrityError:
        return []
