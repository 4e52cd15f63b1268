"""Bot folders of ``rensho connect``: the program that a folder starts, without a sandbox.

A folder with ``rensho.toml`` is a bot as everywhere else. ``remote.toml`` takes its place for bots that
cannot be uploaded: with weights of gigabytes, with packages, or in other languages.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bots.kit.errors import EnvironmentFailure, InvalidInput
from bots.kit.files import read_text
from bots.kit.local.bot_presets import game_of
from bots.kit.server.account import TOKEN_VARIABLE
from engine import Game
from engine.refusals import clipped, quoted
from referee.bundle import MANIFEST, import_path
from referee.errors import BundleError, SandboxUnavailable
from referee.runtimes import host_runtime

REMOTE_MANIFEST = "remote.toml"
MANIFEST_BYTES = 16 << 10
MAX_NAME_CHARS = 60
INTERPRETER = "{python}"
"""Word of a command that stands for the Python that runs ``rensho``."""
_EXAMPLE = 'name = "mine"\npreset = "kakeya4"\ncommand = ["julia", "main.jl"]'
_FIELDS = ("name", "preset", "command", "shared")


class BotProgram(NamedTuple):
    name: str
    preset: str
    """Preset that the bot is for; empty if the folder names none."""
    command: tuple[str, ...]
    folder: Path
    """Working directory."""
    environment: Mapping[str, str]
    is_shared: bool = False
    """Whether one process plays at all tables; each message then names its table."""

    @property
    def game(self) -> Game | None:
        return game_of(self.preset, f"{self.folder}: ") if self.preset else None


def bot_program(path: Path) -> BotProgram:
    """Return the program of a bot folder, or of a single ``.py`` file.

    Raise ``InvalidInput`` if there is no bot, ``EnvironmentFailure`` without its interpreter.
    """
    # The bot gets the environment, such as keys of other services, but not the token of this account.
    environment = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
    if (path / REMOTE_MANIFEST).is_file():
        return _remote_program(path, environment)
    if not path.exists():
        raise InvalidInput(f"there is no {path}: name the folder of a bot (rensho new creates one)")
    if path.is_file() and path.suffix != ".py":
        raise InvalidInput(f"{path} is not a folder: unpack it, since the bot runs in its own folder")
    try:
        manifest = import_path(path).manifest
    except BundleError as error:
        remedy = f"; a bot that cannot be uploaded needs a {REMOTE_MANIFEST} instead (docs/kit.md)"
        raise InvalidInput(f"{path}: {error}{remedy}") from None
    try:
        runtime = host_runtime(manifest.runtime)
    except SandboxUnavailable as error:
        raise EnvironmentFailure(f"{error.step}. {error.remedy}") from None
    folder = (path if path.is_dir() else path.parent).resolve()
    command = runtime.command(str(folder), manifest.entry_point)
    return BotProgram(manifest.name, manifest.preset, tuple(command), folder, {**environment, **runtime.env})


def _remote_program(path: Path, environment: Mapping[str, str]) -> BotProgram:
    source = path / REMOTE_MANIFEST
    try:
        fields = tomllib.loads(read_text(source, MANIFEST_BYTES))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{source} cannot be read: {clipped(str(error))}; write it like {_one_line(_EXAMPLE)}"
        ) from None
    if unknown := sorted(fields.keys() - set(_FIELDS)):
        raise InvalidInput(
            f"{source} has an unknown field {quoted(unknown[0])}: it may have {', '.join(_FIELDS)}"
        )
    name, preset = fields.get("name"), fields.get("preset", "")
    command, is_shared = fields.get("command"), fields.get("shared", False)
    if not isinstance(name, str) or not name.strip() or len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"{source} needs a name of at most {MAX_NAME_CHARS} characters")
    if not isinstance(preset, str) or not isinstance(is_shared, bool):
        raise InvalidInput(f"{source}: preset is text, shared is true or false")
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        raise InvalidInput(
            f'{source} needs a command as a list of words, such as command = ["julia", "main.jl"]'
        )
    command_line = [sys.executable if word == INTERPRETER else word for word in command]
    return BotProgram(name.strip(), preset, tuple(command_line), path.resolve(), environment, is_shared)


def _one_line(text: str) -> str:
    return "; ".join(text.splitlines())


__all__ = ["MANIFEST", "REMOTE_MANIFEST", "BotProgram", "bot_program"]
