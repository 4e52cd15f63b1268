"""Entries in the admin: seeded, withdrawn, taken out."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.safestring import SafeString

from arena.admin.actions import AdminAction, ConfirmForm, ReasonForm
from arena.admin.read_only import ReadOnlyPage, joined, link_column, row_link
from arena.competition.models import Entry
from arena.competition.permissions import entry_verbs_now
from arena.competition.services import entry_seed, entry_withdraw
from arena.jobs.flow import tournament_advance


class SeedForm(ConfirmForm):
    """The number an entry is seeded with."""

    seed = forms.IntegerField(
        min_value=1, max_value=10_000, required=False, help_text="From 1, the best; empty: by lot."
    )


def _withdraw(entry: Entry, actor: Any, asked: Any) -> None:
    entry_withdraw(entry, actor, asked["reason"])
    tournament_advance(entry.tournament)


@admin.register(Entry)
class EntryAdmin(ReadOnlyPage):
    """Entries."""

    api_path = "tournaments/{0.tournament.public_id}/entries/{0.public_id}"
    owner_path = "tournament__organiser"
    list_display = (
        "bots",
        "event",
        "who",
        "seed",
        "status",
        "status_reason",
        "is_organisers_own",
        "created_at",
    )
    list_filter = ("status", "is_organisers_own", ("seed", admin.EmptyFieldListFilter))
    list_select_related = (
        "tournament",
        "player__user",
        "version__bot__owner__user",
        "partner_version__bot__owner__user",
    )
    action_related = list_select_related
    search_fields = ("public_id", "tournament__public_id", "player__handle", "version__bot__name")
    date_hierarchy = "created_at"
    linked_by = ("tournament__id__exact", "player__id__exact", "version__id__exact")
    computed = ("event", "who", "bots", "versions_entered")
    related = (
        ("Fixtures", "matches_fixtureentry", "entry__id__exact"),
        ("Seats", "matches_tableseat", "entry__id__exact"),
        ("Scores", "standings_fixturescore", "entry__id__exact"),
    )
    admin_actions = (
        AdminAction(
            "seed",
            "Seed",
            "Its place in the order of the first stage; entries without a seed follow by lot.",
            lambda entry, actor, asked: entry_seed(entry, asked["seed"], actor),
            lambda entry, actor: "seed" in entry_verbs_now(entry, actor),
            form=SeedForm,
            for_many=False,
        ),
        AdminAction(
            "withdraw",
            "Withdraw, or take out",
            "Before the lock it is withdrawn and may enter again. After it, it leaves for good: no round "
            "to come is drawn with it, and what it has not finished it forfeits. Its owners are told.",
            _withdraw,
            lambda entry, actor: "withdraw" in entry_verbs_now(entry, actor),
            form=ReasonForm,
            is_irreversible=True,
        ),
    )

    @admin.display(description="bots", ordering="version__bot__name")
    def bots(self, row: Any) -> str:
        """One bot, or those of a pair."""
        return str(row.bot_name)

    event = link_column("tournament", "tournament", ordering="tournament__name")
    """Where it is entered."""

    @admin.display(description="player", ordering="player__handle")
    def who(self, row: Any) -> SafeString | str:
        """Whose it is."""
        return joined(row_link(row, owner) for owner in row.owners())

    @admin.display(description="versions")
    def versions_entered(self, row: Any) -> SafeString | str:
        """What plays for it."""
        return joined(row_link(row, version, public=version.page) for version in row.versions())
