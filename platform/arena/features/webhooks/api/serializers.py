"""Webhooks to make or to change."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import Body, Choice, Items

KINDS_HELP = "Kinds of events, such as round.closed, or families such as round.*; none are all."


class WebhookIn(Body):
    """A webhook to make."""

    url = serializers.CharField(max_length=500, help_text="https, a public host.")
    kinds = Items(
        child=serializers.CharField(max_length=40), required=False, max_length=50, help_text=KINDS_HELP
    )
    tournament = serializers.CharField(
        max_length=16, required=False, allow_null=True, help_text="Only its events; null: all you may see."
    )
    name = serializers.CharField(max_length=80, required=False, allow_blank=True)


class WebhookChanges(WebhookIn):
    """What of a webhook can be changed."""

    url = serializers.CharField(max_length=500, required=False, help_text="https, a public host.")
    state = Choice(["active", "paused"], required=False)
