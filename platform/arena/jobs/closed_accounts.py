"""What is left of deleted accounts until no event needs it any more: the code of their bots."""

from __future__ import annotations

from arena.common.models import Blob
from arena.competition.models import Entry
from arena.competition.selectors import ENDED_STATES
from arena.roster.models import BotVersion


def bundles_drop() -> int:
    """Count bundles of deleted accounts as ours no more, as soon as no event needs them; how many.

    The files go with ``blobs_sweep``. A bundle that somebody else has uploaded as well stays.
    """
    closed = BotVersion.objects.filter(bot__owner__user__closed_at__isnull=False).exclude(bundle_sha256="")
    needed = Entry.objects.exclude(tournament__state__in=ENDED_STATES)
    free = closed.exclude(pk__in=needed.values("version")).exclude(
        pk__in=needed.exclude(partner_version=None).values("partner_version")
    )
    others = BotVersion.objects.filter(bot__owner__user__closed_at=None)
    kept = closed.exclude(pk__in=free.values("pk"))
    gone = Blob.objects.filter(kind=Blob.Kind.BUNDLE, sha256__in=free.values("bundle_sha256"))
    gone = gone.exclude(sha256__in=others.values("bundle_sha256"))
    return gone.exclude(sha256__in=kept.values("bundle_sha256")).delete()[0]
