"""Very many decisions of batches, compared with the engine: ``make rl-audit`` (``ARGS="--decisions 50000"``).

All presets, deals and whole games, half of them with options drawn at random. Prints each difference; status
1 if there is any.
"""

import argparse
import random
import sys
from concurrent.futures import ProcessPoolExecutor

from engine.games.kakeya.options import CONTRADICTIONS, OPTIONS, Choice
from engine.kernel import is_compiled
from tests.engine.games.kakeya.positions import KAKEYA
from tests.engine.kernel.vector_boards import differences

ROWS, STEPS = 10, 500
PART = ROWS * STEPS
MOST_DRAWN_TRUMPS = 3
"""Deals of a game with random trumps, which the engine draws from the text of a seed: it has to be found."""


def options_of(preset, chance):
    """Options drawn at random that do not contradict each other."""
    variant = KAKEYA.presets[preset].variant
    options = {
        name: chance.choice(domain.values) if isinstance(domain, Choice) else chance.randint(1, 5)
        for name, domain in OPTIONS[variant].items()
    }
    for (name, value), (other, *values), _ in CONTRADICTIONS:
        if options.get(name) == value and options.get(other) in values:
            options[other] = OPTIONS[variant][other].default
    if options.get("meiji_trump") == "random":
        options["hands"] = min(options["hands"], MOST_DRAWN_TRUMPS)
    return options


def differences_of(part):
    """What differs in part ``number`` of a seed."""
    seed, number = part
    chance = random.Random(f"rl-audit {seed} {number}")
    cases = [(preset, kind) for preset in KAKEYA.presets for kind in ("deal", "game")]
    preset, kind = cases[number % len(cases)]
    options = options_of(preset, chance) if number // len(cases) % 2 else {}
    return differences(f"{preset}_v0", kind, ROWS, STEPS, chance.getrandbits(64), **options)


def main():
    """Entry point."""
    parser = argparse.ArgumentParser(prog="rl-audit", description="Compare batches with the engine.")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="how many (default: a million)")
    parser.add_argument("--seed", default="1", help="another seed, other boards")
    options = parser.parse_args()
    parts = [(options.seed, number) for number in range(-(-options.decisions // PART))]
    kind = "compiled" if is_compiled else "not compiled: slow"
    print(f"seed {options.seed}, the kernel is {kind}", flush=True)
    different = 0
    with ProcessPoolExecutor() as pool:
        for number, found in enumerate(pool.map(differences_of, parts), 1):
            for each in found:
                print(f"different: {each}", flush=True)
            different += len(found)
            if number % 20 == 0:
                print(f"{number * PART} decisions, {different} differences", flush=True)
    print(f"{len(parts) * PART} decisions, {different} differences", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
