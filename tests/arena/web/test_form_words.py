"""Every form says what to do in the house's words, none in those of the framework."""

from __future__ import annotations

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.datastructures import MultiValueDict

from arena.web.base.form_words import WORDS
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
    ("field", "given", "words"),
    [
        ("text", "", "Fill this in."),
        ("text", "abcd", "At most 3 characters; it has 4."),
        ("long", "x", "At least 8 characters."),
        ("text", "a\0", "Leave out the character 0."),
        ("whole", "1", "At least 2."),
        ("whole", "10", "At most 9."),
        ("whole", "x", "Give a whole number."),
        ("share", "0", "At least 0.001."),
        ("share", "x", "Give a number."),
        ("choice", "", "Choose one of these."),
        ("choice", "b", "Choose one of these."),
        ("several", "b", "Choose among these."),
        ("agreed", "", "Tick this to go on."),
        ("archive", "", "Choose a file."),
        ("mail", "x", "Give an address for mail, such as aya@example.org."),
        ("moment", "x", "Give a date and a time, such as 2027-01-31 18:00."),
    ],
)
def test_a_mistake_is_told_in_the_houses_words(field: str, given: str, words: str) -> None:
    assert Everything({field: given}).errors[field] == [words]


def test_none_at_least_one_and_an_empty_file() -> None:
    form = Everything({}, MultiValueDict({"archive": [SimpleUploadedFile("x", b"")]}))
    assert form.errors["several"] == ["Choose at least one."]
    assert form.errors["archive"] == ["This file is empty. Choose another one."]


def test_a_field_keeps_words_of_its_own() -> None:
    field = forms.CharField(error_messages={"required": "Say why."})
    with pytest.raises(forms.ValidationError, match=r"Say why\."):
        field.clean("")
    assert "required" in WORDS[forms.Field]


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
