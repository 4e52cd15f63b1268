"""The ladders an installation has: one for every preset and number of seats that its settings name."""

from __future__ import annotations

import difflib

from django.conf import settings

from arena.competition.games import game_keys, preset_keys, preset_options, presets_of, seat_counts
from arena.features.ladders.models import Ladder

BOARD_KIND = "deal"
State = Ladder.State


def ladders_install() -> list[Ladder]:
    """Make, change, switch on and off ladders as the settings say; those that are on. One query if nothing
    has changed."""
    wanted = settings.LADDERS
    there = {(row.preset, row.seats): row for row in Ladder.objects.filter(board_kind=BOARD_KIND)}
    active = []
    for game in game_keys():
        for preset in presets_of(game):
            counts = seat_counts(game, preset)
            for seats in counts:
                row = there.get((preset, seats))
                if not wanted.wants(preset, seats):
                    continue
                columns = {
                    "boards": wanted.boards,
                    "cpu_s_per_day": wanted.cpu_s,
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
    off = [row.pk for row in there.values() if row.state == State.ACTIVE and row.pk not in on]
    if off:
        Ladder.objects.filter(pk__in=off).update(state=State.OFF)
    return active


def ladders_unknown() -> list[str]:
    """Names in the settings that are no ladder of any game here, sorted."""
    names = settings.LADDERS.presets or frozenset()
    known = set()
    for game in game_keys():
        for preset in presets_of(game):
            known |= {preset, *(f"{preset}:{seats}" for seats in seat_counts(game, preset))}
    return sorted(names - known)


def ladders_remedy(name: str) -> str:
    """What to write instead of an unknown name, in a sentence."""
    presets = sorted(preset_keys())
    nearest = difflib.get_close_matches(name, presets, 1)
    others = "'all', 'none', or of these: " + ", ".join(presets)
    return f"Write {nearest[0]}, or another name." if nearest else f"Write {others}."


def ruleset_of(ladder: Ladder) -> dict[str, int]:
    """The options in which a ladder's tables differ from its preset."""
    usual = preset_options(ladder.preset).get("seats")
    return {} if usual == ladder.seats else {"seats": ladder.seats}
