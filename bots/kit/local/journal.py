"""What a long command has played so far, in a file from which it goes on after any interruption."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bots.kit.errors import InputUnusable
from bots.kit.files import read_input, save
from bots.kit.local.rules import Rules
from bots.kit.local.sides import Contender
from engine.refusals import clipped
from referee.table import engine_version

MOST_BYTES = 64 << 20
QUOTED_CHARS = 60


def add_state(parser: argparse.ArgumentParser) -> None:
    """Add ``--state``."""
    help_text = "keep what was played in this file, and go on from it when the command is repeated"
    parser.add_argument("--state", type=Path, metavar="FILE", help=help_text)


def settings_of(rules: Rules, contenders: Mapping[str, Contender], seed: str) -> dict[str, Any]:
    """What every block of a run must have in common: rules, cards, and bots by hash."""
    return {
        "version": engine_version(),
        "preset": rules.ruleset.preset,
        "ruleset": rules.ruleset.as_dict(),
        "kind": rules.kind,
        "seed": seed,
        "bots": list(contenders),
        **{f"bundle of {key}": [each.sha256 for each in side.bundles] for key, side in contenders.items()},
    }


class Journal:
    """Blocks of boards in the order in which they were played, saved after each.

    A block is saved whole or not at all: whoever kills the command loses the block at hand.
    """

    def __init__(self, path: Path | None, form: str, settings: Mapping[str, Any]) -> None:
        """Go on from the file, if it is there.

        Raises:
            InputUnusable: it is something else, or belongs to a run with other settings.
        """
        self._path, self._form = path, form
        # As JSON gives them back, so that they can be compared.
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))
        self.blocks: list[dict[str, Any]] = []
        if path is not None and path.exists():
            self.blocks = self._read(path)

    @property
    def place(self) -> str:
        """Where it is kept, in words."""
        return "nowhere: name a file with --state" if self._path is None else f"in {self._path}"

    def add(self, block: dict[str, Any]) -> None:
        """Keep a block.

        Raises:
            MachineUnable: the file cannot be written.
        """
        self.blocks.append(block)
        if self._path is not None:
            document = {"format": self._form, "settings": self._settings, "blocks": self.blocks}
            save(self._path, json.dumps(document).encode() + b"\n")

    def _read(self, path: Path) -> list[dict[str, Any]]:
        try:
            document = json.loads(read_input(path, MOST_BYTES))
            form, settings, blocks = document["format"], document["settings"], document["blocks"]
        except (ValueError, RecursionError, LookupError, TypeError):
            form, settings, blocks = "", {}, []
        if form != self._form or not isinstance(settings, dict) or not isinstance(blocks, list):
            raise InputUnusable(f"{path} is no {self._form} file: name another with --state, or remove it")
        for key in (*self._settings, *settings):
            pair = settings.get(key), self._settings.get(key)
            if pair[0] != pair[1]:
                there, here = (clipped(json.dumps(each), QUOTED_CHARS) for each in pair)
                raise InputUnusable(
                    f"{path} belongs to another run: its {key} is {there}, here {here}; name another file "
                    "with --state, or remove it"
                )
        return blocks
