"""Request bodies: series and subscriptions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.base.serializers import NamedChoiceField, RequestBody
from arena.api.serializers.competition import TournamentIn
from arena.api.serializers.declared import DeclaredBody
from arena.competition.series.declarations import FIELDS, WEEKDAYS
from arena.competition.series.services import SERIES_CONTROLLED_FIELDS
from arena.competition.tournament_fields import FIELDS as TOURNAMENT_FIELDS


class WeekdayField(NamedChoiceField):
    """A day of the week by name; internally a number."""

    def __init__(self, **options: Any) -> None:
        options.pop("choices", None)
        super().__init__(choices=WEEKDAYS, **options)

    def to_internal_value(self, data: Any) -> Any:
        return WEEKDAYS.index(super().to_internal_value(data))


class TemplateIn(TournamentIn):
    """The template of every edition: a tournament without name and times."""

    declared = {
        name: field for name, field in TOURNAMENT_FIELDS.items() if name not in SERIES_CONTROLLED_FIELDS
    }


class SeriesIn(DeclaredBody):
    """A series to create."""

    declared = FIELDS

    template = TemplateIn()
    weekday = WeekdayField(allow_null=True)


class SeriesChanges(SeriesIn):
    """Fields of a series to change. Existing editions stay unchanged."""

    changes_only = True


class SubscriptionIn(RequestBody):
    """A bot of yours to enter in every edition."""

    bot = serializers.CharField(max_length=16)
    partner_bot = serializers.CharField(
        max_length=16, required=False, allow_null=True, help_text="Another bot of yours, to enter as a pair."
    )
    accepts_partners = serializers.BooleanField(
        required=False, help_text="Must be true for formats with changing partners."
    )
