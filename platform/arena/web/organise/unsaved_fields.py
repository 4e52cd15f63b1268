"""Typed values that can no longer be saved because the tournament's state changed; displayed for copying."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict

from arena.competition.models import Tournament
from arena.web.organise import stage_forms
from arena.web.organise.event_form import PAGE_FIELDS, EventForm

PREFIX_LABELS = {"rule_": "Rule: ", "clock_": "Clock: ", "tie_": "Tie-break "}


def has_removed_fields(data: QueryDict, form: EventForm) -> bool:
    """Whether the data has fields that ``form`` no longer has, because the tournament's state changed."""
    return any(
        name in data for name in EventForm.base_fields if name not in form.fields and name not in PAGE_FIELDS
    )


def unsaved_fields(data: QueryDict, values: Mapping[str, Any], form: EventForm) -> list[tuple[str, str]]:
    """Return label and text of typed values that differ from the tournament and have no field in ``form``."""
    if not has_removed_fields(data, form):
        return []
    whole = EventForm(data, values=values)
    rows = []
    for name in whole.fields:
        if name in form.fields or name in PAGE_FIELDS or name not in data:
            continue
        control = whole[name]
        if _text(control, control.value()) != _text(control, control.initial):
            prefix = next((label for start, label in PREFIX_LABELS.items() if name.startswith(start)), "")
            rows.append((f"{prefix}{control.label}", _display_text(control)))
    if "stages" not in form.editable and stage_forms.COUNT_FIELD in data:
        before = stage_forms.initial_forms(values["stages"])
        if [_stage_text(stage) for stage in whole.stages] != [_stage_text(stage) for stage in before]:
            rows += [(f"Stage {stage.number}", _stage_text(stage)) for stage in whole.stages]
    return rows


def state_change_text(event: Tournament) -> str:
    is_open = event.state == Tournament.State.OPEN
    return "Entry has opened" if is_open else f"The tournament is now {event.state}"


def state_change_message(event: Tournament, form: EventForm) -> str:
    """Describe the change of state and name the fields that can still be changed."""
    labels = [f"“{field.label}”" for field in form.visible_fields() if field.name not in PAGE_FIELDS]
    if not labels:
        return (
            f"{state_change_text(event)}, so these settings can no longer be changed. Your input is shown "
            "below; copy what you need."
        )
    return (
        f"{state_change_text(event)}. Only {', '.join(labels)} can still be changed; save the form again to "
        "change them. Other input that differs from the tournament is shown below; copy what you need."
    )


def _text(control: forms.BoundField, value: Any) -> str:
    """Return a value as its control's text."""
    text = control.field.widget.format_value(control.field.prepare_value(value))
    if isinstance(text, list):
        text = ", ".join(text)
    return "" if text is None else str(text).replace("\r\n", "\n").strip()


def _display_text(control: forms.BoundField) -> str:
    """Return the text of a control's value; for a choice its label."""
    text = _text(control, control.value())
    choices = getattr(control.field, "choices", ())
    return next((str(label) for key, label in choices if key == text and isinstance(label, str)), text)


def _stage_text(stage: stage_forms.StageForm) -> str:
    parts = [(control.label, _display_text(control)) for control in stage]
    return "; ".join(f"{label}: {text}" for label, text in parts if text)
