"""State file of a long command, from which the command resumes after an interruption."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bots.kit.errors import InvalidInput
from bots.kit.files import read_limited, write_atomic
from bots.kit.local.sides import Contender
from bots.kit.local.tally import Tally
from engine import Rules
from engine.refusals import clipped
from referee.contract import Verdict
from referee.table import engine_version

MAX_BYTES = 64 << 20
MAX_QUOTED_CHARS = 120
MEMBER_NOUNS = {"ruleset": "option", "parameters": "parameter"}
"""Settings with several members, of which messages name one, and the noun for a member."""
PLURAL = ("bots",)
"""Settings that take a plural verb in messages."""
_SCORE = re.compile(r"-?[0-9]{1,18}(/[1-9][0-9]{0,17})?")
_VERDICTS = {verdict.value for verdict in Verdict}


def add_state(parser: argparse.ArgumentParser) -> None:
    help_text = "save finished blocks in this file, and continue from it when the command is repeated"
    parser.add_argument("--state", type=Path, metavar="FILE", help=help_text)


def settings_of(rules: Rules, contenders: Mapping[str, Contender], seed: str) -> dict[str, Any]:
    """Return the settings that all blocks of a run share: rules, seed, and bots by hash."""
    return {
        "version": engine_version(),
        "preset": rules.ruleset.preset,
        "ruleset": rules.ruleset.as_dict(),
        "kind": rules.kind,
        "seed": seed,
        "bots": list(contenders),
        **{f"bundle of {key}": [each.sha256 for each in side.bundles] for key, side in contenders.items()},
    }


def fault_counts(tally: Tally) -> dict[str, Any]:
    """Return faults by verdict and forfeited tables of the first side and of all other sides together."""
    bot, *opponents = tally.sides
    faults = sum((other.faults for other in opponents), Counter())
    return {
        "faults": {verdict.value: count for verdict, count in sorted(bot.faults.items())},
        "forfeits": bot.forfeits,
        "opponent_faults": {verdict.value: count for verdict, count in sorted(faults.items())},
        "opponent_forfeits": sum(other.forfeits for other in opponents),
    }


def are_fault_counts(value: object) -> bool:
    """Return whether a value from a file has the form of ``fault_counts``, possibly with more keys."""
    if not isinstance(value, dict):
        return False
    faults = [value.get(key) for key in ("faults", "opponent_faults")]
    return all(is_count(value.get(key)) for key in ("forfeits", "opponent_forfeits")) and all(
        isinstance(each, dict) and each.keys() <= _VERDICTS and all(map(is_count, each.values()))
        for each in faults
    )


def are_scores(value: object, boards: int) -> bool:
    """Return whether a value from a file has ``boards`` scores in the form of ``summary.exact_score``.

    >>> are_scores([1, "-1/2"], 2), are_scores([1, "-1/0"], 2), are_scores([1], 2)
    (True, False, False)
    """
    return isinstance(value, list) and len(value) == boards and all(map(_is_score, value))


def is_count(value: object) -> bool:
    """Return whether a value from a file is an integer from 0 to 2**63 - 1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


class Journal:
    """Blocks of boards in playing order, saved after each block, so that a killed command loses only one."""

    def __init__(
        self,
        path: Path | None,
        form: str,
        settings: Mapping[str, Any],
        is_block: Callable[[object], bool],
    ) -> None:
        """Load the file if it exists. ``is_block`` checks each of its blocks.

        Raise ``InvalidInput`` if the file has another form, or belongs to a run with other settings.
        """
        self._path, self._form, self._is_block = path, form, is_block
        # Converted by JSON, so that they can be compared with the file.
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))
        self.blocks: list[dict[str, Any]] = []
        if path is not None and path.exists():
            self.blocks = self._read(path)

    @property
    def location_text(self) -> str:
        return "not saved: use --state FILE" if self._path is None else f"saved in {self._path}"

    def add(self, block: dict[str, Any], instead_of: Sequence[dict[str, Any]] = ()) -> None:
        """Append a block, remove those in ``instead_of``, and save the file (or ``EnvironmentFailure``)."""
        replaced = {id(each) for each in instead_of}
        self.blocks = [*(each for each in self.blocks if id(each) not in replaced), block]
        if self._path is not None:
            document = {"format": self._form, "settings": self._settings, "blocks": self.blocks}
            write_atomic(self._path, json.dumps(document).encode() + b"\n")

    def _read(self, path: Path) -> list[dict[str, Any]]:
        try:
            document = json.loads(read_limited(path, MAX_BYTES))
            form, settings, blocks = document["format"], document["settings"], document["blocks"]
        except (ValueError, RecursionError, LookupError, TypeError):
            form, settings, blocks = "", {}, []
        unusable = InvalidInput(f"{path} is not a {self._form} file: name another with --state, or remove it")
        if form != self._form or not isinstance(settings, dict) or not isinstance(blocks, list):
            raise unusable
        for key in (*self._settings, *settings):
            if settings.get(key) != self._settings.get(key):
                name, there, here = _difference(key, settings.get(key), self._settings.get(key))
                verb = "are" if key in PLURAL else "is"
                raise InvalidInput(
                    f"{path} belongs to another run: its {name} {verb} {there}, here {here}; name "
                    "another file with --state, or remove it"
                )
        # Last, because the form of a block depends on the settings.
        if not all(map(self._is_block, blocks)):
            raise unusable
        return blocks


def _difference(key: str, there: object, here: object) -> tuple[str, str, str]:
    """Return the name and both values of a setting, or of its first member that differs."""
    if key in MEMBER_NOUNS:
        of_file, own = _members(there), _members(here)
        for name in (*own, *of_file):
            if name not in own or name not in of_file or own[name] != of_file[name]:
                texts = [_text(each[name]) if name in each else "missing" for each in (of_file, own)]
                return f"{MEMBER_NOUNS[key]} {clipped(name, MAX_QUOTED_CHARS)}", texts[0], texts[1]
    return key, _text(there), _text(here)


def _members(value: object) -> dict[str, Any]:
    """Return options of rules, or lines of ``rensho.toml``, by name."""
    if isinstance(value, list):
        lines = [line.partition(" = ") for line in value if isinstance(line, str)]
        return {name: text for name, _, text in lines}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    are_words = isinstance(value, list) and all(isinstance(each, str) for each in value)
    text = " and ".join(value) if isinstance(value, list) and are_words else json.dumps(value)
    return clipped(text or "none", MAX_QUOTED_CHARS)


def _is_score(value: object) -> bool:
    is_kept = isinstance(value, int | str) and not isinstance(value, bool)
    return is_kept and _SCORE.fullmatch(str(value)) is not None
