"""What ``rensho tune`` found, for people and as plain values."""

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
    """Faults and forfeits in a match of the bot, with some values, against one opponent."""

    values: Values
    opponent: str
    faults: Counter[str]
    """The bot's, by verdict."""
    forfeits: int
    opponent_faults: Counter[str]
    opponent_forfeits: int


class TuneResult(NamedTuple):
    """The best values, and whether they are better than the defaults."""

    parameters: Sequence[Parameter]
    blocks: int
    blocks_asked: int
    best: tuple[Values, Values, Values] | None
    """Values, and both ends of their 95 % intervals; None while there are too few blocks."""
    judgement: SequentialResult | None
    """Of half the gain on fresh boards; None without any."""
    test: SequentialTest
    matches: Sequence[MatchFaults]
    """In the order in which they were played."""

    @property
    def forfeits(self) -> int:
        """Tables that the bot forfeited, whatever its values."""
        return sum(match.forfeits for match in self.matches)

    @property
    def is_default(self) -> bool:
        """Whether the search ended where it began."""
        return self.best is not None and all(
            self.best[0][parameter.name] == parameter.default for parameter in self.parameters
        )


def print_tune_result(found: TuneResult, label: str, place: str, *, is_interrupted: bool) -> None:
    """The values with their intervals, the answer in words, and what to write into ``rensho.toml``."""
    console = console_for()
    if is_interrupted:
        blocks = f"{found.blocks} of {count_text(found.blocks_asked, 'block')}"
        console.print(f"Interrupted: {blocks} of the search are kept {place}.", soft_wrap=True)
    if found.best is None:
        console.print("These are too few blocks to say anything.")
        _print_faults(console, found, label)
        return
    best, low, high = found.best
    rows = []
    for parameter in found.parameters:
        name, text = parameter.name, parameter.value_text
        ends = f"{text(low[name])} to {text(high[name])}"
        rows.append((name, text(best[name]), ends, text(parameter.default)))
    print_table(console, text_table(("parameter", "best", "95 % interval", "default"), rows, right=(1, 2, 3)))
    console.print(verdict_text(found, label), style="bold", soft_wrap=True)
    # On the scale that was searched, which may be logarithmic; the whole range is 2 wide there.
    scaled = (point_of(end, found.parameters) for end in (low, high))
    for parameter, lowest, highest in zip(found.parameters, *scaled, strict=True):
        if highest - lowest > 1:
            remark = (
                f"{parameter.name} is hardly known: its interval is over half its range. More --blocks help."
            )
            console.print(remark, soft_wrap=True)
    _print_faults(console, found, label)
    if found.judgement is not None and found.judgement.state == "accepted":
        console.print("Write into rensho.toml, below [parameters]:")
        for parameter in found.parameters:
            console.print(f"  {parameter.toml_line(best[parameter.name])}", soft_wrap=True)


def verdict_text(found: TuneResult, label: str) -> str:
    """Whether the best values are better than the defaults, in one sentence."""
    if found.is_default:
        return f"The defaults of {label} are the best values found."
    judgement, test = found.judgement, found.test
    if judgement is None:
        return "Not tested yet against the defaults on fresh boards."
    low, high = (2 * end for end in judgement.interval)
    mean = f"gain {2 * judgement.mean:+.3f} stones a board"
    if judgement.boards > 1:
        mean += f", 95 % interval {interval_text(low, high)}"
    boards = count_text(judgement.boards, "fresh board")
    if judgement.state == "accepted":
        return f"The best values are better than the defaults of {label}: {boards} settle it ({mean})."
    if judgement.state == "rejected":
        return (
            f"The best values are not better than the defaults of {label} by {2 * test.difference:g} stones "
            f"a board: {boards} settle it ({mean})."
        )
    why = "the cap came" if judgement.state == "inconclusive" else "it was stopped"
    return (
        f"Whether the best values are better than the defaults of {label} is not decided: {why} after "
        f"{boards} ({mean}); a larger --cap would tell."
    )


def tune_summary(found: TuneResult) -> dict[str, Any]:
    """The same as plain values; the gain is that of the best values on the defaults, in stones a board."""
    judgement = found.judgement
    tested = None
    if judgement is not None:
        tested = {
            "verdict": judgement.state,
            "boards": judgement.boards,
            "gain": 2 * judgement.mean,
            "interval_95": [2 * end for end in judgement.interval] if judgement.boards > 1 else None,
            "difference": 2 * found.test.difference,
        }
    return {
        "format": "rensho-tune-result/1",
        "blocks": found.blocks,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "best": None if found.best is None else found.best[0][parameter.name],
                "interval_95": None
                if found.best is None
                else [found.best[1][parameter.name], found.best[2][parameter.name]],
            }
            for parameter in found.parameters
        ],
        "test": tested,
        **_faults_json(found.matches),
        "faulty_settings": [
            {"values": dict(values), **_faults_json(matches)}
            for values, matches in _grouped(found.matches, _settings)
            if any(match.faults or match.forfeits for match in matches)
        ],
        "opponents": [
            _opponent_json(opponent, matches)
            for opponent, matches in _grouped(found.matches, lambda match: match.opponent)
        ],
    }


def _print_faults(console: Console, found: TuneResult, label: str) -> None:
    """A line for each verdict of the bot and for its forfeits, with settings; then one for each opponent."""
    for verdict in sorted({verdict for match in found.matches for verdict in match.faults}):
        count = sum(match.faults[verdict] for match in found.matches)
        settings = _settings_text(found, [match for match in found.matches if match.faults[verdict]])
        console.print(f"{label}: {count} {verdict}, {settings}", soft_wrap=True)
    if found.forfeits:
        settings = _settings_text(found, [match for match in found.matches if match.forfeits])
        console.print(f"{label}: {count_text(found.forfeits, 'table')} forfeited, {settings}", soft_wrap=True)
    if any(match.faults or match.forfeits for match in found.matches):
        console.print(f"{FAULTS_REMEDY}, the values by --param NAME=VALUE.", soft_wrap=True)
    for opponent, matches in _grouped(found.matches, lambda match: match.opponent):
        faults, forfeits = _faults(matches, of_opponent=True)
        if faults or forfeits:
            console.print(f"{opponent}: {faults_text(faults, forfeits)}", soft_wrap=True)


def _settings_text(found: TuneResult, matches: Sequence[MatchFaults]) -> str:
    first = matches[0].values
    values = ", ".join(f"{each.name} = {each.value_text(first[each.name])}" for each in found.parameters)
    tried = count_text(len(_grouped(found.matches, _settings)), "setting")
    return f"with {len(_grouped(matches, _settings))} of {tried}, first with {values}"


def _settings(match: MatchFaults) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(match.values.items()))


def _grouped(
    matches: Sequence[MatchFaults], key: Callable[[MatchFaults], Key]
) -> list[tuple[Key, list[MatchFaults]]]:
    """By key, in the order in which each came first."""
    groups: dict[Key, list[MatchFaults]] = {}
    for match in matches:
        groups.setdefault(key(match), []).append(match)
    return list(groups.items())


def _faults(matches: Sequence[MatchFaults], *, of_opponent: bool = False) -> tuple[Counter[str], int]:
    """Faults by verdict and forfeited tables of all together."""
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
