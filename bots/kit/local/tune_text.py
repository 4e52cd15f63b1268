"""Result of ``rensho tune`` as text and as JSON values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

from rich.console import Console

from bots.kit.display.console import console_for, print_table, text_table
from bots.kit.display.formatting import count_text, interval_text
from bots.kit.local.gauntlet import FAULTS_REMEDY, faults_text
from bots.kit.local.scale import point_of
from league.sequential import SequentialResult, SequentialTest
from referee.parameters import Parameter

Values = dict[str, float]
Key = TypeVar("Key", bound=Hashable)


class MatchFaults(NamedTuple):
    values: Values
    opponent: str
    faults: Counter[str]
    """The bot's faults by verdict."""
    forfeits: int
    opponent_faults: Counter[str]
    opponent_forfeits: int


class TuneResult(NamedTuple):
    parameters: Sequence[Parameter]
    blocks: int
    blocks_asked: int
    best: tuple[Values, Values, Values] | None
    """Values and both ends of their 95% intervals; None with too few blocks."""
    judgement: SequentialResult | None
    """Test of half the gain on fresh boards; None without boards."""
    test: SequentialTest
    matches: Sequence[MatchFaults]
    """Matches in playing order."""

    @property
    def forfeits(self) -> int:
        return sum(match.forfeits for match in self.matches)

    @property
    def is_default(self) -> bool:
        return self.best is not None and all(
            self.best[0][parameter.name] == parameter.default for parameter in self.parameters
        )


def print_tune_result(result: TuneResult, label: str, location: str, *, is_interrupted: bool) -> None:
    """Print values, intervals, verdict, faults, and the lines for ``rensho.toml``."""
    console = console_for()
    if is_interrupted:
        blocks = f"{result.blocks} of {count_text(result.blocks_asked, 'block')}"
        console.print(f"Interrupted after {blocks} of the search. They are {location}.", soft_wrap=True)
    if result.best is None:
        console.print("Too early to say: play more --blocks.")
        _print_faults(console, result, label)
        return
    best, low, high = result.best
    rows = []
    for parameter in result.parameters:
        name, text = parameter.name, parameter.value_text
        ends = f"{text(low[name])} to {text(high[name])}"
        rows.append((name, text(best[name]), ends, text(parameter.default)))
    print_table(console, text_table(("parameter", "best", "95% interval", "default"), rows, right=(1, 2, 3)))
    console.print(verdict_text(result, label), style="bold", soft_wrap=True)
    # On the scale that was searched, which may be logarithmic; the whole range is 2 wide there.
    scaled = (point_of(end, result.parameters) for end in (low, high))
    for parameter, lowest, highest in zip(result.parameters, *scaled, strict=True):
        if highest - lowest > 1:
            name = parameter.name
            remark = f"{name} is uncertain: its interval covers over half of its range. Use more --blocks."
            console.print(remark, soft_wrap=True)
    _print_faults(console, result, label)
    if result.judgement is not None and result.judgement.state == "accepted":
        console.print("To use the best values, replace these lines under [parameters] in rensho.toml:")
        for parameter in result.parameters:
            console.print(f"  {parameter.toml_line(best[parameter.name])}", soft_wrap=True)


def verdict_text(result: TuneResult, label: str) -> str:
    """Return in one sentence whether the best values are better than the defaults."""
    if result.is_default:
        return f"The defaults of {label} are the best values found."
    judgement, test = result.judgement, result.test
    if judgement is None:
        return "The best values have not been tested against the defaults yet."
    low, high = (2 * end for end in judgement.interval)
    mean = f"gain {2 * judgement.mean:+.3f} stones per board"
    if judgement.boards > 1:
        mean += f", 95% interval {interval_text(low, high)}"
    boards = count_text(judgement.boards, "fresh board")
    if judgement.state == "accepted":
        return f"The best values are better than the defaults of {label} after {boards} ({mean})."
    if judgement.state == "rejected":
        return (
            f"The best values are not better than the defaults of {label} by {2 * test.difference:g} stones "
            f"per board after {boards} ({mean})."
        )
    why = "the test reached its cap" if judgement.state == "inconclusive" else "the test stopped"
    return (
        f"Too early to say whether the best values are better than the defaults of {label}: {why} after "
        f"{boards} ({mean}). Use a larger --cap."
    )


def tune_summary(result: TuneResult) -> dict[str, Any]:
    judgement = result.judgement
    tested = None
    if judgement is not None:
        tested = {
            "verdict": judgement.state,
            "boards": judgement.boards,
            "gain": 2 * judgement.mean,
            "interval_95": [2 * end for end in judgement.interval] if judgement.boards > 1 else None,
            "difference": 2 * result.test.difference,
        }
    return {
        "format": "rensho-tune-result/1",
        "blocks": result.blocks,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "best": None if result.best is None else result.best[0][parameter.name],
                "interval_95": None
                if result.best is None
                else [result.best[1][parameter.name], result.best[2][parameter.name]],
            }
            for parameter in result.parameters
        ],
        "test": tested,
        **_faults_json(result.matches),
        "faulty_settings": [
            {"values": dict(values), **_faults_json(matches)}
            for values, matches in _grouped(result.matches, _settings)
            if any(match.faults or match.forfeits for match in matches)
        ],
        "opponents": [
            _opponent_json(opponent, matches)
            for opponent, matches in _grouped(result.matches, lambda match: match.opponent)
        ],
    }


def _print_faults(console: Console, result: TuneResult, label: str) -> None:
    """Print a line per verdict of the bot and for its forfeits, then a line per opponent."""
    for verdict in sorted({verdict for match in result.matches for verdict in match.faults}):
        count = sum(match.faults[verdict] for match in result.matches)
        settings = _settings_text(result, [match for match in result.matches if match.faults[verdict]])
        console.print(f"{label}: {count} {verdict}, {settings}", soft_wrap=True)
    if result.forfeits:
        settings = _settings_text(result, [match for match in result.matches if match.forfeits])
        console.print(
            f"{label}: {count_text(result.forfeits, 'table')} forfeited, {settings}", soft_wrap=True
        )
    if any(match.faults or match.forfeits for match in result.matches):
        console.print(f"{FAULTS_REMEDY}, and set the values with --param NAME=VALUE.", soft_wrap=True)
    for opponent, matches in _grouped(result.matches, lambda match: match.opponent):
        faults, forfeits = _faults(matches, of_opponent=True)
        if faults or forfeits:
            console.print(f"{opponent}: {faults_text(faults, forfeits)}", soft_wrap=True)


def _settings_text(result: TuneResult, matches: Sequence[MatchFaults]) -> str:
    first = matches[0].values
    values = ", ".join(f"{each.name} = {each.value_text(first[each.name])}" for each in result.parameters)
    tried = count_text(len(_grouped(result.matches, _settings)), "setting")
    return f"with {len(_grouped(matches, _settings))} of {tried}, first with {values}"


def _settings(match: MatchFaults) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(match.values.items()))


def _grouped(
    matches: Sequence[MatchFaults], key: Callable[[MatchFaults], Key]
) -> list[tuple[Key, list[MatchFaults]]]:
    groups: dict[Key, list[MatchFaults]] = {}
    for match in matches:
        groups.setdefault(key(match), []).append(match)
    return list(groups.items())


def _faults(matches: Sequence[MatchFaults], *, of_opponent: bool = False) -> tuple[Counter[str], int]:
    """Return the total faults by verdict and the total of forfeited tables."""
    if of_opponent:
        pairs = [(match.opponent_faults, match.opponent_forfeits) for match in matches]
    else:
        pairs = [(match.faults, match.forfeits) for match in matches]
    return sum((faults for faults, _ in pairs), Counter()), sum(forfeits for _, forfeits in pairs)


def _faults_json(matches: Sequence[MatchFaults]) -> dict[str, Any]:
    faults, forfeits = _faults(matches)
    return {"faults": dict(sorted(faults.items())), "forfeited_tables": forfeits}


def _opponent_json(opponent: str, matches: Sequence[MatchFaults]) -> dict[str, Any]:
    faults, forfeits = _faults(matches, of_opponent=True)
    return {
        "opponent": opponent,
        **_faults_json(matches),
        "opponent_faults": dict(sorted(faults.items())),
        "opponent_forfeited_tables": forfeits,
    }
