"""Request body for placing a version on a ladder."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import RequestBody


class PlacementIn(RequestBody):
    """One of your own versions to place on a ladder."""

    version = serializers.CharField(max_length=16)
    season = serializers.CharField(
        max_length=20,
        required=False,
        help_text="Expected season, such as 2026-Q4; rejected unless current. Default: the current one.",
    )
