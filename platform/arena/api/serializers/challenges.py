"""Challenges: one fixture between chosen versions, begun at once."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.serializers.base import Body, Choice, Items, OptionValues
from arena.api.serializers.competition import ClockIn
from arena.competition.challenges import MOST_BOARDS


class ChallengeIn(Body):
    """A challenge to make: one version a side, in the order of the sides."""

    versions = Items(
        child=serializers.CharField(max_length=16),
        min_length=2,
        max_length=8,
        help_text="Ready versions: one's own, or those of public bots. Each plays all seats of its side.",
    )
    preset = serializers.CharField(max_length=40)
    boards = serializers.IntegerField(required=False, min_value=1, max_value=MOST_BOARDS)
    board_kind = Choice(["deal", "game"], required=False)
    ruleset = OptionValues(required=False, help_text="Options that differ from the preset's.")
    clock = ClockIn(required=False)
    name = serializers.CharField(max_length=100, required=False, allow_blank=True)
