"""``rensho tune BOT --against FIELD``: search better values for the parameters in ``rensho.toml``.

A block plays several points against one opponent on the same boards. A sequential test on fresh boards then
compares the best values with the defaults against the same opponents.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from bots.kit.display.console import print_result, progress_bar
from bots.kit.errors import CHECK_FAILED, DONE, INTERRUPTED, InvalidInput
from bots.kit.local.gauntlet import lineups_from
from bots.kit.local.journal import (
    Journal,
    add_state,
    are_fault_counts,
    are_scores,
    fault_counts,
    is_count,
    settings_of,
)
from bots.kit.local.match import LocalMatch
from bots.kit.local.params import parameters_of, with_values
from bots.kit.local.pool import prepare_runtimes
from bots.kit.local.rules import rules_from
from bots.kit.local.runner import add_running_arguments, jobs_from, play_matches, require_boards
from bots.kit.local.scale import point_of, values_of
from bots.kit.local.search import Samples, best_with_interval, min_blocks, next_points
from bots.kit.local.sides import Contender
from bots.kit.local.summary import exact_score
from bots.kit.local.tally import Tally
from bots.kit.local.tune_text import MatchFaults, TuneResult, print_tune_result, tune_summary
from bots.kit.subcommands import Commands, add_command
from engine import Rules
from league.errors import SequentialError
from league.sequential import SequentialTest
from referee.parameters import Parameter

FORMAT = "rensho-tune/1"
POINTS_PER_BLOCK = 4
"""Points that a block plays on the same boards."""
MAX_PARAMETERS = 6
"""Maximum parameters: more would need too many boards for their coefficients."""
BLOCK_BOARDS = {"deal": 20, "game": 2}
DEFAULT_BLOCKS = 40
MAX_BLOCKS = 10_000
DEFAULT_CAP = 1000
EPILOG = """\
The search is a local quadratic regression like CLOP (R. Coulom, 2011). Each block plays 4 points (sets of
values) on the same 20 boards against one opponent. New points are drawn where the fit is not clearly below
average. Then the best values and the defaults play the same opponents on fresh boards, and a sequential test
decides which are better.

Exit status: 0 finished, with any verdict; 1 a bot did not start, or BOT forfeited a table; 2 invalid input or
command; 3 no sandbox on this machine; 130 interrupted: with --state FILE, repeat the command to continue."""


class TuneRun(NamedTuple):
    rules: Rules
    lineups: Sequence[Sequence[Contender]]
    """Sides of each match: the bot, then the opponent on all other sides."""
    parameters: Sequence[Parameter]
    seed: str
    blocks: int
    test: SequentialTest
    jobs: int
    is_sandboxed: bool


def register(commands: Commands) -> None:
    tune = add_command(commands, "tune", "search for better parameter values of a bot", _tune, epilog=EPILOG)
    tune.add_argument(
        "bot", metavar="BOT", help="the bot, named as in rensho play; its rensho.toml lists the parameters"
    )
    tune.add_argument(
        "--against",
        nargs="+",
        required=True,
        metavar="SIDE",
        help="opponents, named as in rensho play; each block plays the next one",
    )
    help_text = f"parameter to tune; may be repeated up to {MAX_PARAMETERS} times (all)"
    tune.add_argument("--only", action="append", default=[], metavar="NAME", help=help_text)
    help_text = "blocks of the search; each plays 4 points on 20 deals or 2 games (%(default)s)"
    tune.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS, help=help_text)
    help_text = "maximum fresh boards in the test of the best values against the defaults (%(default)s)"
    tune.add_argument("--cap", type=int, default=DEFAULT_CAP, help=help_text)
    help_text = "smallest gain that the test should detect, in stones per board (%(default)s)"
    tune.add_argument("--difference", type=float, default=0.2, help=help_text)
    add_state(tune)
    add_running_arguments(tune, has_records=False)


def _tune(arguments: argparse.Namespace) -> int:
    rules = rules_from(arguments, [arguments.bot, *arguments.against])
    lineups = lineups_from(arguments.bot, arguments.against, rules)
    bot = lineups[0][0]
    parameters = chosen_parameters(bot, arguments.only)
    fewest = min_blocks(len(parameters), POINTS_PER_BLOCK)
    if not fewest <= arguments.blocks <= MAX_BLOCKS:
        raise InvalidInput(
            f"--blocks {arguments.blocks}: give a number from {fewest} to {MAX_BLOCKS}; "
            f"{len(parameters)} parameters need at least {fewest}"
        )
    try:
        requested = SequentialTest(arguments.difference, 0.05, 0.05, require_boards(arguments.cap, "--cap"))
        # Half the gain counts, as in rensho compare: half the lead of one side on the other.
        test = dataclasses.replace(requested, difference=requested.difference / 2)
    except SequentialError as error:
        raise InvalidInput(str(error)) from None
    opponents = {sides[1].argument: sides[1] for sides in lineups}
    settings = settings_of(rules, {"BOT": bot, **opponents}, arguments.seed)
    settings["parameters"] = [parameter.toml_line() for parameter in parameters]
    boards = BLOCK_BOARDS[rules.kind]
    journal = Journal(arguments.state, FORMAT, settings, lambda block: _is_block(block, parameters, boards))
    runtimes = {each.manifest.runtime for sides in lineups for side in sides for each in side.bundles}
    is_sandboxed = not arguments.no_sandbox
    level = prepare_runtimes(runtimes, is_sandboxed=is_sandboxed)
    tuning = TuneRun(
        rules, lineups, parameters, arguments.seed, arguments.blocks, test, jobs_from(arguments), is_sandboxed
    )
    is_interrupted = False
    try:
        play_blocks(tuning, journal)
    except KeyboardInterrupt:
        is_interrupted = True
    result = tune_result(tuning, journal)
    print_result(
        arguments,
        {
            **tune_summary(result),
            "seed": arguments.seed,
            "interrupted": is_interrupted,
            "sandbox_level": level,
        },
        lambda: print_tune_result(result, bot.label, journal.location_text, is_interrupted=is_interrupted),
    )
    if is_interrupted:
        return INTERRUPTED
    return CHECK_FAILED if result.forfeits else DONE


def chosen_parameters(bot: Contender, only: Sequence[str]) -> list[Parameter]:
    """Return the parameters to tune, or raise ``InvalidInput`` for an unknown name or too many."""
    by_name = {parameter.name: parameter for parameter in parameters_of(bot)}
    if not by_name:
        raise InvalidInput(
            f"{bot.label} has no parameters: add them under [parameters] in rensho.toml (docs/kit.md)"
        )
    for name in only:
        if name not in by_name:
            raise InvalidInput(
                f"--only {name}: {bot.label} has no such parameter; it has {', '.join(by_name)}"
            )
    names = list(dict.fromkeys(only)) or list(by_name)
    if len(names) > MAX_PARAMETERS:
        raise InvalidInput(
            f"{len(names)} parameters are too many to tune at once: choose up to {MAX_PARAMETERS} with "
            "--only NAME"
        )
    return [by_name[name] for name in names]


def play_blocks(tuning: TuneRun, journal: Journal) -> None:
    """Play the missing blocks of the search and of the test.

    A block depends only on the seed and earlier blocks, so an interrupted run has the same result.
    """
    size = BLOCK_BOARDS[tuning.rules.kind]
    with progress_bar("blocks of the search", tuning.blocks, counts_bytes=False, has_lines=True) as advance:
        done = len(_search_blocks(tuning, journal))
        advance(done)
        for number in range(done, tuning.blocks):
            points = next_points(samples_of(tuning, journal), POINTS_PER_BLOCK, _rng(tuning, number))
            values = [values_of(point.tolist(), tuning.parameters) for point in points]
            tallies = _play_block(tuning, values, number, f"search|{number}", size)
            journal.add({"values": values, **_block_fields(tallies)})
            advance(1)
    best, defaults = best_of(tuning, journal)[0], _defaults(tuning)
    if best == defaults:
        return
    # Whole blocks alone, so that a larger cap changes no block; the test counts no board beyond the cap.
    with progress_bar(
        "boards of the test", -(-tuning.test.cap // size) * size, counts_bytes=False, has_lines=True
    ) as advance:
        advance(size * len(_test_blocks(tuning, journal)))
        while tuning.test.evaluate(differences_of(tuning, journal)).state == "running":
            number = len(_test_blocks(tuning, journal))
            tallies = _play_block(tuning, [best, defaults], number, f"test|{tuning.blocks}|{number}", size)
            journal.add({"test": tuning.blocks, **_block_fields(tallies)})
            advance(size)


def samples_of(tuning: TuneRun, journal: Journal) -> Samples:
    blocks = _search_blocks(tuning, journal)
    dimensions = len(tuning.parameters)
    points = [point_of(values, tuning.parameters) for block in blocks for values in block["values"]]
    means = [
        float(sum(map(Fraction, scores)) / len(scores)) for block in blocks for scores in block["scores"]
    ]
    numbers = [number for number, block in enumerate(blocks) for _ in block["values"]]
    return Samples(
        np.array(points, dtype=np.float64).reshape(-1, dimensions),
        np.array(means, dtype=np.float64),
        np.array(numbers, dtype=np.int64),
    )


def best_of(tuning: TuneRun, journal: Journal) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return the best values and the ends of their 95% intervals, by parameter name."""
    ends = best_with_interval(samples_of(tuning, journal), _rng(tuning, -1))
    best, low, high = (values_of(end.tolist(), tuning.parameters) for end in ends)
    return best, low, high


def differences_of(tuning: TuneRun, journal: Journal) -> list[Fraction]:
    """Return half the gain of the best values over the defaults on each fresh board."""
    return [
        (Fraction(best) - Fraction(default)) / 2
        for block in _test_blocks(tuning, journal)
        for best, default in zip(*block["scores"], strict=True)
    ]


def tune_result(tuning: TuneRun, journal: Journal) -> TuneResult:
    blocks = _search_blocks(tuning, journal)
    best, judgement = None, None
    conduct = _match_faults(tuning, blocks)
    if len(blocks) >= min_blocks(len(tuning.parameters), POINTS_PER_BLOCK):
        best = best_of(tuning._replace(blocks=len(blocks)), journal)
        differences = differences_of(tuning, journal)
        judgement = tuning.test.evaluate(differences) if differences else None
        values = [best[0], _defaults(tuning)]
        conduct += _match_faults(
            tuning, [{**block, "values": values} for block in _test_blocks(tuning, journal)]
        )
    return TuneResult(tuning.parameters, len(blocks), tuning.blocks, best, judgement, tuning.test, conduct)


def _match_faults(tuning: TuneRun, blocks: Sequence[Mapping[str, Any]]) -> list[MatchFaults]:
    return [
        MatchFaults(
            values,
            tuning.lineups[number % len(tuning.lineups)][1].argument,
            +Counter(faults["faults"]),
            faults["forfeits"],
            +Counter(faults["opponent_faults"]),
            faults["opponent_forfeits"],
        )
        for number, block in enumerate(blocks)
        for values, faults in zip(block["values"], block["conduct"], strict=True)
    ]


def _search_blocks(tuning: TuneRun, journal: Journal) -> list[dict[str, Any]]:
    return [block for block in journal.blocks if "values" in block][: tuning.blocks]


def _test_blocks(tuning: TuneRun, journal: Journal) -> list[dict[str, Any]]:
    """Return the blocks of the test that belong to this length of the search."""
    return [block for block in journal.blocks if block.get("test") == tuning.blocks]


def _block_fields(tallies: Sequence[Tally]) -> dict[str, Any]:
    return {
        "scores": [[exact_score(score) for score in tally.sides[0].scores] for tally in tallies],
        "conduct": [fault_counts(tally) for tally in tallies],
    }


def _is_block(block: object, parameters: Sequence[Parameter], boards: int) -> bool:
    if not isinstance(block, dict) or ("values" in block) == ("test" in block):
        return False
    values, scores = block.get("values", [None, None]), block.get("scores")
    if not (isinstance(values, list) and isinstance(scores, list) and len(values) == len(scores) > 0):
        return False
    if "test" in block:
        is_known = is_count(block["test"])
    else:
        is_known = all(_are_values(each, parameters) for each in values)
    conduct = block.get("conduct")
    return (
        is_known
        and all(are_scores(each, boards) for each in scores)
        and isinstance(conduct, list)
        and len(conduct) == len(scores)
        and all(map(are_fault_counts, conduct))
    )


def _are_values(values: object, parameters: Sequence[Parameter]) -> bool:
    return (
        isinstance(values, dict)
        and values.keys() == {parameter.name for parameter in parameters}
        and all(
            isinstance(value := values[parameter.name], int | float)
            and parameter.least <= value <= parameter.most
            for parameter in parameters
        )
    )


def _defaults(tuning: TuneRun) -> dict[str, float]:
    return {parameter.name: parameter.default for parameter in tuning.parameters}


def _play_block(
    tuning: TuneRun, values: Sequence[Mapping[str, float]], number: int, seed: str, boards: int
) -> list[Tally]:
    sides = tuning.lineups[number % len(tuning.lineups)]
    return play_matches(
        list(_matches(tuning, sides, values, f"{tuning.seed}|{seed}", boards)),
        jobs=tuning.jobs,
        is_sandboxed=tuning.is_sandboxed,
    )


def _matches(
    tuning: TuneRun, sides: Sequence[Contender], values: Sequence[Mapping[str, float]], seed: str, boards: int
) -> Iterator[LocalMatch]:
    for each in values:
        yield LocalMatch(tuning.rules, (with_values(sides[0], dict(each)), *sides[1:]), boards, seed)


def _rng(tuning: TuneRun, number: int) -> np.random.Generator:
    digest = hashlib.sha256(f"rensho-tune/1|{tuning.seed}|{number}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
