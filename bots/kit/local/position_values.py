"""``rensho analyse`` for a position text: the value of each legal card with all hands open."""

from __future__ import annotations

import argparse
from pathlib import Path
from threading import Event
from typing import Any

from analysis.games import notes_of_game
from analysis.position_errors import PositionError
from analysis.position_text import MAX_CHARS, format_position_text, parse_position_text
from bots.kit.display.console import console_for, print_result, print_table, text_table
from bots.kit.errors import InvalidInput
from engine.cards import KAKEYA_PACK
from engine.games.kakeya import GAME
from engine.games.kakeya.state import KakeyaState
from engine.kernel import Limits, places_of, position_of, solve_moves

FORMAT = "rensho-position-values/1"
_KEY = b"preset"


def is_position_text(data: bytes) -> bool:
    """Return whether a file that is not a record looks like a position text."""
    return _KEY in data[: 4 * MAX_CHARS].lower()


def analyse_position(arguments: argparse.Namespace, path: Path, data: bytes, nodes: int | None) -> int:
    """Print the values of the legal cards. Raise ``InvalidInput`` if the text is invalid or too hard."""
    try:
        position = parse_position_text(data.decode())
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text") from None
    except PositionError as error:
        raise InvalidInput(f"{path}: {error}") from None
    state = position.state()
    if not state.to_act:
        raise InvalidInput(f"{path}: the deal is over, so no card has a value: remove the last plays")
    seat = state.to_act[0]
    values = _values(path, state, notes_of_game(GAME.key).limits["nodes"] if nodes is None else nodes)
    best = max(values.values())
    summary: dict[str, Any] = {
        "format": FORMAT,
        "position": format_position_text(position),
        "seat": seat,
        "trick": len(state.tricks) + 1,
        "values": values,
        "best": [card for card, value in values.items() if value == best],
    }

    def show() -> None:
        console = console_for()
        console.print(
            f"{position.ruleset.preset}, trump {position.trump}, Rensho {state.deal.rensho}: "
            f"seat {seat} plays to trick {len(state.tricks) + 1}",
            soft_wrap=True,
        )
        rows = [
            (
                " ".join(card for card, value in values.items() if value == each),
                f"{each:+d}",
                str(best - each),
            )
            for each in sorted(set(values.values()), reverse=True)
        ]
        print_table(console, text_table(("cards", f"stones of seat {seat}", "cost"), rows, right=(1, 2)))

    return print_result(arguments, summary, show)


def _values(path: Path, state: KakeyaState, nodes: int | None) -> dict[str, int]:
    """Return the value of each legal card to the side of the seat that plays, in stones."""
    # The solver polls the event, at which Python also handles Ctrl-C.
    answers = solve_moves(position_of(state), limits=Limits(nodes=nodes, cancel=Event()))
    if any(answer.state != "exact" for _, answer in answers):
        raise InvalidInput(f"{path}: no exact values within {nodes:,} nodes: raise --nodes, or add plays")
    sign = -1 if places_of(state.deal).index(state.to_act[0]) % 2 else 1
    return {KAKEYA_PACK.cards[card]: sign * answer.low for card, answer in answers}
