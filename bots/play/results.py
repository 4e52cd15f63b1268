"""Results of ``play`` and ``compare``, as values, text and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from rich.console import Console

from bots.kit.display.console import console_for
from bots.kit.display.fault_text import fault_lines
from bots.kit.errors import InvalidInput
from bots.kit.local.compare import Comparison as ComparisonResult
from bots.kit.local.compare import comparison_json, print_comparison, verdict_text
from bots.kit.local.in_process import is_in_process
from bots.kit.local.match_text import (
    HEADS,
    SCORE_COLUMNS,
    conclusion_text,
    faults_line,
    match_line,
    print_match,
    side_cells,
    side_label,
)
from bots.kit.local.runner import MatchRun
from bots.kit.local.sides import Contender
from bots.kit.local.summary import interval_json, match_summary
from bots.kit.local.tally import SideResult
from bots.play.replays import RecordStore, Replay
from engine.printable import printable, printable_lines
from league.sequential import SequentialTest
from referee.contract import Fault
from viewer.markup import Html, element, joined

MAX_FRAME_CHARS = 1 << 20
"""Maximum characters of a replay within the representation of a match. A deal has about 150,000."""
CELL_STYLE = "padding:.2em .8em;text-align:right;white-space:nowrap"


class Side(NamedTuple):
    """Results of one side."""

    name: str
    in_process: bool
    """Whether a bot of the side ran in this process, without a sandbox."""
    mean: float | None
    """Average stones per board; None without boards."""
    interval: tuple[float, float] | None
    """95% interval of the average; None below two boards."""
    scores: tuple[Fraction, ...]
    """Board scores in stones, in board order. On each board, the scores of all sides add up to 0."""
    faults: Mapping[str, int]
    """Number of faults by verdict."""
    first_fault: Fault | None
    forfeits: int
    """Number of forfeited tables."""
    decisions: int
    median_ms: float | None
    """Median CPU time of a decision in ms; None without decisions."""
    max_ms: float | None
    """Maximum CPU time of a decision in ms; None without decisions."""


class Match:
    """A match that was played. Its text is the output of ``rensho play``; notebooks show a table too."""

    _first_column = 0
    """The first column of the table that is shown."""

    def __init__(self, run: MatchRun, records: RecordStore) -> None:
        self._run = run
        self._records = records
        self.preset = run.match.rules.ruleset.preset
        self.kind = run.match.rules.kind
        self.seed = run.match.seed
        self.boards = run.tally.boards_done
        """Number of scored boards."""
        self.sides = tuple(map(_side, run.match.contenders, run.tally.sides))

    @property
    def summary(self) -> dict[str, Any]:
        """The result as JSON values, as ``--json`` prints it."""
        return match_summary(self._run)

    @property
    def conclusion(self) -> str:
        """One sentence on the result."""
        return conclusion_text(self._run.match, self._run.tally, "boards=")

    def replay(
        self, board: int | None = None, rotation: int | None = None, *, language: str = "en"
    ) -> Replay:
        """Return the replay of a board, in English or Japanese (``ja``).

        Boards and rotations count from 1. The default is the table at which the first side lost most. Raise
        ``InvalidInput`` if the match has no such table.
        """
        if board is None:
            if not self.boards:
                raise InvalidInput("no board was finished, so there is no replay")
            board, worst = self._records.worst(0, self._run.tally.sides[0].scores)
            rotation = worst if rotation is None else rotation
        stored = self._records.table_of(board, 1 if rotation is None else rotation)
        return Replay(self._run.match, stored, board, language)

    def __str__(self) -> str:
        console = console_for(has_color=False)
        with console.capture() as captured:
            self._print(console)
        return captured.get().rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = [element("p", None, match_line(self._run)), self._table(), *self._sentences()]
        for line, fault in self._faults():
            text = printable_lines("\n".join(fault_lines(fault)))
            parts.append(
                element(
                    "details", None, element("summary", None, printable(line)), element("pre", None, text)
                )
            )
        if self.boards:
            replay = self.replay()
            where = f"board {replay.board}, rotation {replay.rotation}"
            title = f"Replay of {where}, the lowest score of {self.sides[0].name}"
            parts.append(
                element("details", None, element("summary", None, printable(title)), _frame_or_hint(replay))
            )
        return element("div", None, joined(parts))

    def _print(self, console: Console) -> None:
        print_match(console, self._run, has_scores=not self._first_column)
        for sentence in self._sentence_texts():
            console.print(sentence, soft_wrap=True)
        for line, fault in self._faults():
            console.print(line, soft_wrap=True)
            for part in fault_lines(fault):
                console.print(f"  {part}", soft_wrap=True)

    def _sentence_texts(self) -> list[str]:
        return [self.conclusion]

    def _sentences(self) -> Iterator[Html]:
        return (element("p", None, printable(text)) for text in self._sentence_texts())

    def _faults(self) -> Iterator[tuple[str, Fault]]:
        for contender, side in zip(self._run.match.contenders, self._run.tally.sides, strict=True):
            if side.first_fault is not None:
                yield faults_line(contender, side, side.first_fault), side.first_fault.fault

    def _table(self) -> Html:
        heads = [
            element("th", {"style": CELL_STYLE}, head.replace("\n", " "))
            for head in HEADS[self._first_column :]
        ]
        rows = [
            element(
                "tr",
                None,
                element("th", {"style": "text-align:left"}, side_label(contender)),
                *(
                    element("td", {"style": CELL_STYLE}, cell)
                    for cell in side_cells(side)[self._first_column :]
                ),
            )
            for contender, side in zip(self._run.match.contenders, self._run.tally.sides, strict=True)
        ]
        head = element(
            "thead", None, element("tr", None, element("th", {"style": "text-align:left"}, "side"), *heads)
        )
        return element("table", None, head, element("tbody", None, *rows))


class Comparison(Match):
    """A match that a sequential test ended."""

    _first_column = SCORE_COLUMNS

    def __init__(
        self, run: MatchRun, records: RecordStore, comparison: ComparisonResult, test: SequentialTest
    ) -> None:
        super().__init__(run, records)
        self._comparison = comparison
        self._test = test
        self.verdict: str = comparison.judgement.state
        """``accepted``: new is better; ``rejected``: it is not; ``inconclusive``: the cap was reached."""

    @property
    def summary(self) -> dict[str, Any]:
        return {"comparison": comparison_json(self._comparison, self._test), **super().summary}

    @property
    def conclusion(self) -> str:
        new, old = (side.name for side in self.sides[:2])
        return verdict_text(self._comparison.judgement, self._test, new, old, "difference")

    def _sentence_texts(self) -> list[str]:
        console = console_for(has_color=False)
        with console.capture() as captured:
            print_comparison(console, self._comparison)
        return [*captured.get().splitlines(), self.conclusion]


def _frame_or_hint(replay: Replay) -> Html:
    """Return the replay in a frame, or how to save it if it would make a notebook large."""
    frame = Html(replay._repr_html_())
    if len(frame) <= MAX_FRAME_CHARS:
        return frame
    call = f"match.replay({replay.board}, {replay.rotation}).save('replay.html')"
    return element("p", None, "This replay is large. Save it as a page: ", element("code", None, call))


def _side(contender: Contender, result: SideResult) -> Side:
    interval = interval_json(result.interval)
    first = result.first_fault
    return Side(
        name=contender.label,
        in_process=any(map(is_in_process, contender.bundles)),
        mean=result.interval.mean if result.interval else None,
        interval=None if interval is None else (interval[0], interval[1]),
        scores=tuple(result.scores),
        faults={verdict.value: count for verdict, count in sorted(result.faults.items())},
        first_fault=None if first is None else first.fault,
        forfeits=result.forfeits,
        decisions=result.decisions,
        median_ms=result.median_ms,
        max_ms=result.max_ms,
    )
