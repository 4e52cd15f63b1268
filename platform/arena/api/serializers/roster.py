"""Request bodies: bots and versions."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import NamedChoiceField, RequestBody
from arena.roster.models import Bot


class BotIn(RequestBody):
    """A bot to create."""

    name = serializers.CharField(max_length=60, trim_whitespace=False)
    game = serializers.CharField(max_length=20)
    visibility = NamedChoiceField(Bot.Visibility.choices, default=Bot.Visibility.PUBLIC)


class BotChange(RequestBody):
    """Fields of a bot to change."""

    name = serializers.CharField(max_length=60, trim_whitespace=False, required=False)
    visibility = NamedChoiceField(Bot.Visibility.choices, required=False)


class VersionIn(RequestBody):
    """A version to upload."""

    bundle = serializers.FileField(
        help_text="A .zip or single .py file with the bot.",
        error_messages={"invalid": "Send a file, not a text; with curl: -F bundle=@FILE, with the @."},
    )
    notes = serializers.CharField(max_length=4000, required=False, allow_blank=True, default="")
