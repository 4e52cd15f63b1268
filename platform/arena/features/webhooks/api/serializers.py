"""Request bodies for creating and changing webhooks."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import BoundedListField, NamedChoiceField, RequestBody
from arena.features.webhooks.models import Webhook

FORMAT_HELP = (
    "Body of the deliveries: rensho, the event as JSON; discord, a message for a webhook of Discord."
)
LANGUAGE_HELP = "Language of the sentences in messages for Discord; default: en."
KINDS_HELP = "Kinds of events, such as round.closed, or families such as round.*; empty: all."


class WebhookIn(RequestBody):
    """A webhook to create."""

    url = serializers.CharField(max_length=500, help_text="An https URL with a public host.")
    kinds = BoundedListField(
        child=serializers.CharField(max_length=40), required=False, max_length=50, help_text=KINDS_HELP
    )
    format = NamedChoiceField(Webhook.Format.choices, required=False, help_text=FORMAT_HELP)
    language = NamedChoiceField(Webhook.Language.choices, required=False, help_text=LANGUAGE_HELP)
    tournament = serializers.CharField(
        max_length=16,
        required=False,
        allow_null=True,
        help_text="Only events of this tournament; null: all that you may see.",
    )
    name = serializers.CharField(max_length=80, required=False, allow_blank=True)


class WebhookChanges(WebhookIn):
    """Changes to a webhook."""

    url = serializers.CharField(max_length=500, required=False, help_text="An https URL with a public host.")
    state = NamedChoiceField(["active", "paused"], required=False)
