"""Templates of tournaments."""

from __future__ import annotations

from typing import Any, NamedTuple


class EventTemplate(NamedTuple):
    key: str
    title: str
    text: str
    fields: dict[str, Any]


TEMPLATES = (
    EventTemplate(
        "league",
        "League",
        "Up to 16 entries. Every entry meets every other entry once; 24 boards per round.",
        {
            "preset": "kakeya4.league",
            "boards_per_round": 24,
            "max_entries": 16,
            "stages": [{"format": "round_robin", "options": {}}],
        },
    ),
    EventTemplate(
        "groups-final",
        "Groups and knockout",
        "Groups of four. The best eight entries play a knockout.",
        {
            "preset": "kakeya4",
            "max_entries": 32,
            "min_entries": 8,
            "stages": [
                {"format": "groups", "options": {}},
                {"format": "single_elimination", "options": {}, "qualify": 8, "boards_per_round": 32},
            ],
        },
    ),
    EventTemplate(
        "swiss-final",
        "Swiss and final",
        "Swiss rounds for up to 64 entries. The best four play a final.",
        {
            "preset": "kakeya4",
            "max_entries": 64,
            "min_entries": 4,
            "stages": [
                {"format": "swiss", "options": {}},
                {"format": "round_robin", "options": {}, "qualify": 4, "boards_per_round": 32},
            ],
        },
    ),
    EventTemplate(
        "heats",
        "Kakkuri heats",
        "Tables are filled again in every round, until all entries have met about equally often.",
        {"preset": "kakkuri", "stages": [{"format": "heats", "options": {}}]},
    ),
)


def template_fields(key: str) -> dict[str, Any]:
    """Return the fields of a template; empty for an unknown key."""
    return next((dict(template.fields) for template in TEMPLATES if template.key == key), {})
