"""Tournaments in the admin: made, changed and run by their organisers. The secret is never shown here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Min, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena.accounts.models import AuditEvent, User
from arena.admin.actions import AdminAction, ConfirmForm, OptionalReasonForm, ReasonForm
from arena.admin.read_only import ReadOnlyPage, joined, row_link, rows_of, rows_url
from arena.admin.site import is_organiser, is_staff
from arena.admin.tournament_form import FORM_ORDER, SECTIONS, TournamentForm, hours_since, plan_of
from arena.common.errors import ArenaError
from arena.competition import services
from arena.competition.invitations import player_named
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import fields_now, verbs_now
from arena.jobs import flow
from arena.matches.leases import tables_retry
from arena.matches.models import Fixture, Table

MOST_AUDIT_LINES = 12
STANDS = ("state", "state_reason", "state_at", "organiser", "played_in", "cpu_ms_spent", "done_lately")
"""What the head of a tournament's page says."""


class InvitationForm(ConfirmForm):
    """Whom to invite."""

    players = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4, "cols": 40}),
        help_text="Handles, one a line or with blanks between.",
    )


def _action(
    key: str,
    label: str,
    description: str,
    service: Callable[[Tournament, Any, Any], object],
    form: type[ConfirmForm] = ConfirmForm,
    *,
    is_irreversible: bool = False,
) -> AdminAction:
    """A verb of a tournament: the service, and what follows from it at once."""

    def act(tournament: Tournament, actor: Any, asked: Any) -> None:
        service(tournament, actor, asked)
        flow.tournament_advance(tournament)

    return AdminAction(
        key,
        label,
        description,
        act,
        lambda row, actor: key in verbs_now(row, actor),
        form=form,
        is_irreversible=is_irreversible,
    )


def _invite(tournament: Tournament, actor: Any, asked: Any) -> None:
    for handle in asked["players"].replace(",", " ").split():
        services.invitation_add(tournament, player_named(handle), actor)


ACTIONS = (
    _action(
        "open",
        "Open registration",
        "Entries are taken from now on, and the commitment to the deals is published. Rules cannot be "
        "changed any more.",
        lambda row, actor, asked: services.tournament_open(row, actor),
    ),
    _action(
        "invite",
        "Invite players",
        "They may enter, and see it if it is private. They are told once registration is open.",
        _invite,
        InvitationForm,
    ),
    _action(
        "lock",
        "Lock the field",
        "Registration ends, pairs nobody confirmed are void, the field and its digest are published. Every "
        "deal is fixed by that.",
        lambda row, actor, asked: services.tournament_lock(row, actor),
        is_irreversible=True,
    ),
    _action(
        "start",
        "Start",
        "The first round opens and tables are played as workers are free.",
        lambda row, actor, asked: services.tournament_start(row, actor),
    ),
    _action(
        "pause",
        "Pause",
        "No further table starts; those being played are played to their end. After 30 days it is cancelled.",
        lambda row, actor, asked: services.tournament_pause(row, actor, asked["reason"]),
        OptionalReasonForm,
    ),
    _action(
        "resume",
        "Resume",
        "It goes on where it was paused.",
        lambda row, actor, asked: services.tournament_resume(row, actor),
    ),
    _action(
        "close_early",
        "End it with the rounds closed so far",
        "Its stages end, what was played is audited and its standings are the result. Open fixtures must be "
        "played, or ruled on, first.",
        lambda row, actor, asked: flow.tournament_close_early(row, actor, asked["reason"]),
        OptionalReasonForm,
        is_irreversible=True,
    ),
    _action(
        "retry_tables",
        "Send all tables held up back to waiting",
        "Every table quarantined after faults of the platform, or waiting for another attempt after one, is "
        "tried again with all its attempts. Tables of void fixtures stay as they are.",
        lambda row, actor, asked: tables_retry(row, actor),
    ),
    _action(
        "finalise",
        "Audit now",
        "Everything is derived again from the records; if all agrees it is final and its secret is shown. "
        "This happens by itself too.",
        lambda row, actor, asked: flow.tournament_finalise(row, actor),
    ),
    _action(
        "archive",
        "Archive",
        "It is put away and stays readable.",
        lambda row, actor, asked: services.tournament_archive(row, actor),
    ),
    _action(
        "cancel",
        "Cancel the tournament",
        "What is open becomes void, its boards are unsealed and its secret is shown. Entrants are told.",
        lambda row, actor, asked: flow.tournament_cancel(row, actor, asked["reason"]),
        ReasonForm,
        is_irreversible=True,
    ),
)
"""Every verb of a tournament. States that allow it: ``competition.permissions.VERBS``."""


@admin.register(Tournament)
class TournamentAdmin(ReadOnlyPage):
    """Tournaments: an organiser's own, all for staff."""

    form = TournamentForm
    owner_path = "organiser"
    hidden = ("secret",)
    staff_columns = ("organiser",)
    admin_actions = ACTIONS
    action_related = ("organiser",)
    list_display = (
        "name",
        "public_id",
        "organiser",
        "preset",
        "state",
        "since",
        "entered",
        "progress",
        "oldest_waiting",
        "budget",
        "closes_at",
        "starts_at",
    )
    list_filter = ("state", "preset", "visibility", "kind", ("series", admin.EmptyFieldListFilter))
    list_select_related = ("organiser",)
    search_fields = ("name", "public_id", "organiser__username")
    date_hierarchy = "created_at"
    linked_by = ("series__id__exact",)
    computed = ("played_in", "done_lately")
    related = (
        ("Entries", "competition_entry", "tournament__id__exact"),
        ("Invitations", "competition_invitation", "tournament__id__exact"),
        ("Stages", "competition_stage", "tournament__id__exact"),
        ("Rounds", "competition_round", "stage__tournament__id__exact"),
        ("Fixtures", "matches_fixture", "tournament__id__exact"),
        ("Tables", "matches_table", "tournament__id__exact"),
        ("Rulings", "matches_adjudication", "fixture__tournament__id__exact"),
        ("Standings", "standings_standingrow", "stage__tournament__id__exact"),
    )

    def counted(self) -> Mapping[str, Any]:
        """Entries, progress and waiting, for the rows shown alone."""
        entries = Entry.objects.filter(tournament=OuterRef("pk"), status=Entry.Status.ENTERED).order_by()
        fixtures = Fixture.objects.filter(tournament=OuterRef("pk")).order_by()
        waiting = Table.objects.filter(tournament=OuterRef("pk"), state=Table.State.WAITING).order_by()
        oldest = waiting.values("tournament").annotate(oldest=Min("state_at")).values("oldest")
        return {
            "entries_in": rows_of(entries),
            "fixtures_all": rows_of(fixtures),
            "fixtures_open": rows_of(fixtures.filter(state=Fixture.State.OPEN)),
            "waiting_since": Subquery(oldest),
        }

    # What may be done

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Organisers and staff make drafts."""
        return is_staff(request) or is_organiser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """As long as its state allows any field to be changed."""
        return obj is not None and bool(fields_now(obj, _user(request)))

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """All that can be filled in, then all that can only be read."""
        if obj is None:
            return list(FORM_ORDER)
        changeable = fields_now(obj, _user(request))
        # Stages that cannot be changed any more are shown with links instead.
        entered = [name for name in FORM_ORDER if name != "stages" or name in changeable]
        return [*entered, *(name for name in super().get_fields(request, obj) if name not in entered)]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """Where it stands, then the form in sections, then the rest of the row."""
        fields = self.get_fields(request, obj)
        form = [(title, {"fields": [n for n in names if n in fields]}) for title, names in SECTIONS]
        if obj is None:
            return form
        stands = [name for name in STANDS if name in fields]
        rest = [name for name in fields if name not in (*FORM_ORDER, *STANDS)]
        return [("Where it stands", {"fields": stands}), *form, ("All else", {"fields": rest})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """All that is not in the form, or that its state does not allow to be changed just now."""
        if obj is None:
            return []
        changeable = set(fields_now(obj, _user(request))) & set(FORM_ORDER)
        return [name for name in ("stages", *self.get_fields(request, obj)) if name not in changeable]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """The form; checked only, not saved, if the preview was asked for."""
        made = super().get_form(request, obj, change, **kwargs)
        made.is_preview = "_preview" in request.POST  # type: ignore[attr-defined]
        made.viewer = _user(request)  # type: ignore[attr-defined]
        return made

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The form; whatever changed between check and storing is told, and nothing is stored."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except ArenaError as error:
            self.message_user(request, f"Nothing was stored: {error.message}", messages.ERROR)
            return HttpResponseRedirect(request.path)

    def save_model(self, request: HttpRequest, obj: Tournament, form: Any, change: bool) -> None:
        """By the services, which audit it; the form has tried them already."""
        user = _user(request)
        if change:
            services.tournament_update(Tournament.objects.get(pk=obj.pk), user, **form.wanted())
            return
        made = services.tournament_create(user, **form.wanted())
        obj.pk = made.pk
        obj.refresh_from_db()

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """With the plan: of what was filled in, or of what is stored."""
        form = context["adminform"].form
        row = context.get("original")
        plan = getattr(form, "plan", None)
        if plan is None and row is not None:
            plan = plan_of(row)
        context["plan"] = plan
        context["may_preview"] = row is None or "preset" in fields_now(row, _user(request))
        return super().render_change_form(request, context, *args, **kwargs)

    def links_of(self, request: HttpRequest, obj: Tournament) -> list[tuple[str, str]]:
        """Everything below it, and its faces outside."""
        links = super().links_of(request, obj)
        quarantined = Table.objects.filter(tournament=obj, state=Table.State.QUARANTINED)[:1]
        if quarantined:
            url = rows_url("matches_table", "tournament__id__exact", obj.pk)
            links.append(("Quarantined tables", f"{url}&state__exact={Table.State.QUARANTINED}"))
        if is_staff(request):
            links.append(("Audit trail", rows_url("accounts_auditevent", "object_id", obj.public_id)))
        return [*links, ("Public page", obj.page), ("API", f"/api/v1/tournaments/{obj.public_id}")]

    # What is shown

    @admin.display(description="in this state for")
    def since(self, row: Any) -> str:
        """How long it has been so."""
        return hours_since(row.state_at)

    @admin.display(description="entries", ordering="entries_in")
    def entered(self, row: Any) -> str:
        """Of how many."""
        return f"{row.entries_in} of {row.max_entries}"

    @admin.display(description="fixtures done")
    def progress(self, row: Any) -> str:
        """Of those drawn so far."""
        return f"{row.fixtures_all - row.fixtures_open} of {row.fixtures_all}" if row.fixtures_all else "–"

    @admin.display(description="oldest waiting", ordering="waiting_since")
    def oldest_waiting(self, row: Any) -> str:
        """How long the table that waits longest has waited."""
        return hours_since(row.waiting_since) if row.waiting_since else "–"

    @admin.display(description="CPU spent", ordering="cpu_ms_spent")
    def budget(self, row: Any) -> str:
        """Of the budget, if there is one."""
        spent = f"{row.cpu_ms_spent / 1000:,.0f}"
        return f"{spent} of {row.budget_cpu_s:,} s" if row.budget_cpu_s else f"{spent} s"

    @admin.display(description="stages")
    def played_in(self, row: Any) -> SafeString | str:
        """What it is played in."""
        return joined(
            row_link(row, stage, f"{stage.number}. {stage.format} ({stage.state})")
            for stage in row.stages.order_by("number")
        )

    @admin.display(description="what was done")
    def done_lately(self, row: Any) -> SafeString | str:
        """The latest lines of the audit trail on the tournament itself, newest first."""
        events = AuditEvent.objects.filter(kind="tournament", object_id=row.public_id).select_related("actor")
        lines = [
            f"{event.at:%Y-%m-%d %H:%M} {event.actor or 'system'}: {event.verb}"
            f"{' (' + str(event.after['reason']) + ')' if event.after.get('reason') else ''}"
            for event in events[:MOST_AUDIT_LINES]
        ]
        out = SafeString("")
        for line in lines:
            out = format_html("{}{}<br>", out, line)
        return out or "–"


def _user(request: HttpRequest) -> User:
    """Whoever asks; the site lets nobody in without an account."""
    assert isinstance(request.user, User)
    return request.user
