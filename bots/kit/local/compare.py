"""``rensho compare NEW OLD``: sequential test of whether a new version is better.

Source: docs/contracts.md#scores-standings-ratings.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from rich.console import Console

from bots.kit.display.console import console_for, print_result
from bots.kit.display.evidence import sparkline
from bots.kit.display.formatting import count_text
from bots.kit.errors import INTERRUPTED, InvalidInput
from bots.kit.local.match import LocalMatch
from bots.kit.local.match_text import print_faults, print_match
from bots.kit.local.params import add_param, with_params
from bots.kit.local.rules import rules_from
from bots.kit.local.runner import (
    BoardProgress,
    add_running_arguments,
    require_boards,
    run_match,
    run_settings,
)
from bots.kit.local.sides import EXAMPLE_BOT, Contender, contenders_from
from bots.kit.local.summary import match_summary
from bots.kit.local.tally import Tally
from bots.kit.local.why import FirstRecords, Pairing, add_why, print_with_why, require_costs
from bots.kit.subcommands import Commands, add_command
from league.errors import SequentialError
from league.sequential import SequentialResult, SequentialTest

NEW, OLD = 0, 1
"""Positions of the two among the contenders."""
EPILOG = """\
The test decides between two hypotheses: NEW is not better than OLD, or it gains --difference stones per
board. (In games of more than two sides, house:greedy plays the other sides, and the gain is half of NEW's
lead over OLD.) It plays duplicate boards, updates the evidence after each, and stops when the evidence
reaches a bound.

Exit status: 0 whatever the verdict; 1 a bot did not start; 2 invalid input or command; 3 no sandbox on this
machine; 130 interrupted before the verdict."""


class Comparison(NamedTuple):
    judgement: SequentialResult
    path: tuple[tuple[int, float], ...]
    """Pairs of boards and evidence."""


class ComparisonRun:
    """Sequential test that is updated as boards are scored."""

    def __init__(self, test: SequentialTest) -> None:
        self._run = test.start()
        self._path: list[tuple[int, float]] = []
        self._counted = 0

    def update(self, tally: Tally, bar: BoardProgress) -> bool:
        """Add the new boards and update the progress bar. Returns whether the test has ended."""
        scores = board_statistics(tally)
        for score in scores[self._counted :]:
            if self._run.state != "running":
                break
            self._run.add(score)
            self._path.append((self._run.boards, self._run.llr))
        self._counted = len(scores)
        judgement = self._run.result()
        bar.describe(live_text(judgement))
        bar.expect(judgement.boards + (judgement.expected_remaining or 0))
        return judgement.state != "running"

    @property
    def comparison(self) -> Comparison:
        return Comparison(self._run.result(), tuple(self._path))


def register(commands: Commands) -> None:
    compare = add_command(
        commands,
        "compare",
        "test whether a new version of a bot is better than an old one",
        _compare,
        epilog=EPILOG,
    )
    compare.add_argument("new", metavar="NEW", help="a side as in rensho play")
    compare.add_argument("old", metavar="OLD", help="another side, such as a copy from before the change")
    help_text = "smallest gain to detect, in stones per board (%(default)s)"
    compare.add_argument("--difference", type=float, default=0.2, help=help_text)
    help_text = "probability of calling NEW better when it is not (%(default)s)"
    compare.add_argument("--alpha", type=float, default=0.05, help=help_text)
    compare.add_argument(
        "--beta", type=float, default=0.05, help="probability of missing that NEW is better (%(default)s)"
    )
    compare.add_argument("--cap", type=int, default=2000, help="stop after this many boards (%(default)s)")
    add_why(compare, "then list the stones that NEW and OLD lost by trick (first 80 deals)")
    add_param(compare, "NEW, or with 2:NAME=VALUE of OLD")
    add_running_arguments(compare)


def _compare(arguments: argparse.Namespace) -> int:
    rules = rules_from(arguments, [arguments.new, arguments.old])
    cap = require_boards(arguments.cap, "--cap")
    try:
        test = SequentialTest(arguments.difference, arguments.alpha, arguments.beta, cap)
    except SequentialError as error:
        raise InvalidInput(str(error)) from None
    house_bots = [EXAMPLE_BOT] * (len(rules.sides) - 2)
    named = contenders_from([arguments.new, arguments.old, *house_bots], rules)
    contenders = tuple(with_params(named, arguments.param))
    require_different(contenders)
    match = LocalMatch(rules, contenders, cap, arguments.seed)
    limits = require_costs(rules) if arguments.why else None
    judge, records = ComparisonRun(test), FirstRecords(rules)
    run = run_match(run_settings(arguments), match, judge.update, None if limits is None else records.add)
    comparison = judge.comparison
    summary = {"comparison": comparison_json(comparison, test), **match_summary(run)}
    if run.folder is not None:
        run.folder.write_summary(summary)

    def show() -> None:
        console = console_for()
        # Boards that ended after the decision do not count: their mean would contradict that of the test.
        print_match(console, run, has_scores=False)
        print_comparison(console, comparison)
        print_faults(console, run)
        verdict = verdict_text(comparison.judgement, test, *(each.label for each in contenders[:2]))
        console.print(verdict, style="bold", soft_wrap=True)

    if run.is_interrupted and comparison.judgement.state == "running":
        print_result(arguments, summary, show)
        return INTERRUPTED
    if limits is None:
        return print_result(arguments, summary, show)
    names = contenders[NEW].label, contenders[OLD].label
    sides = frozenset((NEW,)), frozenset((OLD,))
    pairing = Pairing(names, sides, records, comparison.judgement.boards)
    return print_with_why(arguments, summary, show, [pairing], rules, limits)


def require_different(contenders: Sequence[Contender]) -> None:
    """Raise ``InvalidInput`` if NEW and OLD are the same bot."""
    new, old = contenders[NEW], contenders[OLD]
    if new.bundles == old.bundles:
        raise InvalidInput(f"{new.label} and {old.label} are the same bot, byte for byte: change one of them")


def board_statistics(tally: Tally) -> list[Fraction]:
    """Return each board's statistic: NEW's score, or with several sides half of NEW's lead on OLD."""
    new, old = tally.sides[NEW].scores, tally.sides[OLD].scores
    if len(tally.sides) == 2:
        return list(new)
    return [(of_new - of_old) / 2 for of_new, of_old in zip(new, old, strict=True)]


def live_text(judgement: SequentialResult) -> str:
    if not judgement.boards:
        return "no boards yet"
    text = (
        f"average {judgement.mean:+.3f}{_interval_text(judgement, ' [{:+.3f}, {:+.3f}]')}, "
        f"evidence {judgement.llr:+.2f} ({judgement.lower:+.2f} to {judgement.upper:+.2f})"
    )
    left = judgement.expected_remaining
    return text if not left else f"{text}, about {left} more boards"


def verdict_text(
    judgement: SequentialResult,
    test: SequentialTest,
    new: str,
    old: str,
    option: str = "--difference",
) -> str:
    """Return one sentence; ``option`` names the way to change the difference."""
    boards = count_text(judgement.boards, "board")
    if judgement.state == "accepted":
        return (
            f"{new} is better than {old} after {boards} (average {judgement.mean:+.3f} stones per board; "
            f"if it were not better, the probability of this result would be at most {test.alpha:.0%})."
        )
    if judgement.state == "rejected":
        return (
            f"{new} is not better than {old} by {test.difference:g} stones per board after {boards} "
            f"(average {judgement.mean:+.3f}; if it were, the test would miss it with probability "
            f"{test.beta:.0%})."
        )
    why = "the test reached its cap" if judgement.state == "inconclusive" else "the test stopped"
    if not judgement.boards:
        return f"Too early to say: {why} before the first board was finished."
    interval = _interval_text(judgement, ", 95% interval {:+.3f} to {:+.3f}")
    return (
        f"Too early to say: {why} after {boards} (average {judgement.mean:+.3f}{interval}). Use more boards "
        f"or a larger {option}."
    )


def comparison_json(comparison: Comparison, test: SequentialTest) -> dict[str, Any]:
    """Return the comparison as JSON values: average null without boards, intervals below two boards."""
    judgement = comparison.judgement
    has_interval = judgement.boards > 1
    return {
        "verdict": judgement.state,
        "difference": test.difference,
        "alpha": test.alpha,
        "beta": test.beta,
        "cap": test.cap,
        "boards": judgement.boards,
        "mean": judgement.mean if judgement.boards else None,
        "interval_95": list(judgement.interval) if has_interval else None,
        "anytime_interval_95": list(judgement.anytime_interval) if has_interval else None,
        "llr": judgement.llr,
        "lower": judgement.lower,
        "upper": judgement.upper,
        "expected_remaining": judgement.expected_remaining,
        "path": [list(step) for step in comparison.path],
    }


def print_comparison(console: Console, comparison: Comparison) -> None:
    judgement = comparison.judgement
    if not judgement.boards:
        return
    bounds = f"{judgement.lower:+.2f} (not better) and {judgement.upper:+.2f} (better)"
    interval = _interval_text(judgement, ", 95% [{:+.3f}, {:+.3f}]")
    console.print(f"Average {judgement.mean:+.3f} stones per board{interval}")
    console.print(f"Test: evidence {judgement.llr:+.2f} between {bounds}")
    if console.encoding.startswith("utf") and comparison.path:
        console.print(f"Path: {sparkline(comparison.path, judgement.lower, judgement.upper)}")
    if judgement.state == "running" and judgement.expected_remaining:
        console.print(f"About {judgement.expected_remaining} more boards are needed.")


def _interval_text(judgement: SequentialResult, form: str) -> str:
    """Format the 95% interval; empty below two boards, where it is unbounded."""
    return form.format(*judgement.interval) if judgement.boards > 1 else ""
