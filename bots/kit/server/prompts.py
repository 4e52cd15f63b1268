"""Prompts for the fields of a tournament."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console
from rich.prompt import Confirm, IntPrompt, Prompt

from bots.kit.client import Client
from bots.kit.display.console import styled_line
from bots.kit.errors import InvalidInput
from engine.printable import printable

MAX_STAGES = 8
"""Maximum stages from prompts; more need a file."""


def prompt_fields(client: Client, console: Console, arguments: argparse.Namespace) -> None:
    """Prompt for the fields that the options leave open, and store the answers in ``arguments``."""
    try:
        _prompt_fields(client, console, arguments)
    except EOFError:
        raise InvalidInput("the input ended before the last prompt: answer all, or use options") from None


def confirm(console: Console, question: str) -> bool:
    """Ask a yes-or-no question. Returns False at the end of the input."""
    try:
        return Confirm.ask(question, console=console, default=False)
    except EOFError:
        return False


def _prompt_fields(client: Client, console: Console, arguments: argparse.Namespace) -> None:
    if arguments.name is None:
        arguments.name = Prompt.ask("Name", console=console)
    if arguments.preset is None:
        presets = [preset for game in client.games() for preset in game["presets"]]
        arguments.preset = Prompt.ask(
            "Rules", console=console, choices=[preset for preset in presets if printable(preset) == preset]
        )
    if not arguments.stages:
        arguments.stages = _prompt_stages(client, console)
    if arguments.boards is None:
        arguments.boards = IntPrompt.ask("Boards per round", console=console, default=4)
    if arguments.max_entries is None:
        text = Prompt.ask(
            "Maximum entries (empty: no limit)", console=console, default="", show_default=False
        )
        arguments.max_entries = int(text) if text.isascii() and text.isdigit() else None
    if arguments.closes_at is None:
        moment = "End of entry, such as 2027-05-01T18:00 (empty: you lock it yourself)"
        arguments.closes_at = Prompt.ask(moment, console=console, default="", show_default=False) or None


def _prompt_stages(client: Client, console: Console) -> list[dict[str, Any]]:
    formats = {each["key"].replace("_", "-"): each for each in client.formats()}
    stages: list[dict[str, Any]] = []
    while len(stages) < MAX_STAGES:
        key = Prompt.ask(f"Format of stage {len(stages) + 1}", console=console, choices=list(formats))
        stage: dict[str, Any] = {"format": formats[key]["key"]}
        if stages:
            stage["qualify"] = IntPrompt.ask("Entries that qualify from the previous stage", console=console)
        options = {}
        for option in formats[key]["options"]:
            question = f"{option['name']}: {option['meaning']} (empty: {_default_text(option['default'])})"
            answer = Prompt.ask(styled_line(question), console=console, default="", show_default=False)
            if answer:
                options[option["name"]] = _answer_value(answer)
        if options:
            stage["options"] = options
        stages.append(stage)
        if not Confirm.ask("Another stage after it", console=console, default=False):
            break
    return stages


def _default_text(default: int | bool | None) -> str:
    if default is None:
        return "by the number of entries"
    return str(default).lower()


def _answer_value(answer: str) -> Any:
    from_text = {"true": True, "yes": True, "false": False, "no": False}
    if answer.isascii() and answer.isdigit():
        return int(answer)
    return from_text.get(answer.lower(), answer)
