"""Organisers' page of entries and invitations: set seeds, withdraw entries, remove invitations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.competition.entries.admission import SEED
from arena.competition.entries.invitations import (
    INVITABLE_STATES,
    invitation_remove,
    invitations_of,
    player_named,
)
from arena.competition.entries.services import entry_seed
from arena.competition.entries.withdrawals import LEAVABLE_STATES, entry_withdraw
from arena.competition.impartiality import conflict_text, has_interest
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import STATES_BY_ACTION, allowed_entry_actions
from arena.competition.selectors import entries_active, entry_get, require_organiser, tournament_detail
from arena.jobs.flow import tournament_advance
from arena.web.base.access import add_service_error, submitted_data
from arena.web.base.labels import entry_label
from arena.web.organise.access import organiser_page
from arena.web.organise.declared import control
from arena.web.organise.verb_pages import ConfirmForm

Choices = list[tuple[str, str]]


class SeedForm(forms.Form):
    entry = forms.ChoiceField(label="Entry")
    seed = control(SEED)

    def __init__(self, data: QueryDict | None, choices: Choices) -> None:
        super().__init__(data, auto_id="id_seed_%s")
        self.fields["entry"].choices = choices  # type: ignore[attr-defined]

    def act(self, event: Tournament, user: User) -> str:
        entry = entry_get(event, self.cleaned_data["entry"])
        entry_seed(entry, self.cleaned_data["seed"], user)
        return f"{entry.bot_name}: seed {entry.seed}." if entry.seed else f"{entry.bot_name}: no seed."


class WithdrawForm(ConfirmForm):
    entry = forms.ChoiceField(label="Entry")
    field_order = ("entry", "reason")

    def __init__(self, data: QueryDict | None, choices: Choices, *, confirms: str) -> None:
        super().__init__(data, confirms=confirms, reason="needed")
        self.auto_id = "id_withdraw_%s"
        self.fields["entry"].choices = choices  # type: ignore[attr-defined]

    def act(self, event: Tournament, user: User) -> str:
        """Withdraw the entry, also after the field is fixed, and return the message."""
        entry = entry_get(event, self.cleaned_data["entry"])
        entry_withdraw(entry, user, self.given_reason)
        tournament_advance(event)
        return f"{entry.bot_name} is removed."


class UninviteForm(forms.Form):
    player = forms.ChoiceField(label="Player")

    def __init__(self, data: QueryDict | None, choices: Choices) -> None:
        super().__init__(data, auto_id="id_uninvite_%s")
        self.fields["player"].choices = choices  # type: ignore[attr-defined]

    def act(self, event: Tournament, user: User) -> str:
        player = player_named(self.cleaned_data["player"])
        invitation_remove(event, player, user)
        return f"{player} is no longer invited."


@organiser_page
def entries(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    event = tournament_detail(public_id, user)
    require_organiser(user, event)
    do = request.POST.get("do", "")
    offered = _forms(event, user, do, submitted_data(request))
    chosen = offered.get(do)
    if chosen is not None and chosen.is_valid():
        try:
            message = chosen.act(event, user)
        except ArenaError as error:
            add_service_error(chosen, error)
            event.refresh_from_db()
        else:
            messages.success(request, message)
            return redirect("web:organise-entries", public_id=public_id)
    context = {
        "nav": "organise-page",
        "event": event,
        "form": chosen,
        "forms": offered,
        "leaves": event.state in LEAVABLE_STATES,
        "conflict": conflict_text(user, event) if event.state in LEAVABLE_STATES else "",
        "refused": do if request.method == "POST" and chosen is None else "",
    }
    return render(
        request, "web/organise/entries.html", context, status=400 if request.method == "POST" else 200
    )


def _forms(event: Tournament, user: User, do: str, data: QueryDict | None) -> dict[str, Any]:
    """Return the forms by action, without those that have no choices; ``do`` is bound to ``data``."""
    has_entry = has_interest(user, event)
    entries_by_action: dict[str, list[Entry]] = {"seed": [], "withdraw": []}
    if event.state in (*STATES_BY_ACTION["seed"], *LEAVABLE_STATES):
        for entry in entries_active(event):
            entry.tournament = event
            allowed = allowed_entry_actions(entry, user, has_entry=has_entry)
            for name in entries_by_action.keys() & allowed:
                entries_by_action[name].append(entry)
    invited = invitations_of(event, user) if event.state in INVITABLE_STATES else ()
    choices = {name: _entry_choices(entries) for name, entries in entries_by_action.items()}
    choices["uninvite"] = [(row.player.handle, row.player.handle) for row in invited]
    by_action: dict[str, Any] = {}
    for name, possible in choices.items():
        given = data if name == do else None
        if possible and name == "seed":
            by_action[name] = SeedForm(given, possible)
        elif possible and name == "withdraw":
            by_action[name] = WithdrawForm(given, possible, confirms=event.state)
        elif possible:
            by_action[name] = UninviteForm(given, possible)
    return by_action


def _entry_choices(entries: Iterable[Entry]) -> Choices:
    labels = [entry_label(entry) for entry in entries]
    return [
        (label.id, f"{label.name} ({label.player}){f', seed {label.seed}' if label.seed else ''}")
        for label in labels
    ]
