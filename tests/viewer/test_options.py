"""A view agrees with its record under whatever options, players, faults and times."""

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.chance import examples
from tests.engine.games.kakeya import rulesets as kakeya
from tests.engine.games.kakkuri import games as kakkuri
from tests.viewer.agreement import agreed_view
from tests.viewer.records import recorded

KINDS = st.sampled_from(["deal", "game"])
VERDICTS = st.sampled_from(["OUT_OF_TIME", "CRASHED", "ILLEGAL_ACTION", "PROTOCOL"])
FAULTS = st.dictionaries(st.tuples(st.integers(1, 8), st.integers(1, 40)), VERDICTS, max_size=6)
SKIPPING = st.sets(st.integers(1, 8))
FORFEITS = st.dictionaries(st.integers(1, 8), st.integers(0, 40), max_size=2)


def table(ruleset, kind, seed, player=None, **conduct):
    choose = player(random.Random(seed)) if player else None
    return recorded(
        ruleset.preset,
        kind,
        (1, 2, 5),
        options=ruleset.as_dict(),
        **conduct,
        choose=choose and (lambda _, state, seat: choose(state, seat)),
        seed=seed,
    )


@examples(40)
@given(kakeya.rulesets(), KINDS, st.integers(0, 999), FAULTS, FORFEITS, SKIPPING)
def test_kakeya_and_etori(ruleset, kind, seed, faults, forfeits, skipping):
    agreed_view(table(ruleset, kind, seed, faults=faults, forfeits=forfeits, skipping=skipping))


@examples(60)
@given(kakkuri.rulesets(), KINDS, st.integers(0, 999), FAULTS, FORFEITS, SKIPPING)
def test_kakkuri(ruleset, kind, seed, faults, forfeits, skipping):
    conduct = {"faults": faults, "forfeits": forfeits, "skipping": skipping}
    agreed_view(table(ruleset, kind, seed, kakkuri.mixed, **conduct))


@examples(20)
@given(kakkuri.rulesets(), st.integers(0, 999))
def test_kakkuri_with_three_pairs(ruleset, seed):
    agreed_view(table(ruleset, "deal", seed, kakkuri.declaring))
