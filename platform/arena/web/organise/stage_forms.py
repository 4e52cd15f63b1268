"""Forms of stages: added, moved and removed by buttons, each with the options of its format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from arena.competition.choices import FormatOffered, formats_offered
from arena.competition.event_options import MAX_BOARDS
from arena.competition.stages import MAX_ENTRIES, MAX_STAGES
from arena.web.base.access import set_choices
from arena.web.organise.options import option_field

COUNT_FIELD = "stages"
ADD, REMOVE, UP, DOWN = "stage-add", "stage-remove", "stage-up", "stage-down"


class StageForm(forms.Form):
    """A stage. ``chosen`` is its format, whose options are the fields ``option_NAME``."""

    format = forms.ChoiceField(label="Format")
    qualify = forms.IntegerField(
        label="Number of qualifiers",
        required=False,
        min_value=2,
        max_value=MAX_ENTRIES,
        help_text="The best entries from the previous stage. Leave empty for all entries.",
    )
    boards_per_round = forms.IntegerField(
        label="Boards per round",
        required=False,
        min_value=1,
        max_value=MAX_BOARDS,
        help_text="Leave empty to use the tournament's setting.",
    )

    def __init__(self, number: int, count: int, values: Mapping[str, Any], *, is_bound: bool) -> None:
        self.number, self.count = number, count
        prefix = f"stage-{number}"
        super().__init__(
            values if is_bound else None, prefix=prefix, initial={} if is_bound else dict(values)
        )
        self.chosen: FormatOffered = selected_format(values.get(f"{prefix}-format" if is_bound else "format"))
        titles = [(key, stage_format.title) for key, stage_format in formats_offered().items()]
        set_choices(self, "format", titles).help_text = self.chosen.summary
        if number == 1:
            del self.fields["qualify"]
        self.described = self.chosen.options
        for option in self.described:
            self.fields[f"option_{option.name}"] = option_field(option)

    @property
    def option_controls(self) -> list[forms.BoundField]:
        return [self[f"option_{option.name}"] for option in self.described]

    def service_fields(self) -> dict[str, Any]:
        """Return the stage as the service takes it, without options at their defaults."""
        cleaned = self.cleaned_data
        options = {}
        for option in self.described:
            value = cleaned.get(f"option_{option.name}")
            if value is not None and value != option.default:
                options[option.name] = value
        return {
            "format": cleaned["format"],
            "options": options,
            "qualify": cleaned.get("qualify"),
            "boards_per_round": cleaned.get("boards_per_round"),
        }


def selected_format(key: Any) -> FormatOffered:
    formats = formats_offered()
    return formats.get(str(key)) or next(iter(formats.values()))


def stage_form_values(stages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "format": stage["format"],
            "qualify": stage.get("qualify"),
            "boards_per_round": stage.get("boards_per_round"),
            **{f"option_{name}": value for name, value in (stage.get("options") or {}).items()},
        }
        for stage in stages
    ]


def initial_forms(stages: Sequence[Mapping[str, Any]]) -> list[StageForm]:
    values = stage_form_values(stages)
    return [StageForm(number, len(values), stage, is_bound=False) for number, stage in enumerate(values, 1)]


def submitted_forms(data: QueryDict) -> list[StageForm]:
    """Return the submitted forms, at least one."""
    count = stage_count(data)
    return [StageForm(number, count, data, is_bound=True) for number in range(1, count + 1)]


def stage_count(data: QueryDict) -> int:
    """Return the number of submitted stages, clamped to the allowed range."""
    text = data.get(COUNT_FIELD, "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 1
    return min(max(number, 1), MAX_STAGES)


def rearrange(data: QueryDict, verb: str, number: int) -> QueryDict:
    """Return the data with a stage added, removed or moved; all other values are kept.

    ``number`` is the stage of the button, from 1; an unknown number changes nothing.
    """
    count = stage_count(data)
    order = list(range(1, count + 1))
    index = number - 1
    if verb == ADD and count < MAX_STAGES:
        order.append(count + 1)
    elif verb == REMOVE and count > 1 and number in order:
        order.remove(number)
    elif verb == UP and 1 < number <= count:
        order[index - 1], order[index] = order[index], order[index - 1]
    elif verb == DOWN and 1 <= number < count:
        order[index + 1], order[index] = order[index], order[index + 1]
    changed = data.copy()
    for old in range(1, count + 1):
        for key in _keys(data, old):
            del changed[key]
    for new, old in enumerate(order, 1):
        for key in _keys(data, old):
            changed.setlist(f"stage-{new}-{key.split('-', 2)[2]}", data.getlist(key))
    if len(order) > count:
        changed[f"stage-{len(order)}-format"] = data.get(f"stage-{count}-format", "")
    changed[COUNT_FIELD] = str(len(order))
    return changed


def _keys(data: QueryDict, number: int) -> list[str]:
    return [key for key in data if key.startswith(f"stage-{number}-")]
