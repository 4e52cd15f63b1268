"""Entry of a version into a tournament, alone or with a partner's version."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid
from arena.competition.entries.entering import takes_pairs, version_eligibility
from arena.competition.entries.invitations import player_named
from arena.competition.entries.services import entry_create
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import tournament_get, tournament_mixes_partners
from arena.roster.models import BotVersion
from arena.roster.selectors import partner_versions, selectable_versions, version_get
from arena.web.base.access import (
    account_page,
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
    submitted_data,
)
from arena.web.bots.authoring.event_forms import EnterForm, is_active, version_sort_key

MAX_VERSIONS = 30


@account_page()
def enter(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    tournament = tournament_get(public_id, user)
    listed = version_eligibility(tournament, selectable_versions(user, tournament.game, MAX_VERSIONS))
    own = [candidate.version for candidate in listed if not candidate.refusal]
    partner_versions: list[BotVersion] = []
    refusal: ArenaError | None = None
    pairs = takes_pairs(tournament)
    if pairs and (handle := request.POST.get("partner", "").strip()):
        try:
            partner_versions = _partner_versions(tournament, handle)
        except ArenaError as error:
            refusal = error
    preselected = request.GET.get("version", "")
    first = min(own, key=lambda version: (not is_active(version), version_sort_key(version)), default=None)
    initial = {"version": preselected or (first.public_id if first else ""), "once": new_form_key()}
    form = EnterForm(
        own,
        partner_versions,
        submitted_data(request),
        initial=initial,
        mixes=tournament_mixes_partners(tournament),
        pairs=pairs,
    )
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            if refusal is not None:
                raise refusal
            with idempotent_form(request, user) as outcome:
                entry = _create_entry(tournament, form, partner_versions, user)
                outcome.redirect_to("web:tournament", tournament.public_id)
            messages.success(request, _success_message(entry))
            return redirect(outcome.address)
    refused = [candidate for candidate in listed if candidate.refusal]
    context = {"tournament": tournament, "form": form, "refused": refused, "nav": "tournament"}
    return render_form(request, "web/author/enter.html", context)


def _create_entry(
    tournament: Tournament, form: EnterForm, partner_versions: list[BotVersion], user: User
) -> Entry:
    chosen = form.cleaned_data.get("partner_version", "")
    partner = next((version for version in partner_versions if version.public_id == chosen), None)
    if partner is None and len(partner_versions) == 1:
        partner = partner_versions[0]
    if partner_versions and partner is None:
        owner = partner_versions[0].bot.owner
        raise Invalid(
            f"{owner} has {len(partner_versions)} bots. Choose one.", "invalid", field="partner_version"
        )
    return entry_create(
        tournament,
        version_get(form.cleaned_data["version"], user),
        user,
        partner_version=partner,
        accepts_partners=bool(form.cleaned_data.get("accepts_partners")),
    )


def _partner_versions(tournament: Tournament, handle: str) -> list[BotVersion]:
    """Return the versions of a player that can be a partner.

    Raises:
        Invalid: no such player, or none of their versions qualifies; field ``partner``.
    """
    try:
        player = player_named(handle.replace("\0", "\ufffd"))
    except ArenaError as error:
        raise Invalid(error.message, error.code, field="partner") from None
    versions = partner_versions(player, tournament.game, MAX_VERSIONS)
    if not versions:
        raise Invalid(f"{player} has no public bot for {tournament.game}.", "invalid", field="partner")
    return versions


def _success_message(entry: Entry) -> str:
    if entry.status == Entry.Status.PENDING:
        return f"{entry.owners()[-1]} has been asked. The pair is entered when they agree."
    return f"{entry.bot_name} is entered."
