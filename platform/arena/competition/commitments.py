"""The published queue of commitments: filled ahead, taken in the order of the numbers, each number once.

A number is taken in the transaction that makes what takes it. If that is rolled back, neither was ever there:
nothing that follows from the secret has left the transaction, as seeds are first computed for a table that a
worker claims, and the number stays where it is in the queue (docs/decisions/0013-a-queue-of-commitments.md).
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
from arena.common.notes import Note, typed
from arena.competition.keys import messages_sign
from arena.competition.models import Commitment, Tournament, new_secret
from arena.competition.selectors import Viewer, tournaments_visible_to
from league.fairness import commitment, queued_message

log = logging.getLogger(__name__)

State = Commitment.State
MAX_REASON_LENGTH = 300
_IS_FREE = Q(taken_at__isnull=True, revealed_at__isnull=True)


def commitments_fill() -> int:
    """Post as many as the queue lacks of ``COMMITMENTS_AHEAD``; how many. Safe to run twice at once."""
    # Read at once: of another process both must have been seen, or neither.
    counts = Commitment.objects.aggregate(last=Max("number"), free=Count("pk", filter=_IS_FREE))
    missing = settings.COMMITMENTS_AHEAD - counts["free"]
    return len(_post(missing, counts["last"])) if missing > 0 else 0


class ReservedCommitment(NamedTuple):
    """A free commitment, locked to the end of the transaction."""

    commitment: Commitment
    taken_at: datetime.datetime
    """As what takes it is to be noted: ``posted_at`` if it was posted for that."""


def commitment_reserve() -> ReservedCommitment:
    """The free commitment of the lowest number, locked to the end of the transaction, which is to take it.

    Of an empty queue it posts one, and the queue then says that this one was not posted ahead. Others wait
    here until the transaction ends. One query, as a rule.
    """
    assert transaction.get_connection().in_atomic_block
    while True:
        free = _free_commitments().select_for_update().order_by("number").first()
        if free is not None:
            # Later than it was posted, even if that was by a machine whose clock is ahead of this one's.
            least = free.posted_at + datetime.timedelta(microseconds=1)
            return ReservedCommitment(free, max(timezone.now(), least))
        # After a wait PostgreSQL leaves out a row that was taken meanwhile, and does not look for the next.
        # The last first: if another process posts some after it, the lowest of those is taken, not one more.
        last = _last_number()
        if not _free_commitments().exists() and (posted := _post(1, last)):
            log.error("the queue of commitments was empty: %s is posted for what takes it", posted[0])
            return ReservedCommitment(posted[0], posted[0].posted_at)


def commitment_take(reserved: ReservedCommitment, tournament: Tournament) -> None:
    """Note that a tournament made with its secret took a commitment, in the transaction that reserved it.

    Raises:
        ValueError: the secret of the tournament is another, or the commitment is not free.
    """
    taken, taken_at = reserved
    if bytes(tournament.secret) != bytes(taken.secret):
        raise ValueError(f"{tournament} was not made with the secret of {taken}")
    if not _free_commitments().filter(pk=taken.pk).update(taken_at=taken_at, tournament=tournament):
        raise ValueError(f"{taken} is not free")


def commitment_reveal(tournament: Tournament, note: Note) -> None:
    """Note that the secret a tournament took from the queue is revealed, if it took one.

    ``note`` is empty if it was played to its end. One query.
    """
    Commitment.objects.filter(tournament=tournament, revealed_at=None).update(
        revealed_at=timezone.now(), note=note
    )


@transaction.atomic
def commitments_burn(through: int, reason: str, actor: User | None = None) -> int:
    """Reveal all free commitments up to this number with the reason, so that nothing takes them; how many.

    For secrets that may have become known, and after a backup was restored: what was taken since the backup
    is free again in it.

    Raises:
        Invalid: no reason is given, or the number is one that was never posted.
    """
    reason = reason.strip()
    if not 1 <= len(reason) <= MAX_REASON_LENGTH:
        raise Invalid(f"Say why, in 1 to {MAX_REASON_LENGTH} characters.", "invalid", field="reason")
    last = Commitment.objects.aggregate(last=Max("number"))["last"] or 0
    if not 1 <= through <= last:
        numbers = f"those posted are numbered from 1 to {last}" if last else "none was posted yet"
        raise Invalid(f"No commitment {through}: {numbers}.", "invalid", field="through")
    burnt = (
        _free_commitments().filter(number__lte=through).update(revealed_at=timezone.now(), note=typed(reason))
    )
    if burnt:
        first = Commitment.objects.get(number=through)
        audit(actor, "burn", first, through=through, burnt=burnt, reason=reason)
    return burnt


def commitment_of(tournament: Tournament) -> Commitment | None:
    """The commitment that a tournament took from the queue. One query; without one for an event."""
    if tournament.kind == Tournament.Kind.EVENT:
        return None
    return (
        Commitment.objects.select_related("key").defer("key__private").filter(tournament=tournament).first()
    )


def commitments_listed(viewer: Viewer = None) -> QuerySet[Commitment]:
    """All of them with their keys, the newest first.

    ``taker`` and ``taker_name`` are public id and name of what took it, for who may see that.
    """
    visible = tournaments_visible_to(viewer).order_by().filter(pk=OuterRef("tournament"))
    return (
        Commitment.objects.select_related("key")
        .defer("key__private")
        .annotate(taker=Subquery(visible.values("public_id")), taker_name=Subquery(visible.values("name")))
        .order_by("-number")
    )


def commitments_in_state(rows: QuerySet[Commitment], state: str) -> QuerySet[Commitment]:
    """Of these commitments the ones in a state."""
    if state == State.REVEALED:
        return rows.filter(revealed_at__isnull=False)
    return rows.filter(revealed_at__isnull=True, taken_at__isnull=state == State.POSTED)


def _free_commitments() -> QuerySet[Commitment]:
    return Commitment.objects.filter(_IS_FREE)


def _last_number() -> int | None:
    last: int | None = Commitment.objects.aggregate(last=Max("number"))["last"]
    return last


def _post(count: int, last: int | None) -> list[Commitment]:
    """So many more behind the last; none if another process has posted some since that was read."""
    now = timezone.now()
    first = (last or 0) + 1
    secrets = {number: new_secret() for number in range(first, first + count)}
    digests = {number: commitment(secret) for number, secret in secrets.items()}
    messages = [queued_message(number, digest, now.isoformat()) for number, digest in digests.items()]
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
