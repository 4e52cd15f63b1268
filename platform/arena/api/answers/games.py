"""Responses: games, presets, formats and limits of this installation."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from arena.api.base.paging import MAX_ROWS
from arena.api.base.shapes import build_shape
from arena.competition.challenges import challenge_daily_quota
from arena.competition.event_options import CLOCK_FIELDS, parse_clock
from arena.competition.games import formats_described, games_described, preset_described
from arena.features.experiments.limits import experiments_per_day, max_cpu_s
from arena.jobs.uploads import bundle_limits
from arena.matches.orders import process_limits
from arena.matches.workers import runtime_versions
from arena.roster.services import BOTS_PER_PLAYER


class GameOut(TypedDict):
    """A game of this installation."""

    key: str
    rules_version: int
    presets: list[str]


class PresetOut(TypedDict):
    """A preset: table, options and observation."""

    game: str
    preset: str
    title: Annotated[str, "In English, such as: Kakeya, 4 players."]
    rules_version: int
    seats: int
    sides: Annotated[list[list[int]], "Seats of each side: pairs, or single seats in a free-for-all."]
    tables_per_fixture: Annotated[
        int, "Rotations. In each, an entry plays another side, so all hold the same cards once."
    ]
    formats: Annotated[list[str], "Formats of a stage; the first is the default."]
    starting_stones: Annotated[int, "Per seat, or per pair; 0 if points are counted."]
    options: Annotated[dict[str, Any], "All options with their values; null without a value."]
    decisions_bound: Annotated[
        dict[str, int | None], "Maximum decisions of a seat on a board, by kind of board."
    ]
    observation: Annotated[dict[str, str], "JSON type by field, such as: integer or null."]


class SolverLimitsOut(TypedDict):
    """Quotas of solved positions. Answers that exist already cost nothing."""

    address_cpu_s_per_hour: Annotated[int, "CPU-seconds per hour for an address without an account."]
    account_cpu_s_per_hour: Annotated[int, "CPU-seconds per hour for an account."]
    site_cpu_s_per_hour: Annotated[int, "CPU-seconds per hour for all visitors together."]


class ProgramOut(TypedDict):
    """A program or library of a runtime, with the versions that the live workers have measured."""

    name: Annotated[str, "Such as: python, numpy or node."]
    versions: Annotated[list[str], "Several if workers differ."]


class RuntimeOut(TypedDict):
    """A runtime that a live worker has."""

    name: str
    programs: list[ProgramOut]


class LimitsOut(TypedDict):
    """Limits and runtimes of this installation. Names contain units."""

    clock_defaults: dict[str, int]
    clock_bounds: dict[str, list[int]]
    process: dict[str, float]
    bundle: dict[str, int]
    throttles: Annotated[dict[str, str], "Request rates per account; anonymous: per address."]
    bots_per_player: int
    challenges_per_day: Annotated[int, "Maximum per account within 24 hours."]
    challenge_worker_s_per_day: Annotated[
        int, "Worker-seconds that an account's challenges may use within 24 hours."
    ]
    experiments_per_day: Annotated[int, "Maximum per account within 24 hours."]
    experiment_cpu_s: Annotated[int, "Maximum CPU-seconds of an experiment."]
    experiment_cpu_s_per_day: Annotated[
        int, "Maximum CPU-seconds of an account's experiments within 24 hours."
    ]
    solver: SolverLimitsOut
    runtimes: Annotated[list[RuntimeOut], "Empty without a live worker."]
    page_size_max: int


@extend_schema_field({"type": ["integer", "boolean"]})
class OptionDefault(serializers.JSONField):
    """The default of an option."""


class OptionOut(TypedDict):
    """An option of a format."""

    name: str
    kind: Annotated[str, "Type: integer or boolean."]
    default: Annotated[int | bool | None, "Null: depends on the number of entries.", OptionDefault]
    meaning: str


class FormatOut(TypedDict):
    """A format of stages."""

    key: str
    title: str
    needs_results: Annotated[bool, "Whether pairing a round needs the results of earlier rounds."]
    mixes_partners: Annotated[
        bool, "Whether partners change: an entry plays one seat; its owner must set accepts_partners."
    ]
    repeats: Annotated[bool, "Whether it supports until_separated."]
    options: list[OptionOut]


def games_out() -> list[GameOut]:
    return [build_shape(GameOut, game) for game in games_described()]


def preset_out(game: str, preset: str) -> PresetOut:
    """Return a preset. Raises NotFound (as ``preset_described``)."""
    return build_shape(PresetOut, preset_described(game, preset))


def formats_out() -> list[FormatOut]:
    return [build_shape(FormatOut, format_) for format_ in formats_described()]


def limits_out() -> LimitsOut:
    return {
        "clock_defaults": parse_clock(None),
        "clock_bounds": {name: [field.least, field.most] for name, field in CLOCK_FIELDS.items()},
        "process": process_limits(),
        "bundle": bundle_limits(),
        "throttles": settings.API_RATES,
        "bots_per_player": BOTS_PER_PLAYER,
        "challenges_per_day": challenge_daily_quota(),
        "challenge_worker_s_per_day": settings.CHALLENGE_WORKER_S_PER_DAY,
        "experiments_per_day": experiments_per_day(),
        "experiment_cpu_s": max_cpu_s(),
        "experiment_cpu_s_per_day": settings.EXPERIMENT_CPU_S_PER_DAY,
        "solver": {
            "address_cpu_s_per_hour": settings.ANALYSIS.guest_cpu_s,
            "account_cpu_s_per_hour": settings.ANALYSIS.account_cpu_s,
            "site_cpu_s_per_hour": settings.ANALYSIS.site_cpu_s,
        },
        "runtimes": [
            {
                "name": runtime,
                "programs": [{"name": name, "versions": versions} for name, versions in programs.items()],
            }
            for runtime, programs in runtime_versions().items()
        ],
        "page_size_max": MAX_ROWS,
    }
