"""Form for a new table: labels, hints and controls. The service validates the values."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from arena.common.game_titles import game_name
from arena.features.play.offers import KINDS, Offer
from arena.features.play.pages.titles import CLOCKS, DEALS, STRENGTHS, families_offered, house_names
from arena.web.base.access import set_choices


def _strength_choices(names: tuple[str, ...], offers: list[Offer]) -> list[tuple[str, Any]]:
    choices: list[tuple[str, Any]] = []
    for name in names:
        text, house = STRENGTHS[name][0], "" if name == "public" else house_names(name, offers)
        choices.append((name, f"{text} ({house})" if house else text))
    return choices


class ChooseForm(forms.Form):
    preset = forms.ChoiceField(label=_("Game"), widget=forms.RadioSelect)
    seats = forms.TypedChoiceField(label=pgettext_lazy("at a table", "Players"), coerce=int)
    opponents = forms.ChoiceField(label=pgettext_lazy("at a table", "Opponents"), widget=forms.RadioSelect)
    version = forms.ChoiceField(label=_("Public bot"), required=False)
    partner = forms.ChoiceField(label=_("Your partner"))
    partner_version = forms.ChoiceField(label=_("Public bot as partner"), required=False)
    deals = forms.ChoiceField(label=_("Length"), choices=list(DEALS.items()))
    clock_s = forms.TypedChoiceField(label=_("Your clock"), choices=list(CLOCKS.items()), coerce=int)
    practice = forms.BooleanField(
        label=_("Practice"),
        help_text=_("You can ask for hints and take back your last play."),
        required=False,
    )
    seat = forms.IntegerField(required=False, min_value=1, max_value=16, widget=forms.HiddenInput)
    same_cards_as = forms.CharField(required=False, max_length=32, widget=forms.HiddenInput)

    def __init__(
        self,
        offers: list[Offer],
        versions: dict[str, list[tuple[str, str]]],
        *args: Any,
        is_guest: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.families = families_offered(offers)
        set_choices(self, "preset", [choice for family in self.families for choice in family.choices])
        self.open = {offer.key for offer in offers if offer.seat_counts}
        self.alone = {offer.key for offer in offers if not offer.partner_seats}
        counts = sorted({count for offer in offers for count in offer.seat_counts})
        set_choices(self, "seats", [(str(count), str(count)) for count in counts])
        self.fields["seats"].required = bool(counts)
        listed = [
            (game_name(game), game_versions) for game, game_versions in versions.items() if game_versions
        ]
        self.is_public = bool(listed)
        # In order of strength; not every game has all of them.
        ready = {strength for offer in offers for strength in offer.strengths}
        house = [str(strength) for strength in KINDS if strength in ready]
        names = (*house, *(["public"] * self.is_public))
        set_choices(self, "opponents", _strength_choices(names, offers))
        set_choices(
            self, "partner", _strength_choices(names, [offer for offer in offers if offer.partner_seats])
        )
        for field in ("version", "partner_version"):
            set_choices(self, field, [("", "–"), *listed])
            # Visible only if a choice is needed, so not marked as optional.
            self.fields[field].is_needed = True  # type: ignore[attr-defined]
        if is_guest:
            deals = self.fields["deals"]
            deals.disabled = True
            deals.initial = "1"
            deals.help_text = _("Guests play one deal at a time. With an account, you can play more.")
