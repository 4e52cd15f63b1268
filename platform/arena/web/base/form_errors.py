"""Error messages of form fields, each with a remedy.

They are installed at startup for all forms, because fields copy the messages when they are created. The
``error_messages`` of a field take precedence. Models and the API are not affected.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

INVALID_CHOICE = _("Choose one of the options.")
ERROR_MESSAGES: dict[type[forms.Field], dict[str, Any]] = {
    forms.Field: {
        "required": _("Fill in this field."),
        "min_value": _("Enter %(limit_value)s or more."),
        "max_value": _("Enter %(limit_value)s or less."),
        "step_size": _("Enter a multiple of %(limit_value)s."),
        "min_length": ngettext_lazy(
            "Enter at least %(limit_value)d character.",
            "Enter at least %(limit_value)d characters.",
            "limit_value",
        ),
        "max_length": ngettext_lazy(
            "Enter at most %(limit_value)d character. This text has %(show_value)d.",
            "Enter at most %(limit_value)d characters. This text has %(show_value)d.",
            "limit_value",
        ),
        "null_characters_not_allowed": _("Remove the null character."),
    },
    forms.IntegerField: {"invalid": _("Enter a whole number.")},
    forms.FloatField: {"invalid": _("Enter a number.")},
    forms.DecimalField: {"invalid": _("Enter a number.")},
    forms.DateField: {"invalid": _("Enter a date, such as 2027-01-31.")},
    forms.DateTimeField: {"invalid": _("Enter a date and a time, such as 2027-01-31 18:00.")},
    forms.EmailField: {"invalid": _("Enter an e-mail address, such as aya@example.org.")},
    forms.URLField: {"invalid": _("Enter an address that starts with https://.")},
    forms.BooleanField: {"required": _("Tick this box to continue.")},
    forms.ChoiceField: {"required": INVALID_CHOICE, "invalid_choice": INVALID_CHOICE},
    forms.MultipleChoiceField: {
        "required": _("Choose at least one option."),
        "invalid_choice": _("Choose from the options."),
        "invalid_list": _("Choose from the options."),
    },
    forms.FileField: {
        "required": _("Choose a file."),
        "invalid": _("Choose a file."),
        "missing": _("Choose a file."),
        "empty": _("This file is empty. Choose another file."),
        # FileField uses other placeholders than CharField.
        "max_length": ngettext_lazy(
            "File names can have at most %(max)d character; this one has %(length)d.",
            "File names can have at most %(max)d characters; this one has %(length)d.",
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
