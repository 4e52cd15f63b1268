"""The form of a tournament: labels and controls. It has the same bounds as the API."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms.utils import ErrorDict
from django.http import QueryDict

from arena.common.errors import ArenaError
from arena.common.game_titles import game_name, preset_title
from arena.competition import event_options
from arena.competition.choices import preset_formats, rule_refusal
from arena.competition.drafts import validate_draft
from arena.competition.games import games_described, preset_game, preset_options
from arena.competition.models import Tournament
from arena.competition.stages import MAX_ENTRIES
from arena.competition.tournament_fields import DEFAULTS, EDITABLE, FIELDS
from arena.web.base.access import set_choices
from arena.web.organise import stage_forms
from arena.web.organise.datetime_fields import localise, preselect_browser_zone, time_zone_field
from arena.web.organise.declared import control
from arena.web.organise.house_fields import house_bots_field, house_choices_for
from arena.web.organise.options import rule_fields

TIE_TITLES = {
    "head_to_head": "Head to head",
    "buchholz": "Buchholz",
    "sonneborn_berger": "Sonneborn-Berger",
    "board_score_difference": "Board score",
    "wins": "Wins",
}
TIE_BREAKS = {name: f"{title}: {event_options.TIE_BREAKS[name]}" for name, title in TIE_TITLES.items()}
"""Tie-breaks offered by the form, without the lot, which always decides last."""
TIE_FIELDS = tuple(f"tie_{number}" for number in range(1, len(TIE_BREAKS) + 2))
"""A field per tie-break, and one more for a second ``head_to_head``."""
DIRECT_FIELDS = tuple(name for name in FIELDS if name not in ("ruleset", "stages", "clock", "tie_breaks"))
"""Fields that have the same name in the service."""
PLACED_FIELDS = (
    "name",
    "preset",
    "board_kind",
    "boards_per_round",
    "description",
    "visibility",
    "entry_policy",
    "entries_per_player",
    "house_bots",
    "min_entries",
    "max_entries",
    "closes_at",
    "starts_at",
    "co_organisers",
)
PAGE_FIELDS = ("seen", "once", "rules_of", "plan_entries", "time_zone")
DATETIME_FIELDS = ("closes_at", "starts_at")
"""Fields in the local time of the form's time zone."""
NEW_EVENT_VALUES = {"review_hours": 24}
"""Initial values of a new tournament that differ from the defaults of the API."""


def _presets() -> list[tuple[str, list[tuple[str, str]]]]:
    return [
        (game_name(game["key"]), [(name, f"{preset_title(name)} ({name})") for name in game["presets"]])
        for game in games_described()
    ]


class NamesField(forms.CharField):
    """User names, separated by commas, spaces or lines; cleaned to a list."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        """Return the sorted names without duplicates."""
        return sorted(set(super().clean(value).replace(",", " ").split()))


class EventForm(forms.Form):
    """All fields of a tournament; its stages are separate forms, ``stages``.

    ``event`` is the tournament to change; without it the form creates one. Fields that cannot be changed in
    the tournament's state are removed.
    """

    preset = forms.ChoiceField(label=FIELDS["preset"].label, choices=_presets)
    co_organisers = NamesField(
        label=FIELDS["co_organisers"].label,
        help_text=FIELDS["co_organisers"].help,
        required=False,
        max_length=2000,
    )
    house_bots = house_bots_field(
        FIELDS["house_bots"].label, "They enter when entry opens, and play like other entries."
    )
    time_zone = time_zone_field("For both times.")
    plan_entries = forms.IntegerField(
        label="Entries to plan for", required=False, min_value=2, max_value=MAX_ENTRIES
    )
    course = forms.CharField(max_length=16, required=False, widget=forms.HiddenInput)
    rules_of = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    once = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        values: Mapping[str, Any],
        event: Tournament | None = None,
        once: str = "",
    ) -> None:
        initial = {**DEFAULTS, **values}
        self.event, self.before = event, dict(values)
        clock = {**event_options.parse_clock(None), **(initial["clock"] or {})}
        initial |= {f"clock_{name}": value for name, value in clock.items()}
        names = [name for name in event_options.parse_tie_breaks(initial["tie_breaks"]) if name in TIE_BREAKS]
        initial |= dict(zip(TIE_FIELDS, names, strict=False))
        initial |= {"once": once, "seen": form_fingerprint(values, event.state) if event else ""}
        self.preset_name = chosen_preset(data, initial["preset"])
        initial["rules_of"] = self.preset_name
        super().__init__(None if data is None else reset_rules(data, self.preset_name), initial=initial)
        self.fields |= {name: control(FIELDS[name]) for name in DIRECT_FIELDS if name not in self.fields}
        game = preset_game(self.preset_name)
        chosen = initial["house_bots"] if initial["preset"] == self.preset_name else ()
        set_choices(self, "house_bots", house_choices_for(game, chosen))
        self._clock_fields()
        self._tie_fields()
        self._rule_fields(initial["ruleset"] if initial["preset"] == self.preset_name else None)
        if data is not None:
            self.stages = stage_forms.submitted_forms(data)
        else:
            self.stages = stage_forms.initial_forms(
                initial["stages"] or [{"format": preset_formats(self.preset_name)[0]}]
            )
        self._restrict()
        if event is None and data is None:
            preselect_browser_zone(self.fields["time_zone"])

    def _clock_fields(self) -> None:
        for name, field in event_options.CLOCK_FIELDS.items():
            self.fields[f"clock_{name}"] = control(field)

    def _tie_fields(self) -> None:
        choices = [("", "–"), *TIE_BREAKS.items()]
        for number, name in enumerate(TIE_FIELDS, 1):
            self.fields[name] = forms.ChoiceField(label=f"{number}.", choices=choices, required=False)

    def _rule_fields(self, ruleset: Mapping[str, Any] | None) -> None:
        self.preset_rules = preset_options(self.preset_name)
        for name, field in rule_fields(self.preset_rules).items():
            self.fields[f"rule_{name}"] = field
            if ruleset is not None and name in ruleset:
                value = ruleset[name]
                self.initial[f"rule_{name}"] = "" if value is None else value

    def _restrict(self) -> None:
        if self.event is None:
            self.editable = tuple(DEFAULTS)
            return
        self.editable = EDITABLE.get(self.event.state, ())
        for name in list(self.fields):
            if service_field(name) not in (*self.editable, *PAGE_FIELDS):
                del self.fields[name]
        if not any(name in self.fields for name in DATETIME_FIELDS):
            self.fields.pop("time_zone", None)
        if "stages" not in self.editable:
            self.stages = []

    @property
    def rule_controls(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("rule_")]

    @property
    def clock_controls(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("clock_")]

    @property
    def tie_controls(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("tie_")]

    @property
    def further_controls(self) -> list[forms.BoundField]:
        names = [name for name in DIRECT_FIELDS if name not in PLACED_FIELDS and name in self.fields]
        return [self[name] for name in names if not self[name].is_hidden]

    @property
    def changes_rules(self) -> bool:
        """Whether a rule differs from the preset or is invalid, so that the rules are expanded."""
        return any(
            control.errors or str(control.value()) != str(control.field.prepare_value(control.field.initial))
            for control in self.rule_controls
        )

    def clear_errors(self) -> None:
        """Remove all errors, for a form that is not finished."""
        forms_shown: list[Any] = [self, *self.stages]
        for form in forms_shown:
            form._errors = ErrorDict()

    @property
    def errors_by_control(self) -> list[tuple[str, list[str]]]:
        mistakes = []
        all_forms: list[Any] = [self, *self.stages]
        for form in all_forms:
            for name, errors in form.errors.items():
                if name != NON_FIELD_ERRORS:
                    mistakes.append((form[name].auto_id, list(errors)))
                elif form is not self:
                    mistakes.append((f"stage-{form.number}", list(errors)))
        return mistakes

    def valid_fields(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        fields = {name: cleaned[name] for name in DIRECT_FIELDS if name in cleaned}
        if self.stages and not any(stage.errors for stage in self.stages):
            fields["stages"] = [stage.service_fields() for stage in self.stages]
        return fields

    def service_fields(self) -> dict[str, Any]:
        """Return the arguments of the service; empty fields get its defaults."""
        cleaned = self.cleaned_data
        fields = {name: cleaned[name] for name in DIRECT_FIELDS if name in cleaned}
        if self.clock_controls:
            fields["clock"] = {name: cleaned[f"clock_{name}"] for name in event_options.CLOCK_FIELDS}
        if self.tie_controls:
            fields["tie_breaks"] = [cleaned[name] for name in TIE_FIELDS if cleaned[name]]
        if self.rule_controls:
            fields["ruleset"] = self._rules_changed()
        if self.stages:
            fields["stages"] = [stage.service_fields() for stage in self.stages]
        if fields.get("board_plan") == "fixed":
            fields["max_passes"] = None
        return fields

    def _rules_changed(self) -> dict[str, Any]:
        given = {name: self.cleaned_data.get(f"rule_{name}") for name in self.preset_rules}
        return {name: value for name, value in given.items() if value != self.preset_rules[name]}

    def clean(self) -> dict[str, Any]:
        """Reject what the service would reject, at the field it names."""
        cleaned = super().clean() or {}
        for name in DATETIME_FIELDS:
            if name in cleaned:
                cleaned[name] = localise(cleaned[name], cleaned.get("time_zone", ""))
        mistaken = [stage.number for stage in self.stages if not stage.is_valid()]
        if mistaken:
            self.add_error(None, "A stage has an error; see below.")
        if self.event is None or "preset" in self.editable:
            self._clean_rules()
            if not self.errors:
                try:
                    validate_draft(self.service_fields())
                except ArenaError as error:
                    self.add_service_error(error)
        return cleaned

    def _clean_rules(self) -> None:
        if self.preset_name != self.cleaned_data.get("preset"):
            return
        for name, value in self._rules_changed().items():
            if not self[f"rule_{name}"].errors and (why := rule_refusal(self.preset_name, name, value)):
                self.add_error(f"rule_{name}", why)

    def add_service_error(self, error: ArenaError) -> None:
        number = error.extra.get("stage")
        if isinstance(number, int) and 1 <= number <= len(self.stages):
            self.stages[number - 1].add_error(None, error.message)
            self.add_error(None, error.message)
            return
        field = str(error.extra.get("field", "")).split(".")[0]
        control_name = {"clock": "clock_increment_cpu_ms", "tie_breaks": TIE_FIELDS[0]}.get(field, field)
        self.add_error(control_name if control_name in self.fields else None, error.message)


def chosen_preset(data: QueryDict | None, otherwise: str) -> str:
    """Return the submitted preset, else ``otherwise``; for an unknown one the first preset."""
    name = (data.get("preset", "") if data is not None else "") or otherwise
    known = [preset for _game, presets in _presets() for preset, _name in presets]
    return name if name in known else known[0]


def reset_rules(data: QueryDict, preset: str) -> QueryDict:
    """Return the data with the preset's rules and no house bots, if those in it belong to another preset."""
    if data.get("rules_of", preset) == preset and any(name.startswith("rule_") for name in data):
        return data
    changed = data.copy()
    for name in [name for name in data if name.startswith("rule_")]:
        del changed[name]
    if data.get("rules_of", preset) != preset:
        changed.pop("house_bots", None)
    changed["rules_of"] = preset
    for name, field in rule_fields(preset_options(preset)).items():
        changed[f"rule_{name}"] = str(field.prepare_value(field.initial))
    return changed


def service_field(name: str) -> str:
    """Return the service's name for the field of a control."""
    for prefix, field in (("clock_", "clock"), ("tie_", "tie_breaks"), ("rule_", "ruleset")):
        if name.startswith(prefix):
            return field
    return name


def form_fingerprint(values: Mapping[str, Any], state: str = "") -> str:
    """Return a hash of the tournament and its editable fields, to detect changes while the form is open."""
    text = json.dumps([values, sorted(EDITABLE.get(state, ()))], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
