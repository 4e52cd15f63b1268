"""Upload of a new version as an archive, and the limits for the browser's check before the upload."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid
from arena.common.rates import rate_consume
from arena.jobs.uploads import bundle_limits, ignored_names, version_submit
from arena.roster.models import Bot
from arena.roster.selectors import newest_version
from arena.web.base.access import (
    account_page,
    add_service_error,
    idempotent_form,
    new_form_key,
    render_form,
)
from arena.web.bots.authoring.forms import SubmitForm
from arena.web.bots.authoring.own_bots import own_bot
from arena.web.bots.authoring.resubmission import resubmittable_form, same_files_text

TEMPLATE = "web/author/submit.html"


@account_page()
def submit(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    bot = own_bot(public_id, user)
    if request.method != "POST":
        return render_form(
            request, TEMPLATE, _context(bot, SubmitForm(initial={"once": new_form_key()}), user)
        )
    form, wait_s = SubmitForm(request.POST, request.FILES), 0.0
    if form.is_valid():
        wait_s = rate_consume("uploads", f"u{user.pk}").wait_s
        archive = form.cleaned_data["bundle"]
        try:
            if archive.size > (most := bundle_limits()["upload_bytes"]):
                raise Invalid(
                    f"The upload is too large; at most {most} bytes are accepted.",
                    "bundle_too_large",
                    field="bundle",
                )
            if not wait_s:
                with idempotent_form(request, user) as outcome:
                    version, is_new = version_submit(
                        bot,
                        archive.read(),
                        archive.name,
                        form.cleaned_data["notes"],
                        user,
                        keeps_refused=False,
                    )
                    outcome.redirect_to("web:version", version.public_id)
                if not is_new:
                    messages.info(request, same_files_text(version))
                return redirect(outcome.address)
        except ArenaError as error:
            form = resubmittable_form(SubmitForm, request) if error.code == "already_submitted" else form
            add_service_error(form, error)
    return render_form(request, TEMPLATE, _context(bot, form, user), wait_s=wait_s)


def _context(bot: Bot, form: SubmitForm, user: User) -> dict[str, Any]:
    return {
        "bot": bot,
        "form": form,
        "newest": newest_version(bot, user),
        "limits": json.dumps({**bundle_limits(), "left_out": ignored_names()}),
        "nav": "bot",
    }
