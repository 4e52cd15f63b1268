"""Field of a casual table: the same cards with house bots in the person's seat."""

from __future__ import annotations

from typing import Any

from arena.features.play.limits import quota_free_at
from arena.features.play.models import CasualTable
from arena.features.play.offers import house_versions
from arena.tables.live.drivers import MakeDriver
from arena.tables.live.endings import ChargeDrivers, field_play
from referee.table import Progress

Strength = CasualTable.Strength
FIELD = ((Strength.RULES, 1), (Strength.GREEDY, 1), (Strength.RANDOM, 4))
"""House bots of the field, and their number of runs. Only random bots differ between runs."""
FIELD_OF_GAMES = ((Strength.RULES, 1), (Strength.GREEDY, 1), (Strength.RANDOM, 1))
"""The field of whole games, which take as long as fifty deals."""


def person_field_play(
    table: CasualTable, make_driver: MakeDriver, spent: ChargeDrivers, on_progress: Progress
) -> list[dict[str, Any]]:
    """Play the field until the person's quota is used up; return the stones of each, the person's first."""
    field = [{"label": "you", "stones": table.won, "mine": True}]
    house = house_versions(table.game)
    runs = FIELD_OF_GAMES if table.deals == CasualTable.Deals.GAME else FIELD
    strengths = [strength for strength, times in runs if strength in house for _ in range(times)]
    bots = [house[strength] for strength in strengths]
    stones = field_play(table, table.seat, bots, make_driver, spent, on_progress)
    for strength in strengths:
        if quota_free_at(table.quota_key) is not None:
            break
        field.append({"label": f"house {strength}", "stones": next(stones), "mine": False})
    return field
