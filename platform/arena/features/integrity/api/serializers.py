"""Request bodies of rulings on pairs."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import Items
from arena.api.serializers.matches import Because


class VersionPairIn(Because):
    """Two versions whose fixtures a rating list excludes."""

    versions = Items(child=serializers.CharField(max_length=16), max_length=2, min_length=2)


class EntryPairIn(Because):
    """Two entries whose fixtures become void."""

    entries = Items(child=serializers.CharField(max_length=16), max_length=2, min_length=2)
