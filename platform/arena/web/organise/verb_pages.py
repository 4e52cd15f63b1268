"""Pages that explain an action on a tournament, fixture or table, and execute it after confirmation."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.models import User
from arena.common.declarations import ActionSpec
from arena.common.errors import ArenaError, NotFound
from arena.competition.impartiality import ENTRANT_ACTS, conflict_text, has_interest
from arena.competition.models import Tournament
from arena.competition.permissions import allowed_actions
from arena.competition.selectors import require_organiser
from arena.competition.tournament_actions import STATE_ACTIONS, Counts, format_count
from arena.jobs.flow import tournament_advance
from arena.jobs.tournament_actions import SERVICES
from arena.matches.adjudication import MAX_REASON_LENGTH, current_ruling, fixture_adjudicate
from arena.matches.board_tables import fixture_visible, sides_with_names, tables_of, unfinished_table_counts
from arena.matches.fixture_selectors import ENDED_STATE
from arena.matches.leases import table_retry
from arena.matches.models import Adjudication, Fixture, Table
from arena.matches.reruns import table_rerun
from arena.matches.selectors import table_get
from arena.standings.selectors import replay_of
from arena.standings.stages import is_knockout
from arena.web.base.access import (
    add_service_error,
    collect_service_errors,
    render_form,
    set_choices,
    submitted_data,
)
from arena.web.base.labels import entry_label
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State
from arena.web.organise.access import organiser_page, own_event
from arena.web.tournaments.verbs import action_counts, confirmation_key, offered_actions, reason_requirement

CHANGED = "The state has changed since you opened this page, which now shows the new state. Confirm again."
MAX_TABLES = 60
AUDIT_UNDER_WAY = "audit_in_progress"


class ConfirmForm(forms.Form):
    """Confirmation of the displayed state, with a reason if one is accepted."""

    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON_LENGTH,
        help_text="Shown to entrants.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    seen = forms.CharField(max_length=60, required=False, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict | None, *, confirms: str, reason: str) -> None:
        self.is_stale = data is not None and data.get("seen", "") != confirms
        if data is not None:
            data = data.copy()
            data["seen"] = confirms
        super().__init__(data, initial={"seen": confirms})
        if not reason:
            del self.fields["reason"]
        else:
            self.fields["reason"].required = reason == "needed"

    def clean(self) -> dict[str, Any]:
        """Reject the confirmation if the state has changed."""
        if self.is_stale:
            self.add_error(None, CHANGED)
        return super().clean() or self.cleaned_data

    @property
    def given_reason(self) -> str:
        return str(self.cleaned_data.get("reason", ""))


RULINGS = [
    ("forfeit", "Forfeit by the entries you choose"),
    ("draw", "Draw: every board counts 0"),
    ("void", "Void: the fixture does not count"),
]
LIFT_RULING = ("lift", "As played: lift the ruling")


class RulingForm(ConfirmForm):
    kind = forms.ChoiceField(
        label="Ruling",
        widget=forms.RadioSelect,
    )
    entries = forms.MultipleChoiceField(
        label="Entries that forfeit",
        required=False,
        help_text="For a forfeit, at least one entry.",
        widget=forms.CheckboxSelectMultiple,
    )
    field_order = ("kind", "entries", "reason")

    def __init__(self, data: QueryDict | None, *, confirms: str, fixture: Fixture, may_lift: bool) -> None:
        super().__init__(data, confirms=confirms, reason="needed")
        set_choices(self, "kind", [*RULINGS, LIFT_RULING] if may_lift else RULINGS)
        entries = self.fields["entries"]
        assert isinstance(entries, forms.MultipleChoiceField)
        named = [entry_label(side.entry) for side in sides_with_names(fixture)]
        # Required for a forfeit, so that it is not labelled as optional.
        entries.is_needed = True  # type: ignore[attr-defined]
        entries.choices = [(label.id, f"{label.name} ({label.player})") for label in named]

    def clean(self) -> dict[str, Any]:
        """Discard entries that were ticked before another kind than forfeit was selected."""
        cleaned = super().clean()
        if cleaned.get("kind") != Adjudication.Kind.FORFEIT:
            cleaned["entries"] = []
        return cleaned


@organiser_page
def event_verb(request: HttpRequest, user: User, public_id: str, verb: str) -> HttpResponseBase:
    """Explain an action on a tournament, and execute it on POST."""
    event = own_event(public_id, user)
    action = STATE_ACTIONS.get(verb)
    if action is None:
        raise NotFound(f"A tournament has no action {verb!r}.", "action_not_found")
    counts = action_counts(event)
    form = ConfirmForm(
        submitted_data(request),
        confirms=confirmation_key(action, event, counts),
        reason=reason_requirement(action, event, counts),
    )
    is_possible = verb in allowed_actions(event, user)
    if not is_possible and form.is_bound:
        form.is_valid()
        form.add_error(None, f"Nothing was changed: the tournament is now {event.state}.")
    elif form.is_bound and form.is_valid():
        try:
            SERVICES[verb](event, user, form.given_reason)
        except ArenaError as error:
            if error.code == AUDIT_UNDER_WAY:
                messages.info(request, error.message)
                return redirect("web:tournament", public_id=event.public_id)
            add_service_error(form, error)
            event.refresh_from_db()
        else:
            if verb != "finalise":
                tournament_advance(event)
            messages.success(request, f"{event.name}: {action.done}")
            return redirect("web:tournament", public_id=event.public_id)
    return _verb_page(request, event, user, action, counts, form, is_possible=is_possible)


def _verb_page(
    request: HttpRequest,
    event: Tournament,
    user: User,
    verb: ActionSpec,
    counts: Counts,
    form: ConfirmForm,
    *,
    is_possible: bool,
) -> HttpResponse:
    context = {
        "nav": "organise-page",
        "event": event,
        "state_name": TOURNAMENT_STATE_NAMES[State(event.state)],
        "verb": verb,
        "does": [*(verb.effect(event, counts) if verb.effect else ()), *_entrant_notes(event, user, verb)],
        "form": form,
        "is_possible": is_possible,
        "others": [other for other in offered_actions(event, user) if other is not verb],
    }
    status = 409 if not is_possible else 400 if form.is_bound and form.errors else 200
    return render(request, "web/organise/verb.html", context, status=status)


def _entrant_notes(event: Tournament, user: User, verb: ActionSpec) -> list[str]:
    """Warn organisers with an entry that the tournament's page will display their action."""
    if verb.name not in ENTRANT_ACTS or not has_interest(user, event):
        return []
    return ["You have or had an entry, so the tournament page will show that an entrant did this."]


@organiser_page
def fixture_adjudication(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    fixture = fixture_visible(public_id, user)
    event = fixture.tournament
    require_organiser(user, event)
    ruling = current_ruling(fixture)
    is_possible = "adjudicate" in allowed_actions(event, user)
    unfinished, void = unfinished_table_counts(fixture)
    may_lift = ruling is not None and not unfinished + void
    form = RulingForm(
        submitted_data(request), confirms=_ruling_key(fixture, ruling), fixture=fixture, may_lift=may_lift
    )
    if form.is_bound and form.is_valid():
        with collect_service_errors(form):
            kind, entries = form.cleaned_data["kind"], form.cleaned_data["entries"]
            fixture_adjudicate(fixture, user, kind, entries, form.given_reason)
            tournament_advance(event)
            messages.success(request, "The ruling is in force.")
            return redirect("web:fixture", public_id=public_id)
    tables = list(tables_of(fixture)[:MAX_TABLES])
    context = {
        "nav": "organise-page",
        "event": event,
        "fixture": fixture,
        "ruling": ruling,
        "form": form,
        "is_possible": is_possible,
        "conflict": conflict_text(user, event),
        "may_play_again": "rerun" in allowed_actions(event, user),
        "may_retry": "retry_tables" in allowed_actions(event, user),
        "tables": tables,
        "unfinished": format_count(unfinished, "table") if unfinished else "",
        "is_all_finished": bool(tables) and not unfinished + void,
        "is_knockout": is_knockout(fixture.board_set.round.stage),
        "replay": replay_of(fixture),
    }
    return render_form(request, "web/organise/fixture.html", context)


def _ruling_key(fixture: Fixture, ruling: Adjudication | None) -> str:
    is_hidden = fixture.board_set.is_sealed and fixture.state in Fixture.DONE
    return f"{ENDED_STATE if is_hidden else fixture.state}.{ruling.number if ruling else 0}"


@organiser_page
def table_replay(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Play a finished table again, or retry a quarantined one."""
    table = table_get(public_id, user)
    event = table.fixture.board_set.round.stage.tournament
    require_organiser(user, event)
    is_held_back = table.state == Table.State.QUARANTINED
    conflict = "" if is_held_back else conflict_text(user, event)
    is_possible = is_held_back or (table.state == Table.State.FINISHED and not conflict)
    table_key = f"{table.state}.{table.attempt}"
    form = ConfirmForm(submitted_data(request), confirms=table_key, reason="" if is_held_back else "needed")
    if form.is_bound and form.is_valid():
        with collect_service_errors(form):
            if is_held_back:
                table_retry(table, user)
            else:
                table_rerun(table, user, form.given_reason)
            tournament_advance(event)
            messages.success(request, "The table is back in the queue.")
            return redirect("web:fixture", public_id=table.fixture.public_id)
    context = {
        "nav": "organise-page",
        "event": event,
        "table": table,
        "fixture": table.fixture,
        "form": form,
        "is_held_back": is_held_back,
        "conflict": conflict,
        "is_possible": is_possible,
    }
    return render_form(request, "web/organise/table.html", context)
