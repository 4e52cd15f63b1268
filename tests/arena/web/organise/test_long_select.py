"""A select with many options is the one that Django renders."""

from __future__ import annotations

import pytest
from django import forms
from django.test import SimpleTestCase

from arena.web.organise.datetime_fields import LongSelect

CHOICES = [("Asia/Tokyo", "Asia/Tokyo"), ("UTC", "UTC"), ("<&'", "a < b")]


@pytest.mark.parametrize("value", [None, "UTC", "<&'", "of none"])
def test_a_long_select_is_rendered_as_any_other(value: str | None) -> None:
    attrs = {"data-own-zone": True, "aria-describedby": "<"}
    ours, django = (
        kind(choices=CHOICES).render("zone", value, attrs=attrs) for kind in (LongSelect, forms.Select)
    )
    SimpleTestCase().assertHTMLEqual(ours, django)
