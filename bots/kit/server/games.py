"""``rensho games`` and ``rensho formats``: what can be played on the server, and how."""

from __future__ import annotations

import argparse

from bots.kit.client import Client
from bots.kit.client.shapes import Format, Preset
from bots.kit.display.console import (
    DIM,
    answer,
    answer_table,
    columns,
    console_for,
    print_table,
    styled,
    table_size,
)
from bots.kit.display.words import value_text
from bots.kit.errors import InputUnusable
from bots.kit.server.arguments import server_command
from bots.kit.subcommands import Commands


def register(commands: Commands) -> None:
    """Add ``rensho games`` and ``rensho formats``."""
    help_text = "list the games and presets of the server, or the options of a preset"
    games = server_command(commands, "games", help_text, _games, needs_account=False)
    games.add_argument("preset", metavar="PRESET", nargs="?", help="seats and options of this preset")
    help_text = "list the formats of the server with their options"
    server_command(commands, "formats", help_text, _formats, needs_account=False)


def _games(client: Client, arguments: argparse.Namespace) -> int:
    games, name = client.games(), arguments.preset
    if name is None:
        rows = [(game["key"], str(game["rules_version"]), ", ".join(game["presets"])) for game in games]
        head = ("game", "rules version", "presets")
        return answer_table(arguments, games, head, rows, right={1}, fold={2})
    game = next((game["key"] for game in games if name in game["presets"]), None)
    if game is None:
        names = ", ".join(preset for game in games for preset in game["presets"])
        raise InputUnusable(f"there is no preset {name!r}; there are: {names}")
    preset = client.preset(game, name)
    return answer(arguments, preset, lambda: _preset_print(preset))


def _preset_print(preset: Preset) -> None:
    console = console_for()
    sides = " : ".join(" ".join(map(str, side)) for side in preset["sides"])
    console.print(f"{preset['preset']} ({preset['game']}): seats {sides}", style="bold", soft_wrap=True)
    console.print(f"Formats: {', '.join(preset['formats'])}", soft_wrap=True)
    rows = [(name, value_text(value)) for name, value in preset["options"].items()]
    print_table(console, columns(("option", "value"), rows, fold={1}))
    console.print(f"docs/rules/ says what they mean: page {preset['game']}, Options.", style=DIM)


def _formats(client: Client, arguments: argparse.Namespace) -> int:
    formats = client.formats()
    return answer(arguments, formats, lambda: _formats_print(formats))


def _formats_print(formats: list[Format]) -> None:
    """Each format with its options below, meanings folded to the screen, or to 80 columns in a file."""
    console = console_for()
    for at, format_ in enumerate(sorted(formats, key=lambda each: each["key"])):
        if at:
            console.print()
        head = styled((format_["key"], "bold"), f": {format_['title']}")
        console.print(head, soft_wrap=True)
        rows = [
            (f"  {option['name']}", option["kind"], value_text(option["default"]), option["meaning"])
            for option in format_["options"]
        ]
        if rows:
            table = columns(("  option", "kind", "default", "meaning"), rows, fold={3})
            table.width = max(console.width, table_size(console, table).minimum)
            console.print(table, crop=False)
