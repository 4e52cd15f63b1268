"""Forms to enter tournaments and to challenge bots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django import forms

from arena.common.game_titles import preset_title
from arena.competition.challenges import BOARDS
from arena.roster.models import BotVersion
from arena.web.base.access import set_choices
from arena.web.base.bidi import isolated
from arena.web.bots.authoring.forms import form_key_field

VERSION_UNAVAILABLE = "Choose another version: the one you chose cannot enter now."
MAX_RADIO_CHOICES = 8
"""Maximum versions displayed as radio buttons; more are a drop-down list."""


def version_sort_key(version: BotVersion) -> tuple[list[tuple[int, str]], int]:
    """Natural sort key: bot 2 before bot 12, and newest version first."""
    parts = re.findall(r"[0-9]+|[^0-9]+", version.bot.name.casefold())
    numbered = [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
    return numbered, -version.number


def is_active(version: BotVersion) -> bool:
    return version.pk == version.bot.active_version_id


def version_choices(versions: Sequence[BotVersion]) -> list[tuple[str, str]]:
    return [(version.public_id, isolated(version)) for version in sorted(versions, key=version_sort_key)]


def own_version_choices(
    versions: Sequence[BotVersion],
) -> list[tuple[str, str]] | list[tuple[str, list[tuple[str, str]]]]:
    """Return choices with the active version of each bot first; active and other versions are labelled."""
    ordered = sorted(versions, key=version_sort_key)
    active = [(version.public_id, isolated(version)) for version in ordered if is_active(version)]
    inactive = [(version.public_id, isolated(version)) for version in ordered if not is_active(version)]
    if len(versions) > MAX_RADIO_CHOICES:
        groups = [("Active versions", active), ("Other versions", inactive)]
        return [(title, choices) for title, choices in groups if choices]
    if not inactive:
        return active
    return [(key, f"{name}, active") for key, name in active] + [
        (key, f"{name}, not active") for key, name in inactive
    ]


def version_field() -> forms.ChoiceField:
    """Return a choice of versions, to be filled by ``set_version_choices``."""
    return forms.ChoiceField(
        label="Your version", widget=forms.RadioSelect, error_messages={"invalid_choice": VERSION_UNAVAILABLE}
    )


def set_version_choices(form: forms.Form, versions: Sequence[BotVersion]) -> None:
    """Fill the field ``version`` of the form; many versions become a drop-down list."""
    if len(versions) > MAX_RADIO_CHOICES:
        form.fields["version"].widget = forms.Select(attrs=form.fields["version"].widget.attrs)
    set_choices(form, "version", own_version_choices(versions))


class EnterForm(forms.Form):
    version = version_field()
    accepts_partners = forms.BooleanField(
        label="I agree that my version partners every other entry in turn (required in this format)"
    )
    partner = forms.CharField(
        label="Partner",
        required=False,
        max_length=30,
        help_text=(
            "Handle of a player whose bot takes the other seat. The player is asked first. Empty: your "
            "version plays both seats."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    partner_version = forms.ChoiceField(
        label="Partner's bot",
        required=False,
        error_messages={"invalid_choice": "This version can no longer partner."},
    )
    once = form_key_field(required=False)

    def __init__(
        self,
        own: Sequence[BotVersion],
        partner_versions: Sequence[BotVersion],
        *args: Any,
        mixes: bool,
        pairs: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        set_version_choices(self, own)
        set_choices(self, "partner_version", [("", "choose"), *version_choices(partner_versions)])
        if not mixes:
            del self.fields["accepts_partners"]
        if not pairs:
            del self.fields["partner"]
        if not pairs or not partner_versions:
            del self.fields["partner_version"]


class ChallengeForm(forms.Form):
    version = version_field()
    preset = forms.ChoiceField(label="Rules")
    boards = forms.IntegerField(label="Boards", min_value=BOARDS.least, max_value=BOARDS.most)
    target = forms.CharField(max_length=32, widget=forms.HiddenInput)
    once = form_key_field()

    def __init__(self, own: Sequence[BotVersion], presets: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_version_choices(self, own)
        set_choices(self, "preset", [(key, preset_title(key)) for key in presets])
