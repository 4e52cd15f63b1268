"""Versions to put on a ladder."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import Body


class PlacementIn(Body):
    """A version of one's own to put on a ladder."""

    version = serializers.CharField(max_length=16)
    season = serializers.CharField(
        max_length=20,
        required=False,
        help_text="The season meant, such as 2026-Q4; refused if another one runs. Without: whichever runs.",
    )
