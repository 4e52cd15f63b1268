"""Fields of a tournament, declared once for API, forms and services."""

from __future__ import annotations

from typing import Any

from arena.common.declarations import (
    ChoiceSpec,
    DateTimeSpec,
    FieldSpec,
    IntegerSpec,
    TextSpec,
    fields_by_state,
    specs_by_name,
)
from arena.competition.event_options import BOARD_KINDS, FAULT_POLICIES, MAX_BOARDS, SCORINGS
from arena.competition.models import Tournament
from arena.competition.reviews import MAX_REVIEW_HOURS
from arena.competition.stages import MAX_ENTRIES

State = Tournament.State

DRAFT = (State.DRAFT,)
ENTRY = (State.DRAFT, State.OPEN)
BEFORE_START = (*ENTRY, State.LOCKED)
UNTIL_PLAYED = (*BEFORE_START, State.RUNNING, State.PAUSED)
UNTIL_FINAL = (*UNTIL_PLAYED, State.PROVISIONAL)
UNTIL_ARCHIVED = (*UNTIL_FINAL, State.FINAL)

MAX_NAME_LENGTH = 100
MAX_PASSES = 100
MIN_PASSES = 2
DEFAULT_PASSES = 10

FIELDS: dict[str, FieldSpec] = specs_by_name(
    TextSpec(
        name="name",
        label="Name",
        help="Shown to spectators.",
        default="",
        is_required=True,
        most=MAX_NAME_LENGTH,
        states=DRAFT,
    ),
    FieldSpec(name="preset", label="Game and rules", default="", is_required=True, states=DRAFT),
    FieldSpec(name="ruleset", help="Options that differ from the preset's.", states=DRAFT),
    ChoiceSpec(
        name="board_kind",
        label="Board kind",
        help="A deal board is one deal; a game board is a whole game.",
        default="deal",
        choices=BOARD_KINDS,
        states=DRAFT,
    ),
    IntegerSpec(
        name="boards_per_round",
        label="Boards per round",
        help="More boards reduce the influence of luck, but take longer.",
        default=16,
        least=1,
        most=MAX_BOARDS,
        states=DRAFT,
    ),
    ChoiceSpec(
        name="board_plan",
        label="Board plan",
        help=(
            "until_separated repeats the schedule until neighbours in the standings differ significantly, "
            "max_passes is reached or the budget is used up."
        ),
        default=Tournament.BoardPlan.FIXED,
        choices=dict(Tournament.BoardPlan.choices),
        states=DRAFT,
    ),
    IntegerSpec(
        name="max_passes",
        label="Maximum repetitions",
        help=f"At least {MIN_PASSES} for until_separated (empty: {DEFAULT_PASSES}), otherwise 1.",
        least=1,
        most=MAX_PASSES,
        states=DRAFT,
    ),
    IntegerSpec(
        name="budget_cpu_s",
        label="CPU budget (seconds)",
        help="CPU-seconds of all bots together, after which the tournament is paused. Empty: no limit.",
        least=1,
        most=1_000_000_000,
        states=UNTIL_FINAL,
    ),
    FieldSpec(
        name="stages",
        help="Default: one stage of the first format that fits the preset.",
        states=DRAFT,
    ),
    FieldSpec(
        name="clock", help="A bot's time limits in ms. Missing fields keep their defaults.", states=DRAFT
    ),
    TextSpec(
        name="description",
        label="Description",
        help="Can be changed until the tournament is archived.",
        default="",
        most=4000,
        is_long=True,
        states=UNTIL_ARCHIVED,
    ),
    ChoiceSpec(
        name="visibility",
        label="Visibility",
        default=Tournament.Visibility.PUBLIC,
        choices=dict(Tournament.Visibility.choices),
        states=ENTRY,
    ),
    TextSpec(
        name="course",
        label="Course",
        help="Id of a course that you own. Only its members can see and enter the tournament. It is always "
        "private.",
        default="",
        most=16,
        states=DRAFT,
    ),
    ChoiceSpec(
        name="fault_policy",
        label="Bot faults",
        default="substitute",
        choices=FAULT_POLICIES,
        states=DRAFT,
    ),
    FieldSpec(
        name="tie_breaks",
        help="Applied in order; remaining ties are decided by lot. head_to_head may be listed twice: the "
        "second one (value head_to_head_2) compares only the entries that are still tied.",
        states=DRAFT,
    ),
    ChoiceSpec(name="scoring", label="Scoring", default="match_points", choices=SCORINGS, states=DRAFT),
    ChoiceSpec(
        name="entry_policy",
        label="Who can enter",
        default=Tournament.EntryPolicy.OPEN,
        choices=dict(Tournament.EntryPolicy.choices),
        states=DRAFT,
    ),
    IntegerSpec(
        name="entries_per_player", label="Entries per player", default=1, least=1, most=1000, states=DRAFT
    ),
    FieldSpec(
        name="house_bots",
        label="House bots",
        help="Names of house bots that enter when entry opens. They need no invitation, and the entries "
        "per player do not limit them.",
        default=[],
        states=DRAFT,
    ),
    IntegerSpec(
        name="min_entries",
        label="Minimum entries",
        help=(
            "If there are fewer entries when entry ends, the tournament is cancelled. Empty: enough "
            "for one table."
        ),
        least=2,
        most=MAX_ENTRIES,
        states=DRAFT,
    ),
    IntegerSpec(
        name="max_entries",
        label="Maximum entries",
        help="Empty: the maximum of the stages.",
        least=2,
        most=MAX_ENTRIES,
        states=ENTRY,
    ),
    IntegerSpec(
        name="quarantine_hours",
        label="Quarantine (hours)",
        help="If platform faults prevent a fixture from being played for this many hours, it becomes void.",
        default=24,
        least=0,
        most=720,
        states=UNTIL_FINAL,
    ),
    IntegerSpec(
        name="review_hours",
        label="Review (hours)",
        help="Results stay provisional for this many hours after the last round, so that entrants can "
        "report problems and organisers can make rulings. 0: no review.",
        default=0,
        least=0,
        most=MAX_REVIEW_HOURS,
        states=UNTIL_PLAYED,
    ),
    DateTimeSpec(
        name="closes_at",
        label="Entry ends",
        help="Empty: the organiser locks the field.",
        states=ENTRY,
    ),
    DateTimeSpec(
        name="starts_at",
        label="Play starts",
        help="Earliest start after the lock. Empty: the organiser starts the tournament.",
        needs_time=True,
        states=BEFORE_START,
    ),
    FieldSpec(
        name="co_organisers",
        label="Additional organisers",
        help="Usernames, shown on the tournament's page. These users can do everything except name "
        "organisers and cancel the tournament. If the organiser enters a bot, only they "
        "and staff can make rulings.",
        default=[],
        states=UNTIL_FINAL,
    ),
)

DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
"""Defaults by field; ``name`` and ``preset`` are required."""

EDITABLE = fields_by_state(FIELDS, State.values)
"""Editable fields by state. Fields bound by a published statement are not included."""
