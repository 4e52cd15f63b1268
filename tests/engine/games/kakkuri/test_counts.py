"""Number of legal continuations by depth, from positions of a few cards a seat."""

import pytest

from engine.games.kakkuri.turns import FREE, RETURN
from tests.engine.games.kakkuri.positions import position
from tests.engine.games.kakkuri.table_rules import Over, Table

SINGLES = {1: "5H 6S 8D", 2: "6D 7C 9S"}
WILD = {1: "AC 7H", 2: "2D 9S"}
FOUR_OF_A_KIND = {1: "5S 5H 5D 5C 6H", 2: "6S 7D"}
KINGS = {1: "KS KH 3D", 2: "AH 2S"}
PAIRS = {1: "5H 5D 6S 6C 7H 7D", 2: "8S 9S JS QS KS 3S"}


def counts(state, depth):
    """How many ways there are to go on for 1, 2, ... ``depth`` actions."""
    level, found = [state], []
    for _ in range(depth):
        going_on = [state for state in level if state.to_act]
        level = [s.apply(s.to_act[0], action) for s in going_on for action in s.legal(s.to_act[0])]
        found.append(len(level))
    return found


def plain_counts(hands, follow, depth, *, box, before, back=False, sansoku=()):
    """The same by the plain model: every line of play told to it anew."""

    def asked_after(actions):
        state = position(hands, follow, before=before, box=box)
        table = Table(state.deal.setting.ruleset, "deal", 1, "position")
        table.deal, table.results = 1, []
        table.hands = {seat: text.split() for seat, text in hands.items()}
        table.box, table.follow, table.last = box.split(), follow, 1
        table.sansoku = list(sansoku)
        talk = table.turns(1, back)
        try:
            asked = next(talk)
            for action in actions:
                asked = talk.send(action)
        except Over:
            return ()
        return asked[1]

    level, found = [()], []
    for _ in range(depth):
        level = [(*line, action) for line in level for action in asked_after(line)]
        found.append(len(level))
    return found


@pytest.mark.parametrize(
    ("hands", "follow", "expected"),
    [
        # PASS 5; after PASS: PASS, after 5: PASS 6; then TURN 5, PASS 6, PASS.
        pytest.param(SINGLES, 4, [2, 3, 5], id="singles"),
        pytest.param({1: "4H", 2: "9S"}, 3, [2, 1], id="out-or-pass"),
        # PASS K K; after PASS: PASS, after a king: PASS, the three, the other king.
        pytest.param(KINGS, 11, [3, 7], id="anything-after-a-king"),
        # PASS, four singles, four triples; after PASS: PASS, after a meld: PASS 6.
        pytest.param(FOUR_OF_A_KIND, 4, [9, 17], id="four-of-a-kind"),
    ],
)
def test_known_counts(hands, follow, expected):
    before = {1: "QC", 2: "QD"}
    assert counts(position(hands, follow, before=before, box="JH 4C"), len(expected)) == expected


@pytest.mark.parametrize("follow", [1, 2, 4, 6, 11, 12])
@pytest.mark.parametrize(
    "hands", [SINGLES, WILD, FOUR_OF_A_KIND, KINGS], ids=["singles", "wild", "four-of-a-kind", "kings"]
)
@pytest.mark.parametrize("back", [False, True])
def test_counts_of_a_plain_reading(hands, follow, back):
    # Three cards have been played by each, so that nobody may drop.
    before = {1: "JS JH JD", 2: "QS QH QD"}
    turn = RETURN if back else 0
    state = position(hands, follow, before=before, box="4C 8C", turn=turn)
    depth = 4
    assert counts(state, depth) == plain_counts(hands, follow, depth, box="4C 8C", before=before, back=back)


@pytest.mark.parametrize("hands", [SINGLES, KINGS, WILD], ids=["singles", "kings", "wild"])
def test_counts_of_a_free_lead(hands):
    before = {1: "JS JH JD", 2: "QS QH QD"}
    state = position(hands, 6, before=before, box="", turn=RETURN | FREE)
    assert counts(state, 4) == plain_counts(hands, 6, 4, box="", before=before, back=True)


def test_counts_under_sansoku():
    state = position(PAIRS, 4, box="8C", sansoku=(1,), before={2: ""})
    expected = plain_counts(PAIRS, 4, 4, box="8C", before={}, sansoku=(1,))
    assert counts(state, 4) == expected
