"""A whole board as text, for people to read and for tests to compare line by line.

``python -m engine.playthrough`` (in a clone) rewrites ``tests/engine/playthroughs`` for every preset. A
changed line there is a changed rule.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.game import Board, BoardKind, State
from engine.games import all_games, preset_named
from engine.shuffle import Stream

FOLDER = Path(__file__).parents[1] / "tests" / "engine" / "playthroughs"
KINDS: tuple[BoardKind, ...] = ("deal", "game")
SEED = "demo"
OBSERVED_DEALS = 3
"""Deals of a game for which observations are printed."""
VIEW_EVERY = 10
"""Decisions between two printed observations of the acting seat."""


def playthrough_name(preset: str, kind: BoardKind, seed: str) -> str:
    return f"{preset}-{kind}-{seed}.txt"


def playthrough(preset: str, kind: BoardKind, seed: str) -> str:
    """Play board 1 of this seed with seeded random actions and return it as text.

    All observations are printed at each new phase of the first ``OBSERVED_DEALS`` deals, and that of the
    acting seat before every tenth decision.
    """
    game, ruleset = preset_named(preset)
    lines = [
        f"{preset}: {kind} board 1, seed {seed!r}, rules_version {game.rules_version}",
        f"ruleset {_json(ruleset.as_dict())}",
        f"sides {' '.join('&'.join(map(str, side)) for side in game.sides(ruleset))}",
    ]
    seats = range(1, game.seats(ruleset) + 1)
    chance = Stream(f"rensho-playthrough/1|{preset}|{kind}|{seed}")
    state = game.start(ruleset, Board(kind, 1, seed))
    lines += _events(state, None)
    phase, decision = (0, ""), 0
    while state.to_act:
        deal: int = state.observe(1)["deal"]
        if (deal, state.phase) != phase:
            phase = deal, state.phase
            lines += ["", f"== {state.situation}"]
            if deal <= OBSERVED_DEALS:
                lines += [f"seat {seat} sees {_json(state.observe(seat))}" for seat in seats]
        before = state
        for seat in before.to_act:
            decision += 1
            if decision % VIEW_EVERY == 0 and deal <= OBSERVED_DEALS:
                lines.append(f"seat {seat} sees {_json(state.observe(seat))}")
            legal = state.legal(seat)
            action = legal[chance.below(len(legal))]
            state = state.apply(seat, action)
            lines.append(f"{decision:>4}  seat {seat}  {action:<7} of {' '.join(legal)}")
        lines += _events(state, before)
    outcome = state.outcome()
    assert outcome is not None, "nobody is to act, so the board is over"
    lines += ["", f"== {state.situation}"]
    lines += [f"seat {seat} sees {_json(state.observe(seat))}" for seat in seats]
    lines += [f"deal {n}: {_json(dict(stones))}" for n, stones in enumerate(outcome.deals, start=1)]
    lines += [f"outcome: {_json(dict(outcome.stones))}"]
    return "\n".join(lines) + "\n"


def playthroughs() -> Iterator[tuple[str, str]]:
    """Generate file name and text for every preset and kind of board."""
    for game in all_games().values():
        for preset in game.presets:
            for kind in KINDS:
                yield playthrough_name(preset, kind, SEED), playthrough(preset, kind, SEED)


def main(folder: Path = FOLDER) -> int:
    """Write all playthroughs, delete those of removed presets, and return exit status 0."""
    folder.mkdir(exist_ok=True)
    written = set()
    for name, text in playthroughs():
        (folder / name).write_text(text, encoding="ascii")
        written.add(name)
    for path in folder.glob("*.txt"):
        if path.name not in written:
            path.unlink()
    sys.stdout.write(f"{len(written)} playthroughs in {folder}\n")
    return 0


def _events(state: State, before: State | None) -> list[str]:
    """Return the events between two states without acts, which the decisions already show."""
    return [
        f"      {_json(event.recorded())}" for event in state.happened_since(before) if event.kind != "act"
    ]


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


if __name__ == "__main__":
    raise SystemExit(main())
