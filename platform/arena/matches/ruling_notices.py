"""Notices and events about rulings and replayed tables."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User
from arena.common.notes import Note
from arena.competition.models import Entry, Tournament
from arena.matches.models import Adjudication, Fixture, FixtureEntry

Kind = Adjudication.Kind
RERUN = "rerun"


def fixture_ruling_notify(
    fixture: Fixture, actor: User, ruling: str, forfeiting: Collection[str], reason: str
) -> None:
    """Notify of a person's ruling on a fixture, or, with ``RERUN``, of a replayed table."""
    round_ = fixture.board_set.round
    losers = Entry.objects.filter(tournament=fixture.tournament_id, public_id__in=forfeiting)
    names = losers.select_related("version__bot", "partner_version__bot").order_by("pk")
    ruled = {
        "code": f"ruled_{ruling}",
        "fixture": fixture.number,
        "round": round_.number,
        "bots": ", ".join(entry.bot_name for entry in names),
    }
    rulings_notify(fixture.tournament, [fixture], actor, ruling, ruled, reason)


def rulings_notify(
    tournament: Tournament,
    fixtures: Collection[Fixture],
    actor: User,
    ruling: str,
    ruled: Note,
    reason: str,
) -> None:
    """Notify owners in these fixtures except ``actor``, and publish events; not for background kinds."""
    if tournament.kind in Tournament.BACKGROUND:
        return
    for fixture in fixtures:
        event_add(
            "fixture.ruled", fixture, tournament=tournament.public_id, number=fixture.number, ruling=ruling
        )
    entries = FixtureEntry.objects.filter(fixture__in=fixtures).values("entry")
    concerned = Entry.objects.filter(pk__in=entries)
    owners = Q(pk__in=concerned.values("player__user"))
    owners |= Q(pk__in=concerned.values("partner_version__bot__owner__user"))
    Notice.objects.bulk_create(
        Notice(
            user=user,
            kind=Notice.Kind.TOURNAMENT,
            note={"code": "ruling", "tournament": tournament.name, "ruling": ruled, "text": reason},
            url_path=tournament.page,
        )
        for user in User.objects.filter(owners).exclude(pk=actor.pk).order_by("pk")
    )
