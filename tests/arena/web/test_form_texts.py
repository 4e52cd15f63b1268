"""Every form says what to do in the house's words, none in those of the framework."""

from __future__ import annotations

from typing import Any

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.datastructures import MultiValueDict

from arena.web.base.form_errors import ERROR_MESSAGES
from tests import factories
from tests.arena.web.forms import fresh, page_of


class Everything(forms.Form):
    """A field of each kind that pages have."""

    text = forms.CharField(max_length=3)
    long = forms.CharField(min_length=8, required=False)
    whole = forms.IntegerField(min_value=2, max_value=9)
    share = forms.DecimalField(min_value=0.001)
    choice = forms.ChoiceField(choices=[("a", "a")])
    several = forms.MultipleChoiceField(choices=[("a", "a")])
    agreed = forms.BooleanField()
    archive = forms.FileField()
    mail = forms.EmailField()
    moment = forms.DateTimeField()


@pytest.mark.parametrize(
    ("field", "given", "code"),
    [
        ("text", "", "required"),
        ("text", "abcd", "max_length"),
        ("long", "x", "min_length"),
        ("text", "a\0", "null_characters_not_allowed"),
        ("whole", "1", "min_value"),
        ("whole", "10", "max_value"),
        ("whole", "x", "invalid"),
        ("share", "0", "min_value"),
        ("share", "x", "invalid"),
        ("choice", "", "required"),
        ("choice", "b", "invalid_choice"),
        ("several", "b", "invalid_list"),
        ("agreed", "", "required"),
        ("archive", "", "required"),
        ("archive", SimpleUploadedFile("x", b""), "empty"),
        ("mail", "x", "invalid"),
        ("moment", "x", "invalid"),
    ],
)
def test_a_mistake_is_told_in_the_houses_words(field: str, given: Any, code: str) -> None:
    files = MultiValueDict({field: [given]}) if isinstance(given, SimpleUploadedFile) else None
    (error,) = Everything({} if files else {field: given}, files).errors.as_data()[field]
    kinds = type(Everything.base_fields[field]).__mro__
    words = next(ERROR_MESSAGES[kind][code] for kind in kinds if code in ERROR_MESSAGES.get(kind, {}))
    assert (error.code, error.message is words) == (code, True)


def test_a_field_keeps_words_of_its_own() -> None:
    field = forms.CharField(error_messages={"required": "Say why."})
    with pytest.raises(forms.ValidationError, match=r"Say why\."):
        field.clean("")
    assert "required" in ERROR_MESSAGES[forms.Field]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/sign-up", "/me/bots/new", "/me/tokens", "/organise/new", "/play"])
def test_no_page_has_words_of_the_framework(
    client: Client, address: str, settings: pytest.FixtureRequest
) -> None:
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    if address != "/sign-up":
        client.force_login(factories.odo())
        fresh(client)
    answer = client.post(address, {"boards": "x", "min_entries": "0"})
    page = page_of(answer)
    assert answer.status_code == 400
    assert 'class="form-error"' in page or "form-errors" in page
    assert not [words for words in ("This field is", "Ensure this", "Select a valid") if words in page]
