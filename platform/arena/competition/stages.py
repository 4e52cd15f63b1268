"""Planned stages of an event: formats with options, checked against all possible numbers of entries."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from arena.common.declarations import invalid_field, require_integer
from arena.common.errors import Invalid, quoted
from arena.competition.event_options import MAX_BOARDS, formats_for
from arena.competition.models import Stage, Tournament
from league.errors import FormatError
from league.formats import format_named, offered_formats
from league.stage import Format

MAX_ENTRIES = 1000
DEFAULT_MAX_ENTRIES = 64
"""Default of ``max_entries`` if the formats allow as many."""
MAX_STAGES = 10
STAGE_FIELDS = ("format", "options", "qualify", "boards_per_round")


@dataclasses.dataclass(frozen=True)
class StagePlan:
    format: str
    options: dict[str, Any]
    qualify: int | None = None
    """Number of entries that advance from the previous stage; None = all."""
    boards_per_round: int | None = None

    @property
    def rules(self) -> Format:
        return format_named(self.format)


def parse_stages(
    given: Sequence[Mapping[str, Any]] | None, *, sides: int, per_side: int, by_system: bool = False
) -> list[StagePlan]:
    """Return the validated stages in order; by default one, of the first suitable format.

    ``by_system`` allows formats that are not offered. Raises Invalid ``invalid_stage`` naming the stage.
    """
    stages = list(given) if given else [{"format": name} for name in formats_for(sides, per_side)[:1]]
    if len(stages) > MAX_STAGES:
        raise invalid_field(
            "stages", f"{len(stages)} stages; at most {MAX_STAGES} are played in sequence.", "invalid_stage"
        )
    planned = []
    for number, stage in enumerate(stages, 1):
        for name in stage:
            if name not in STAGE_FIELDS:
                raise _invalid_stage(
                    number, f"unknown field {quoted(name)}; fields: {', '.join(STAGE_FIELDS)}"
                )
        plan = StagePlan(
            format=str(stage.get("format", "")),
            options=dict(stage.get("options") or {}),
            qualify=_checked_count(stage, "qualify", number, 2, MAX_ENTRIES),
            boards_per_round=_checked_count(stage, "boards_per_round", number, 1, MAX_BOARDS),
        )
        if number == 1 and plan.qualify is not None:
            raise _invalid_stage(number, "qualify applies to later stages; max_entries limits the first")
        try:
            if not plan.rules.is_offered and not by_system:
                raise FormatError(
                    f"the format {plan.format!r} is for ladders and experiments, whose fixtures the system "
                    f"draws; formats: {', '.join(offered_formats())}"
                )
            plan.rules.validate(plan.options, sides=sides, per_side=per_side)
        except (LookupError, ValueError) as error:
            raise _invalid_stage(number, str(error.args[0] if error.args else error)) from None
        planned.append(plan)
    return planned


def stage_plans_of(tournament: Tournament) -> list[StagePlan]:
    return [
        StagePlan(stage.format, stage.options, stage.qualify, stage.boards_per_round)
        for stage in tournament.stages.order_by("number")
    ]


def planned_field_sizes(planned: Sequence[StagePlan], entries: int) -> list[int]:
    """Return the number of entries of each stage if the first has ``entries`` and none leaves."""
    sizes: list[int] = []
    for stage in planned:
        before = sizes[-1] if sizes else entries
        sizes.append(before if stage.qualify is None else min(stage.qualify, before))
    return sizes


def stage_refusal(
    planned: Sequence[StagePlan], entries: int, *, sides: int, per_side: int
) -> tuple[int, str]:
    """Return number and reason of the first stage that these entries do not suit; (0, "") if all suit."""
    for number, (stage, size) in enumerate(
        zip(planned, planned_field_sizes(planned, entries), strict=True), 1
    ):
        try:
            stage.rules.validate(stage.options, entries=size, sides=sides, per_side=per_side)
        except FormatError as error:
            return number, str(error)
    return 0, ""


def entry_range(
    planned: Sequence[StagePlan],
    min_entries: int | None,
    max_entries: int | None,
    *,
    sides: int,
    per_side: int,
    preset: str,
) -> tuple[int, int]:
    """Return minimum and maximum entries: as given, or as the stages allow. Raises Invalid."""
    if min_entries is not None:
        require_integer("min_entries", min_entries, 2, MAX_ENTRIES)
        if min_entries < sides:
            raise invalid_field(
                "min_entries",
                f"A table of {preset} needs {sides} entries; min_entries must be {sides} or more "
                "(or left out).",
            )
    if max_entries is not None:
        require_integer("max_entries", max_entries, 2, MAX_ENTRIES)

    def fits(entries: int) -> bool:
        return not stage_refusal(planned, entries, sides=sides, per_side=per_side)[0]

    is_given = min_entries is not None
    if min_entries is None:
        min_entries = next((n for n in range(sides, MAX_ENTRIES + 1) if fits(n)), sides)
    if max_entries is not None and max_entries < min_entries:
        if is_given:
            raise invalid_field(
                "max_entries", f"max_entries must not be less than min_entries, {min_entries}."
            )
        raise invalid_field(
            "max_entries",
            f"max_entries {max_entries} is too few: with these stages the tournament needs at least "
            f"{min_entries} entries.",
        )
    if max_entries is None:
        max_entries = next(
            (n for n in range(max(DEFAULT_MAX_ENTRIES, min_entries), min_entries, -1) if fits(n)), min_entries
        )
    for entries in (min_entries, max_entries):
        number, reason = stage_refusal(planned, entries, sides=sides, per_side=per_side)
        if number:
            raise _invalid_stage(number, reason)
    for number, (stage, size) in enumerate(
        zip(planned[1:], planned_field_sizes(planned, max_entries), strict=False), 2
    ):
        if stage.qualify is not None and stage.qualify > size:
            raise _invalid_stage(
                number, f"qualify {stage.qualify} exceeds the {size} entries that the previous stage can have"
            )
    return min_entries, max_entries


def _checked_count(stage: Mapping[str, Any], name: str, number: int, low: int, high: int) -> int | None:
    value = stage.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _invalid_stage(
            number, f"{name} must be a whole number from {low} to {high}, not {quoted(value)}"
        )
    return value


def _invalid_stage(number: int, reason: str) -> Exception:
    return Invalid(f"Stage {number}: {reason}.", "invalid_stage", field="stages", stage=number)


def needs_earlier_results(stage: Stage) -> bool:
    """Return whether a round of this stage is drawn only after the previous rounds are done."""
    return format_named(stage.format).needs_results
