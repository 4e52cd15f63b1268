"""Request bodies of rulings on pairs."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import BoundedListField
from arena.api.serializers.matches import RequiredReason


class VersionPairIn(RequiredReason):
    """Two versions whose fixtures a rating list excludes."""

    versions = BoundedListField(child=serializers.CharField(max_length=16), max_length=2, min_length=2)


class EntryPairIn(RequiredReason):
    """Two entries whose fixtures become void."""

    entries = BoundedListField(child=serializers.CharField(max_length=16), max_length=2, min_length=2)
