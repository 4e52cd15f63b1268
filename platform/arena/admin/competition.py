"""Stages, rounds, fields, invitations and cups in the admin. Tournaments and entries: beside it."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet
from django.http import HttpRequest

from arena.admin.actions import AdminAction, OptionalReasonForm
from arena.admin.read_only import ReadOnlyPage, link_column, rows_of
from arena.competition import models
from arena.competition.series import series_end, series_pause, series_resume
from arena.competition.services import invitation_remove


@admin.register(models.Stage)
class StageAdmin(ReadOnlyPage):
    """Stages."""

    owner_path = "tournament__organiser"
    list_display = ("event", "number", "format", "state", "rounds_closed", "qualify", "note")
    list_filter = ("state", "format")
    list_select_related = ("tournament",)
    search_fields = ("tournament__public_id", "tournament__name")
    linked_by = ("tournament__id__exact",)
    computed = ("event",)
    related = (
        ("Rounds", "competition_round", "stage__id__exact"),
        ("Field", "competition_stageentry", "stage__id__exact"),
        ("Standings", "standings_standingrow", "stage__id__exact"),
    )

    def counted(self) -> Mapping[str, Any]:
        """How many rounds there are and are closed."""
        made = models.Round.objects.filter(stage=OuterRef("pk")).order_by()
        return {
            "rounds_made": rows_of(made),
            "rounds_done": rows_of(made.filter(state=models.Round.State.CLOSED)),
        }

    event = link_column("tournament", "tournament", ordering="tournament__name", label=attrgetter("name"))
    """Of which tournament."""

    @admin.display(description="rounds closed")
    def rounds_closed(self, row: Any) -> str:
        """Of those opened."""
        return f"{row.rounds_done} of {row.rounds_made}"


@admin.register(models.Round)
class RoundAdmin(ReadOnlyPage):
    """Rounds."""

    owner_path = "stage__tournament__organiser"
    list_display = ("event", "part", "number", "public_id", "state", "opened_at", "closed_at")
    list_filter = ("state",)
    list_select_related = ("stage__tournament",)
    search_fields = ("public_id", "stage__tournament__public_id")
    date_hierarchy = "opened_at"
    linked_by = ("stage__id__exact", "stage__tournament__id__exact")
    computed = ("event", "part")
    related = (
        ("Fixtures", "matches_fixture", "board_set__round__id__exact"),
        ("Board set", "matches_boardset", "round__id__exact"),
    )

    event = link_column("stage.tournament", "tournament", label=attrgetter("name"))
    """Of which tournament."""

    part = link_column("stage", "stage", label=lambda stage: f"stage {stage.number}")
    """Of which stage."""


@admin.register(models.StageEntry)
class StageEntryAdmin(ReadOnlyPage):
    """Who plays in which stage, in seeding order."""

    owner_path = "stage__tournament__organiser"
    list_display = ("stage", "position", "who", "origin")
    list_select_related = (
        "stage__tournament",
        "entry__version__bot",
        "entry__partner_version__bot",
        "entry__tournament",
    )
    search_fields = ("entry__public_id", "stage__tournament__public_id")
    linked_by = ("stage__id__exact",)

    who = link_column("entry", "entry", label=attrgetter("bot_name"))
    """Which entry."""


@admin.register(models.Statement)
class StatementAdmin(ReadOnlyPage):
    """What events have bound themselves to."""

    owner_path = "tournament__organiser"
    list_display = ("event", "number", "kind", "at", "digest", "key")
    list_filter = ("kind",)
    list_select_related = ("tournament",)
    search_fields = ("tournament__public_id", "tournament__name", "digest")
    date_hierarchy = "at"
    linked_by = ("tournament__id__exact", "key__id__exact")
    computed = ("event",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without the private halves of the keys: they are not even read."""
        return super().get_queryset(request).select_related("key").defer("key__private")

    event = link_column("tournament", "tournament", label=attrgetter("name"))
    """Of which tournament."""


@admin.register(models.Label)
class LabelAdmin(ReadOnlyPage):
    """Names as statements hold them."""

    list_display = ("event", "subject", "text", "hash")
    list_select_related = ("tournament",)
    search_fields = ("tournament__public_id", "subject", "text", "hash")
    linked_by = ("tournament__id__exact",)
    computed = ("event",)

    event = link_column("tournament", "tournament", label=attrgetter("name"))
    """Of which tournament."""


@admin.register(models.SigningKey)
class SigningKeyAdmin(ReadOnlyPage):
    """Keys of the site; the private halves are never shown."""

    hidden = ("private", "public")
    list_display = ("name", "number", "from_at", "until")
    search_fields = ("name",)
    computed = ("public_half",)
    related = (("Statements", "competition_statement", "key__id__exact"),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without the private halves: they are not even read."""
        return super().get_queryset(request).defer("private")

    @admin.display(description="public half")
    def public_half(self, row: Any) -> str:
        """In hex, as /.well-known/rensho-key shows it."""
        return bytes(row.public).hex()


@admin.register(models.Commitment)
class CommitmentAdmin(ReadOnlyPage):
    """The queue of commitments; secrets are not shown here."""

    hidden = ("secret",)
    list_display = ("number", "digest", "posted_at", "taken_at", "event", "revealed_at", "reason")
    list_select_related = ("tournament",)
    search_fields = ("number", "digest", "tournament__public_id")
    date_hierarchy = "posted_at"
    linked_by = ("tournament__id__exact", "key__id__exact")
    computed = ("event",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without secrets and the private halves of the keys: they are not even read."""
        return super().get_queryset(request).select_related("key").defer("secret", "key__private")

    event = link_column("tournament", "tournament", label=attrgetter("name"))
    """What took it."""


@admin.register(models.ProblemReport)
class ProblemReportAdmin(ReadOnlyPage):
    """Problems that entrants reported. They are answered on the event's page of reports."""

    owner_path = "entry__tournament__organiser"
    list_display = ("entry", "reporter", "created_at", "closed_at")
    list_select_related = ("entry__tournament", "entry__version__bot", "reporter")
    search_fields = ("entry__tournament__public_id", "reporter__username")


@admin.register(models.Invitation)
class InvitationAdmin(ReadOnlyPage):
    """Who may enter a tournament that is not open to everybody."""

    owner_path = "tournament__organiser"
    list_display = ("event", "player", "created_at")
    list_select_related = ("tournament", "player")
    action_related = ("tournament", "player")
    search_fields = ("tournament__public_id", "player__handle")
    linked_by = ("tournament__id__exact",)
    admin_actions = (
        AdminAction(
            "uninvite",
            "Take back",
            "The player may not enter any more; who has entered must be withdrawn first.",
            lambda row, actor, asked: invitation_remove(row.tournament, row.player, actor),
            lambda row, actor: (
                row.tournament.state in (models.Tournament.State.DRAFT, models.Tournament.State.REGISTRATION)
            ),
        ),
    )

    event = link_column("tournament", "tournament", label=attrgetter("name"))
    """To which tournament."""


@admin.register(models.Series)
class SeriesAdmin(ReadOnlyPage):
    """Recurring cups."""

    api_path = "series/{0.public_id}"
    owner_path = "organiser"
    list_display = ("name", "public_id", "organiser", "every", "at", "state", "next_at", "editions_made")
    list_filter = ("state", "every")
    list_select_related = ("organiser",)
    staff_columns = ("organiser",)
    search_fields = ("name", "public_id", "organiser__username")
    date_hierarchy = "created_at"
    related = (
        ("Editions", "competition_tournament", "series__id__exact"),
        ("Subscriptions", "competition_subscription", "series__id__exact"),
    )
    admin_actions = (
        AdminAction(
            "pause",
            "Pause",
            "No further edition is made until it is resumed; the one that was made is played.",
            lambda series, actor, asked: series_pause(series, actor, asked["reason"]),
            lambda series, actor: series.state == models.Series.State.ACTIVE,
            form=OptionalReasonForm,
        ),
        AdminAction(
            "resume",
            "Resume",
            "It goes on with the next meeting that leaves time to enter; those in the pause are skipped.",
            lambda series, actor, asked: series_resume(series, actor),
            lambda series, actor: series.state == models.Series.State.PAUSED,
        ),
        AdminAction(
            "end",
            "End",
            "No further edition is made, for good; the one that was made is played.",
            lambda series, actor, asked: series_end(series, actor, asked["reason"]),
            lambda series, actor: series.state != models.Series.State.ENDED,
            form=OptionalReasonForm,
            is_irreversible=True,
        ),
    )

    def counted(self) -> Mapping[str, Any]:
        """The number of editions."""
        return {"editions_made": rows_of(models.Tournament.objects.filter(series=OuterRef("pk")).order_by())}

    @admin.display(description="editions", ordering="editions_made")
    def editions_made(self, row: Any) -> int:
        """How many were made."""
        return int(row.editions_made)


@admin.register(models.Subscription)
class SubscriptionAdmin(ReadOnlyPage):
    """Bots that are entered in every edition."""

    owner_path = "series__organiser"
    list_display = ("series", "bot", "partner_bot", "created_at")
    list_select_related = ("series", "bot", "partner_bot")
    search_fields = ("series__public_id", "bot__name", "bot__public_id")
    linked_by = ("series__id__exact",)
