"""Days: commitments are published the day before; at the end of a day, results and secret are."""

from __future__ import annotations

import datetime
import functools
import logging
from collections import Counter
from fractions import Fraction
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from arena.common.errors import Unavailable
from arena.common.ids import new_public_id
from arena.competition.casual import casual_deals
from arena.competition.keys import digest_sign
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.daily.weeks import week_rebuild
from arena.features.play.models import CasualTable
from arena.features.play.offers import preset_chosen
from arena.features.play.services import first_board, leave_to_house_bot, seat_bots
from arena.roster.models import BotVersion
from arena.tables.live.wakeups import SERVICE_CHANNEL, wake
from engine import Game, Ruleset
from engine.game import Seat
from league.statements import canonical, statement_digest

log = logging.getLogger(__name__)

PRESETS = ("kakeya4", "etori.simple", "kakkuri", "kakeya4", "etori.meiji", "kakeya6", "kakkuri.league")
"""Preset of each weekday, from Monday."""
STRENGTH = CasualTable.Strength.RULES
"""All bots of a daily deal are of this strength, whose house bots use no random numbers."""
SEAT = 1
FORMAT = "rensho-daily/1"
IDLE_S = 300
"""After the day, a deal that its person has not continued for so long is forfeited."""
OVERTIME_S = 900
"""After the day, all deals end after so long."""
MAX_FIELDS = 20
"""Tables of which the one with the most results of bots is chosen; a person's quota may have ended early."""
RETENTION_DAYS = 30
"""Days after which an attempt can no longer be matched with a guest's browser."""

State = DailyAttempt.State
Table = CasualTable.State


def days_advance() -> tuple[()]:
    """Publish the commitments of today and tomorrow, settle attempts, and close ended days. Idempotent."""
    now = timezone.now()
    today = now.date()
    days = DailyDeal.objects.filter(Q(day__gte=today) | Q(closed_at=None)).defer("secret", "body")
    deals = {deal.day: deal for deal in days}
    for day in (today, today + datetime.timedelta(days=1)):
        if day not in deals:
            _publish(day)
    for deal in deals.values():
        if deal.day <= today and deal.closed_at is None:
            attempts_settle(deal)
            _store_field(deal)
        if deal.day < today:
            _close(deal.pk, now)
    return ()


def _publish(day: datetime.date) -> DailyDeal | None:
    game, ruleset = preset_chosen(PRESETS[day.weekday()], None)
    try:
        placed = seat_bots(game, ruleset, SEAT, STRENGTH, STRENGTH, ())
    except Unavailable:
        return None
    return deal_publish(day, game, ruleset, placed)


def deal_publish(
    day: datetime.date, game: Game, ruleset: Ruleset, placed: dict[Seat, tuple[BotVersion, str]]
) -> DailyDeal | None:
    """Publish the commitment of a day with these bots; None if another process did."""
    seed_id, posted_at = new_public_id(), timezone.now()
    dealt = casual_deals(seed_id, [version.bundle_sha256 for version, _ in placed.values()])
    board = first_board(game, ruleset, [SEAT], dealt)
    body: dict[str, Any] = {
        "format": FORMAT,
        "day": day.isoformat(),
        "published_at": posted_at.isoformat(),
        "id": seed_id,
        "preset": ruleset.preset,
        "ruleset": ruleset.as_dict(),
        "seat": SEAT,
        "board": board,
        "bots": [
            {"seat": seat, "bundle": version.bundle_sha256} for seat, (version, _) in sorted(placed.items())
        ],
        "commitment": dealt.commitment,
    }
    digest = statement_digest(body)
    signature = digest_sign(digest)
    deal = DailyDeal(
        day=day,
        game=game.key,
        preset=ruleset.preset,
        ruleset=body["ruleset"],
        seat=SEAT,
        seats=[
            {
                "seat": seat,
                "strength": strength,
                "version": version.public_id,
                "bundle": version.bundle_sha256,
            }
            for seat, (version, strength) in sorted(placed.items())
        ],
        board=board,
        secret=dealt.secret,
        commitment=dealt.commitment,
        seed_id=seed_id,
        body=canonical(body).decode(),
        digest=digest,
        key=signature.key,
        signature=signature.hex,
        posted_at=posted_at,
    )
    try:
        with transaction.atomic():
            deal.save(force_insert=True)
    except IntegrityError:
        return None
    if deal.is_late:
        log.warning("the commitment of the %s was published after the day had begun", deal)
    return deal


def attempts_settle(deal: DailyDeal, pk: int | None = None) -> int:
    """Store the results of attempts whose table is over, or of one attempt; return their number. One query,
    and one for each.
    """
    rows = DailyAttempt.objects.filter(deal=deal, state=State.PLAYING).select_related("table")
    rows = rows.filter(Q(table__state__in=(Table.ABANDONED, Table.FINISHED)) | Q(table=None))
    settled = 0
    for attempt in rows if pk is None else rows.filter(pk=pk):
        table = attempt.table
        is_finished = table is not None and table.state == Table.FINISHED
        if is_finished and table is not None and table.result is None:
            continue
        settled += DailyAttempt.objects.filter(pk=attempt.pk, state=State.PLAYING).update(
            state=State.FINISHED if is_finished else State.FORFEITED,
            stones=table.won if is_finished and table is not None else None,
            ended_at=timezone.now() if table is None else table.ended_at or timezone.now(),
        )
    return settled


def _store_field(deal: DailyDeal) -> None:
    """Store the results of bots, which all tables of a deal have in common, once a table has them."""
    if deal.field is not None:
        return
    tables = CasualTable.objects.filter(daily_attempt__deal=deal, field__isnull=False).exclude(field=[])
    fields = [
        [row for row in field or () if not row["mine"]]
        for field in tables.values_list("field", flat=True)[:20]
    ]
    complete = max(fields, key=len, default=[])
    if complete:
        results = [{"label": row["label"], "stones": row["stones"]} for row in complete]
        DailyDeal.objects.filter(pk=deal.pk, field__isnull=True).update(field=results)


@transaction.atomic
def _close(pk: int, now: datetime.datetime) -> bool:
    """Close a day that has ended, unless a person still plays; return whether it is closed.

    Unfinished attempts are forfeited: a house bot finishes their tables.
    """
    deal = DailyDeal.objects.select_for_update().get(pk=pk)
    if deal.closed_at is not None:
        return True
    tables = CasualTable.objects.filter(daily_attempt__deal=deal)
    if now < deal.ends_at + datetime.timedelta(seconds=OVERTIME_S) and _is_in_play(tables, now):
        return False
    left = list(tables.filter(state__in=CasualTable.ACTIVE).values_list("public_id", flat=True))
    leave_to_house_bot(tables)
    attempts_settle(deal)
    DailyAttempt.objects.filter(deal=deal, state=State.PLAYING).update(state=State.FORFEITED, ended_at=now)
    deal.refresh_from_db(fields=["field"])
    _count_points(deal)
    tables.update(is_sealed=False)
    deal.closed_at = now
    deal.save(update_fields=["closed_at"])
    week_rebuild(deal.day)
    _forget_guests(now.date())
    for public_id in left:
        transaction.on_commit(functools.partial(wake, SERVICE_CHANNEL, public_id))
    return True


def _is_in_play(tables: QuerySet[CasualTable], now: datetime.datetime) -> bool:
    recent = now - datetime.timedelta(seconds=IDLE_S)
    unfinished = Q(state__in=CasualTable.ACTIVE, last_action_at__gt=recent)
    without_field = Q(state=Table.FINISHED, field__isnull=True)
    return tables.filter(unfinished | without_field).exists()


def _count_points(deal: DailyDeal) -> None:
    """Store the points of finished attempts of accounts (docs/daily.md)."""
    finished = DailyAttempt.objects.filter(deal=deal, state=State.FINISHED, owner__isnull=False)
    counts = Counter(stones for stones in finished.values_list("stones", flat=True) if stones is not None)
    results = counts + Counter(row["stones"] for row in deal.field or ())
    for stones in counts:
        finished.filter(stones=stones).update(points=points_of(stones, results))


def points_of(stones: int, results: Counter[int]) -> int:
    """Return the percentage of the other results that are lower, where equal ones count half.

    ``results`` includes the result itself. Halves are rounded up; without other results, the points are 50.

    >>> points_of(2, Counter({2: 2, 1: 1, 3: 1}))
    50
    """
    compared = results.total() - 1
    if not compared:
        return 50
    lower = sum(count for value, count in results.items() if value < stones)
    share = Fraction(2 * lower + results[stones] - 1, 2 * compared)
    return int(share * 100 + Fraction(1, 2))


def _forget_guests(today: datetime.date) -> None:
    before = today - datetime.timedelta(days=RETENTION_DAYS)
    rows = DailyAttempt.objects.filter(owner=None, deal__day__lt=before).exclude(person="")
    rows.update(person="")
