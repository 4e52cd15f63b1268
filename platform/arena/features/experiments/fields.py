"""Declarations of the fields that owners set on an experiment, and of its ``stop`` action."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from arena.common.declarations import (
    ActionSpec,
    ChoiceSpec,
    FieldSpec,
    IntegerSpec,
    NumberSpec,
    specs_by_name,
)
from arena.competition.event_options import BOARD_KINDS
from arena.features.experiments.models import Experiment
from league.sequential import MIN_BOARDS

MAX_FIELD = 16
MIN_RATE, MAX_RATE = 0.001, 0.499

FIELDS: dict[str, FieldSpec] = specs_by_name(
    FieldSpec(
        name="candidate",
        label=_("New version"),
        help="The new version: one of your own, ready.",
        is_required=True,
    ),
    FieldSpec(
        name="baseline",
        label=_("Old version"),
        help="The old version: one of your own or of a public bot, ready.",
        is_required=True,
    ),
    FieldSpec(name="preset", label=_("Rules"), is_required=True),
    FieldSpec(name="ruleset", help="Options that differ from the preset's."),
    ChoiceSpec(name="board_kind", default="deal", choices=BOARD_KINDS),
    FieldSpec(name="clock"),
    FieldSpec(
        name="field",
        label=_("Against a field"),
        help=_(
            "Both versions meet all you choose, on the same boards. Without a choice they meet each other."
        ),
    ),
    NumberSpec(
        name="difference",
        label=_("Worth finding"),
        help=_("The smallest gain you care for, in stones a board. Half of it takes four times the boards."),
        default=0.2,
        least=0.001,
        most=100.0,
    ),
    NumberSpec(
        name="alpha",
        label=_("Falsely “better”"),
        help=_("How often a version that is no better may be called better; 0.05 is 5 %."),
        default=0.05,
        least=MIN_RATE,
        most=MAX_RATE,
    ),
    NumberSpec(
        name="beta",
        label=_("Better, but missed"),
        help=_("How often one that gains so much may be missed."),
        default=0.05,
        least=MIN_RATE,
        most=MAX_RATE,
    ),
    IntegerSpec(
        name="cap",
        label=_("At most so many boards"),
        help=_("Without a verdict by then it ends."),
        default=2000,
        least=MIN_BOARDS,
        most=5000,
    ),
    IntegerSpec(
        name="boards_per_batch",
        label=_("Boards of a batch"),
        help=_("Played before the test is asked again."),
        default=40,
        least=1,
        most=200,
    ),
    FieldSpec(
        name="budget_cpu_s",
        help="CPU-seconds of all its bots; after they are used, no further batch begins.",
    ),
)

STOP = ActionSpec(name="stop", states=Experiment.LIVE)

DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
