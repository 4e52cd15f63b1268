"""Titles of games and presets in the reader's language, from the declarations in ``viewer.games``."""

from __future__ import annotations

from django.utils.translation import get_language, ngettext, pgettext

from viewer.games import Family, families, preset_facts


def game_name(key: str) -> str:
    """Return the name of a game or family in the reader's language."""
    family = families().get(key, Family(key.capitalize()))
    return family.japanese_name if get_language() == "ja" and family.japanese_name else family.name


def preset_title(preset: str, seats: int | None = None) -> str:
    """Return the title of a preset: game, number of players (if fixed or given), and how its rules differ.

    >>> preset_title("kakeya4"), preset_title("kakeya4.nakayoshi")
    ('Kakeya, 4 players', 'Kakeya, 4 players, Nakayoshi scoring')
    >>> preset_title("kakkuri"), preset_title("kakkuri.league", 5), preset_title("gone")
    ('Kakkuri', 'Kakkuri, 5 players, league rules', 'gone')
    """
    facts = preset_facts(preset)
    if facts is None:
        return preset
    count = seats or (facts.seats[0] if len(facts.seats) == 1 else None)
    parts = [game_name(facts.family)]
    if count is not None:
        parts.append(player_count(count))
    if facts.variant:
        parts.append(pgettext("game", facts.variant))
    return pgettext("between two facts", ", ").join(parts)


def player_count(count: int) -> str:
    return ngettext("%(count)d player", "%(count)d players", count) % {"count": count}
