"""Recurring cups, their editions to come and the bots in each."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api.base.serializers import Body, Choice, PublicId, RowOut
from arena.api.serializers.competition import PlanOut, TournamentIn
from arena.api.serializers.declared import DeclaredBody
from arena.competition.models import Series, Subscription
from arena.competition.series.declarations import FIELDS, WEEKDAYS
from arena.competition.series.services import OURS, editions_ahead, may_run, series_verbs
from arena.competition.series.subscriptions import partner_seen_by
from arena.competition.tournament_fields import FIELDS as TOURNAMENT_FIELDS


class Weekday(Choice):
    """A day of the week by its name; a number inside."""

    def __init__(self, **options: Any) -> None:
        options.pop("choices", None)
        super().__init__(choices=WEEKDAYS, **options)

    def to_internal_value(self, data: Any) -> Any:
        """The number of the day; raises ValidationError."""
        return WEEKDAYS.index(super().to_internal_value(data))

    def to_representation(self, value: Any) -> Any:
        """Its name."""
        return WEEKDAYS[value]


class TemplateIn(TournamentIn):
    """What every edition is like: a tournament without its name and times."""

    declared = {name: field for name, field in TOURNAMENT_FIELDS.items() if name not in OURS}


class SeriesIn(DeclaredBody):
    """A series to make."""

    declared = FIELDS

    template = TemplateIn()
    weekday = Weekday(allow_null=True)


class SeriesChanges(SeriesIn):
    """What of a series can be changed; editions made already stay as they are."""

    changes_only = True


class MeetingOut(serializers.Serializer[Any]):
    """One edition to come."""

    tournament = serializers.CharField(
        source="tournament.public_id",
        default=None,
        allow_null=True,
        help_text="Id of the edition if it is open for entry; null if it is not made yet.",
    )
    opens_at = serializers.DateTimeField(help_text="Registration opens.")
    starts_at = serializers.DateTimeField(help_text="Registration ends and play begins.")


class SeriesOut(RowOut[Series]):
    """A recurring cup."""

    id = PublicId()
    organiser = serializers.CharField(source="organiser.username", read_only=True)
    template = serializers.DictField(read_only=True, help_text="Fields of a tournament.")
    weekday = Weekday(read_only=True, allow_null=True)
    at = serializers.SerializerMethodField(help_text="By the clocks of timezone, such as 20:00.")
    next_at = serializers.SerializerMethodField(
        help_text="When the next edition starts, the one open for entry first; null once ended."
    )
    ahead = serializers.SerializerMethodField(
        help_text="The next editions: those open for entry, then the planned ones if it is active."
    )
    verbs = serializers.SerializerMethodField(help_text="What the asker may do with it now.")

    class Meta:
        model = Series
        fields = (
            "id",
            "organiser",
            *FIELDS,
            "state",
            "state_reason",
            "next_at",
            "last_edition",
            "ahead",
            "verbs",
            "created_at",
        )

    def get_at(self, series: Series) -> str:
        """Hours and minutes."""
        return series.at.isoformat("minutes")

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_next_at(self, series: Series) -> str | None:
        """Of the edition open for entry, otherwise of the next one to be made."""
        ahead = editions_ahead(series, 1)
        next_at = ahead[0].starts_at if ahead else series.next_at
        return serializers.DateTimeField().to_representation(next_at) if next_at else None

    @extend_schema_field(MeetingOut(many=True))
    def get_ahead(self, series: Series) -> list[dict[str, Any]]:
        """Those open for entry, then the planned ones."""
        return list(MeetingOut(editions_ahead(series), many=True).data)

    def get_verbs(self, series: Series) -> list[str]:
        """What the asker may do with it now."""
        user = self.context["request"].user
        return series_verbs(series) if may_run(user, series) else []


class SeriesPlanOut(serializers.Serializer[Any]):
    """What a series would be, if it were made."""

    series = SeriesOut()
    plan = PlanOut(help_text="Of one edition, with as many entries as may be.")


class SubscriptionIn(Body):
    """A bot of one's own to enter in every edition."""

    bot = serializers.CharField(max_length=16)
    partner_bot = serializers.CharField(
        max_length=16, required=False, allow_null=True, help_text="Another of one's own, for a pair of two."
    )
    accepts_partners = serializers.BooleanField(
        required=False, help_text="Must be true where everybody partners everybody in turn."
    )


class SubscribedBotOut(serializers.Serializer[Any]):
    """A bot that is entered each time."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()


class SubscriptionOut(RowOut[Subscription]):
    """A bot whose active version is entered in every edition."""

    player = serializers.CharField(source="bot.owner.handle", read_only=True)
    bot = SubscribedBotOut(read_only=True)
    partner_bot = serializers.SerializerMethodField(
        help_text="Null without one, and of a private one for all but owner, organiser and staff."
    )

    class Meta:
        model = Subscription
        fields = ("player", "bot", "partner_bot", "created_at")

    @extend_schema_field(SubscribedBotOut(allow_null=True))
    def get_partner_bot(self, subscription: Subscription) -> dict[str, Any] | None:
        """As the reader may see it."""
        partner = partner_seen_by(subscription, self.context["request"].user)
        return None if partner is None else dict(SubscribedBotOut(partner).data)
