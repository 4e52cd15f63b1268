"""``rensho games`` and ``rensho formats``: what can be played on the server, and how."""

from __future__ import annotations

import argparse

from bots.kit.client.shapes import Format, Game, Preset
from bots.kit.display.console import DIM, answer, columns, console_for, print_table
from bots.kit.errors import InputUnusable
from bots.kit.server.account import connected
from bots.kit.subcommands import Commands, command


def register(commands: Commands) -> None:
    """Add ``rensho games`` and ``rensho formats``."""
    games = command(
        commands, "games", "list the games and presets of the server, or the options of a preset", _games
    )
    games.add_argument("preset", metavar="PRESET", nargs="?", help="seats and options of this preset")
    command(commands, "formats", "list the formats of the server with their options", _formats)


def _games(arguments: argparse.Namespace) -> int:
    with connected(needs_account=False) as client:
        games = client.games()
        if arguments.preset is None:
            return answer(arguments, games, lambda: _games_print(games))
        name = arguments.preset
        game = next((game["key"] for game in games if name in game["presets"]), None)
        if game is None:
            names = ", ".join(preset for game in games for preset in game["presets"])
            raise InputUnusable(f"there is no preset {name!r}; there are: {names}")
        preset = client.preset(game, name)
    return answer(arguments, preset, lambda: _preset_print(preset))


def _games_print(games: list[Game]) -> None:
    rows = [(game["key"], str(game["rules_version"]), ", ".join(game["presets"])) for game in games]
    print_table(console_for(), columns(("game", "rules version", "presets"), rows, right={1}, fold={2}))


def _preset_print(preset: Preset) -> None:
    console = console_for()
    sides = " : ".join(" ".join(map(str, side)) for side in preset["sides"])
    console.print(f"{preset['preset']} ({preset['game']}): seats {sides}", style="bold", soft_wrap=True)
    console.print(f"Formats: {', '.join(preset['formats'])}", soft_wrap=True)
    rows = [(name, "" if value is None else str(value)) for name, value in preset["options"].items()]
    print_table(console, columns(("option", "value"), rows, fold={1}))
    console.print(f"docs/rules/ says what they mean: page {preset['game']}, Options.", style=DIM)


def _formats_print(formats: list[Format]) -> None:
    rows = [
        (format_["key"], option["name"], option["kind"], str(option["default"]), option["meaning"])
        for format_ in formats
        for option in format_["options"]
    ]
    bare = [(format_["key"], "", "", "", "") for format_ in formats if not format_["options"]]
    head = ("format", "option", "kind", "default", "meaning")
    print_table(console_for(), columns(head, sorted([*rows, *bare]), fold={4}))


def _formats(arguments: argparse.Namespace) -> int:
    with connected(needs_account=False) as client:
        formats = client.formats()
    return answer(arguments, formats, lambda: _formats_print(formats))
