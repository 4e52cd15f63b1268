"""Installation of ladders: one for every preset and number of seats named in the settings."""

from __future__ import annotations

import difflib

from django.conf import settings

from arena.competition.games import game_keys, preset_keys, preset_options, presets_of, seat_counts
from arena.features.ladders.models import Ladder

BOARD_KIND = "deal"
State = Ladder.State


def ladders_install() -> list[Ladder]:
    """Create, update, activate and deactivate ladders to match the settings; return the active ones."""
    configured = settings.LADDERS
    existing = {(row.preset, row.seats): row for row in Ladder.objects.filter(board_kind=BOARD_KIND)}
    active = []
    for game in game_keys():
        for preset in presets_of(game):
            counts = seat_counts(preset)
            for seats in counts:
                row = existing.get((preset, seats))
                if not configured.includes(preset, seats):
                    continue
                columns = {
                    "boards": configured.boards,
                    "cpu_s_per_day": configured.cpu_s,
                    "has_choice_of_seats": len(counts) > 1,
                    "state": State.ACTIVE,
                }
                if row is None:
                    row, _ = Ladder.objects.get_or_create(
                        preset=preset,
                        board_kind=BOARD_KIND,
                        seats=seats,
                        defaults={"game": game, **columns},
                    )
                elif any(getattr(row, name) != value for name, value in columns.items()):
                    Ladder.objects.filter(pk=row.pk).update(**columns)
                    row.refresh_from_db()
                active.append(row)
    on = {row.pk for row in active}
    off = [row.pk for row in existing.values() if row.state == State.ACTIVE and row.pk not in on]
    if off:
        Ladder.objects.filter(pk__in=off).update(state=State.OFF)
    return active


def ladders_unknown() -> list[str]:
    names = settings.LADDERS.presets or frozenset()
    known = set()
    for game in game_keys():
        for preset in presets_of(game):
            known |= {preset, *(f"{preset}:{seats}" for seats in seat_counts(preset))}
    return sorted(names - known)


def ladders_remedy(name: str) -> str:
    presets = sorted(preset_keys())
    nearest = difflib.get_close_matches(name, presets, 1)
    choices = "'all', 'none', or of these: " + ", ".join(presets)
    return f"Write {nearest[0]}, or another name." if nearest else f"Write {choices}."


def ruleset_of(ladder: Ladder) -> dict[str, int]:
    usual = preset_options(ladder.preset).get("seats")
    return {} if usual == ladder.seats else {"seats": ladder.seats}
