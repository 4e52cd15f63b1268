"""The sanity figures of the rules played anew, side by side.

    python benchmarks/bench_rules_figures.py [--scale 1.0]

The document: docs/rules/kakeya.md#length-and-deal-cap and docs/rules/kakkuri.md#session.

Policies, as far as it names them:
- random: any legal action, all equally likely, declarations and trump proposals included;
- greedy: PREFER, KEEP; leads its strongest card; plays its weakest if the partner's is the best so far or
  none of its own is better, else the weakest of those that are;
- longest: Kakkuri; the turn that plays most cards (found by search of the own hand; of several such one at
  random), PASS if none can be played, TURN where PASS is not allowed; never DROP or SANSOKU. The document
  does not say which of several: of 100 deals of seven the box is found empty about once if they take the
  lowest values first, 9 times with the highest first, 4 times at random, which is the document's figure;
- half: the same, but where a turn could begin with PASS it does so half the time.

Each line shows the document's figure, ours, and the 99 % interval in which ours would lie from sample to
sample, the document's own sample allowed for (20,000 deals, 1,500 games or deals) and its rounding added.
Seeds are fixed: the same code prints the same numbers. Status 0 if every figure of the document lies within.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import Any, NamedTuple

from engine import Board, State, preset_named
from engine.cards import KAKKURI_PACK
from engine.games.kakeya.scoring import RENSHO, trick_powers
from engine.games.kakkuri.melds import meld_table

PROCESSES = 2
TASKS = 8
Z = 2.576
"""Standard errors in half a 99 % interval."""
OF_DOCUMENT = {"deals": 20_000, "games": 1_500, "kakkuri": 1_500}
"""Sizes of the document's samples."""
POLICIES = ("random", "greedy")
MELDS = meld_table("JQK", "named", wild_in_sansoku=False)

Policy = Callable[[State, int, random.Random], str]


class Line(NamedTuple):
    """One figure beside the document's."""

    name: str
    document: str
    ours: float
    low: float
    high: float
    lowest: float
    """The document's figure, or the lower of the two it gives."""
    highest: float

    @property
    def is_within(self) -> bool:
        return self.low <= self.highest and self.lowest <= self.high

    def __str__(self) -> str:
        verdict = "within" if self.is_within else "OUTSIDE"
        interval = f"[{self.low:.4g}, {self.high:.4g}]"
        return f"{self.name:<52}{self.document:>12}{self.ours:12.4g}   {interval:<24}{verdict}"


def mean_line(
    name: str, document: str, values: Sequence[float], sample: str, unit: float, *, scale: float = 1.0
) -> Line:
    """A mean (or a share, of zeros and ones) against a figure rounded to ``unit``."""
    mean = statistics.fmean(values) * scale
    deviation = statistics.pstdev(values) * scale
    # One event where none was seen is never out of the question.
    error = max(deviation, scale / math.sqrt(len(values))) if deviation == 0 else deviation
    half = Z * error * math.sqrt(1 / len(values) + 1 / OF_DOCUMENT[sample]) + unit / 2
    numbers = [float(text) for text in document.rstrip("%").split("-")]
    return Line(name, document, mean, mean - half, mean + half, min(numbers), max(numbers))


def quantile_line(name: str, document: str, values: Sequence[int], share: float) -> Line:
    """A quantile of whole numbers; its interval runs between two order statistics."""
    ordered = sorted(values)
    half = Z * math.sqrt(share * (1 - share) * (1 / len(values) + 1 / OF_DOCUMENT["games"]))
    places = [min(max(round((share + d) * len(ordered)), 0), len(ordered) - 1) for d in (-half, 0, half)]
    low, ours, high = (ordered[place] for place in places)
    numbers = [float(text) for text in document.split("-")]
    return Line(name, document, ours, low, high, min(numbers), max(numbers))


def exact_line(name: str, document: str, value: float, unit: float) -> Line:
    """A probability that needs no playing."""
    documented = float(document)
    return Line(name, document, value, value - unit / 2, value + unit / 2, documented, documented)


def any_legal(state: State, seat: int, rng: random.Random) -> str:
    """The policy ``random``."""
    legal = state.legal(seat)
    return legal[int(rng.random() * len(legal))]


def greedy(state: State, seat: int, rng: random.Random) -> str:
    """The policy ``greedy``."""
    legal = state.legal(seat)
    if state.phase != "play":
        return next(answer for answer in ("KEEP", "PREFER") if answer in legal)
    if len(legal) == 1:
        return legal[0]
    seen = state.observe(seat)
    powers = trick_powers(seen["trump"], RENSHO[seen["trump"]])
    if not seen["trick"]:
        return max(legal, key=lambda card: powers[card[1]][card])
    power = powers[seen["trick"][0][1][1]]
    best, winning = max((power[card], other) for other, card in seen["trick"])
    weakest = min(legal, key=lambda card: (power[card], "23456789TJQKA".index(card[0])))
    better = [card for card in legal if power[card] > best]
    return min(better, key=power.__getitem__) if better and winning != seen["partner"] else weakest


@lru_cache(maxsize=200_000)
def longest(hand: int, follow: int) -> tuple[int, list[str]]:
    """Most cards of a hand that one turn can play on a value, and the melds that begin such turns."""
    most: int = 0
    melds: list[str] = []
    for text in MELDS.listed(hand, follow):
        meld = MELDS.by_text[text]
        played = meld.cards.bit_count() + longest(hand & ~meld.cards, meld.value)[0]
        if played > most:
            most, melds = played, []
        if played == most:
            melds.append(text)
    return most, melds


def play_longest(state: State, seat: int, rng: random.Random) -> str:
    """The policy ``longest``."""
    legal = state.legal(seat)
    seen = state.observe(seat)
    # With the box empty the first meld of a return turn may have any value, as after a king.
    is_free = "PASS" not in legal and "TURN" not in legal
    _, melds = longest(KAKKURI_PACK.mask(seen["hand"]), 12 if is_free else seen["follow"])
    if melds:
        return melds[int(rng.random() * len(melds))]
    return "PASS" if "PASS" in legal else "TURN"


def play_half(state: State, seat: int, rng: random.Random) -> str:
    """The policy ``half``."""
    if "PASS" in state.legal(seat) and not state.observe(seat)["played_this_turn"] and rng.random() < 0.5:
        return "PASS"
    return play_longest(state, seat, rng)


def boards(
    preset: str, options: dict[str, Any], kind: Any, numbers: Iterable[int], policy: Policy
) -> Iterator[list[State]]:
    """The states of boards played by one policy on all seats."""
    game, plain = preset_named(preset)
    ruleset = plain.replace(**options)
    for number in numbers:
        rng = random.Random(number)
        states = [game.start(ruleset, Board(kind, number, f"figures {number}"))]
        while states[-1].to_act:
            state = states[-1]
            for seat in state.to_act:
                state = state.apply(seat, policy(state, seat, rng))
            states.append(state)
        yield states


def kakeya_deals(numbers: range) -> list[tuple[str, int, int]]:
    """Ace category, pictures of the winners and stones, for random deals with spades as trumps."""
    found = []
    for states in boards("kakeya4", {"trump_fixed": "S"}, "deal", numbers, any_legal):
        end = states[-1].happened_since(None)[-1].public
        pictures = end["pictures"][str(end["winner"][0])]
        found.append((end["category"], pictures, max(end["stones"].values())))
    return found


def kakeya_games(preset: str, policy: str, numbers: range) -> list[tuple[int, bool]]:
    """Number of deals and whether the highest stones were equal, for whole games."""
    found = []
    for states in boards(preset, {}, "game", numbers, any_legal if policy == "random" else greedy):
        outcome = states[-1].outcome()
        assert outcome is not None, "the board is over"
        pairs = sorted(list(outcome.stones.values())[: len(outcome.stones) // 2])
        found.append((len(outcome.deals), pairs[-1] == pairs[-2]))
    return found


def kakkuri_deals(seats: int, policy: str, numbers: range) -> list[tuple[str, int]]:
    """How each deal ended, and its return turns that began with the box empty."""
    found = []
    play = play_longest if policy == "longest" else play_half
    for states in boards("kakkuri.league", {"seats": seats}, "deal", numbers, play):
        empty = 0
        for state in states:
            if len(state.to_act) != 1:
                continue
            legal = state.legal(state.to_act[0])
            # PASS and TURN are both refused in a return turn alone, and there only with the box empty.
            empty += "PASS" not in legal and "TURN" not in legal
        found.append((states[-1].happened_since(None)[-1].public["how"], empty))
    return found


def spread(pool: ProcessPoolExecutor, work: Callable[..., list[Any]], *arguments: Any, count: int) -> Any:
    """A function that waits for the work, done in parts, and gives all of it."""
    step = math.ceil(count / TASKS)
    parts = [
        pool.submit(work, *arguments, range(first, min(first + step, count + 1)))
        for first in range(1, count + 1, step)
    ]
    return lambda: [item for part in parts for item in part.result()]


def kakeya_lines(deals: list[tuple[str, int, int]]) -> Iterator[Line]:
    for category, document in (("N", "1.9%"), ("O", "12.2%"), ("R", "85.9%")):
        shares = [found == category for found, _, _ in deals]
        yield mean_line(f"random deals won in category {category}", document, shares, "deals", 0.1, scale=100)
    shares = [pictures == 8 for _, pictures, _ in deals]
    yield mean_line("random deals that end 8-8", "12.9%", shares, "deals", 0.1, scale=100)
    for stones, document in ((1, "63.6%"), (2, "34.2%"), (4, "2.2%")):
        shares = [paid == stones for _, _, paid in deals]
        yield mean_line(f"random deals that pay {stones}", document, shares, "deals", 0.1, scale=100)


def length_lines(
    preset: str, policy: str, games: list[tuple[int, bool]], document: Sequence[str]
) -> Iterator[Line]:
    lengths = [deals for deals, _ in games]
    name = f"{preset}, {policy}: deals a game"
    mean, median, p99 = document
    yield mean_line(f"{name}, mean", mean, lengths, "games", 0.1)
    if median:
        yield quantile_line(f"{name}, median", median, lengths, 0.5)
    yield quantile_line(f"{name}, 99th of 100", p99, lengths, 0.99)


def main() -> int:
    """Play, print, and tell whether every figure lies within."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", type=float, default=1.0, help="size of the samples")
    scale = parser.parse_args().scale
    lines = [
        exact_line("P(a pair is dealt no ace)", "0.05522", math.comb(48, 26) / math.comb(52, 26), 1e-5),
        exact_line("P(utazu for a hand)", "0.001156", math.comb(45, 3) / math.comb(48, 6), 1e-6),
        exact_line("P(utazu in a deal of 7)", "0.0081", 7 * math.comb(45, 3) / math.comb(48, 6), 1e-4),
    ]
    with ProcessPoolExecutor(PROCESSES) as pool:
        deals = spread(pool, kakeya_deals, count=round(20_000 * scale))
        games = {
            (preset, policy): spread(pool, kakeya_games, preset, policy, count=round(2_500 * scale))
            for preset in ("kakeya4", "kakeya6")
            for policy in POLICIES
        }
        plays = [(seats, "longest") for seats in range(2, 9)] + [(7, "half")]
        tables = {play: spread(pool, kakkuri_deals, *play, count=round(3_000 * scale)) for play in plays}
        lines += kakeya_lines(deals())
        for (preset, policy), wait in games.items():
            found = wait()
            four = preset == "kakeya4"
            document = ("11.6-13.6", "9-11", "43-49") if four else ("13.9-15.5", "", "49")
            lines += length_lines(preset, policy, found, document)
            if not four:
                draws = [is_draw for _, is_draw in found]
                lines.append(mean_line(f"kakeya6, {policy}: games drawn", "2%", draws, "games", 1, scale=100))
        for (seats, policy), wait in tables.items():
            found = wait()
            guri = {2: "3%", 5: "8%", 7: "11%", 8: "12%"}.get(seats)
            name = f"kakkuri of {seats}, {policy}"
            if guri and policy == "longest":
                shares = [how == "guri" for how, _ in found]
                lines.append(mean_line(f"{name}: deals won by guri", guri, shares, "kakkuri", 1, scale=100))
            empty = {5: "0.1", 6: "0.6", 7: "4", 8: "2"}.get(seats, "0") if policy == "longest" else "41"
            unit = 0.1 if "." in empty else 1
            counts = [count for _, count in found]
            title = f"{name}: box-empty return turns in 100"
            lines.append(mean_line(title, empty, counts, "kakkuri", unit, scale=100))
    print(f"{'':<52}{'document':>12}{'ours':>12}   99 % interval")
    for line in lines:
        print(line)
    return 0 if all(line.is_within for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
