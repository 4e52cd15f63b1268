"""What the demo plays: a tournament of every game there is, and of both sizes of table of Kakeya."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.accounts.house import HOUSE, SEARCHING, YARDSTICK

SECOND_ACCOUNT = "guest"
"""Account of those who upload the house bots once more where a table needs more entries."""
NEWCOMER_ACCOUNT = "newcomer"


@dataclasses.dataclass(frozen=True)
class DemoBot:
    """One bot of the programme: whose it is and where it lies."""

    account: str
    folder: Path
    game: str


@dataclasses.dataclass(frozen=True)
class DemoEvent:
    """One tournament to be made."""

    name: str
    preset: str
    ruleset: Mapping[str, Any]
    boards: int
    """Deal boards a fixture."""
    parts: tuple[DemoBot, ...]


@dataclasses.dataclass(frozen=True)
class _Plan:
    """What a known preset is shown with."""

    ruleset: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    entries: int = 0
    """At least so many, house bots included; 0 = as many as fill a table."""
    has_newcomer: bool = False
    boards_divisor: int = 1
    """More seats make a board take longer, and more rounds an event."""


PRESET_PLANS: Mapping[str, Mapping[str, _Plan]] = {
    "kakeya": {
        "kakeya4.league": _Plan(has_newcomer=True),
        "kakeya6.league": _Plan(),
    },
    "kakkuri": {"kakkuri.league": _Plan({"seats": 5}, entries=6, boards_divisor=4)},
}
"""By game and preset. A game that is not here is shown with its first preset."""


def programme(
    games: Sequence[Mapping[str, Any]], sides: Mapping[str, int], bots: Path, boards: int
) -> list[DemoEvent]:
    """The events in order, for the games and presets the site has; a game without house bots has none.

    ``games`` as the API lists them; ``sides`` how many entries fill a table, by preset; ``bots`` is the
    folder with house and template; ``boards`` are those of an event for two sides.
    """
    events = []
    for game in games:
        key = game["key"]
        house = [
            folder
            for folder in sorted(path.parent for path in (bots / "house").glob(f"{key}_*/rensho.toml"))
            # As in cups: those that search need the kernel, and many times the time.
            if folder.name.removeprefix(f"{key}_") not in SEARCHING
        ]
        for preset, plan in plans_of(game).items() if house else ():
            parts = _parts(key, house, plan.entries or sides[preset])
            if plan.has_newcomer:
                parts.append(DemoBot(NEWCOMER_ACCOUNT, bots / "template" / key, key))
            played = max(1, boards // plan.boards_divisor)
            events.append(DemoEvent(preset.partition(".")[0], preset, plan.ruleset, played, tuple(parts)))
    return events


def plans_of(game: Mapping[str, Any]) -> dict[str, _Plan]:
    """The presets of a game to be shown, and how."""
    known = {
        name: plan for name, plan in PRESET_PLANS.get(game["key"], {}).items() if name in game["presets"]
    }
    return known or {game["presets"][0]: _Plan()}


def _parts(game: str, house: Sequence[Path], entries: int) -> list[DemoBot]:
    """These house bots, and again by other accounts until there are so many entries."""
    parts = []
    for number in range(max(entries, len(house))):
        again, place = divmod(number, len(house))
        owner = f"{SECOND_ACCOUNT}{again}" if again > 1 else SECOND_ACCOUNT if again else HOUSE
        kind = house[place].name.removeprefix(f"{game}_")
        account = owner if kind == YARDSTICK else f"{owner}-{kind}"
        parts.append(DemoBot(account, house[place], game))
    return parts
