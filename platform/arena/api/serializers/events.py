"""Events of the log."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.accounts.events import event_body
from arena.accounts.models import Event


class ThingOut(serializers.Serializer[Any]):
    """What an event is about."""

    kind = serializers.CharField(help_text="tournament, round, fixture, entry, table, botversion, series")
    id = serializers.CharField()


class EventOut(serializers.Serializer[Any]):
    """Something that happened. The same object is the body of webhooks and the data of the stream."""

    id = serializers.IntegerField(help_text="Grows; what Last-Event-ID resumes from.")
    type = serializers.CharField(help_text="Such as round.closed.")
    timestamp = serializers.DateTimeField(help_text="When it happened.")
    tournament = serializers.CharField(allow_null=True, help_text="The tournament it belongs to, if any.")
    thing = ThingOut()
    data = serializers.DictField(help_text="Depends on the type; never anything sealed.")  # type: ignore[assignment]

    def to_representation(self, instance: Event) -> dict[str, Any]:
        """One body for all ways an event is told."""
        return event_body(instance)
