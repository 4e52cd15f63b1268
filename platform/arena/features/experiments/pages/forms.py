"""Form for a new experiment: labels, hints and controls. The service validates the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.common.game_titles import preset_title
from arena.features.experiments.fields import FIELDS
from arena.roster.models import BotVersion
from arena.web.base.access import set_choices
from arena.web.bots.authoring.event_forms import version_choices
from arena.web.bots.authoring.forms import form_key_field
from arena.web.organise.declared import control

UNAVAILABLE = _("This version cannot play now. Choose another one.")


class ExperimentForm(forms.Form):
    candidate = forms.ChoiceField(
        label=FIELDS["candidate"].label, error_messages={"invalid_choice": UNAVAILABLE}
    )
    baseline = forms.ChoiceField(
        label=FIELDS["baseline"].label, error_messages={"invalid_choice": UNAVAILABLE}
    )
    preset = forms.ChoiceField(label=FIELDS["preset"].label)
    seats = forms.IntegerField(
        label=_("Seats"),
        required=False,
        min_value=2,
        max_value=16,
        help_text=_("Only for rules that allow different numbers of seats. Leave empty for the default."),
    )
    difference = control(FIELDS["difference"])
    cap = control(FIELDS["cap"])
    field = forms.MultipleChoiceField(
        label=FIELDS["field"].label,
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=FIELDS["field"].help,
        error_messages={"invalid_choice": UNAVAILABLE},
    )
    alpha = control(FIELDS["alpha"])
    beta = control(FIELDS["beta"])
    boards_per_batch = control(FIELDS["boards_per_batch"])
    once = form_key_field()

    def __init__(
        self,
        own: Sequence[BotVersion],
        other_versions: Sequence[BotVersion],
        presets: Sequence[str],
        *args: Any,
        has_seats: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "candidate", version_choices(own))
        set_choices(self, "baseline", version_choices([*own, *other_versions]))
        set_choices(self, "field", version_choices([*other_versions, *own]))
        set_choices(self, "preset", [(key, preset_title(key)) for key in presets])
        if not has_seats:
            del self.fields["seats"]
