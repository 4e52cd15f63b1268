"""Drafts of the tournament form: saved while typing, listed, opened, deleted.

Drafts of new tournaments are listed as unsent. A draft of an existing tournament is loaded when its form is
opened; the tournament changes only when the form is submitted.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.form_drafts import draft_delete, draft_get, draft_save, drafts_of
from arena.accounts.models import FormDraft, User
from arena.common.errors import ArenaError, Conflict
from arena.web.organise.access import organiser_form, own_event
from arena.web.organise.house_fields import SEPARATOR

NEW_EVENT_KIND, EVENT_CHANGE_KIND = "event", "change of event"
UNSAVED_FIELDS = ("csrfmiddlewaretoken", "do", "once", "draft", "draft_version")
CHANGED_ELSEWHERE = "The draft was changed in another window. This text is saved as a second draft."


@organiser_form
def save_draft(request: HttpRequest, user: User) -> HttpResponseBase:
    """Save the form as a draft and return the fragment with the draft's id and version."""
    draft, message = None, ""
    data = draft_data(request.POST)
    given = request.POST.get("draft", "")
    version = request.POST.get("draft_version", "")
    number = int(version) if version.isascii() and version.isdigit() and len(version) < 9 else 0
    try:
        # Accounts that may not run the tournament get the error now, not after an hour of typing.
        kind = EVENT_CHANGE_KIND if data.get("event") and own_event(data["event"], user) else NEW_EVENT_KIND
        try:
            draft = draft_save(user, kind, data, given, number)
        except Conflict as error:
            if error.code != "stale_draft":
                raise
            draft, message = draft_save(user, kind, data), CHANGED_ELSEWHERE
    except ArenaError as error:
        message = f"Not saved: {error.message}"
    return render(request, "web/organise/_draft.html", {"draft": draft, "draft_says": message})


@organiser_form
def delete_draft(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    draft = draft_get(user, public_id)
    draft_delete(user, public_id)
    if draft.kind == EVENT_CHANGE_KIND:
        messages.success(request, "Your input is discarded. The form shows the current settings.")
        return redirect("web:organise-event", public_id=str(draft.data.get("event", "")))
    messages.success(request, f"The draft {draft_name(draft)} is deleted.")
    return redirect("web:organise")


def draft_of_event(user: User, public_id: str) -> FormDraft | None:
    drafts = (draft for draft in drafts_of(user, EVENT_CHANGE_KIND) if draft.data.get("event") == public_id)
    return next(drafts, None)


def drafts_of_event_delete(user: User, public_id: str) -> None:
    for draft in drafts_of(user, EVENT_CHANGE_KIND):
        if draft.data.get("event") == public_id:
            draft_delete(user, draft.public_id)


def draft_data(data: QueryDict) -> dict[str, str]:
    """Return the typed values by control, without characters that the database does not store."""
    typed = {name: SEPARATOR.join(data.getlist(name)) for name in data if name not in UNSAVED_FIELDS}
    named = {name: text.replace("\0", "") for name, text in typed.items()}
    return {name: text for name, text in named.items() if name.isprintable()}


def draft_querydict(draft: FormDraft, once: str) -> QueryDict:
    """Return the draft as submitted form data with an idempotency key."""
    data = QueryDict(mutable=True)
    data.update({**draft.data, "once": once})
    return data


def draft_name(draft: FormDraft) -> str:
    return str(draft.data.get("name", "")).strip()[:100] or "no name"
