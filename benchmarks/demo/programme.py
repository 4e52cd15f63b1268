"""Events of the demo: a tournament of every game, and of both table sizes of Kakeya."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.accounts.house import HOUSE_USERNAME, REFERENCE_KIND, SEARCHING_KINDS

SECOND_ACCOUNT = "guest"
"""Account that uploads the house bots again where a table needs more entries."""
NEWCOMER_ACCOUNT = "newcomer"


@dataclasses.dataclass(frozen=True)
class DemoBot:
    account: str
    folder: Path
    game: str


@dataclasses.dataclass(frozen=True)
class DemoEvent:
    name: str
    preset: str
    ruleset: Mapping[str, Any]
    boards: int
    parts: tuple[DemoBot, ...]


@dataclasses.dataclass(frozen=True)
class _Plan:
    ruleset: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    entries: int = 0
    """Minimum entries, including house bots; 0 fills a table."""
    has_newcomer: bool = False
    boards_divisor: int = 1
    """Divisor of the boards: more seats make a board longer, more rounds an event."""


PRESET_PLANS: Mapping[str, Mapping[str, _Plan]] = {
    "kakeya": {
        "kakeya4.league": _Plan(has_newcomer=True),
        "kakeya6.league": _Plan(),
    },
    "kakkuri": {"kakkuri.league": _Plan({"seats": 5}, entries=6, boards_divisor=4)},
}
"""Plans by game and preset. Other games are shown with their first preset."""


def programme(
    games: Sequence[Mapping[str, Any]], sides: Mapping[str, int], bots: Path, boards: int
) -> list[DemoEvent]:
    """Return the events in order, for the games and presets of the site; games without house bots have none.

    ``games`` is the API's list; ``sides`` has the entries per table, by preset; ``bots`` is the folder
    with house and template; ``boards`` is the number for an event of two sides.
    """
    events = []
    for game in games:
        key = game["key"]
        house = [
            folder
            for folder in sorted(path.parent for path in (bots / "house").glob(f"{key}_*/rensho.toml"))
            # As in cups, without search bots: they need the kernel and far more time.
            if folder.name.removeprefix(f"{key}_") not in SEARCHING_KINDS
        ]
        for preset, plan in plans_of(game).items() if house else ():
            parts = _parts(key, house, plan.entries or sides[preset])
            if plan.has_newcomer:
                parts.append(DemoBot(NEWCOMER_ACCOUNT, bots / "template" / key, key))
            played = max(1, boards // plan.boards_divisor)
            events.append(DemoEvent(preset.partition(".")[0], preset, plan.ruleset, played, tuple(parts)))
    return events


def plans_of(game: Mapping[str, Any]) -> dict[str, _Plan]:
    known = {
        name: plan for name, plan in PRESET_PLANS.get(game["key"], {}).items() if name in game["presets"]
    }
    return known or {game["presets"][0]: _Plan()}


def _parts(game: str, house: Sequence[Path], entries: int) -> list[DemoBot]:
    """Return the house bots, repeated by other accounts up to ``entries``."""
    parts = []
    for number in range(max(entries, len(house))):
        again, index = divmod(number, len(house))
        owner = f"{SECOND_ACCOUNT}{again}" if again > 1 else SECOND_ACCOUNT if again else HOUSE_USERNAME
        kind = house[index].name.removeprefix(f"{game}_")
        account = owner if kind == REFERENCE_KIND else f"{owner}-{kind}"
        parts.append(DemoBot(account, house[index], game))
    return parts
