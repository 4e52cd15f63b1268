"""The outbox: from notices to mails, digests beyond the daily limit, expiry and deletion.

A mail is put in, sent and ended by conditional updates of its row, so that several processes may do all this.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.common.metrics import count
from arena.features.mail.limits import (
    MAX_AGE_S,
    MAX_ATTEMPTS,
    PER_DAY,
    PRUNE_BATCH_SIZE,
    QUEUE_BATCH_SIZE,
    RETENTION_S,
    SECURITY_PER_DAY,
)
from arena.features.mail.models import MailAddress, NoticeChoice, OutgoingMail

Kind, State = OutgoingMail.Kind, OutgoingMail.State
WAITING = Q(state=State.WAITING)


def notices_queue() -> int:
    """Put notices that their accounts want by e-mail into the outbox, each once; return how many.

    Notices have no order of commit, so this looks at all of the last ``MAX_AGE_S`` seconds that are not there
    yet. Two statements.
    """
    now = timezone.now()
    since = now - timedelta(seconds=MAX_AGE_S)
    chosen = NoticeChoice.objects.filter(
        user=OuterRef("user"), kind=OuterRef("kind"), created_at__lte=OuterRef("created_at")
    )
    address = MailAddress.objects.filter(user=OuterRef("user"), refused_at=None)
    current = address.filter(address=OuterRef("user__email"))
    rows = Notice.objects.filter(
        # The first condition limits the search to accounts with choices, by the index on accounts.
        Exists(chosen),
        Exists(current) | Q(Exists(address), kind=Notice.Kind.SECURITY),
        ~Exists(OutgoingMail.objects.filter(notice=OuterRef("pk"))),
        user__in=NoticeChoice.objects.order_by().values("user"),
        user__is_active=True,
        created_at__gte=since,
    )
    notices = list(rows.order_by("pk").values_list("pk", "user", "created_at")[:QUEUE_BATCH_SIZE])
    OutgoingMail.objects.bulk_create(
        [
            OutgoingMail(
                kind=Kind.NOTICE,
                notice_id=notice,
                user_id=user,
                next_at=now,
                expires_at=created_at + timedelta(seconds=MAX_AGE_S),
            )
            for notice, user, created_at in notices
        ],
        ignore_conflicts=True,
    )
    return len(notices)


def sent_today(user: User, *, is_security: bool) -> int:
    """Return the mails with notices that were handed to the server today (UTC)."""
    rows = OutgoingMail.objects.filter(user=user, kind=Kind.NOTICE, handed_over_at__gte=day_start())
    security = Q(notice__kind=Notice.Kind.SECURITY)
    return rows.filter(security if is_security else ~security).count()


def is_beyond_limit(mail: OutgoingMail) -> bool:
    if mail.notice is None:
        return False
    is_security = mail.notice.kind == Notice.Kind.SECURITY
    return sent_today(mail.user, is_security=is_security) >= (SECURITY_PER_DAY if is_security else PER_DAY)


def digests_queue() -> int:
    """Put a digest into the outbox for each account with held notices of earlier days; return how many."""
    today = day_start()
    earlier = OutgoingMail.objects.filter(state=State.HELD, created_at__lt=today)
    users = list(earlier.order_by("user").values_list("user", flat=True).distinct()[:QUEUE_BATCH_SIZE])
    now = timezone.now()
    for user in users:
        with transaction.atomic():
            digest = OutgoingMail.objects.create(
                user_id=user,
                kind=Kind.DIGEST,
                next_at=now,
                expires_at=now + timedelta(seconds=MAX_AGE_S),
            )
            taken = earlier.filter(user=user).update(state=State.SUMMARISED, digest=digest, ended_at=now)
            if not taken:  # another process was faster
                digest.delete()
    return len(users)


def mails_sweep() -> int:
    """End mails that are too old, were tried too often or whose sender died; return how many.

    A mail that was handed to the server without a recorded reply is not sent again.
    """
    now = timezone.now()
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    waiting = OutgoingMail.objects.filter(free, WAITING)
    interrupted = waiting.filter(handed_over_at__isnull=False).update(
        **_end(now, State.UNKNOWN), cause="interrupted"
    )
    count("mails", interrupted, outcome=State.UNKNOWN)
    late = waiting.filter(Q(expires_at__lte=now) | Q(attempts__gte=MAX_ATTEMPTS), handed_over_at=None)
    without_cause = late.filter(cause="").update(**_end(now, State.FAILED), cause="expired")
    failed = without_cause + late.update(**_end(now, State.FAILED))
    count("mails", failed, outcome=State.FAILED)
    return interrupted + failed


def addresses_sweep() -> None:
    """Note accounts that changed or removed their address; delete the confirmed one two days later."""
    now = timezone.now()
    changed = MailAddress.objects.exclude(address=F("user__email"))
    MailAddress.objects.filter(pk__in=changed.filter(replaced_at=None).values("pk")).update(replaced_at=now)
    back = MailAddress.objects.filter(address=F("user__email"), replaced_at__isnull=False)
    MailAddress.objects.filter(pk__in=back.values("pk")).update(replaced_at=None)
    MailAddress.objects.filter(replaced_at__lt=now - timedelta(seconds=MAX_AGE_S)).delete()


def mails_prune() -> int:
    before = timezone.now() - timedelta(seconds=RETENTION_S)
    old = OutgoingMail.objects.filter(ended_at__lt=before).order_by("ended_at").values_list("pk", flat=True)
    return OutgoingMail.objects.filter(pk__in=list(old[:PRUNE_BATCH_SIZE])).delete()[0]


def day_start() -> datetime:
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def _end(now: datetime, state: OutgoingMail.State) -> dict[str, object]:
    return {"state": state, "next_at": None, "lease_until": None, "ended_at": now}
