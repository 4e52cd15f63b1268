"""Editor for small Python bots; each save is a new version."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import ArenaError, Conflict, Invalid
from arena.common.rates import rate_consume
from arena.jobs.sources import Source, source_of, source_packed, starter_of
from arena.jobs.uploads import version_submit
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import newest_version, version_get
from arena.web.base.access import (
    account_page,
    add_service_error,
    idempotent_form,
    new_form_key,
    render_form,
)
from arena.web.bots.authoring.forms import WriteForm
from arena.web.bots.authoring.own_bots import own_bot
from arena.web.bots.authoring.resubmission import resubmittable_form, same_files_text

TEMPLATE = "web/author/write.html"
TEMPLATE_BASE = "template"
ARCHIVE_NAME = "bot.zip"


class StartingPoint(NamedTuple):
    source: Source
    version: BotVersion | None
    """None for the template."""
    unusable: BotVersion | None = None
    """The requested version, if it cannot be edited in the page."""


@account_page()
def write(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Edit a program and submit it; starts from ``?from=VERSION``, else from the newest version."""
    bot = own_bot(public_id, user)
    newest = newest_version(bot, user)
    if request.method != "POST":
        start = _starting_point(bot, request.GET.get("from", ""), newest, user)
        initial = {
            "source": start.source.text,
            "base": start.version.public_id if start.version else TEMPLATE_BASE,
            "newest": newest.number if newest else 0,
            "once": new_form_key(),
        }
        return render_form(request, TEMPLATE, _context(bot, WriteForm(initial=initial), start, newest))
    form, wait_s = WriteForm(request.POST), 0.0
    start = StartingPoint(starter_of(bot), None)
    if form.is_valid():
        try:
            start = _submitted_base(bot, form.cleaned_data["base"], user)
            _check_newest(form.cleaned_data["newest"], newest)
            wait_s = rate_consume("uploads", f"u{user.pk}").wait_s
            if not wait_s:
                with idempotent_form(request, user) as outcome:
                    version, is_new = version_submit(
                        bot,
                        source_packed(start.source, form.cleaned_data["source"]),
                        ARCHIVE_NAME,
                        form.cleaned_data["notes"],
                        user,
                        keeps_refused=False,
                    )
                    outcome.redirect_to("web:version", version.public_id)
                if not is_new:
                    messages.info(request, same_files_text(version))
                return redirect(outcome.address)
        except ArenaError as error:
            form = resubmittable_form(WriteForm, request, newest=str(newest.number if newest else 0))
            error.extra["field"] = (
                "source" if error.extra.get("field") == "bundle" else error.extra.get("field")
            )
            add_service_error(form, error)
    return render_form(request, TEMPLATE, _context(bot, form, start, newest), wait_s=wait_s)


def _starting_point(bot: Bot, base: str, newest: BotVersion | None, user: User) -> StartingPoint:
    """Return the requested version, else the newest; the template if it cannot be edited or none exists."""
    if base == TEMPLATE_BASE:
        return StartingPoint(starter_of(bot), None)
    version = _version_of(bot, base, user) if base else newest
    source = source_of(version) if version else None
    return StartingPoint(source, version) if source else StartingPoint(starter_of(bot), None, version)


def _submitted_base(bot: Bot, base: str, user: User) -> StartingPoint:
    """Return the version that the form started from; the new version takes over its other files.

    Raises:
        NotFound: no such version.
        Invalid: it belongs to another bot, or its bundle can no longer be read.
    """
    if base in ("", TEMPLATE_BASE):
        return StartingPoint(starter_of(bot), None)
    version = _version_of(bot, base, user)
    source = source_of(version)
    if source is None:
        raise Invalid(
            f"The files of {version} can no longer be edited here. Upload a folder or archive instead.",
            "invalid",
        )
    return StartingPoint(source, version)


def _version_of(bot: Bot, public_id: str, user: User) -> BotVersion:
    version = version_get(public_id, user)
    if version.bot_id != bot.pk:
        raise Invalid(f"{version} is not a version of {bot.name}.", "invalid")
    return version


def _check_newest(known: int, newest: BotVersion | None) -> None:
    """Raise Conflict, code ``newer_version``, if a version was created after the form was opened."""
    if newest is not None and newest.number != known:
        raise Conflict(
            f"Version {newest.number} was created after you opened this page. Submit again to create yours "
            "after it.",
            "newer_version",
        )


def _context(bot: Bot, form: WriteForm, start: StartingPoint, newest: BotVersion | None) -> dict[str, Any]:
    other_files = sorted(path for path in start.source.files if path != start.source.entry_point)
    return {"bot": bot, "form": form, "start": start, "others": other_files, "newest": newest, "nav": "bot"}
