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
        help="The new version: a ready version of your own.",
        is_required=True,
    ),
    FieldSpec(
        name="baseline",
        label=_("Old version"),
        help="The old version: a ready version of your own or of a public bot.",
        is_required=True,
    ),
    FieldSpec(name="preset", label=_("Rules"), is_required=True),
    FieldSpec(name="ruleset", help="Options that differ from the preset's."),
    ChoiceSpec(name="board_kind", default="deal", choices=BOARD_KINDS),
    FieldSpec(name="clock"),
    FieldSpec(
        name="field",
        label=_("Opponents"),
        help=_(
            "Both versions play the same boards against every opponent you choose. If you choose "
            "none, they play each other."
        ),
    ),
    NumberSpec(
        name="difference",
        label=_("Smallest gain to detect"),
        help=_("In stones per board. Detecting half the gain takes four times as many boards."),
        default=0.2,
        least=0.001,
        most=100.0,
    ),
    NumberSpec(
        name="alpha",
        label=_("False positive rate"),
        help=_("Probability of accepting a version that is not better. 0.05 means 5%."),
        default=0.05,
        least=MIN_RATE,
        most=MAX_RATE,
    ),
    NumberSpec(
        name="beta",
        label=_("False negative rate"),
        help=_("Probability of missing a version that is better by the smallest gain to detect."),
        default=0.05,
        least=MIN_RATE,
        most=MAX_RATE,
    ),
    IntegerSpec(
        name="cap",
        label=_("Maximum boards"),
        help=_("If there is no verdict after this many boards, the experiment ends undecided."),
        default=2000,
        least=MIN_BOARDS,
        most=5000,
    ),
    IntegerSpec(
        name="boards_per_batch",
        label=_("Boards per batch"),
        help=_("The result is tested after each batch."),
        default=40,
        least=1,
        most=200,
    ),
    FieldSpec(
        name="budget_cpu_s",
        help="Maximum CPU-seconds of all its bots; no batch starts after they are used.",
    ),
)

STOP = ActionSpec(name="stop", states=Experiment.LIVE)

DEFAULTS: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
