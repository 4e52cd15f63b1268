"""Request bodies: adjudications and reruns."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import BoundedListField, NamedChoiceField, RequestBody
from arena.matches.models import Adjudication


class AdjudicationIn(RequestBody):
    """An adjudication of a fixture."""

    kind = NamedChoiceField(
        Adjudication.Kind.choices,
        help_text="forfeit: by the named entries; draw: all boards 0; void: does not count; lift: as played.",
    )
    entries = BoundedListField(
        child=serializers.CharField(max_length=16),
        required=False,
        default=list,
        max_length=8,
        help_text="Ids of the entries that forfeit; only for kind forfeit.",
    )
    reason = serializers.CharField(max_length=300, help_text="Public.")


class RequiredReason(RequestBody):
    """A public reason, which is required."""

    reason = serializers.CharField(max_length=300, help_text="Public.")
