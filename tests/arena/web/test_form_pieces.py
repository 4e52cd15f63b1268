"""The pieces of which forms of pages are made: label, hint, control and error of a field, and the summary."""

from __future__ import annotations

import re

from django import forms
from django.template import engines

HOSTILE = '"><script>alert(1)</script>'


class Sample(forms.Form):
    """A field of each kind."""

    name = forms.CharField(help_text="As others see it.", max_length=10)
    notes = forms.CharField(required=False, widget=forms.Textarea)
    colour = forms.ChoiceField(choices=[("r", "red"), ("b", "blue")], widget=forms.RadioSelect)
    agrees = forms.BooleanField(help_text="Or not.")


def drawn(form: forms.Form) -> str:
    fields = "".join('{% include "web/_field.html" with field=form.' + name + " %}" for name in form.fields)
    template = engines["django"].from_string('{% include "web/_form_errors.html" %}' + fields)
    return template.render({"form": form})


def test_a_field_is_joined_to_its_hint_and_to_its_error() -> None:
    page = drawn(Sample({"name": HOSTILE}))
    control = re.search(r"<input[^>]*name=\"name\"[^>]*>", page)
    assert control
    assert 'aria-describedby="id_name_helptext id_name_error"' in control[0]
    assert 'aria-invalid="true"' in control[0]
    assert page.count('id="id_name_helptext"') == page.count('id="id_name_error"') == 1
    assert '<label for="id_name">' in page
    for described in re.findall(r'aria-describedby="([^"]*)"', page):
        for target in described.split():
            assert page.count(f'id="{target}"') == 1, target


def test_what_was_typed_stays_and_is_escaped() -> None:
    page = drawn(Sample({"name": HOSTILE, "notes": HOSTILE}))
    assert HOSTILE not in page
    assert 'value="&quot;&gt;&lt;script&gt;' in page
    assert "&lt;script&gt;" in page[page.index("<textarea") :]


def test_the_summary_leads_to_every_field_that_is_wrong() -> None:
    page = drawn(Sample({"name": "x" * 11}))
    summary = page[: page.index('class="form-field')]
    targets = re.findall(r'href="#([^"]*)"', summary)
    assert targets == ["id_name", "id_colour", "id_agrees"]
    for target in targets:
        assert page.count(f'id="{target}"') == 1, target
    assert 'role="alert"' in summary


def test_a_form_without_mistakes_has_no_summary_and_marks_what_is_optional() -> None:
    page = drawn(Sample())
    assert "form-errors" not in page
    assert page.count("form-optional") == 1
    assert "aria-invalid" not in page
