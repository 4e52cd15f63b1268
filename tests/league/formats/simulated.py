"""Whole stages played with results, leavers and void fixtures by chance, checked round by round."""

import random
from fractions import Fraction

from league.formats import format_named
from league.scoring import FixtureOutcome
from league.stage import StageState

RESULTS = (-7, -3, -1, 0, 0, 1, 2, 5)


def names(count):
    return tuple(f"e{number:04d}" for number in range(count))


def outcome(pairing, rng, *, per_side=1, void=0.0, results=RESULTS):
    """A fixture done, in a way that ``rng`` chooses."""
    if len(pairing) == 1:
        return FixtureOutcome(pairing, per_side=per_side)
    if rng.random() < void:
        return FixtureOutcome(pairing, is_void=True, per_side=per_side)
    won = [Fraction(rng.choice(results)) for _ in range(len(pairing) // per_side)]
    mean = sum(won) / len(won)
    totals = {entry: won[place // per_side] - mean for place, entry in enumerate(pairing)}
    return FixtureOutcome(pairing, totals, per_side=per_side)


def play(key, entries, options=None, *, seed=0, leave=0.0, void=0.0, results=RESULTS, **fields):
    """The stage when it is over, and who had left before each of its rounds was drawn."""
    format_ = format_named(key)
    rng = random.Random(seed)
    stage = StageState(tuple(entries), options or {}, **fields)
    left_before = []
    while (pairings := format_.next_round(stage)) is not None:
        check_round(pairings, stage)
        assert not format_.is_complete(stage)
        assert len(stage.rounds) < 2000
        left_before.append(stage.left)
        per_side = stage.per_side if format_.mixes_partners else 1
        open_ = tuple(FixtureOutcome(pairing, per_side=per_side) for pairing in pairings)
        if format_.needs_results:
            assert format_.next_round(stage._replace(rounds=(*stage.rounds, open_))) is None
        assert not format_.is_complete(stage._replace(rounds=(*stage.rounds, open_)))
        done = tuple(outcome(p, rng, per_side=per_side, void=void, results=results) for p in pairings)
        gone = frozenset(entry for entry in stage.present if rng.random() < leave)
        stage = stage._replace(rounds=(*stage.rounds, done), left=stage.left | gone)
    assert format_.is_complete(stage)
    rounds = format_.round_count(len(stage.entries), stage.options, sides=stage.sides)
    assert rounds is None or len(stage.rounds) <= rounds
    bound = format_.max_fixtures(
        len(stage.entries), stage.options, sides=stage.sides, per_side=stage.per_side
    )
    assert len(met(stage)) <= bound
    return stage, left_before


def check_round(pairings, stage):
    """Nobody twice, nobody who left, strangers never, and somebody meets somebody."""
    drawn = [entry for pairing in pairings for entry in pairing]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) <= set(stage.present)
    assert any(len(pairing) > 1 for pairing in pairings)
    assert [len(pairing) for pairing in pairings] == sorted(map(len, pairings), reverse=True)


def met(stage):
    """Every fixture of a stage that was not a bye."""
    return [fixture for drawn in stage.rounds for fixture in drawn if not fixture.is_bye]


def shuffled(stage, seed):
    """The same stage with the fixtures of each round in another order of arrival."""
    rng = random.Random(seed)
    return stage._replace(rounds=tuple(tuple(rng.sample(drawn, len(drawn))) for drawn in stage.rounds))


def renamed(stage, other_of):
    """The same stage of entries with other names."""

    def other(fixture):
        totals = fixture.totals and {other_of[entry]: total for entry, total in fixture.totals.items()}
        return fixture._replace(entries=tuple(other_of[e] for e in fixture.entries), totals=totals)

    return stage._replace(
        entries=tuple(other_of[entry] for entry in stage.entries),
        rounds=tuple(tuple(map(other, drawn)) for drawn in stage.rounds),
        left=frozenset(other_of[entry] for entry in stage.left),
        owners={other_of[entry]: owner for entry, owner in stage.owners.items()},
        origins={other_of[entry]: origin for entry, origin in stage.origins.items()},
    )


def up_to(stage, round_number, left_before):
    """The stage as it was when this round, from 1, was to be drawn."""
    return stage._replace(rounds=stage.rounds[: round_number - 1], left=left_before[round_number - 1])
