"""Validation of the options of an event: rules, clock, formats and tie-breaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from arena.common.declarations import IntegerSpec, invalid_field, require_choice, specs_by_name
from arena.common.errors import quoted
from arena.competition.rules import cpu_ms_per_seat
from engine import BoardKind, EngineError, Game, Rules, Ruleset, all_games, preset_named
from league.formats import offered_formats
from league.standings import SCORINGS as SCORINGS
from league.standings import TIE_BREAKS as TIE_BREAKS
from league.standings import repeated_tie_break
from league.standings import value_names as value_names

DEFAULT_TIE_BREAKS = ("head_to_head", "sonneborn_berger", "board_score_difference", "wins")
BOARD_KINDS: Mapping[str, str] = {"deal": "deal boards", "game": "game boards"}
FAULT_POLICIES: Mapping[str, str] = {
    "substitute": "a fallback action replaces a fault; the fourth fault forfeits the table",
    "strict": "the first fault forfeits the table",
}
MAX_BOARDS = 1000
MAX_BOARD_CPU_S = 1800
"""Maximum CPU-seconds of all seats together on one board."""
GAME_CAPS = ("hand_cap", "hands")
DEFAULT_FORMATS = ("round_robin", "heats")
"""Default formats; an event uses the first that suits its sides."""


_CLOCK = (
    ("start_wall_ms", "Time to start", 3000, 500, 30_000),
    ("increment_cpu_ms", "Increment per decision", 20, 0, 5_000),
    ("bank_cpu_ms_per_deal_board", "Bank per deal board", 500, 0, 60_000),
    ("bank_cpu_ms_per_game_board", "Bank per game board", 5000, 0, 600_000),
    ("decision_cpu_cap_ms", "Maximum per decision", 2000, 10, 60_000),
)
WALL, CPU = "Wall-clock milliseconds.", "CPU milliseconds."
CLOCK_FIELDS = specs_by_name(
    *(
        IntegerSpec(
            name=name, label=label, help=WALL if "wall" in name else CPU, default=usual, least=low, most=high
        )
        for name, label, usual, low, high in _CLOCK
    )
)
"""Clock of an event, with the referee's field names and defaults. CPU covers the bot's process tree."""


def parse_rules(preset: str, options: Mapping[str, Any] | None, board_kind: str) -> Rules:
    try:
        game, _ = preset_named(preset)
    except EngineError as error:
        known = [name for game in all_games().values() for name in game.presets]
        raise invalid_field("preset", f"{error}.", "unknown_preset", allowed=known) from None
    try:
        ruleset = game.ruleset(preset, options or {})
    except EngineError as error:
        raise invalid_field("ruleset", f"{error}.", "invalid_option") from None
    require_choice("board_kind", board_kind, BOARD_KINDS)
    chosen = Rules(game, ruleset, cast(BoardKind, board_kind))
    if chosen.decisions_bound is None:
        raise invalid_field("ruleset", f"{_unbounded_message(game, preset)}.", "unbounded_game")
    return chosen


def _unbounded_message(game: Game, preset: str) -> str:
    bounded = [
        name
        for name, rules in game.presets.items()
        if game.decisions_bound(rules, "game") is not None
        and _options_without_caps(rules) == _options_without_caps(game.presets[preset])
    ]
    caps = [name for name in GAME_CAPS if _is_bounded_by(game, preset, name)]
    remedies = [f"set {' or '.join(caps)}"] if caps else []
    remedies += [f"use {' or '.join(bounded)}"] if bounded else []
    remedies.append("play deal boards")
    problem = f"A game of {preset} with these options has no bound on its length"
    return f"{problem}: {', or '.join(remedies)}"


def _options_without_caps(ruleset: Ruleset) -> dict[str, object]:
    return {name: value for name, value in ruleset.as_dict().items() if name not in GAME_CAPS}


def _is_bounded_by(game: Game, preset: str, cap: str) -> bool:
    try:
        return game.decisions_bound(game.ruleset(preset, {cap: 1}), "game") is not None
    except EngineError:
        return False


def require_playable(rules: Rules, clock_fields: Mapping[str, int]) -> None:
    """Raise Invalid if the clock allows more than ``MAX_BOARD_CPU_S`` on a board."""
    seats = rules.game.seats(rules.ruleset)
    cpu_s = seats * cpu_ms_per_seat(rules, clock_fields) // 1000
    if cpu_s > MAX_BOARD_CPU_S:
        raise invalid_field(
            "clock",
            f"With this clock the {seats} seats can use {cpu_s} s of CPU time on one board (at most "
            f"{rules.decisions_bound} decisions); {MAX_BOARD_CPU_S} s are allowed. Lower increment_cpu_ms or "
            "the bank, or make boards shorter.",
            "board_too_long",
        )


def formats_for(sides: int, per_side: int = 1) -> list[str]:
    fitting = []
    for name, format_ in offered_formats().items():
        try:
            format_.validate({}, sides=sides, per_side=per_side)
        except ValueError:
            continue
        fitting.append(name)
    return sorted(fitting, key=lambda name: (*DEFAULT_FORMATS, name).index(name))


def formats_repeating() -> list[str]:
    return [name for name, format_ in offered_formats().items() if format_.repeats]


def parse_clock(given: Mapping[str, Any] | None) -> dict[str, int]:
    fields: dict[str, int] = {name: field.default for name, field in CLOCK_FIELDS.items()}
    for name, value in (given or {}).items():
        if name not in fields:
            raise invalid_field(
                "clock", f"Unknown clock field {quoted(name)}; fields: {', '.join(sorted(fields))}."
            )
        field = CLOCK_FIELDS[name]
        if isinstance(value, bool) or not isinstance(value, int) or not field.least <= value <= field.most:
            raise invalid_field(
                "clock",
                f"clock.{name} must be a whole number of ms from {field.least} to {field.most}, "
                f"not {quoted(value)}.",
            )
        fields[name] = value
    return fields


def parse_tie_breaks(given: Sequence[str] | None) -> list[str]:
    names = list(DEFAULT_TIE_BREAKS if given is None else given)
    for name in names:
        require_choice("tie_breaks", name, TIE_BREAKS)
    repeated = repeated_tie_break(names)
    if repeated is not None:
        raise invalid_field(
            "tie_breaks",
            f"{repeated} is listed {names.count(repeated)} times: head_to_head may be listed twice, "
            "any other tie-break once.",
        )
    return [name for name in names if name != "lot"] + ["lot"]
