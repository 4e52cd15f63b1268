"""The form of a new experiment. What it allows is for the service; here are labels, hints and controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.experiments.services import LEAST_CAP, LEAST_RATE, MOST_BATCH, MOST_CAP, MOST_DIFFERENCE
from arena.roster.models import BotVersion
from arena.web.authoring.event_forms import choices_of
from arena.web.authoring.forms import once_field

GONE = _("Choose one of these: what you chose may not be played now.")


class ExperimentForm(forms.Form):
    """Two versions, the rules, and how sure the answer is to be."""

    candidate = forms.ChoiceField(label=_("New version"), error_messages={"invalid_choice": GONE})
    baseline = forms.ChoiceField(label=_("Old version"), error_messages={"invalid_choice": GONE})
    preset = forms.ChoiceField(label=_("Rules"))
    seats = forms.IntegerField(
        label=_("Seats"),
        required=False,
        min_value=2,
        max_value=16,
        help_text=_("Where the rules leave it open; empty: as they have it."),
    )
    difference = forms.FloatField(
        label=_("Worth finding"),
        min_value=0.001,
        max_value=MOST_DIFFERENCE,
        help_text=_(
            "The smallest gain you care for, in stones a board. Half of it takes four times the boards."
        ),
    )
    cap = forms.IntegerField(label=_("At most so many boards"), min_value=LEAST_CAP, max_value=MOST_CAP)
    field = forms.MultipleChoiceField(
        label=_("Against a field"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Both versions meet all you choose, on the same boards. Without a choice they meet each other."
        ),
        error_messages={"invalid_choice": GONE},
    )
    alpha = forms.FloatField(
        label=_("Falsely “better”"),
        min_value=LEAST_RATE,
        max_value=0.499,
        help_text=_("How often a version that is no better may be called better; 0.05 is 5 %."),
    )
    beta = forms.FloatField(
        label=_("Better, but missed"),
        min_value=LEAST_RATE,
        max_value=0.499,
        help_text=_("How often one that gains so much may be missed."),
    )
    boards_per_batch = forms.IntegerField(
        label=_("Boards of a batch"),
        min_value=1,
        max_value=MOST_BATCH,
        help_text=_("Played before the test is asked again."),
    )
    once = once_field()

    def __init__(
        self,
        own: Sequence[BotVersion],
        others: Sequence[BotVersion],
        presets: Sequence[str],
        *args: Any,
        has_seats: bool,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._offer("candidate", choices_of(own))
        self._offer("baseline", choices_of([*own, *others]))
        self._offer("field", choices_of([*others, *own]))
        self._offer("preset", [(key, key) for key in presets])
        if not has_seats:
            del self.fields["seats"]

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
