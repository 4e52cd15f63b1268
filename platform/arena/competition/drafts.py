"""Drafts: validate the fields of a tournament, store them, and change them while its state allows it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.declarations import FieldSpec, invalid_field, require_integer
from arena.common.errors import Conflict, Forbidden, quoted
from arena.common.names import name_checked, name_normalized
from arena.common.notes import time_clause
from arena.common.states import state_change, wrong_state
from arena.common.texts import require_visible_characters
from arena.competition import event_options
from arena.competition.co_organisers import FIELD as CO_ORGANISERS
from arena.competition.co_organisers import (
    accounts_named,
    co_organiser_names,
    co_organisers_set,
    names_checked,
    require_may_name_co_organisers,
)
from arena.competition.courses import course_to_organise
from arena.competition.entries.house import house_bot_names, require_house_bots
from arena.competition.models import Entry, Series, Stage, Tournament
from arena.competition.rules import per_side_of, sides_of
from arena.competition.selectors import require_organiser
from arena.competition.stages import StagePlan, entry_range, parse_stages, stage_plans_of, stage_refusal
from arena.competition.tournament_fields import (
    DEFAULT_PASSES,
    DEFAULTS,
    EDITABLE,
    FIELDS,
    MAX_NAME_LENGTH,
    MAX_PASSES,
    MIN_PASSES,
)
from arena.competition.transitions import entrants_notify
from engine import Rules

State = Tournament.State

INTERDEPENDENT_FIELDS = (
    "name",
    "board_kind",
    "board_plan",
    "max_passes",
    "min_entries",
    "max_entries",
    "closes_at",
    "starts_at",
    "course",
)
"""Fields whose validity depends on other fields."""
INDEPENDENT_FIELDS = [
    name
    for name, field in FIELDS.items()
    if type(field) is not FieldSpec and name not in INTERDEPENDENT_FIELDS
]
MIN_CLOSING_NOTICE = timedelta(hours=1)
"""Minimum notice to entrants when entry ends earlier than announced."""


@dataclasses.dataclass(frozen=True)
class TournamentDraft:
    rules: Rules
    columns: dict[str, Any]
    stages: list[StagePlan]
    co_organisers: list[str]
    """Usernames; the accounts are not looked up yet."""
    course: str = ""
    """Public id of its course, not looked up yet; empty without one."""


def validate_draft(fields: Mapping[str, Any], *, by_system: bool = False) -> TournamentDraft:
    """Validate the fields of a draft and fill in defaults. Raises Invalid with ``extra["field"]``.

    ``by_system`` allows all formats; otherwise only those offered to organisers.
    """
    for name in fields:
        if name not in DEFAULTS:
            raise invalid_field(
                name,
                f"A tournament has no field {quoted(name)}; fields: {', '.join(DEFAULTS)}.",
                "unknown_field",
            )
    given = {**DEFAULTS, **fields}
    board_kind = given["board_kind"]
    rules = event_options.parse_rules(given["preset"], given["ruleset"], board_kind)
    sides = rules.sides
    shape = {"sides": len(sides), "per_side": len(sides[0])}
    clock = event_options.parse_clock(given["clock"])
    planned = parse_stages(given["stages"], **shape, by_system=by_system)
    least, most = entry_range(
        planned, given["min_entries"], given["max_entries"], preset=given["preset"], **shape
    )
    columns = {
        "name": name_normalized("name", str(given["name"]), MAX_NAME_LENGTH),
        "game": rules.game.key,
        "preset": given["preset"],
        "ruleset": rules.ruleset.as_dict(),
        "rules_version": rules.game.rules_version,
        "board_kind": board_kind,
        **{name: FIELDS[name].checked(given[name]) for name in INDEPENDENT_FIELDS},
        **_checked_board_plan(given, planned),
        "house_bots": house_bot_names(given["house_bots"]),
        "clock": clock,
        "tie_breaks": event_options.parse_tie_breaks(given["tie_breaks"]),
        "min_entries": least,
        "max_entries": most,
        **_checked_times(given["closes_at"], given["starts_at"]),
    }
    event_options.require_playable(rules, clock)
    course = FIELDS["course"].checked((given["course"] or "").strip())
    if course:
        columns["visibility"] = Tournament.Visibility.PRIVATE
    return TournamentDraft(rules, columns, planned, names_checked(given[CO_ORGANISERS]), course)


def require_valid_input(fields: Mapping[str, Any]) -> None:
    """Raise Invalid for invisible characters or a past ``closes_at``; for new input only."""
    require_valid_texts(fields)
    closes_at = fields.get("closes_at")
    if closes_at is not None and closes_at <= timezone.now():
        raise invalid_field(
            "closes_at",
            f"closes_at {closes_at:%Y-%m-%d %H:%M} UTC has passed; entry would end before it "
            "begins. Set a later time.",
        )


def require_valid_texts(fields: Mapping[str, Any]) -> None:
    """Raise Invalid if the name or the description has invisible characters."""
    if isinstance(name := fields.get("name"), str):
        name_checked("name", name, MAX_NAME_LENGTH)
    if isinstance(text := fields.get("description"), str):
        require_visible_characters("description", text)


def fields_of(tournament: Tournament) -> dict[str, Any]:
    """Return the fields from which a draft like this tournament is made. At most four queries."""
    lookups = ("stages", "course", CO_ORGANISERS)
    fields = {name: getattr(tournament, name) for name in DEFAULTS if name not in lookups}
    fields["course"] = tournament.course.public_id if tournament.course else ""
    fields[CO_ORGANISERS] = co_organiser_names(tournament)
    fields["stages"] = [
        {name: getattr(stage, name) for name in ("format", "options", "qualify", "boards_per_round")}
        for stage in tournament.stages.order_by("number")
    ]
    return fields


def tournament_create(
    organiser: User,
    *,
    name: str,
    preset: str,
    series: Series | None = None,
    edition: int | None = None,
    **fields: Any,
) -> Tournament:
    """Create a draft with frozen rules and a random secret. ``fields``: see ``DEFAULTS``.

    By default it is played in the first format that suits its sides, with at least one table's entries.
    Raises Forbidden, and Invalid with ``extra["field"]``.
    """
    if not (organiser.is_organiser or organiser.is_staff):
        raise Forbidden(
            "This account may not organise tournaments; ask the operator.",
            "organiser_role_required",
        )
    given = {"name": name, "preset": preset, **fields}
    if series is None:  # the template of a series was checked before
        require_valid_input(given)
    planned = validate_draft(given)
    require_house_bots(planned.rules.game.key, planned.columns["house_bots"])
    accounts = accounts_named(planned.co_organisers, organiser)
    course = course_to_organise(planned.course, organiser)
    return tournament_store(organiser, planned, accounts, series=series, edition=edition, course=course)


@transaction.atomic
def tournament_store(
    organiser: User, planned: TournamentDraft, co_organisers: Sequence[User] = (), **columns: Any
) -> Tournament:
    tournament = Tournament.objects.create(organiser=organiser, **planned.columns, **columns)
    _stages_store(tournament, planned)
    named: dict[str, Any] = {}
    if co_organisers:
        named[CO_ORGANISERS] = [user.username for user in co_organisers]
    audit(organiser, "create", tournament, name=tournament.name, preset=tournament.preset, **named)
    if co_organisers:
        co_organisers_set(tournament, co_organisers, organiser)
    return tournament


@transaction.atomic
def tournament_update(tournament: Tournament, actor: User, **changes: Any) -> None:
    """Change fields that the state allows (``EDITABLE``): all of a draft, later description, times and
    budget.

    Raises Forbidden, also ``lead_organiser_only``; Conflict ``wrong_state`` with state, field and editable
    fields; Invalid with ``extra["field"]``.
    """
    require_organiser(actor, tournament)
    for field in changes:
        if field not in DEFAULTS:
            raise invalid_field(
                field,
                f"A tournament has no field {quoted(field)}; fields: {', '.join(DEFAULTS)}.",
                "unknown_field",
            )
    tournament.refresh_from_db()
    require_editable(tournament, changes)
    if tournament.state == State.DRAFT:
        require_valid_input(changes)
    else:
        require_valid_texts(changes)
    before = fields_of(tournament)
    named = None
    if CO_ORGANISERS in changes:
        require_may_name_co_organisers(tournament, actor, changes[CO_ORGANISERS])
        changes[CO_ORGANISERS] = names_checked(changes[CO_ORGANISERS])
        known = list(tournament.co_organisers.all())
        named = accounts_named(changes[CO_ORGANISERS], tournament.organiser, known)
    if tournament.state == State.DRAFT:
        merged = {**before, **changes}
        if "preset" in changes and "ruleset" not in changes:
            merged["ruleset"] = None
        if "board_plan" in changes and "max_passes" not in changes:
            merged["max_passes"] = None
        planned = validate_draft(merged)
        columns = planned.columns
        if "house_bots" in changes or "preset" in changes:
            require_house_bots(columns["game"], columns["house_bots"])
        if planned.course != before["course"]:
            columns["course"] = course_to_organise(planned.course, actor)
    else:
        planned = None
        columns = _columns_after_draft(tournament, changes)
    # A conditional UPDATE: a concurrent lock finds either all old or all new fields.
    if not state_change(
        tournament, "state", tournament.state, tournament.state, revision=F("revision") + 1, **columns
    ):
        tournament.refresh_from_db()
        raise wrong_state(tournament, "change", list(EDITABLE))
    if planned is not None and "stages" in changes:
        tournament.stages.all().delete()
        _stages_store(tournament, planned)
    if named is not None:
        co_organisers_set(tournament, named, actor)
    audit(
        actor,
        "update",
        tournament,
        {field: _audit_value(before[field]) for field in changes},
        **{field: _audit_value(changes[field]) for field in changes},
    )
    closes_at = columns.get("closes_at")
    if "closes_at" in changes and tournament.state == State.OPEN and closes_at != before["closes_at"]:
        note = time_clause("entry_until", closes_at) or {"code": "entry_open_end"}
        entrants_notify(tournament, {**note, "tournament": tournament.name}, exclude=actor)


def require_editable(tournament: Tournament, fields: Mapping[str, Any]) -> None:
    """Raise Conflict ``wrong_state`` unless all these fields can be changed in the tournament's state."""
    allowed = EDITABLE.get(tournament.state, ())
    for field in fields:
        if field in allowed:
            continue
        may = f"changeable now: {', '.join(allowed)}" if allowed else "nothing can be changed any more"
        raise Conflict(
            f"Cannot change {field} of this tournament: it is {tournament.state}; {may}.",
            "wrong_state",
            state=tournament.state,
            field=field,
            allowed_states=[state for state, names in EDITABLE.items() if field in names],
            allowed_fields=list(allowed),
        )


def _columns_after_draft(tournament: Tournament, changes: Mapping[str, Any]) -> dict[str, Any]:
    if tournament.course_id and changes.get("visibility") == Tournament.Visibility.PUBLIC:
        raise invalid_field("visibility", "A course's tournament is always private.", "course_private")
    columns = {name: value for name, value in changes.items() if name != CO_ORGANISERS}
    columns |= {name: FIELDS[name].checked(changes[name]) for name in INDEPENDENT_FIELDS if name in changes}
    if "closes_at" in changes or "starts_at" in changes:
        closes_at = changes.get("closes_at", tournament.closes_at)
        _checked_times(closes_at, changes.get("starts_at", tournament.starts_at))
        _require_notice(tournament.closes_at, closes_at)
    if "max_entries" in changes:
        _require_room(tournament, changes["max_entries"])
    return columns


def _require_notice(before: datetime | None, after: datetime | None) -> None:
    """Raise Invalid if entry would end earlier than announced, within ``MIN_CLOSING_NOTICE``."""
    if after is None or after == before or (before is not None and after >= before):
        return
    soonest = timezone.now() + MIN_CLOSING_NOTICE
    if after < soonest:
        raise invalid_field(
            "closes_at",
            f"Entry is open: it may end at {soonest:%Y-%m-%d %H:%M} UTC at the earliest, so that "
            "entrants have an hour's notice; or lock it now.",
        )


def _require_room(tournament: Tournament, most: Any) -> None:
    FIELDS["max_entries"].checked(most)
    present = tournament.entries.filter(status__in=Entry.ACTIVE).count()
    if most < max(present, tournament.min_entries):
        raise invalid_field(
            "max_entries",
            f"max_entries must not be less than the {present} entered, nor than min_entries, "
            f"{tournament.min_entries}.",
        )
    sides, per_side = len(sides_of(tournament)), per_side_of(tournament)
    number, reason = stage_refusal(stage_plans_of(tournament), most, sides=sides, per_side=per_side)
    if number:
        raise invalid_field("max_entries", f"Stage {number}: {reason}.", "invalid_stage")


def _stages_store(tournament: Tournament, planned: TournamentDraft) -> None:
    Stage.objects.bulk_create(
        Stage(
            tournament=tournament,
            number=number,
            format=stage.format,
            options=stage.options,
            qualify=stage.qualify,
            boards_per_round=stage.boards_per_round,
        )
        for number, stage in enumerate(planned.stages, 1)
    )


def _checked_times(closes_at: datetime | None, starts_at: datetime | None) -> dict[str, Any]:
    if closes_at and starts_at and starts_at < closes_at:
        raise invalid_field("starts_at", "starts_at must not be before closes_at.")
    return {"closes_at": closes_at, "starts_at": starts_at}


def _checked_board_plan(given: Mapping[str, Any], planned: list[StagePlan]) -> dict[str, Any]:
    board_plan = FIELDS["board_plan"].checked(given["board_plan"])
    passes = given["max_passes"]
    if board_plan == Tournament.BoardPlan.FIXED:
        if passes not in (None, 1):
            raise invalid_field(
                "max_passes",
                f"max_passes {passes!r}: a fixed board plan is played once. For more passes, set "
                "board_plan to until_separated.",
            )
        return {"board_plan": board_plan, "max_passes": 1}
    if not any(stage.rules.repeats for stage in planned):
        names = ", ".join(sorted(stage.format for stage in planned))
        raise invalid_field(
            "board_plan",
            f"until_separated repeats a schedule, but {names} cannot be repeated; "
            f"formats: {', '.join(event_options.formats_repeating())}.",
            "not_repeatable",
        )
    most = DEFAULT_PASSES if passes is None else require_integer("max_passes", passes, MIN_PASSES, MAX_PASSES)
    return {"board_plan": board_plan, "max_passes": most}


def _audit_value(value: Any) -> Any:
    return value if isinstance(value, str | int | list | dict | None) else str(value)
