"""The forms with which versions enter and meet others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from arena.competition.challenges import MOST_BOARDS
from arena.roster.models import BotVersion
from arena.web.authoring.forms import once_field

GONE = "Choose one of these: what you chose may not enter now."


def choices_of(versions: Sequence[BotVersion]) -> list[tuple[str, str]]:
    """Versions to choose from, by id."""
    return [(version.public_id, str(version)) for version in versions]


class EnterForm(forms.Form):
    """A version, and where pairs play a partner's."""

    version = forms.ChoiceField(
        label="Your version", widget=forms.RadioSelect, error_messages={"invalid_choice": GONE}
    )
    accepts_partners = forms.BooleanField(label="It may partner everybody in turn, as this format wants it")
    partner = forms.CharField(
        label="Partner",
        required=False,
        max_length=30,
        help_text="Handle of a player whose bot takes the other seat; who is asked. Empty: yours plays both.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    partner_version = forms.ChoiceField(
        label="Which bot of theirs",
        required=False,
        error_messages={"invalid_choice": "It cannot partner any more."},
    )

    def __init__(
        self,
        own: Sequence[BotVersion],
        theirs: Sequence[BotVersion],
        *args: Any,
        mixes: bool,
        pairs: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._offer("version", choices_of(own))
        self._offer("partner_version", [("", "choose"), *choices_of(theirs)])
        if not mixes:
            del self.fields["accepts_partners"]
        if not pairs:
            del self.fields["partner"]
        if not pairs or not theirs:
            del self.fields["partner_version"]

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices


class ChallengeForm(forms.Form):
    """A version of one's own, the rules, and how many boards."""

    version = forms.ChoiceField(
        label="Your version", widget=forms.RadioSelect, error_messages={"invalid_choice": GONE}
    )
    preset = forms.ChoiceField(label="Rules")
    boards = forms.IntegerField(label="Boards", min_value=1, max_value=MOST_BOARDS)
    target = forms.CharField(max_length=32, widget=forms.HiddenInput)
    once = once_field()

    def __init__(self, own: Sequence[BotVersion], presets: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in (("version", choices_of(own)), ("preset", [(key, key) for key in presets])):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices
