"""Fixtures and tables in the admin: ruled on, sent back, played again."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from arena.admin.actions import AdminAction, ReasonForm
from arena.admin.read_only import ReadOnlyPage, joined, link_column, row_link
from arena.competition.impartiality import has_interest
from arena.competition.models import Tournament
from arena.competition.selectors import may_organise
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import IN_PLAY, fixture_adjudicate
from arena.matches.leases import table_retry
from arena.matches.models import Adjudication, BoardSet, Fixture, Table
from arena.matches.reruns import table_rerun

ROUND = "board_set__round__stage__tournament"
State = Table.State


class RulingForm(ReasonForm):
    """What is ruled on a fixture."""

    kind = forms.ChoiceField(choices=Adjudication.Kind.choices, widget=forms.RadioSelect)
    entries = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Who forfeits; for the other rulings, none.",
    )
    field_order = ("kind", "entries", "reason")

    def __init__(self, rows: Sequence[Fixture], data: Any = None) -> None:
        super().__init__(rows, data)
        sides = rows[0].sides.select_related("entry__version__bot", "entry__partner_version__bot")
        self.fields["entries"].choices = [  # type: ignore[attr-defined]
            (side.entry.public_id, side.entry.bot_name) for side in sides.order_by("position")
        ]


def _may_rule(fixture: Fixture, actor: Any) -> bool:
    """Whether its tournament is in play and the account runs it, without an entry in it."""
    return fixture.tournament.state in IN_PLAY and _is_impartial(actor, fixture.tournament)


def _is_impartial(actor: Any, tournament: Tournament) -> bool:
    return may_organise(actor, tournament) and not has_interest(actor, tournament)


def _adjudicate(fixture: Fixture, actor: Any, asked: Any) -> None:
    fixture_adjudicate(fixture, actor, asked["kind"], asked["entries"], asked["reason"])
    tournament_advance(fixture.tournament)


def _retry(table: Table, actor: Any, asked: Any) -> None:
    table_retry(table, actor)
    tournament_advance(table.tournament)


def _rerun(table: Table, actor: Any, asked: Any) -> None:
    table_rerun(table, actor, asked["reason"])
    tournament_advance(table.tournament)


class Stands(admin.SimpleListFilter):
    """Where a fixture stands: how it ended only once its boards are closed, or for staff."""

    title = "state"
    parameter_name = "stands"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The states, and ``done``."""
        return [(state, state) for state in ("open", "done", "settled", "forfeited", "void")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Those that stand so, as far as the viewer may know."""
        wanted = self.value()
        if wanted is None:
            return queryset
        if wanted == "done":
            return queryset.filter(state__in=Fixture.DONE)
        found = queryset.filter(state=wanted)
        is_known = wanted == "open" or bool(getattr(request.user, "is_staff", False))
        return found if is_known else found.filter(board_set__state=BoardSet.State.CLOSED)


@admin.register(Fixture)
class FixtureAdmin(ReadOnlyPage):
    """Fixtures. While their boards are open an organiser sees that one is done, not how it ended."""

    api_path = "fixtures/{0.public_id}"
    owner_path = "tournament__organiser"
    seal_path = "board_set__state"
    sealed = ("state", "reason", "done_at")
    list_display = (
        "public_id",
        "event",
        "played_in",
        "number",
        "who",
        "stands",
        "why",
        "tables_done",
        "same_owner",
        "ended",
    )
    list_filter = (Stands, "same_owner")
    list_select_related = (ROUND, "tournament")
    action_related = (ROUND, "tournament")
    search_fields = ("public_id", "tournament__public_id")
    ordering = ("-id",)
    linked_by = ("tournament__id__exact", "board_set__id__exact", "board_set__round__id__exact")
    computed = ("event", "played_in", "who", "stands")
    related = (
        ("Tables", "matches_table", "fixture__id__exact"),
        ("Sides", "matches_fixtureentry", "fixture__id__exact"),
        ("Scores", "standings_boardscore", "fixture__id__exact"),
        ("Rulings", "matches_adjudication", "fixture__id__exact"),
    )
    admin_actions = (
        AdminAction(
            "adjudicate",
            "Rule on it",
            "Decides what counts of this fixture: a forfeit by some of its entries, a draw, nothing at all, "
            "or its results as played. Tables not yet played are cancelled. Rounds already drawn keep their "
            "pairings; scores and standings are computed again. The last ruling holds.",
            _adjudicate,
            _may_rule,
            form=RulingForm,
            for_many=False,
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """With its tables and sides at hand."""
        return (
            super()
            .get_queryset(request)
            .prefetch_related(
                "sides__entry__version__bot",
                "sides__entry__partner_version__bot",
                Prefetch("tables", Table.objects.only("fixture", "state").order_by("pk")),
            )
        )

    event = link_column("tournament", "tournament")
    """Of which tournament."""

    played_in = link_column(
        "board_set.round", "round", label=lambda played: f"{played.stage.number}.{played.number}"
    )
    """Of which round."""

    @admin.display(description="entries")
    def who(self, row: Any) -> str:
        """Who meets."""
        return " – ".join(side.entry.bot_name for side in row.sides.all())

    @admin.display(description="state")
    def stands(self, row: Any) -> str:
        """Its state; ``done`` while how it ended is sealed."""
        return "done" if row.is_sealed_here and row.state in Fixture.DONE else str(row.state)

    @admin.display(description="reason")
    def why(self, row: Any) -> str:
        """Why it is void or was ruled on."""
        return "" if row.is_sealed_here else str(row.reason)

    @admin.display(description="done at", empty_value="-")
    def ended(self, row: Any) -> datetime.datetime | None:
        """When it was done: while its boards are open that tells of forfeits."""
        return None if row.is_sealed_here else row.done_at

    @admin.display(description="tables")
    def tables_done(self, row: Any) -> str:
        """Played, of all."""
        states = [table.state for table in row.tables.all()]
        return f"{states.count(State.FINISHED)} of {len(states)}"


@admin.register(Table)
class TableAdmin(ReadOnlyPage):
    """Tables: who plays them, how far they are, why they failed. The fence is a worker's pass: hidden."""

    api_path = "tables/{0.public_id}"
    owner_path = "tournament__organiser"
    seal_path = "fixture__board_set__state"
    hidden = ("fence",)
    sealed = (
        *("started_at", "finished_at", "state_at"),
        *("decisions", "record_sha256", "timings_sha256", "view_sha256", "notes_sha256", "notes_state"),
    )
    list_display = (
        "public_id",
        "event",
        "meeting",
        "rotation",
        "first_board",
        "state",
        "since",
        "attempt",
        "reruns",
        "worker",
        "waiting_for",
        "reason",
    )
    list_filter = ("state",)
    list_select_related = (f"fixture__{ROUND}", "tournament")
    action_related = (f"fixture__{ROUND}", "tournament")
    search_fields = ("public_id", "fixture__public_id", "tournament__public_id", "worker")
    ordering = ("-id",)
    linked_by = ("tournament__id__exact", "fixture__id__exact")
    computed = ("event", "meeting", "who")
    related = (
        ("Seats", "matches_tableseat", "table__id__exact"),
        ("Results", "matches_boardresult", "table__id__exact"),
    )
    admin_actions = (
        AdminAction(
            "retry",
            "Send back to waiting",
            "Plays a quarantined table again once the fault of the platform is repaired. It gets all its "
            "attempts back.",
            _retry,
            lambda table, actor: (
                table.state == State.QUARANTINED
                and table.fixture.state == Fixture.State.OPEN
                and may_organise(actor, table.tournament)
            ),
        ),
        AdminAction(
            "rerun",
            "Play it again",
            "Plays a finished table again from the start. Its results are deleted; the audit trail keeps the "
            "hash of its record. If a later round was already drawn from it, rule on the fixture instead.",
            _rerun,
            lambda table, actor: (
                table.state == State.FINISHED
                and table.tournament.state in IN_PLAY
                and _is_impartial(actor, table.tournament)
            ),
            form=ReasonForm,
            is_irreversible=True,
        ),
    )

    event = link_column("tournament", "tournament")
    """Of which tournament."""

    meeting = link_column("fixture", "fixture")
    """Of which fixture."""

    @admin.display(description="since", empty_value="-")
    def since(self, row: Any) -> datetime.datetime | None:
        """When it came into its state: of a table that ended while its boards are open, that tells how."""
        is_kept_back = row.is_sealed_here and row.state == State.FINISHED
        return None if is_kept_back else row.state_at

    @admin.display(description="seats")
    def who(self, row: Any) -> SafeString | str:
        """Which version sits where."""
        seats = row.seats.select_related("version__bot").order_by("seat")
        return joined(
            row_link(row, seat.version, f"{seat.seat}: {seat.version}", public=seat.version.page)
            for seat in seats
        )
