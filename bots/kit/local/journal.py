"""What a long command has played so far, in a file from which it goes on after any interruption."""

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
"""Settings of many members, which a message names one by one, and what a member is called."""
PLURAL = ("bots",)
"""Settings that are several things by name."""
_SCORE = re.compile(r"-?[0-9]{1,18}(/[1-9][0-9]{0,17})?")
_VERDICTS = {verdict.value for verdict in Verdict}


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


def fault_counts(tally: Tally) -> dict[str, Any]:
    """Faults by verdict and forfeited tables: of the first side, and of all others together."""
    bot, *others = tally.sides
    faults = sum((other.faults for other in others), Counter())
    return {
        "faults": {verdict.value: count for verdict, count in sorted(bot.faults.items())},
        "forfeits": bot.forfeits,
        "opponent_faults": {verdict.value: count for verdict, count in sorted(faults.items())},
        "opponent_forfeits": sum(other.forfeits for other in others),
    }


def are_fault_counts(value: object) -> bool:
    """Whether a file has here what ``fault_counts`` gives, perhaps with more beside it.

    >>> is_conduct({"faults": {"CRASHED": 1}, "forfeits": 0, "opponent_faults": {}, "opponent_forfeits": 0})
    True
    >>> is_conduct({"faults": None})
    False
    """
    if not isinstance(value, dict):
        return False
    faults = [value.get(key) for key in ("faults", "opponent_faults")]
    return all(is_count(value.get(key)) for key in ("forfeits", "opponent_forfeits")) and all(
        isinstance(each, dict) and each.keys() <= _VERDICTS and all(map(is_count, each.values()))
        for each in faults
    )


def are_scores(value: object, boards: int) -> bool:
    """Whether a file has here the scores of so many boards, each as ``summary.exact`` writes it.

    >>> are_scores([1, "-1/2"], 2), are_scores([1, "-1/0"], 2), are_scores([1], 2)
    (True, False, False)
    """
    return isinstance(value, list) and len(value) == boards and all(map(_is_score, value))


def is_count(value: object) -> bool:
    """Whether a file has here a whole number, 0 or more, and not too large to count with."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


class Journal:
    """Blocks of boards in the order in which they were played, saved after each.

    A block is saved whole or not at all: whoever kills the command loses the block at hand.
    """

    def __init__(
        self,
        path: Path | None,
        form: str,
        settings: Mapping[str, Any],
        is_block: Callable[[object], bool],
    ) -> None:
        """Go on from the file, if it is there and ``is_block`` holds for each of its blocks.

        Raises:
            InvalidInput: it is something else, or belongs to a run with other settings.
        """
        self._path, self._form, self._is_block = path, form, is_block
        # As JSON gives them back, so that they can be compared.
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))
        self.blocks: list[dict[str, Any]] = []
        if path is not None and path.exists():
            self.blocks = self._read(path)

    @property
    def location_text(self) -> str:
        """Where it is kept, in words."""
        return "nowhere: name a file with --state" if self._path is None else f"in {self._path}"

    def add(self, block: dict[str, Any], instead_of: Sequence[dict[str, Any]] = ()) -> None:
        """Keep a block, perhaps in place of some that are there.

        Raises:
            EnvironmentFailure: the file cannot be written.
        """
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
        unusable = InvalidInput(f"{path} is no {self._form} file: name another with --state, or remove it")
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
        # Only now: what a block should hold depends on the settings.
        if not all(map(self._is_block, blocks)):
            raise unusable
        return blocks


def _difference(key: str, there: object, here: object) -> tuple[str, str, str]:
    """Of a setting, or of its first member, that differs: the name and both values, as text."""
    if key in MEMBER_NOUNS:
        of_file, own = _members(there), _members(here)
        for name in (*own, *of_file):
            if name not in own or name not in of_file or own[name] != of_file[name]:
                texts = [_text(each[name]) if name in each else "missing" for each in (of_file, own)]
                return f"{MEMBER_NOUNS[key]} {clipped(name, MAX_QUOTED_CHARS)}", texts[0], texts[1]
    return key, _text(there), _text(here)


def _members(value: object) -> dict[str, Any]:
    """The options of rules, or lines of ``rensho.toml``, by name."""
    if isinstance(value, list):
        lines = [line.partition(" = ") for line in value if isinstance(line, str)]
        return {name: text for name, _, text in lines}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """A value as text; of several words, the words."""
    are_words = isinstance(value, list) and all(isinstance(each, str) for each in value)
    text = " and ".join(value) if isinstance(value, list) and are_words else json.dumps(value)
    return clipped(text or "none", MAX_QUOTED_CHARS)


def _is_score(value: object) -> bool:
    is_kept = isinstance(value, int | str) and not isinstance(value, bool)
    return is_kept and _SCORE.fullmatch(str(value)) is not None
