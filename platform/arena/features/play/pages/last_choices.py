"""The last choice of a person for each game, as the fields of the form that opens a table."""

from __future__ import annotations

from collections.abc import Collection

from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import partner_seat_of
from arena.features.play.selectors import recent_choices
from engine.games import family_of

DEFAULTS = {
    "preset": "kakeya4",
    "seats": "5",
    "opponents": "greedy",
    "partner": "rules",
    "deals": "1",
    "clock_s": "0",
}
FIRST_PRESETS = ("kakeya4", "etori.simple", "kakkuri")
"""Presets that a game starts with, unless the person has chosen another."""


def last_choices(person: Person) -> dict[str, dict[str, str]]:
    """Return the fields of the person's last table by game, the latest first. One query."""
    chosen: dict[str, dict[str, str]] = {}
    for table in recent_choices(person):
        chosen.setdefault(family_of(table.preset), choice_fields(table))
    return chosen


def first_choice(presets: Collection[str]) -> dict[str, str]:
    """Return the fields for a game that the person has not played, given its presets."""
    preset = next((each for each in FIRST_PRESETS if each in presets), next(iter(presets)))
    return {**DEFAULTS, "preset": preset}


def choice_fields(table: CasualTable) -> dict[str, str]:
    """Return the fields of the form with which a table was opened."""
    partner = partner_seat_of(table)
    opponents = [row for row in table.seats if row["seat"] not in (table.seat, partner)]
    fields = {
        "preset": table.preset,
        "seats": str(len(table.seats)),
        "opponents": opponents[0]["strength"],
        "version": opponents[0]["version"] if opponents[0]["strength"] == "public" else "",
        "partner": "rules",
        "partner_version": "",
        "deals": table.deals,
        "clock_s": str(table.clock_s or 0),
        **({"practice": "on"} if table.practice else {}),
    }
    if partner is not None:
        beside = table.seats[partner - 1]
        fields["partner"] = beside["strength"]
        fields["partner_version"] = beside["version"] if beside["strength"] == "public" else ""
    return fields
