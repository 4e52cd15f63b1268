"""Records of Kakeya and Etori with sensible plays, for tests of analysis."""

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import PLAY
from engine.kernel import playout_line, position_of
from tests.viewer.records import recorded

PROBLEM_TEXT = """\
preset: kakeya4
trump: H
rensho: AS
lead: 4
1: S 97 H A6532 D JT54 C K2
2: S A86 H Q98 D AKQ87 C T6
3: S QT53 H T7 D 92 C AQJ85
4: S KJ42 H KJ4 D 63 C 9743
plays: KS 7S 8S 3S
       3D TD QD 2D
       KD 9D 6D 4D
       AD 5S JS 5D
       QH 7H 4H 2H
       8H TH JH 3H
       KH
"""
"""A position in which only AH is best."""
FEW_NODES = {"nodes": 3000, "deals": 0}
"""Limits under which a deal takes some hundredths of a second and its first tricks are not solved."""


def sensible(rng, state, seat):
    """A card by the rules of the playouts, now and then a random one; declarations are random."""
    legal = state.legal(seat)
    if state.phase != PLAY or len(legal) == 1 or rng.random() < 0.1:
        return rng.choice(legal)
    return KAKEYA_PACK.cards[playout_line(position_of(state), rng.randrange(1 << 30), 0, "rules")[0][0]]


def played_record(preset="kakeya4", boards=(1,), **options):
    return recorded(preset, boards=boards, **{"choose": sensible, **options}).record
