"""Records of Kakeya and Etori with sensible plays, for tests of analysis."""

from engine.cards import KAKEYA_PACK
from engine.games.kakeya.notation import PLAY
from engine.kernel import playout_line, position_of
from tests.viewer.records import recorded

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
