"""Request bodies of the API of remote bots."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import RequestBody
from arena.features.remote.limits import MAX_ANSWER_BYTES
from arena.features.remote.services import NAME_CHARACTERS

MAX_GENERATION = 2_147_483_647


class RemoteBotIn(RequestBody):
    """A remote bot to create."""

    name = serializers.CharField(max_length=NAME_CHARACTERS)
    game = serializers.CharField(max_length=20, help_text="Such as kakeya; Etori belongs to it.")


class RemoteVersionIn(RequestBody):
    """A version to declare."""

    label = serializers.CharField(  # type: ignore[assignment]
        max_length=NAME_CHARACTERS, required=False, allow_blank=True, help_text="Your name for it; public."
    )


class AliveIn(RequestBody):
    """A sign of life."""

    version = serializers.CharField(max_length=16)
    generation = serializers.IntegerField(
        min_value=0, max_value=MAX_GENERATION, help_text="Of the stream, from its line state."
    )


class AnswerIn(serializers.Serializer[None]):
    """The answer of rensho/1, at most 4,096 bytes. Other fields are ignored."""

    id = serializers.CharField(max_length=MAX_ANSWER_BYTES, help_text="Of the request.")
    action = serializers.CharField(
        max_length=MAX_ANSWER_BYTES, help_text="One of the request's legal actions."
    )
