"""Bots, versions, checks."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.base.serializers import Body, Choice, PublicId, RowOut
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import may_see_inside, waiting_reason


class BotIn(Body):
    """A bot to make."""

    name = serializers.CharField(max_length=60, trim_whitespace=False)
    game = serializers.CharField(max_length=20)
    visibility = Choice(Bot.Visibility.choices, default=Bot.Visibility.PUBLIC)


class BotChange(Body):
    """What of a bot can be changed."""

    name = serializers.CharField(max_length=60, trim_whitespace=False, required=False)
    visibility = Choice(Bot.Visibility.choices, required=False)


class BotOut(RowOut[Bot]):
    """A bot."""

    id = PublicId()
    owner = serializers.CharField(source="owner.handle", read_only=True)
    active_version = serializers.CharField(
        source="active_version.public_id", allow_null=True, default=None, read_only=True
    )

    class Meta:
        model = Bot
        fields = ("id", "name", "game", "owner", "visibility", "active_version", "created_at")


class ReasonOut(serializers.Serializer[Any]):
    """One reason for a rejection."""

    code = serializers.CharField()
    message = serializers.CharField()


class CheckStepOut(serializers.Serializer[Any]):
    """One thing a check tried."""

    name = serializers.CharField()
    ok = serializers.BooleanField()
    detail = serializers.CharField(allow_blank=True)


WAITING_HELP = (
    "Why the check cannot begin, such as 'runtime_unavailable: ...' while no live worker has the runtime; "
    "empty if it waits for nothing but its turn."
)


class CheckOut(RowOut[CheckRun]):
    """The last attempt to check a version. ``reinstates``: asked for to end a suspension."""

    version = serializers.CharField(source="version.public_id", read_only=True)
    steps = CheckStepOut(many=True, read_only=True)
    reasons = ReasonOut(source="version.reasons", many=True, read_only=True)
    report = serializers.DictField(allow_null=True, read_only=True, help_text="The trial table's report.")
    waiting_reason = serializers.SerializerMethodField(help_text=WAITING_HELP)

    class Meta:
        model = CheckRun
        fields = (
            "version",
            "attempt",
            "state",
            "steps",
            "reasons",
            "report",
            "reason",
            "waiting_reason",
            "reinstates",
            "created_at",
            "started_at",
            "finished_at",
        )

    def get_waiting_reason(self, check: CheckRun) -> str:
        """Its reason while it waits; afterwards ``reason`` says what failed on our side."""
        return check.waiting_reason


class VersionIn(Body):
    """An upload."""

    bundle = serializers.FileField(
        help_text="A .zip or single .py file with the bot.",
        error_messages={"invalid": "A text, not a file; with curl write -F bundle=@FILE, with the @."},
    )
    notes = serializers.CharField(max_length=4000, required=False, allow_blank=True, default="")


class VersionOut(RowOut[BotVersion]):
    """A version.

    Entry point, notes, reasons, suspended_reason and waiting_reason are null for everybody but the owner and
    staff.
    """

    id = PublicId()
    bot = serializers.CharField(source="bot.public_id", read_only=True)
    bot_name = serializers.CharField(source="bot.name", read_only=True)
    owner = serializers.CharField(source="bot.owner.handle", read_only=True)
    active_version = serializers.CharField(
        source="bot.active_version.public_id",
        allow_null=True,
        default=None,
        read_only=True,
        help_text="The version that the bot enters with now, which a new one does not replace by itself.",
    )
    entry_point = serializers.CharField(read_only=True, allow_null=True)
    notes = serializers.CharField(read_only=True, allow_null=True)
    reasons = ReasonOut(many=True, read_only=True, allow_null=True)
    suspended_reason = serializers.CharField(read_only=True, allow_null=True)
    waiting_reason = serializers.SerializerMethodField(help_text=WAITING_HELP)
    check_url = serializers.HyperlinkedIdentityField(
        view_name="version-check", lookup_field="public_id", lookup_url_kwarg="version"
    )

    class Meta:
        model = BotVersion
        fields = (
            "id",
            "bot",
            "bot_name",
            "active_version",
            "owner",
            "number",
            "state",
            "bundle_sha256",
            "bundle_bytes",
            "runtime",
            "runtime_digest",
            "created_at",
            "entry_point",
            "notes",
            "reasons",
            "suspended_at",
            "suspended_reason",
            "reinstated_at",
            "waiting_reason",
            "check_url",
        )

    INSIDE = ("entry_point", "notes", "reasons", "suspended_reason", "waiting_reason")

    def get_waiting_reason(self, version: BotVersion) -> str | None:
        """Of its latest check."""
        return waiting_reason(version)

    def to_representation(self, instance: BotVersion) -> dict[str, Any]:
        """The version as the asker may see it."""
        data = super().to_representation(instance)
        if not may_see_inside(self.context["request"].user, instance.bot):
            data.update(dict.fromkeys(self.INSIDE))
        return data
