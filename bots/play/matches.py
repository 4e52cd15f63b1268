"""``play`` and ``compare``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bots.kit.errors import InvalidInput
from bots.kit.local.board_files import ChosenRules, boards_of, on_boards
from bots.kit.local.bot_presets import DEFAULT_PRESET, preset_for
from bots.kit.local.compare import ComparisonRun, comparison_json, require_different
from bots.kit.local.in_process import CallableRaised
from bots.kit.local.match import LocalMatch
from bots.kit.local.play import DEFAULT_BOARDS
from bots.kit.local.rules import require_bounded, rules_with
from bots.kit.local.runner import (
    DEFAULT_SEED,
    MatchRun,
    RunSettings,
    ShouldStop,
    require_boards,
    require_jobs,
    run_match,
)
from bots.kit.local.sides import EXAMPLE_BOT
from bots.kit.local.summary import match_summary
from bots.play.replays import RecordStore
from bots.play.results import Comparison, Match
from bots.play.sides import RAISE, BotOrPair, lineup_of
from engine import BoardKind, Rules
from engine.refusals import quoted
from league.errors import SequentialError
from league.sequential import SequentialTest


def play(
    *sides: BotOrPair,
    preset: str | None = None,
    options: Mapping[str, Any] | None = None,
    kind: BoardKind | None = None,
    boards: int | str | os.PathLike[str] | None = None,
    lost_by: str | None = None,
    seed: str | int = DEFAULT_SEED,
    names: Sequence[str] | None = None,
    on_error: str = RAISE,
    record: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    sandbox: bool = True,
) -> Match:
    """Play a duplicate match and return its result; see ``rensho play`` for the parameters.

    The default of ``preset`` is the first one in the ``rensho.toml`` of a bot.

    A side is a folder, an archive, a ``.py`` file, ``house:NAME``, a function of a request, a subclass of
    ``bots.sdk.Bot``, or a tuple of two of these for the two seats of a side. ``names`` has one name per side.
    Functions and classes run in this process, one table at a time, without a sandbox. ``boards`` is a number,
    or a file with boards, of which ``lost_by`` selects those on which a bot lost.

    An exception of such a bot is raised, with its traceback; with ``on_error="verdict"`` it is a crash, as at
    a table of a site. Illegal and malformed answers are always faults in the result.

    Raise ``InvalidInput`` for wrong arguments, ``CheckFailed`` if a bot never starts, ``EnvironmentFailure``
    if this machine cannot run a bot.
    """
    path = Path(boards) if isinstance(boards, str | os.PathLike) else None
    file_boards = None
    if path is not None:
        _check_rules(preset, kind)
        file_boards = boards_of(path, ChosenRules(preset, options or {}, kind), lost_by)
    elif lost_by is not None:
        raise InvalidInput("lost_by selects boards of a file: give the file as boards")
    rules = _rules(preset, sides, options, kind) if file_boards is None else file_boards.rules
    lineup = lineup_of(sides, rules, names=names, on_error=on_error)
    match = LocalMatch(rules, lineup.contenders, 0, _seed(seed), makers=lineup.makers)
    if file_boards is not None:
        match = on_boards(match, file_boards, str(path), lost_by)
    else:
        count = DEFAULT_BOARDS[rules.kind] if boards is None else _whole(boards, "boards")
        match = match._replace(boards=require_boards(count, "boards"))
    records = RecordStore()
    run = _run(match, _settings(record, jobs, sandbox), records)
    return Match(run, records)


def compare(
    new: BotOrPair,
    old: BotOrPair,
    *,
    preset: str | None = None,
    options: Mapping[str, Any] | None = None,
    kind: BoardKind | None = None,
    difference: float = 0.2,
    alpha: float = 0.05,
    beta: float = 0.05,
    cap: int = 2000,
    seed: str | int = DEFAULT_SEED,
    names: Sequence[str] | None = None,
    on_error: str = RAISE,
    record: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    sandbox: bool = True,
) -> Comparison:
    """Play boards until a sequential test decides whether ``new`` is better than ``old``.

    See ``rensho compare`` for the test and ``play`` for the other parameters and errors. In games with more
    than two sides, ``house:greedy`` plays the other sides; ``names`` then has two names.
    """
    rules = _rules(preset, [new, old], options, kind)
    cap = require_boards(_whole(cap, "cap"), "cap")
    try:
        test = SequentialTest(difference, alpha, beta, cap)
    except SequentialError as error:
        raise InvalidInput(str(error)) from None
    other_sides = len(rules.sides) - 2
    if names is not None and not isinstance(names, str):
        names = [*names, *(f"{EXAMPLE_BOT} {number}" for number in range(1, other_sides + 1))]
    lineup = lineup_of([new, old, *([EXAMPLE_BOT] * other_sides)], rules, names=names, on_error=on_error)
    require_different(lineup.contenders)
    match = LocalMatch(rules, lineup.contenders, cap, _seed(seed), makers=lineup.makers)
    judge, records = ComparisonRun(test), RecordStore()
    run = _run(match, _settings(record, jobs, sandbox), records, judge, test)
    return Comparison(run, records, judge.comparison, test)


def _run(
    match: LocalMatch,
    settings: RunSettings,
    records: RecordStore,
    judge: ComparisonRun | None = None,
    test: SequentialTest | None = None,
) -> MatchRun:
    should_stop: ShouldStop | None = None if judge is None else judge.update
    try:
        run = run_match(settings, match, should_stop, records.add)
        raised = None
    except CallableRaised as error:
        raised = error.__cause__
    if raised is not None:
        raise raised
    if run.folder is not None:
        summary = match_summary(run)
        if judge is not None and test is not None:
            summary = {"comparison": comparison_json(judge.comparison, test), **summary}
        run.folder.write_summary(summary)
    if run.is_interrupted:
        raise KeyboardInterrupt
    return run


def _rules(
    preset: str | None, sides: Sequence[BotOrPair], options: Mapping[str, Any] | None, kind: BoardKind | None
) -> Rules:
    _check_rules(preset, kind)
    bots = (bot for side in sides for bot in (side if isinstance(side, tuple) else (side,)))
    paths = [os.fspath(bot) for bot in bots if isinstance(bot, str | os.PathLike)]
    return require_bounded(rules_with(preset_for(preset, paths), options or {}, kind or "deal"))


def _check_rules(preset: str | None, kind: BoardKind | None) -> None:
    if kind is not None and kind not in DEFAULT_BOARDS:
        raise InvalidInput(f"kind is {quoted(str(kind))}: give 'deal' or 'game'")
    if not isinstance(preset, str | None):
        raise InvalidInput(
            f"preset is {quoted(str(preset))}: give the name of a preset, such as {DEFAULT_PRESET!r}"
        )


def _settings(record: str | os.PathLike[str] | None, jobs: int | None, sandbox: bool) -> RunSettings:
    jobs = require_jobs(None if jobs is None else _whole(jobs, "jobs"), "jobs")
    return RunSettings(None if record is None else Path(record), jobs, sandbox)


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{name} is {quoted(str(value))}: give a whole number")
    return value


def _seed(seed: str | int) -> str:
    text = str(seed)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(f"seed {quoted(text)} is not UTF-8 text: choose another one") from None
    return text
