"""Forms of authors: labels, hints and controls. The services enforce the rules."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import translation
from django.utils.translation import pgettext

from arena.common.game_titles import game_name
from arena.competition.games import game_keys
from arena.jobs.sources import SOURCE_CHARACTERS
from arena.roster.models import Bot
from arena.roster.services import NOTES_CHARACTERS
from arena.web.base.access import set_choices
from viewer.games import game_families

VISIBILITIES = {
    Bot.Visibility.PUBLIC: "everybody sees the bot and its results",
    Bot.Visibility.PRIVATE: "only you and its opponents see it",
}


def game_described(key: str) -> str:
    """Return the English name and summary of a game's first family, and the names of other families."""
    family, *further_families = game_families(key)
    with translation.override("en"):  # the forms of authors are in English
        also = f" Includes {', '.join(map(game_name, further_families))}." if further_families else ""
        return f"{game_name(key)}: {pgettext('game', game_families(key)[family].summary)}{also}"


def form_key_field(*, required: bool = True) -> forms.CharField:
    return forms.CharField(max_length=40, widget=forms.HiddenInput, required=required)


def notes_field() -> forms.CharField:
    return forms.CharField(
        label="Notes",
        required=False,
        max_length=NOTES_CHARACTERS,
        help_text="What is new in this version. Only you see the notes.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class BotForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=60,
        help_text="1 to 60 characters, shown publicly.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    game = forms.ChoiceField(label="Game", widget=forms.RadioSelect)
    visibility = forms.ChoiceField(
        label="Visibility",
        choices=list(VISIBILITIES.items()),
        widget=forms.RadioSelect,
        help_text="Only you can read its program.",
    )
    once = form_key_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "game", [(key, game_described(key)) for key in game_keys()])


class BotChangeForm(forms.Form):
    name = forms.CharField(label="Name", max_length=60, widget=forms.TextInput(attrs={"autocomplete": "off"}))
    visibility = forms.ChoiceField(
        label="Visibility", choices=list(VISIBILITIES.items()), widget=forms.RadioSelect
    )


class SubmitForm(forms.Form):
    bundle = forms.FileField(
        label="Archive",
        help_text="A .zip with a rensho.toml, or a single .py file.",
        widget=forms.FileInput(attrs={"accept": ".zip,.py"}),
    )
    notes = notes_field()
    once = form_key_field()


class WriteForm(forms.Form):
    source = forms.CharField(
        label="Program",
        strip=False,
        max_length=SOURCE_CHARACTERS,
        widget=forms.Textarea(
            attrs={
                "rows": 30,
                "spellcheck": "false",
                "autocapitalize": "none",
                "autocomplete": "off",
                "translate": "no",
            }
        ),
    )
    notes = notes_field()
    base = forms.CharField(required=False, max_length=32, widget=forms.HiddenInput)
    newest = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    once = form_key_field()


class NotesForm(forms.Form):
    notes = notes_field()
