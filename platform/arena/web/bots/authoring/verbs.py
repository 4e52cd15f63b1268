"""Actions on the account's versions: activate, retire, check again, edit notes, download."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.common.errors import ArenaError, Forbidden
from arena.common.rates import rate_consume
from arena.competition.services import entries_warn
from arena.jobs.publish import checks_publish
from arena.jobs.sources import bundle_of
from arena.roster.models import BotVersion
from arena.roster.selectors import is_owner, require_owner, version_get
from arena.roster.services import check_repeat, version_activate, version_annotate, version_retire
from arena.web.base.access import (
    account_form,
    account_page,
    collect_service_errors,
    render_form,
    submitted_data,
)
from arena.web.base.page_limits import too_many_requests
from arena.web.bots.authoring.forms import NotesForm
from engine.printable import file_name_part


@account_form()
def activate(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    def act(version: BotVersion) -> str:
        version_activate(version, user)
        return f"{version} is active: {version.bot.name} enters with it."

    return _perform(request, user, public_id, act)


@account_form()
def retire(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Retire a version; this cannot be undone."""

    def act(version: BotVersion) -> str:
        entries_warn(version_retire(version, user))
        return f"{version} is retired."

    return _perform(request, user, public_id, act)


@account_form()
def recheck(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    def act(version: BotVersion) -> str:
        checks_publish([check_repeat(version, user).pk])
        return f"{version} is being checked again."

    return _perform(request, user, public_id, act)


@account_page()
def notes(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    version = version_get(public_id, user)
    require_owner(version.bot, user)
    form = NotesForm(submitted_data(request), initial={"notes": version.notes})
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            version_annotate(version, user, form.cleaned_data["notes"])
            messages.success(request, "The notes are saved.")
            return redirect("web:version", public_id=version.public_id)
    return render_form(request, "web/author/notes.html", {"form": form, "version": version, "nav": "bot"})


@require_safe
@account_page()
def bundle(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Return the files of a version as a tar for its owner, only as a download."""
    version = version_get(public_id, user)
    if not is_owner(user, version.bot):
        raise Forbidden(f"Only the owner can download the bundle of {version}.", "not_owner")
    if wait_s := rate_consume("exports", f"u{user.pk}").wait_s:
        return too_many_requests(wait_s)
    answer = HttpResponse(bundle_of(version), content_type="application/x-tar")
    name = f"{file_name_part(version.bot.name, 'bot')}-v{version.number}.tar"
    answer["Content-Disposition"] = content_disposition_header(True, name)
    answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer


def _perform(
    request: HttpRequest, user: User, public_id: str, act: Callable[[BotVersion], str]
) -> HttpResponseBase:
    version = version_get(public_id, user)
    require_owner(version.bot, user)
    try:
        messages.success(request, act(version))
    except ArenaError as error:
        messages.error(request, error.message)
    if request.POST.get("next") == "own-bots":
        return redirect("web:own-bots")
    return redirect("web:version", public_id=version.public_id)
