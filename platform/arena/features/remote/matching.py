"""Opening of remote tables: rated ones for connected versions, and unrated ones by invitation."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from arena.common.errors import Invalid, Unavailable
from arena.common.ids import new_public_id
from arena.competition.casual import casual_deals
from arena.features.play.limits import QUOTA_PERIOD_S, require_capacity
from arena.features.play.offers import Strength, house_version, preset_chosen
from arena.features.play.selectors import services_alive
from arena.features.play.services import first_board
from arena.features.remote.limits import DISCONNECT_MS, MAX_TABLES, PERSON_CLOCK, wall_clock
from arena.features.remote.models import REMOTE_SHA256, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.selectors import ALIVE_S, active_tables
from arena.roster.models import BotVersion, Player
from arena.tables.live.wakeups import PAGES_CHANNEL, SERVICE_CHANNEL, wake
from engine.game import Seat

ATTENDED_S = 5.0
"""Seconds after which a web process that held a stream counts as dead; it writes every two seconds."""
UNFINISHED = (*RemoteTable.ACTIVE, RemoteTable.State.PLAYED)
OPPONENTS = Strength.RULES


def table_open(
    versions: Mapping[Seat, RemoteVersion],
    preset: str,
    *,
    is_rated: bool,
    is_slow: bool,
    persons: Mapping[Seat, Player] = MappingProxyType({}),
) -> RemoteTable:
    """Open a table for one deal with these versions and persons, and house bots in the other seats.

    A person always has the slow clock. Raises Invalid (``unknown_preset``, ``wrong_seats``,
    ``wrong_choice``), Unavailable (``house_bot_unavailable``; ``play_capacity_exceeded`` for an unrated
    table), IntegrityError if a person is at another table.
    """
    game, ruleset = preset_chosen(preset, None)
    count = game.seats(ruleset)
    taken = {*versions, *persons}
    if not versions or len(taken) < len(versions) + len(persons) or not taken <= set(range(1, count + 1)):
        raise Invalid(f"{preset} has the seats 1 to {count}.", "wrong_seats")
    if is_rated and (persons or len(versions) != 1):
        raise Invalid("A rated table has exactly one remote bot.", "wrong_choice", field="rated")
    if other := next((each for each in versions.values() if each.bot.game != game.key), None):
        raise Invalid(
            f"{other.bot.name} plays {other.bot.game}, not {preset}.", "wrong_choice", field="preset"
        )
    if not is_rated:  # rated_tables_open has a limit of its own
        require_capacity(RemoteTable.objects.filter(state=RemoteTable.State.STARTING, claimed_by="").count())
    house = house_version(game.key, OPPONENTS) if len(taken) < count else None
    public_id = new_public_id()
    dealt = casual_deals(
        public_id,
        [
            house.bundle_sha256 if house is not None and seat not in taken else REMOTE_SHA256
            for seat in range(1, count + 1)
        ],
    )
    clock = wall_clock(is_slow=is_slow)
    table = RemoteTable(
        public_id=public_id,
        game=game.key,
        preset=ruleset.preset,
        ruleset=ruleset.as_dict(),
        seats=[_seat(seat, versions.get(seat) or persons.get(seat), house) for seat in range(1, count + 1)],
        first_board=first_board(game, ruleset, taken, dealt),
        secret=dealt.secret,
        commitment=dealt.commitment,
        seed_id=dealt.public_id,
        bundles=list(dealt.bundles),
        is_rated=is_rated,
        is_slow=is_slow,
        rated_version=next(iter(versions.values())) if is_rated else None,
    )
    with transaction.atomic():
        table.save(force_insert=True)
        RemoteSeat.objects.bulk_create(
            [
                RemoteSeat(
                    table=table,
                    version=version,
                    seat=seat,
                    bank_ms=clock.bank_ms,
                    disconnect_left_ms=DISCONNECT_MS,
                )
                for seat, version in versions.items()
            ]
            + [
                RemoteSeat(table=table, person=person, seat=seat, bank_ms=PERSON_CLOCK.bank_ms)
                for seat, person in persons.items()
            ]
        )
    transaction.on_commit(lambda: _wake(public_id))
    return table


def rated_tables_open() -> int:
    """Open a rated table for each connected version that wants one; return their number. One query if none.

    People have the other half of the services' capacity. Tables that wait for their field count, so that on a
    busy machine fewer tables are opened.
    """
    wanting = list(_wanting())
    if not wanting:
        return 0
    capacity = sum(service.capacity for service in services_alive() if not service.detail)
    free = max(1, capacity // 2) - RemoteTable.objects.filter(state__in=UNFINISHED).count()
    playing = active_tables(wanting)
    # The versions with the fewest tables first, so that each gets one before any gets a second.
    wanting.sort(key=lambda version: (playing.get(version.pk, 0), version.pk))
    opened = 0
    for version in wanting:
        if opened >= free:
            break
        if playing.get(version.pk, 0) < min(version.max_tables, MAX_TABLES) and has_quota(version.bot.owner):
            opened += _open_rated(version)
    return opened


def has_quota(owner: Player) -> bool:
    """Return whether an account's remote tables of the last hour leave CPU time for another. One query."""
    since = timezone.now() - datetime.timedelta(seconds=QUOTA_PERIOD_S)
    own = RemoteSeat.objects.filter(Q(version__bot__owner=owner) | Q(person=owner)).values("table")
    recent = RemoteTable.objects.filter(Q(created_at__gt=since) | Q(state__in=RemoteTable.ACTIVE), pk__in=own)
    used_ms = recent.aggregate(used=Sum("cpu_ms"))["used"] or 0
    return bool(used_ms < settings.PLAY.cpu_s * 1000)


def _wanting() -> Any:
    now = timezone.now()
    return (
        RemoteVersion.objects.filter(
            alive_at__gte=now - datetime.timedelta(seconds=ALIVE_S),
            attended_at__gte=now - datetime.timedelta(seconds=ATTENDED_S),
            disconnected_at=None,
            bot__paused_at=None,
            bot__retired_at=None,
        )
        .exclude(ladder="")
        .select_related("bot__owner")
    )


def _open_rated(version: RemoteVersion) -> bool:
    """Open a table unless the version has got one meanwhile; several services look for versions."""
    with transaction.atomic():
        row = _wanting().select_for_update(of=("self",)).filter(pk=version.pk).first()
        if row is None or active_tables([row]).get(row.pk, 0) >= min(row.max_tables, MAX_TABLES):
            return False
        try:
            game, ruleset = preset_chosen(row.ladder, None)
            seat = 1 + secrets.randbelow(game.seats(ruleset))
            table_open({seat: row}, row.ladder, is_rated=True, is_slow=row.is_slow)
        except (Invalid, Unavailable):
            # House bots wait for their check, or the preset is gone.
            return False
    return True


def _seat(seat: Seat, player: RemoteVersion | Player | None, house: BotVersion | None) -> dict[str, Any]:
    if player is not None or house is None:
        label = player.handle if isinstance(player, Player) else str(player)
        return {"seat": seat, "label": label, "strength": None, "version": None}
    return {
        "seat": seat,
        "label": f"house {OPPONENTS}",
        "strength": str(OPPONENTS),
        "version": house.public_id,
    }


def _wake(public_id: str) -> None:
    wake(SERVICE_CHANNEL, public_id)
    wake(PAGES_CHANNEL, public_id)
