"""Organisers' pages of entries: seeds, house bots, invitations, and the removal of an entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.competition.entries.admission import SEED
from arena.competition.entries.house import house_bots_add, house_bots_addable
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
from arena.competition.selectors import (
    entries_active,
    entries_by_id,
    entry_get,
    require_organiser,
    tournament_detail,
)
from arena.jobs.flow import tournament_advance
from arena.roster.models import Bot
from arena.web.base.access import add_service_error, collect_service_errors, render_form, submitted_data
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.paging import page_number
from arena.web.drawing.visitor_parts import STATUS_LABELS
from arena.web.organise.access import organiser_page
from arena.web.organise.declared import control
from arena.web.organise.house_fields import house_bot_choices, house_bots_field
from arena.web.organise.verb_pages import ConfirmForm

ENTRIES_PER_PAGE = 50
SEED_PREFIX = "seed-"
Choices = list[tuple[str, str]]


class EntryLine(NamedTuple):
    label: EntryLabel
    status: str
    seed: forms.BoundField | None
    """None if the entry cannot be seeded now."""
    is_removable: bool


class SeedsForm(forms.Form):
    """Seeds of several entries, each in a field ``seed-ID``. Only changed seeds are set."""

    def __init__(self, data: QueryDict | None, entries: Sequence[Entry]) -> None:
        super().__init__(data)
        self.entries = {f"{SEED_PREFIX}{entry.public_id}": entry for entry in entries}
        for name, entry in self.entries.items():
            self.fields[name] = field = control(SEED)
            field.label, field.help_text, field.initial = f"Seed of {entry.bot_name}", "", entry.seed

    @transaction.atomic
    def act(self, event: Tournament, user: User) -> str:
        """Set all changed seeds, or none if one is refused, and return the message."""
        for name in self.changed_data:
            entry_seed(self.entries[name], self.cleaned_data[name], user)
        count = len(self.changed_data)
        return {0: "No seed was changed.", 1: "1 seed is set."}.get(count, f"{count} seeds are set.")


class HouseForm(forms.Form):
    house_bots = house_bots_field(
        "House bots", "They are entered at once and need no invitation.", required=True
    )

    def __init__(self, data: QueryDict | None, bots: Sequence[Bot]) -> None:
        super().__init__(data)
        self.fields["house_bots"].choices = house_bot_choices(bots)  # type: ignore[attr-defined]

    def act(self, event: Tournament, user: User) -> str:
        names = self.cleaned_data["house_bots"]
        house_bots_add(event, names, user)
        return f"Entered: {', '.join(names)}."


class UninviteForm(forms.Form):
    player = forms.ChoiceField(label="Player")

    def __init__(self, data: QueryDict | None, choices: Choices) -> None:
        super().__init__(data, auto_id="id_uninvite_%s")
        self.fields["player"].choices = choices  # type: ignore[attr-defined]

    def act(self, event: Tournament, user: User) -> str:
        player = player_named(self.cleaned_data["player"])
        invitation_remove(event, player, user)
        return f"{player} is no longer invited."


class RemoveForm(ConfirmForm):
    def __init__(self, data: QueryDict | None, *, confirms: str) -> None:
        super().__init__(data, confirms=confirms, reason="needed")


@organiser_page
def entries(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    event = tournament_detail(public_id, user)
    require_organiser(user, event)
    do = request.POST.get("do", "")
    page = Paginator(entries_active(event), ENTRIES_PER_PAGE).get_page(page_number(request))
    listed = list(page.object_list)
    offered = _forms(event, user, do, submitted_data(request), listed)
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
        "lines": _lines(event, user, listed, offered.get("seeds")),
        "page": page,
        "needs": max(0, event.min_entries - page.paginator.count),
        "conflict": conflict_text(user, event) if event.state in LEAVABLE_STATES else "",
        "refused": do if request.method == "POST" and chosen is None else "",
    }
    return render(
        request, "web/organise/entries.html", context, status=400 if request.method == "POST" else 200
    )


@organiser_page
def remove_entry(request: HttpRequest, user: User, public_id: str, entry_id: str) -> HttpResponseBase:
    """Explain the removal of an entry, and remove it on POST."""
    event = tournament_detail(public_id, user)
    require_organiser(user, event)
    entry = entry_get(event, entry_id)
    entry.tournament = event
    form = RemoveForm(submitted_data(request), confirms=event.state)
    is_possible = "withdraw" in allowed_entry_actions(entry, user)
    if is_possible and form.is_bound and form.is_valid():
        with collect_service_errors(form):
            entry_withdraw(entry, user, form.given_reason)
            tournament_advance(event)
            messages.success(request, f"{entry.bot_name} is removed.")
            return redirect("web:organise-entries", public_id=public_id)
    context = {
        "nav": "organise-page",
        "event": event,
        "entry": entry_label(entry),
        "form": form,
        "is_possible": is_possible,
        "leaves": event.state in LEAVABLE_STATES,
        "conflict": conflict_text(user, event) if event.state in LEAVABLE_STATES else "",
    }
    status = 400 if form.is_bound and not is_possible else None
    return render_form(request, "web/organise/entry.html", context, status=status)


def _forms(
    event: Tournament, user: User, do: str, data: QueryDict | None, listed: Sequence[Entry]
) -> dict[str, Any]:
    """Return the forms by action, without those that have no choices; ``do`` is bound to ``data``."""
    by_action: dict[str, Any] = {}
    given = {name: data if name == do else None for name in ("seeds", "house", "uninvite")}
    if event.state in STATES_BY_ACTION["seed"]:
        # After another change of seeds, the submitted entries may be on other pages.
        seeded = listed if given["seeds"] is None else _submitted_entries(event, given["seeds"])
        if seeded:
            by_action["seeds"] = SeedsForm(given["seeds"], seeded)
        if bots := house_bots_addable(event):
            by_action["house"] = HouseForm(given["house"], bots)
    invited = invitations_of(event, user) if event.state in INVITABLE_STATES else ()
    if players := [(row.player.handle, row.player.handle) for row in invited]:
        by_action["uninvite"] = UninviteForm(given["uninvite"], players)
    return by_action


def _submitted_entries(event: Tournament, data: QueryDict) -> list[Entry]:
    names = [name.removeprefix(SEED_PREFIX) for name in data if name.startswith(SEED_PREFIX)]
    submitted = entries_by_id(event, names[:ENTRIES_PER_PAGE])
    return [entry for entry in submitted.values() if entry.status in Entry.ACTIVE]


def _lines(event: Tournament, user: User, listed: Sequence[Entry], form: SeedsForm | None) -> list[EntryLine]:
    has_entry = has_interest(user, event)
    lines = []
    for entry in listed:
        entry.tournament = event
        name = f"{SEED_PREFIX}{entry.public_id}"
        lines.append(
            EntryLine(
                entry_label(entry),
                str(STATUS_LABELS[Entry.Status(entry.status)]),
                form[name] if form is not None and name in form.fields else None,
                "withdraw" in allowed_entry_actions(entry, user, has_entry=has_entry),
            )
        )
    return lines
