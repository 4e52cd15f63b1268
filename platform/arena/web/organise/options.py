"""Controls for self-describing options of formats and rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from arena.competition.choices import OptionOffered

YES, NO = "yes", "no"
TEXT_CHARACTERS = 40


class YesNoField(forms.TypedChoiceField):
    """A choice of yes or no; unlike a checkbox, it is always submitted."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            choices=[(YES, "Yes"), (NO, "No")],
            coerce=lambda value: value == YES,
            empty_value=None,
            required=False,
            **kwargs,
        )

    def prepare_value(self, value: Any) -> Any:
        return {True: YES, False: NO}.get(value, value) if isinstance(value, bool) else value


class RuleValueField(forms.CharField):
    """A rule's value: a number, a word, or nothing."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, max_length=TEXT_CHARACTERS, **kwargs)

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text == "":
            return None
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def option_label(name: str) -> str:
    """Return the name as a label.

    >>> option_label("third_place")
    'Third place'
    """
    return name.replace("_", " ").capitalize()


def option_field(option: OptionOffered) -> forms.Field:
    label, hint = option_label(option.name), f"{option.meaning[:1].upper()}{option.meaning[1:]}."
    if option.kind == "boolean":
        return YesNoField(label=label, help_text=hint, initial=bool(option.default))
    return forms.IntegerField(
        label=label,
        help_text=hint,
        required=False,
        min_value=option.least,
        max_value=option.most,
        widget=forms.NumberInput(attrs={} if option.default is None else {"placeholder": option.default}),
    )


def rule_fields(preset: Mapping[str, Any]) -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    for name, value in preset.items():
        label = option_label(name)
        if isinstance(value, bool):
            fields[name] = YesNoField(label=label, initial=value)
        else:
            fields[name] = RuleValueField(label=label, initial="" if value is None else str(value))
    return fields
