"""``rensho gauntlet BOT --against A B C``: one bot against several opponents on the same boards."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from bots.kit.display.console import console_for, print_result, print_table, progress_bar, text_table
from bots.kit.display.formatting import count_text, interval_text
from bots.kit.errors import CHECK_FAILED, DONE, INTERRUPTED, InvalidInput
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
from bots.kit.local.match_text import sandbox_text
from bots.kit.local.params import add_param, with_params
from bots.kit.local.pool import prepare_runtimes
from bots.kit.local.rules import rules_from
from bots.kit.local.runner import add_running_arguments, jobs_from, play_matches, require_boards
from bots.kit.local.sides import Contender, contenders_from
from bots.kit.local.summary import exact_score, interval_json
from bots.kit.local.tally import CONFIDENCE, Tally
from bots.kit.local.why import FirstRecords, Pairing, add_why, print_with_why, require_costs
from bots.kit.subcommands import Commands, add_command
from engine import Rules
from league.intervals import Interval, mean_interval

FORMAT = "rensho-gauntlet/1"
DEFAULT_BOARDS = {"deal": 200, "game": 20}
BLOCK_BOARDS = {"deal": 20, "game": 2}
"""Boards per block, by kind; the state is saved after each block."""
FAULTS_REMEDY = "For details, play the same sides with rensho play --record FOLDER"
MAX_OPPONENTS = 100
WHY_OPPONENTS = 3
"""Number of opponents with costs by trick."""
EPILOG = """\
All opponents get the same boards, each played once for every rotation of the sides. The hardest opponent,
against which BOT scores least, is first. Opponents that the boards cannot tell apart share a range of ranks.

Exit status: 0 played to the end; 1 a bot did not start, or BOT forfeited a table; 2 invalid input or
command; 3 no sandbox on this machine; 130 interrupted: the boards played so far are printed."""


class OpponentResult(NamedTuple):
    opponent: str
    first_rank: int
    """Best possible rank: 1 plus the number of significantly harder opponents."""
    last_rank: int
    interval: Interval
    """BOT's average board score with its 95% interval."""
    faults: Counter[str]
    """BOT's faults by verdict."""
    forfeits: int
    opponent_faults: Counter[str]
    opponent_forfeits: int


def register(commands: Commands) -> None:
    gauntlet = add_command(
        commands, "gauntlet", "play one bot against a field and rank the field", _gauntlet, epilog=EPILOG
    )
    gauntlet.add_argument("bot", metavar="BOT", help="a side as in rensho play")
    gauntlet.add_argument(
        "--against", nargs="+", required=True, metavar="SIDE", help="the opponents, each a side"
    )
    help_text = "boards against each opponent (200 deals or 20 games)"
    gauntlet.add_argument("--boards", type=int, default=None, help=help_text)
    add_state(gauntlet)
    add_why(
        gauntlet,
        "then list the stones lost by trick against the hardest opponents (3, first block of boards)",
    )
    add_param(gauntlet, "BOT")
    add_running_arguments(gauntlet, has_records=False)


def lineups_from(
    bot: str, against: Sequence[str], rules: Rules, params: Sequence[str] = ()
) -> list[tuple[Contender, ...]]:
    """Return the sides of each match: the bot, then the opponent on all other sides.

    Raise ``InvalidInput`` if a bot cannot be read, an opponent is named twice, or there are too many.
    """
    if len(against) > MAX_OPPONENTS:
        raise InvalidInput(f"--against has {len(against)} opponents: the maximum is {MAX_OPPONENTS}")
    for name, times in Counter(against).items():
        if times > 1:
            raise InvalidInput(f"--against names {name} {times} times: name it once")
    opponent_sides = len(rules.sides) - 1
    lineups = [contenders_from([bot, *[each] * opponent_sides], rules) for each in against]
    return [(*with_params(lineup[:1], params), *lineup[1:]) for lineup in lineups]


def _gauntlet(arguments: argparse.Namespace) -> int:
    rules = rules_from(arguments, [arguments.bot, *arguments.against])
    boards = DEFAULT_BOARDS[rules.kind] if arguments.boards is None else require_boards(arguments.boards)
    lineups = lineups_from(arguments.bot, arguments.against, rules, arguments.param)
    bot, opponents = lineups[0][0], {sides[1].argument: sides[1] for sides in lineups}
    settings = settings_of(rules, {"BOT": bot, **opponents}, arguments.seed)
    limits = require_costs(rules) if arguments.why else None
    first_records: list[FirstRecords] = []
    """Records of the first block of this run, by opponent."""
    first_boards = 0
    journal = Journal(arguments.state, FORMAT, settings, lambda block: _is_block(block, len(opponents)))
    jobs, is_sandboxed = jobs_from(arguments), not arguments.no_sandbox
    runtimes = {each.manifest.runtime for sides in lineups for side in sides for each in side.bundles}
    level = prepare_runtimes(runtimes, is_sandboxed=is_sandboxed)
    whole = BLOCK_BOARDS[rules.kind]
    is_interrupted = False
    try:
        with progress_bar("boards against each", boards, counts_bytes=False) as advance:
            advance(min(_board_count(_usable_blocks(journal.blocks, whole)), boards))
            while _board_count(blocks := _usable_blocks(journal.blocks, whole)) < boards:
                # A shorter last block, from a run with fewer boards, is replaced by a whole one.
                whole_blocks = [block for block in blocks if block["boards"] == whole]
                done = _board_count(whole_blocks)
                size = min(whole, boards - done)
                seed = f"{arguments.seed}|gauntlet|{done}"
                matches = [LocalMatch(rules, sides, size, seed) for sides in lineups]
                keepers = [FirstRecords(rules) for _ in matches]
                tallies = play_matches(
                    matches,
                    jobs=jobs,
                    is_sandboxed=is_sandboxed,
                    on_table=[keeper.add for keeper in keepers],
                )
                if not first_records:
                    first_records, first_boards = keepers, size
                block = {"boards": size, "opponents": [_opponent_fields(tally) for tally in tallies]}
                journal.add(block, instead_of=journal.blocks[len(whole_blocks) :])
                advance(done + size - _board_count(blocks))
    except KeyboardInterrupt:
        is_interrupted = True
    blocks = _usable_blocks(journal.blocks, whole)
    lines, overall = opponent_results(blocks, list(opponents))
    done = _board_count(blocks)

    def show() -> None:
        console = console_for()
        played = f"{rules.ruleset.preset}, {count_text(done, f'{rules.kind} board')} against each"
        console.print(f"{bot.label}: {played}, seed {arguments.seed}; {sandbox_text(level)}", soft_wrap=True)
        if not done:
            console.print("Interrupted before the first block of boards was finished.")
            return
        if is_interrupted:
            console.print(f"Interrupted. The finished blocks are {journal.location_text}.", soft_wrap=True)
        head = ("rank", "opponent", "stones per board", "95% interval", "faults", "its faults")
        print_table(console, text_table(head, [_cells(line) for line in lines], right=(2, 3)))
        if overall is not None:
            console.print(f"Against the field: {_score_text(overall)}", soft_wrap=True)
        for line in lines:
            for whose, faults, forfeits in (
                (bot.label, line.faults, line.forfeits),
                (line.opponent, line.opponent_faults, line.opponent_forfeits),
            ):
                if faults or forfeits:
                    table_text = "" if whose == line.opponent else f" at tables with {line.opponent}"
                    console.print(f"{whose}{table_text}: {faults_text(faults, forfeits)}", soft_wrap=True)
        if any(line.faults or line.forfeits for line in lines):
            console.print(f"{FAULTS_REMEDY}.", soft_wrap=True)

    summary = _summary(arguments, rules, bot, done, lines, overall, is_interrupted, level)
    status = DONE
    if limits is None or is_interrupted:
        print_result(arguments, summary, show)
    else:
        pairings = _pairings(bot, list(opponents), lines, first_records, first_boards, len(rules.sides))
        status = print_with_why(arguments, summary, show, pairings, rules, limits)
    if is_interrupted or status == INTERRUPTED:
        return INTERRUPTED
    return CHECK_FAILED if any(line.forfeits for line in lines) else DONE


def _pairings(
    bot: Contender,
    names: Sequence[str],
    lines: Sequence[OpponentResult],
    first_records: Sequence[FirstRecords],
    boards: int,
    sides: int,
) -> list[Pairing]:
    """Return the bot with each of the hardest opponents; empty if no board was played in this run."""
    if not first_records:
        return []
    hardest = [line.opponent for line in lines[:WHY_OPPONENTS]]
    opponents = frozenset(range(1, sides))
    return [
        Pairing((bot.label, name), (frozenset((0,)), opponents), first_records[names.index(name)], boards)
        for name in hardest
    ]


def opponent_results(
    blocks: Sequence[dict[str, Any]], names: Sequence[str]
) -> tuple[list[OpponentResult], Interval | None]:
    """Return the results by opponent, hardest first, and the average over all; None without boards.

    Opponents are compared by their differences on the same boards, at 95% for all pairs (Bonferroni).
    """
    if not blocks:
        return [], None
    scores = [
        [Fraction(score) for block in blocks for score in block["opponents"][index]["scores"]]
        for index in range(len(names))
    ]
    pairs = max(1, math.comb(len(names), 2))
    confidence = 1 - (1 - CONFIDENCE) / pairs

    def is_harder(first: int, second: int) -> bool:
        differences = [a - b for a, b in zip(scores[first], scores[second], strict=True)]
        return mean_interval(differences, confidence).high < 0

    lines = []
    for index, name in enumerate(names):
        other_indices = [other for other in range(len(names)) if other != index]
        counts = [block["opponents"][index] for block in blocks]
        own, its = (sum((Counter(count[key]) for count in counts), Counter()) for key in _FAULTS)
        lines.append(
            OpponentResult(
                name,
                1 + sum(is_harder(other, index) for other in other_indices),
                len(names) - sum(is_harder(index, other) for other in other_indices),
                mean_interval(scores[index], CONFIDENCE),
                own,
                sum(count["forfeits"] for count in counts),
                its,
                sum(count["opponent_forfeits"] for count in counts),
            )
        )
    # Boards are independent, but the scores of one board against several opponents are not.
    means = [sum(board, Fraction()) / len(names) for board in zip(*scores, strict=True)]
    return sorted(lines, key=lambda line: (line.interval.mean, line.opponent)), mean_interval(
        means, CONFIDENCE
    )


def faults_text(faults: Counter[str], forfeits: int) -> str:
    texts = [f"{count} {verdict}" for verdict, count in sorted(faults.items())]
    return ", ".join([*texts, *([f"{count_text(forfeits, 'table')} forfeited"] if forfeits else [])])


_FAULTS = ("faults", "opponent_faults")


def _usable_blocks(blocks: Sequence[dict[str, Any]], whole: int) -> Sequence[dict[str, Any]]:
    """Return the blocks up to the first incomplete one: later blocks depend on other seeds."""
    for index, block in enumerate(blocks):
        if block["boards"] != whole:
            return blocks[: index + 1]
    return blocks


def _board_count(blocks: Sequence[dict[str, Any]]) -> int:
    return sum(block["boards"] for block in blocks)


def _opponent_fields(tally: Tally) -> dict[str, Any]:
    return {"scores": [exact_score(score) for score in tally.sides[0].scores], **fault_counts(tally)}


def _is_block(block: object, opponents: int) -> bool:
    if not isinstance(block, dict):
        return False
    boards, results = block.get("boards"), block.get("opponents")
    if not (is_count(boards) and boards and isinstance(results, list) and len(results) == opponents):
        return False
    return all(are_fault_counts(each) and are_scores(each.get("scores"), boards) for each in results)


def _cells(line: OpponentResult) -> tuple[str, ...]:
    alike = line.first_rank == line.last_rank
    return (
        str(line.first_rank) if alike else f"{line.first_rank}-{line.last_rank}",
        line.opponent,
        f"{line.interval.mean:+.3f}",
        _interval_ends_text(line.interval),
        str(line.faults.total() or "none"),
        str(line.opponent_faults.total() or "none"),
    )


def _interval_ends_text(interval: Interval) -> str:
    return "-" if math.isinf(interval.low) else interval_text(interval.low, interval.high)


def _score_text(interval: Interval) -> str:
    return f"{interval.mean:+.3f} stones per board, 95% interval {_interval_ends_text(interval)}"


def _summary(
    arguments: argparse.Namespace,
    rules: Rules,
    bot: Contender,
    boards: int,
    lines: Sequence[OpponentResult],
    overall: Interval | None,
    is_interrupted: bool,
    level: str,
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "preset": rules.ruleset.preset,
        "kind": rules.kind,
        "seed": arguments.seed,
        "bot": bot.label,
        "boards": boards,
        "interrupted": is_interrupted,
        "sandbox_level": level,
        "mean": overall.mean if overall else None,
        "interval_95": interval_json(overall),
        "opponents": [
            {
                "opponent": line.opponent,
                "ranks": [line.first_rank, line.last_rank],
                "mean": line.interval.mean,
                "interval_95": interval_json(line.interval),
                "faults": dict(line.faults),
                "forfeited_tables": line.forfeits,
                "opponent_faults": dict(line.opponent_faults),
                "opponent_forfeited_tables": line.opponent_forfeits,
            }
            for line in lines
        ],
    }
