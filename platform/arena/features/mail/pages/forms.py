"""Form of the e-mail preferences."""

from __future__ import annotations

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.accounts.models import Notice
from arena.features.mail.models import Language

UNMAILED_KINDS = (Notice.Kind.MAIL,)
"""Notices about e-mail itself."""


class PreferencesForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label=gettext_lazy("Notices by e-mail"), required=False, widget=forms.CheckboxSelectMultiple
    )
    language = forms.ChoiceField(label=gettext_lazy("Language of e-mails"), choices=Language.choices)

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        kinds = self.fields["kinds"]
        assert isinstance(kinds, forms.MultipleChoiceField)
        kinds.choices = [
            (kind.value, capfirst(_(kind.label))) for kind in Notice.Kind if kind not in UNMAILED_KINDS
        ]
