"""Delete the code of bots of deleted accounts once no event needs it."""

from __future__ import annotations

from arena.common.models import Blob
from arena.common.packs import blobs_delete, chunks
from arena.competition.models import Entry
from arena.competition.selectors import ENDED_STATES
from arena.roster.models import BotVersion


def deleted_bundles_drop() -> int:
    """Release bundles of deleted accounts that no event needs, and return their number.

    ``blobs_sweep`` deletes the files. A bundle that another account has uploaded too is kept.
    """
    closed = BotVersion.objects.filter(bot__owner__user__deleted_at__isnull=False).exclude(bundle_sha256="")
    needed = Entry.objects.exclude(tournament__state__in=ENDED_STATES)
    free = closed.exclude(pk__in=needed.values("version")).exclude(
        pk__in=needed.exclude(partner_version=None).values("partner_version")
    )
    open_accounts = BotVersion.objects.filter(bot__owner__user__deleted_at=None)
    still_needed = closed.exclude(pk__in=free.values("pk"))
    unneeded = free.exclude(bundle_sha256__in=open_accounts.values("bundle_sha256")).exclude(
        bundle_sha256__in=still_needed.values("bundle_sha256")
    )
    hashes = list(unneeded.order_by().values_list("bundle_sha256", flat=True).distinct())
    return sum(
        blobs_delete(Blob.objects.filter(kind=Blob.Kind.BUNDLE, sha256__in=chunk)) for chunk in chunks(hashes)
    )
