"""Experiments of the site that the browser visits: one that was decided, and one that goes on."""

from __future__ import annotations

from arena.features.experiments.models import Experiment
from tests.arena.features.experiments.batches import BASELINE, begun, was_played
from tests.factories import a_bot, a_version, aya, ben


def decided() -> Experiment:
    """Accepted in its second batch, in which the old version never answered."""
    bot = a_bot(aya(), "Tsukumo")
    old, new = a_version(bot), a_version(bot)
    return was_played(was_played(begun(new, old, cap=200)), BASELINE)


def going_on() -> Experiment:
    """Against a field of two; its second batch is being played."""
    bot = a_bot(aya(), "Susuki")
    old, new = a_version(bot), a_version(bot)
    field = [a_version(a_bot(ben(), name)) for name in ("Kiri", "Botan")]
    return was_played(begun(new, old, field=field, cap=900, boards_per_batch=12))
