"""Games, presets and the limits of this installation."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.paging import MOST_ROWS
from arena.api.base.views import View
from arena.competition.challenges import challenges_per_day
from arena.competition.games import formats_described, games_described, preset_described
from arena.competition.plan import CLOCK_FIELDS, clock
from arena.features.experiments.limits import cpu_s_each, experiments_per_day
from arena.jobs.uploads import bundle_limits
from arena.matches.orders import process_limits
from arena.roster.services import BOTS_PER_PLAYER


class GameOut(serializers.Serializer[Any]):
    """A game on offer."""

    key = serializers.CharField()
    rules_version = serializers.IntegerField()
    presets = serializers.ListField(child=serializers.CharField())


class PresetOut(serializers.Serializer[Any]):
    """A preset: its table, its options, what a bot sees."""

    game = serializers.CharField()
    preset = serializers.CharField()
    rules_version = serializers.IntegerField()
    seats = serializers.IntegerField()
    sides = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="Seats of each side: pairs, or single seats in a free-for-all.",
    )
    tables_per_fixture = serializers.IntegerField(
        help_text="Rotations: at each an entry sits on another side, so that all hold the same cards once."
    )
    formats = serializers.ListField(
        child=serializers.CharField(),
        help_text="What a stage can be played in; the first unless told otherwise.",
    )
    starting_stones = serializers.IntegerField(
        help_text="Of a seat, or of a pair; 0 where points are counted."
    )
    options = serializers.DictField(help_text="Every option with its value; null where there is none.")
    decisions_bound = serializers.DictField(
        child=serializers.IntegerField(allow_null=True),
        help_text="Most decisions of a seat on a board, by kind.",
    )
    observation = serializers.DictField(
        child=serializers.CharField(), help_text="JSON type by field, such as: integer or null."
    )


class Number(serializers.FloatField):
    """A number as it is: sizes stay whole, shares of a core need not be."""

    def to_representation(self, value: Any) -> Any:
        """The number itself."""
        return value


class LimitsOut(serializers.Serializer[Any]):
    """The limits of this installation; names say units."""

    clock_defaults = serializers.DictField(child=serializers.IntegerField())
    clock_bounds = serializers.DictField(child=serializers.ListField(child=serializers.IntegerField()))
    process = serializers.DictField(child=Number())
    bundle = serializers.DictField(child=serializers.IntegerField())
    throttles = serializers.DictField(
        child=serializers.CharField(), help_text="Requests by account; anonymous: by address."
    )
    bots_per_player = serializers.IntegerField()
    challenges_per_day = serializers.IntegerField(help_text="Of an account, within 24 hours.")
    challenge_worker_s_per_day = serializers.IntegerField(
        help_text="Seconds that an account's challenges may hold workers within 24 hours."
    )
    experiments_per_day = serializers.IntegerField(help_text="Of an account, within 24 hours.")
    experiment_cpu_s = serializers.IntegerField(help_text="CPU-seconds an experiment may use at most.")
    experiment_cpu_s_per_day = serializers.IntegerField(
        help_text="CPU-seconds an account's experiments may use within 24 hours."
    )
    page_size_max = serializers.IntegerField()


class Games(View):
    """The games on offer."""

    is_same_for_all = True

    @extend_schema(responses=GameOut(many=True))
    def get(self, request: Request) -> Response:
        """List the games with their presets."""
        return self.answer(GameOut, games_described(), many=True)


@extend_schema_field({"type": ["integer", "boolean", "null"]})
class OptionDefault(serializers.JSONField):
    """What an option is unless chosen otherwise."""


class OptionOut(serializers.Serializer[Any]):
    """One option of a format."""

    name = serializers.CharField()
    kind = serializers.CharField(help_text="integer or boolean.")
    default = OptionDefault(help_text="Null: chosen by the size of the field.")
    meaning = serializers.CharField()


class FormatOut(serializers.Serializer[Any]):
    """A format a stage can be played in."""

    key = serializers.CharField()
    title = serializers.CharField()
    needs_results = serializers.BooleanField(help_text="A round is drawn only once those before it are done.")
    mixes_partners = serializers.BooleanField(
        help_text="Every entry holds one seat; its owner must have said accepts_partners."
    )
    repeats = serializers.BooleanField(help_text="It can be played until_separated.")
    options = OptionOut(many=True)


class Formats(View):
    """The formats on offer."""

    is_same_for_all = True

    @extend_schema(responses=FormatOut(many=True))
    def get(self, request: Request) -> Response:
        """List the formats of stages with their options."""
        return self.answer(FormatOut, formats_described(), many=True)


class Preset(View):
    """One preset."""

    is_same_for_all = True

    @extend_schema(responses=PresetOut)
    def get(self, request: Request, game: str, preset: str) -> Response:
        """Describe a preset.

        Its seats, sides, options and observation.
        """
        return self.answer(PresetOut, preset_described(game, preset))


class InstallationLimits(View):
    """What everybody has to keep to."""

    is_same_for_all = True

    @extend_schema(responses=LimitsOut)
    def get(self, request: Request) -> Response:
        """Show clock, process, bundle and request limits."""
        return self.answer(
            LimitsOut,
            {
                "clock_defaults": clock(None),
                "clock_bounds": {name: (field.least, field.most) for name, field in CLOCK_FIELDS.items()},
                "process": process_limits(),
                "bundle": bundle_limits(),
                "throttles": settings.API_RATES,
                "bots_per_player": BOTS_PER_PLAYER,
                "challenges_per_day": challenges_per_day(),
                "challenge_worker_s_per_day": settings.CHALLENGE_WORKER_S_PER_DAY,
                "experiments_per_day": experiments_per_day(),
                "experiment_cpu_s": cpu_s_each(),
                "experiment_cpu_s_per_day": settings.EXPERIMENT_CPU_S_PER_DAY,
                "page_size_max": MOST_ROWS,
            },
        )
