"""Bulk invitations and entries, one per line: a dry run, then the changes."""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.competition.entries.invitations import invitation_add, player_named
from arena.competition.entries.services import entry_create
from arena.competition.models import Tournament
from arena.competition.tournament_actions import format_count
from arena.jobs.flow import tournament_advance
from arena.roster.selectors import version_get
from arena.web.base.access import render_form, submitted_data
from arena.web.organise.access import organiser_page, own_event

MAX_LINES = 100
MAX_CHARACTERS = 10_000
SEPARATORS = re.compile("[,;\t]")
VERSION_CHARACTERS = 12
"""Length of a version's public id."""
CHANGED = "The outcome of the lines has changed since you checked them. Check the list again, then send it."


class BulkLine(NamedTuple):
    number: int
    """Line number, from 1."""
    text: str
    does: str
    """Description of the change; empty if it is rejected."""
    refusal: str
    is_entry: bool = False
    """Whether it enters a version; else it invites a player."""


class BulkForm(forms.Form):
    lines = forms.CharField(
        label="Players and versions",
        max_length=MAX_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "autocapitalize": "none"}),
        help_text=(
            "The handle of a player to invite, or the id of one of your versions to enter. One per line, or "
            f"separated by commas, semicolons or tabs; at most {MAX_LINES}."
        ),
    )
    accepts_partners = forms.BooleanField(
        label="I agree that my versions partner every other entry in turn",
        required=False,
        help_text="Required in movements.",
    )

    def clean_lines(self) -> str:
        text = str(self.cleaned_data["lines"])
        if len(parse_lines(text)) > MAX_LINES:
            raise forms.ValidationError(f"More than {MAX_LINES} lines; send them in parts.")
        return text


def parse_lines(text: str) -> dict[str, int]:
    r"""Return handles and ids with the number of the first line that contains each.

    Several on one line are separated by commas, semicolons or tabs, as copied from a spreadsheet.

    >>> parse_lines("\ufeff aya \n\nben; chie\naya")
    {'aya': 1, 'ben': 3, 'chie': 3}
    """
    line_numbers: dict[str, int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        for item in SEPARATORS.split(line):
            if item.strip():
                line_numbers.setdefault(item.strip(), number)
    return line_numbers


def process_lines(
    event: Tournament, user: User, text: str, *, accepts_partners: bool, is_done: bool
) -> list[BulkLine]:
    """Process the lines in order and return their outcomes; rolled back unless ``is_done``."""
    results = []
    with transaction.atomic():
        for line, number in parse_lines(text).items():
            is_entry = _names_version(line)
            try:
                with transaction.atomic():
                    does = _process_line(event, user, line, accepts_partners=accepts_partners)
            except ArenaError as error:
                results.append(BulkLine(number, line, "", error.message, is_entry))
            else:
                results.append(BulkLine(number, line, does, "", is_entry))
        if not is_done:
            transaction.set_rollback(True)
    event.refresh_from_db()
    return results


def _names_version(line: str) -> bool:
    return len(line) == VERSION_CHARACTERS and line.isalnum() and any(sign.isdigit() for sign in line)


def _process_line(event: Tournament, user: User, line: str, *, accepts_partners: bool) -> str:
    if _names_version(line):
        version = version_get(line, user)
        entry_create(event, version, user, accepts_partners=accepts_partners)
        return f"{version} will be entered"
    player = player_named(line.removeprefix("@"))
    invitation_add(event, player, user)
    return f"{player} will be invited"


def button_text(lines: list[BulkLine]) -> str:
    possible = [line for line in lines if line.does]
    entered = sum(line.is_entry for line in possible)
    invited = len(possible) - entered
    parts = []
    if invited:
        parts.append(f"invite {format_count(invited, 'player')}")
    if entered:
        parts.append(f"enter {format_count(entered, 'version')}")
    if left_out := len(lines) - len(possible):
        parts.append(f"skip {format_count(left_out, 'line')}")
    label = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
    return f"{label[:1].upper()}{label[1:]}"


def lines_digest(lines: list[BulkLine]) -> str:
    """Return a digest that is equal for equal lines with equal outcomes."""
    return hashlib.sha256(repr(lines).encode()).hexdigest()[:32]


@organiser_page
def bulk(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Preview the lines, then process them; rejected lines stay in the form."""
    event = own_event(public_id, user)
    form = BulkForm(submitted_data(request))
    lines: list[BulkLine] = []
    is_done = False
    if form.is_bound and form.is_valid():
        given: dict[str, Any] = {"accepts_partners": form.cleaned_data["accepts_partners"]}
        lines = process_lines(event, user, form.cleaned_data["lines"], is_done=False, **given)
        if request.POST.get("do") == "enter":
            if request.POST.get("seen") != lines_digest(lines):
                form.add_error(None, CHANGED)
            else:
                lines = process_lines(event, user, form.cleaned_data["lines"], is_done=True, **given)
                tournament_advance(event)
                refused = [line.text for line in lines if line.refusal]
                messages.success(request, f"{len(lines) - len(refused)} done, {len(refused)} skipped.")
                if not refused:
                    return redirect("web:tournament", public_id=public_id)
                form = BulkForm({"lines": "\n".join(refused)})
                lines = [
                    line._replace(number=number)
                    for number, line in enumerate((line for line in lines if line.refusal), 1)
                ]
                is_done = True
    context = {
        "nav": "organise-page",
        "event": event,
        "form": form,
        "possible": [line for line in lines if line.does],
        "refused": [line for line in lines if line.refusal],
        "seen": lines_digest(lines),
        "button": button_text(lines),
        "is_done": is_done,
    }
    return render_form(request, "web/organise/bulk.html", context)
