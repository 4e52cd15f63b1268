"""Explanations of rejected bots: a code with values, from which the message is made in any language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Explanation(NamedTuple):
    code: str
    """Code of the rejection; several explanations may share one."""
    text: str
    """Problem and remedy in English, with the names of values as in ``%(name)s``."""


EXPLANATIONS: Mapping[str, Explanation] = {
    "address_space": Explanation(
        "over_memory",
        "the program reserves more address space than it may, as those of Go do; write it in another "
        "language, or ask the organisers for a larger address_space_bytes",
    ),
    "disk_full": Explanation(
        "not_permitted",
        "the bot wrote more to its disk than it may (file_bytes, scratch_bytes); write less",
    ),
    "entry_point_kind": Explanation(
        "no_entry_point",
        "entry_point %(entry_point)s is not a %(kind)s file, which %(runtime)s needs: name another file, or "
        "another runtime",
    ),
    "entry_point_missing": Explanation(
        "no_entry_point",
        "rensho.toml names the entry_point %(entry_point)s, but the bot has no such file: add it",
    ),
    "entry_point_other": Explanation(
        "no_entry_point",
        "rensho.toml names the entry_point %(entry_point)s, but the bot has no such file: name one of its "
        "files, %(files)s",
    ),
    "entry_point_unbuilt": Explanation(
        "no_entry_point",
        "rensho.toml names the entry_point %(entry_point)s, but the bot has no such file: build the program "
        "first, or name one of its files, %(files)s",
    ),
    "missing_module": Explanation(
        "missing_module",
        "the runtime has no module '%(module)s'; put pure Python packages into the bot's folder. Compiled "
        "packages other than numpy cannot be bundled (docs/runtimes.md shows how to ship a network)",
    ),
    "missing_package": Explanation(
        "missing_module",
        "the runtime has no module '%(module)s'; put it into node_modules in the bot's folder, or do without",
    ),
    "no_network": Explanation(
        "not_permitted", "bots have no network; put the data that the bot needs into its folder"
    ),
    "not_permitted": Explanation(
        "not_permitted",
        "the sandbox forbids the operation in the log (network, devices, other processes); do without",
    ),
    "not_run": Explanation(
        "crashed_at_start",
        "the program ended without an answer to hello; end it with a call of run(), as in MyBot().run(), or "
        "answer until bye",
    ),
    "other_game": Explanation(
        "wrong_game",
        "rensho.toml names the preset %(preset)s, but this check is for %(game)s: choose a preset of this "
        "game, or submit it as another bot",
    ),
    "out_of_memory": Explanation("over_memory", "the bot used more memory than it may; keep less"),
    "printed": Explanation(
        "bad_answer",
        "'%(line)s' on standard output is not an answer; write other output to standard error, such as "
        "print(..., file=sys.stderr) in Python. While run() of bots.sdk is active, print does so",
    ),
    "read_only_folder": Explanation(
        "not_permitted",
        "the bot's folder is read-only; write to the working directory, /tmp, which is deleted afterwards",
    ),
    "relative_file": Explanation(
        "relative_file",
        "'%(path)s' is in the bot's folder, but the working directory is /tmp; open %(expression)s",
    ),
    "syntax_error": Explanation("syntax_error", "the bot is not valid %(language)s: %(error)s"),
    "unknown_preset": Explanation(
        "unknown_game", "rensho.toml names the preset %(preset)s, which does not exist: choose %(presets)s"
    ),
    "too_many_processes": Explanation(
        "too_many_processes",
        "bots may use some threads but start no processes; do the work in the one that was started",
    ),
}


def explained(key: str, values: Mapping[str, str]) -> str:
    """Return an explanation in English."""
    return EXPLANATIONS[key].text % values
