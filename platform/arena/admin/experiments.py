"""Experiments in the admin: asked for by authors, gone on with by the system, never edited; for staff."""

from __future__ import annotations

from django.contrib import admin

from arena.admin.read_only import ReadOnlyPage, link_column
from arena.experiments.models import Batch, Experiment, Opponent


@admin.register(Experiment)
class ExperimentAdmin(ReadOnlyPage):
    """Experiments."""

    list_display = (
        "public_id",
        "owner",
        "new",
        "old",
        "preset",
        "state",
        "end_code",
        "boards",
        "evidence",
        "cpu_ms_spent",
        "created_at",
    )
    list_filter = ("state", "end_code", "preset", "is_field")
    list_select_related = ("owner", "candidate__bot", "baseline__bot")
    search_fields = ("public_id", "owner__username", "candidate__bot__name", "baseline__bot__name")
    linked_by = ("owner__id__exact",)
    related = (
        ("Batches", "experiments_batch", "experiment__id__exact"),
        ("Opponents", "experiments_opponent", "experiment__id__exact"),
    )

    new = link_column("candidate", "candidate")
    """Which version is tested."""
    old = link_column("baseline", "baseline")
    """Against which."""


@admin.register(Batch)
class BatchAdmin(ReadOnlyPage):
    """Batches of boards."""

    list_display = ("experiment", "number", "event", "boards", "state", "counted", "reason")
    list_filter = ("state",)
    list_select_related = ("experiment__candidate__bot", "experiment__baseline__bot", "tournament")
    search_fields = ("experiment__public_id", "tournament__public_id")
    linked_by = ("experiment__id__exact",)

    event = link_column("tournament", "tournament")
    """The tournament it is played as."""


@admin.register(Opponent)
class OpponentAdmin(ReadOnlyPage):
    """Whom the versions meet."""

    list_display = ("experiment", "number", "who")
    list_select_related = ("experiment__candidate__bot", "experiment__baseline__bot", "version__bot")
    search_fields = ("experiment__public_id", "version__public_id", "version__bot__name")
    linked_by = ("experiment__id__exact",)

    who = link_column("version", "version")
    """Which version."""
