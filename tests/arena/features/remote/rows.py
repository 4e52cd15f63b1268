"""Rows of remote bots, written directly: connected versions, and tables before and after the end."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import new_public_id
from arena.common.names import name_folded
from arena.competition.casual import casual_deals
from arena.competition.games import preset_game, preset_options
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteTable, RemoteVersion
from arena.roster.services import player_of
from tests.chance import serial

SEATS = 4


def a_bot(owner: User, name: str = "", game: str = "kakeya") -> RemoteBot:
    name = name or f"remote {serial()}"
    return RemoteBot.objects.create(owner=player_of(owner), name=name, name_key=name_folded(name), game=game)


def a_version(bot: RemoteBot, **columns: Any) -> RemoteVersion:
    return RemoteVersion.objects.create(bot=bot, number=bot.versions.count() + 1, **columns)


def connected(version: RemoteVersion, **columns: Any) -> RemoteVersion:
    """Write what a stream would: the version is connected now."""
    now = timezone.now()
    columns = {
        "connected_at": now,
        "attended_at": now,
        "alive_at": now,
        "disconnected_at": None,
        "max_tables": 2,
        **columns,
    }
    RemoteVersion.objects.filter(pk=version.pk).update(**columns)
    version.refresh_from_db()
    return version


def a_table(
    versions: Sequence[RemoteVersion], *, preset: str = "kakeya4", is_rated: bool = True, **columns: Any
) -> RemoteTable:
    """A table in play with these versions in the first seats, and house bots in the others."""
    public_id = new_public_id()
    deals = casual_deals(public_id, ["0" * 64])
    labels = [f"{each.bot.name} v{each.number}" for each in versions]
    labels += ["house rules"] * (SEATS - len(labels))
    table = RemoteTable.objects.create(
        **{
            "public_id": public_id,
            "game": preset_game(preset),
            "preset": preset,
            "ruleset": preset_options(preset),
            "seats": [
                {"seat": seat, "label": label, "strength": None, "version": None}
                for seat, label in enumerate(labels, 1)
            ],
            "secret": deals.secret,
            "commitment": deals.commitment,
            "seed_id": public_id,
            "bundles": list(deals.bundles),
            "state": RemoteTable.State.PLAYING,
            "is_rated": is_rated,
            "rated_version": versions[0] if is_rated else None,
            **columns,
        }
    )
    for seat, version in enumerate(versions, 1):
        RemoteSeat.objects.create(table=table, version=version, seat=seat, bank_ms=125_000)
    return table


def finished(
    table: RemoteTable,
    score: float | None = None,
    *,
    stones: Mapping[str, int] | None = None,
    **columns: Any,
) -> RemoteTable:
    """End a table with this score; the house bots of the field won 1 and 0 stones."""
    won = stones or {"1": 2, "2": -2, "3": 2, "4": -2}
    RemoteTable.objects.filter(pk=table.pk).update(
        **{
            "state": RemoteTable.State.FINISHED,
            "ended_at": timezone.now(),
            "score": score,
            "result": {"boards": [{"number": 1, "stones": won}], "substituted": []},
            "field": [{"label": "house rules", "stones": 1}, {"label": "house greedy", "stones": 0}]
            if table.is_rated
            else None,
            **columns,
        }
    )
    table.remote_seats.update(is_active=False, verdict="OK", request=None, request_id="")
    table.refresh_from_db()
    return table


def scored(version: RemoteVersion, scores: Sequence[float], **columns: Any) -> list[RemoteTable]:
    """Finished rated tables with these scores."""
    return [finished(a_table([version], **columns), score) for score in scores]


def aged(table: RemoteTable, days: float) -> RemoteTable:
    """Move a table's times into the past."""
    moved = timezone.now() - datetime.timedelta(days=days)
    RemoteTable.objects.filter(pk=table.pk).update(created_at=moved, ended_at=table.ended_at and moved)
    table.refresh_from_db()
    return table
