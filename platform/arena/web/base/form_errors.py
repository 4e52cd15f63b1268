"""Error messages of form fields, each with a remedy.

They are installed at startup for all forms, because fields copy the messages when they are created. The
``error_messages`` of a field take precedence. Models and the API are not affected.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

INVALID_CHOICE = _("Choose one of these.")
ERROR_MESSAGES: dict[type[forms.Field], dict[str, Any]] = {
    forms.Field: {
        "required": _("Fill this in."),
        "min_value": _("At least %(limit_value)s."),
        "max_value": _("At most %(limit_value)s."),
        "step_size": _("Steps of %(limit_value)s."),
        "min_length": ngettext_lazy(
            "At least %(limit_value)d character.", "At least %(limit_value)d characters.", "limit_value"
        ),
        "max_length": ngettext_lazy(
            "At most %(limit_value)d character; it has %(show_value)d.",
            "At most %(limit_value)d characters; it has %(show_value)d.",
            "limit_value",
        ),
        "null_characters_not_allowed": _("Leave out the character 0."),
    },
    forms.IntegerField: {"invalid": _("Give a whole number.")},
    forms.FloatField: {"invalid": _("Give a number.")},
    forms.DecimalField: {"invalid": _("Give a number.")},
    forms.DateField: {"invalid": _("Give a date, such as 2027-01-31.")},
    forms.DateTimeField: {"invalid": _("Give a date and a time, such as 2027-01-31 18:00.")},
    forms.EmailField: {"invalid": _("Give an address for mail, such as aya@example.org.")},
    forms.URLField: {"invalid": _("Give an address that begins with https://.")},
    forms.BooleanField: {"required": _("Tick this to go on.")},
    forms.ChoiceField: {"required": INVALID_CHOICE, "invalid_choice": INVALID_CHOICE},
    forms.MultipleChoiceField: {
        "required": _("Choose at least one."),
        "invalid_choice": _("Choose among these."),
        "invalid_list": _("Choose among these."),
    },
    forms.FileField: {
        "required": _("Choose a file."),
        "invalid": _("Choose a file."),
        "missing": _("Choose a file."),
        "empty": _("This file is empty. Choose another one."),
        # FileField uses other placeholders than CharField.
        "max_length": ngettext_lazy(
            "The name of a file has at most %(max)d character; this one has %(length)d.",
            "The name of a file has at most %(max)d characters; this one has %(length)d.",
            "max",
        ),
    },
}
"""Messages by field class, as in ``Field.error_messages``; subclasses inherit them."""


def install_error_messages() -> None:
    """Set the default error messages of all field classes. Call it before forms are imported."""
    for kind, error_messages in ERROR_MESSAGES.items():
        given = vars(kind).get("default_error_messages", {})
        kind.default_error_messages = {**given, **error_messages}
