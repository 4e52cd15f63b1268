"""Every case by its bot's name, and bundles as an upload would make them."""

from __future__ import annotations

import json
import platform

from referee.bundle import Bundle, import_archive
from referee.sandbox.syscalls import ALLOWED
from tests.referee.archives import zipped
from tests.referee.hostile import hidden_things, isolation, protocol, resources, time_and_ends
from tests.referee.hostile.case import BOTS, HELPERS, Case

CASES: dict[str, Case] = {
    case.bot: case
    for theme in (protocol, isolation, resources, time_and_ends, hidden_things)
    for case in theme.CASES
}
HERE: dict[str, Case] = {bot: case for bot, case in CASES.items() if case.is_for_this_machine}
"""Those written for this kind of processor."""
REJECTED: dict[str, frozenset[str]] = {bot: case.codes for bot, case in CASES.items() if case.codes}
"""Bots on which ``check`` is tried, and the codes it may give."""


def bundle_of(bot: str) -> Bundle:
    """The bot as an upload would make it, with what the bots share."""
    wanted = {bot, *HELPERS}
    files = {path.name: path.read_bytes() for path in BOTS.glob("*.py") if path.stem in wanted}
    files["rensho.toml"] = f'name = "{bot}"\nruntime = "python/1"\nentry_point = "{bot}.py"\n'.encode()
    if bot == "calls_unknown_numbers":
        files["allowed.json"] = json.dumps(sorted(ALLOWED[platform.machine()].values())).encode()
    return import_archive(zipped(files), "bot.zip")
