"""Score of a rated table, and the pause of bots that disconnect often."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from django.utils import timezone

from arena.common.notes import Note
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteTable
from engine import game_named
from league.scoring import forfeit_stones

DISCONNECTED = "DISCONNECTED"
"""The referee's verdict of a version that left a table."""
LAST_TABLES, MAX_DISCONNECTS = 10, 3
"""A bot that disconnected at this many of its last tables is paused."""


def table_score(table: RemoteTable, stones: int, *, is_forfeit: bool, field: Sequence[int]) -> float:
    """Return the stones, or the cost of the forfeit if that is less, minus the mean of the field."""
    if is_forfeit:
        game = game_named(table.game)
        cost = forfeit_stones(
            table.board_kind, game.forfeit_stones(game.ruleset(table.preset, table.ruleset))
        )
        stones = min(stones, -cost * table.board_count)
    return stones - fmean(field)


def bot_pause_if_disconnected_often(bot: RemoteBot) -> bool:
    """Pause a bot after a disconnection if it is due; return whether it was paused. At most two queries."""
    last = RemoteSeat.objects.filter(version__bot=bot).exclude(verdict="").order_by("-table_id")
    if bot.unpaused_at is not None:
        last = last.filter(table__created_at__gt=bot.unpaused_at)
    verdicts = list(last.values_list("verdict", flat=True)[:LAST_TABLES])
    disconnects = verdicts.count(DISCONNECTED)
    if disconnects < MAX_DISCONNECTS:
        return False
    note: Note = {"code": "remote_disconnects", "disconnects": disconnects, "tables": len(verdicts)}
    rows = RemoteBot.objects.filter(pk=bot.pk, paused_at=None)
    return bool(rows.update(paused_at=timezone.now(), pause_note=note))
