"""``rensho analyse`` for the proof of a problem: every value is computed again."""

from __future__ import annotations

import argparse
from pathlib import Path
from threading import Event
from typing import Any

from analysis.problems import Problem, parse_problem, problem_errors
from analysis.work import AnalysisError
from bots.kit.display.console import console_for, print_result, print_table, text_table
from bots.kit.errors import CheckFailed, InvalidInput

FORMAT = "rensho-problem-check/1"


def check_problem(arguments: argparse.Namespace, path: Path, data: bytes) -> int:
    """Print a problem whose proof is correct.

    Raise ``InvalidInput`` if the file is not a proof of this version, ``CheckFailed`` if a value is wrong.
    """
    try:
        problem, position = parse_problem(data)
    except AnalysisError as error:
        raise InvalidInput(f"{path}: {error}") from None
    # The solver polls the event, at which Python also handles Ctrl-C.
    if wrong := next(problem_errors(problem, position, Event()), None):
        raise CheckFailed(f"{path}: {wrong}")
    summary: dict[str, Any] = {"format": FORMAT, "correct": True, "problem": problem}
    return print_result(arguments, summary, lambda: _print(problem))


def _print(problem: Problem) -> None:
    console = console_for()
    deals = problem["limits"]["deals"]
    console.print(
        f"The proof is correct: seat {problem['seat']} has exactly one best card, {problem['best']}. "
        f"Averages are from {deals} possible deals.",
        soft_wrap=True,
    )
    top = max(map(int, problem["values"]))
    rows = []
    for value, cards in problem["values"].items():
        for card in cards:
            average = problem["averages"].get(card)
            loss = f"{average['mean']:.3f} ± {average['error']:.3f}" if average else "-"
            rows.append((card, f"{int(value):+d}", str(top - int(value)), loss))
    head = ("card", f"stones of seat {problem['seat']}", "cost", "average loss")
    print_table(console, text_table(head, rows, right=(1, 2, 3)))
