"""The form on which a tournament is made and, while its state allows it, changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db import transaction
from django.utils import timezone

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid
from arena.competition import plan
from arena.competition.cost import Plan, tournament_plan
from arena.competition.drafts import draft_planned, fields_of
from arena.competition.games import games_described
from arena.competition.models import Tournament
from arena.competition.services import tournament_update
from arena.matches.selectors import mean_cpu_ms_per_board
from arena.matches.workers import workers_alive

STAGES_HELP = """A list, in order, such as [{"format": "swiss", "options": {"rounds": 7}},
{"format": "single_elimination", "qualify": 8}]. Empty: one stage in the format that suits the preset first.
docs/formats.md describes every format with its options."""
HELP = {
    "name": "As spectators will read it.",
    "description": "What it is about; spectators read it. Can be changed until the end.",
    "visibility": "Private ones are seen by their entrants, invited players, you and staff.",
    "board_kind": "A deal board is one deal; a game board is a whole game.",
    "boards_per_round": "Every fixture of a round plays the same boards. More boards: less luck, more time.",
    "board_plan": "Whether the schedule is played once, or again until neighbours separate.",
    "most_passes": "Only with 'again and again': how often at most, from 2 to 100.",
    "budget_cpu_s": "CPU-seconds all bots together may use; empty: no limit. When spent, it pauses.",
    "fault_policy": "substitute: a fault is replaced by a fallback, the fourth forfeits the table; "
    "strict: the first one does.",
    "scoring": "match_points: 2/1/0 a fixture by board scores; board_score: the board scores themselves.",
    "tie_breaks": 'In order, such as ["head_to_head", "buchholz"]; empty: the usual. The lot decides last.',
    "entry_policy": "open: everybody who sees it; invited: players you invite.",
    "entries_per_player": "How many entries one player may have.",
    "min_entries": "With fewer at the lock it is cancelled; empty: a full table.",
    "max_entries": "Empty: as many as the formats take, 64 at most unless they say otherwise.",
    "quarantine_hours": "How long you have to send a quarantined table back before its fixture is void. "
    "0 where nobody attends.",
    "closes_at": "End of registration, UTC; empty: you lock it.",
    "starts_at": "Earliest start once locked, UTC; empty: you start it.",
    "ruleset": 'Options that differ from the preset, such as {"hand_cap": 8}.',
    "clock": 'Fields that differ from the usual clock, such as {"increment_cpu_ms": 50}.',
}
"""What each field means, where its name leaves a doubt."""
JSON_FIELDS = ("stages", "tie_breaks", "ruleset", "clock")
OPTIONAL = ("most_passes", "budget_cpu_s", "min_entries", "max_entries", "closes_at", "starts_at")


def _presets() -> list[tuple[str, list[tuple[str, str]]]]:
    return [(game["key"], [(name, name) for name in game["presets"]]) for game in games_described()]


def capacity_now() -> int:
    """Tables that can be played at a time just now."""
    return sum(workers_alive().exclude(runtimes={}).values_list("capacity", flat=True))


def plan_of(thing: Tournament | dict[str, Any]) -> Plan:
    """What a tournament or draft takes, as far as anything was measured."""
    return tournament_plan(thing, mean_cpu_ms=mean_cpu_ms_per_board, capacity=capacity_now())


SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("What it is", ("name", "description", "visibility", "preset", "board_kind", "boards_per_round")),
    ("How it is played", ("stages", "scoring", "tie_breaks", "board_plan", "most_passes", "budget_cpu_s")),
    ("Who enters", ("entry_policy", "entries_per_player", "min_entries", "max_entries")),
    ("When", ("closes_at", "starts_at", "quarantine_hours")),
    ("Fine print", ("fault_policy", "ruleset", "clock")),
)
FORM_ORDER = tuple(name for _, names in SECTIONS for name in names)
"""Every field, as the page shows them."""


class JsonField(forms.JSONField):
    """A JSON field that shows nothing as nothing."""

    def prepare_value(self, value: Any) -> Any:
        """As text; empty for nothing."""
        return "" if value is None else super().prepare_value(value)


def _choices(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name.replace("_", " ")) for name in names]


class TournamentForm(forms.ModelForm):  # type: ignore[type-arg]
    """Every field of a draft. What they may be is decided where the API decides it."""

    preset = forms.ChoiceField(choices=_presets, help_text="Game and rules.")
    stages = JsonField(required=False, help_text=STAGES_HELP, widget=forms.Textarea(attrs={"rows": 4}))
    tie_breaks = JsonField(required=False, widget=forms.TextInput(attrs={"size": 60}))
    ruleset = JsonField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
    clock = JsonField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
    scoring = forms.ChoiceField(choices=_choices(plan.SCORINGS))
    fault_policy = forms.ChoiceField(choices=_choices(plan.FAULT_POLICIES))
    is_preview = False
    """Whether the form is only to be checked and its plan shown."""
    plan: Plan | None = None
    viewer: User | None = None
    """Whoever fills it in."""

    class Meta:
        model = Tournament
        fields = tuple(name for name in FORM_ORDER if name != "stages")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.help_text = HELP.get(name, field.help_text)
            if name in OPTIONAL:
                field.required = False
        for name, value in (("board_kind", "deal"), ("boards_per_round", 16)):
            if name in self.fields and self.instance.pk is None:
                self.fields[name].initial = value
        if self.instance.pk is None:
            for name in ("min_entries", "max_entries", "most_passes"):
                self.initial.pop(name, None)
                self.fields[name].initial = None
        elif "stages" in self.fields:
            self.initial["stages"] = fields_of(self.instance)["stages"]

    def wanted(self) -> dict[str, Any]:
        """The fields as the service takes them: what was left empty is left out of a new draft."""
        given = {name: self.cleaned_data[name] for name in self.fields if name in self.cleaned_data}
        for name in JSON_FIELDS:
            if name in given and given[name] in (None, "", [], {}):
                given[name] = None
        if self.instance.pk is None:
            return {name: value for name, value in given.items() if value is not None}
        return {name: value for name, value in given.items() if name in self.changed_data}

    def clean(self) -> dict[str, Any]:
        """Refuse what the service would refuse, at the field it names."""
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        try:
            if self.is_preview:
                stored = fields_of(self.instance) if self.instance.pk else {}
                self.plan = plan_of({**stored, **self.wanted()})
            elif self.instance.pk is None:
                draft_planned(self.wanted())
            else:
                self._rehearse()
        except ArenaError as error:
            self.add_refusal(error)
        return cleaned

    def _rehearse(self) -> None:
        """Change it as the service would, and take it back: so that what it refuses is refused here."""
        assert self.viewer is not None
        with transaction.atomic():
            tournament_update(Tournament.objects.get(pk=self.instance.pk), self.viewer, **self.wanted())
            transaction.set_rollback(True)

    def add_refusal(self, error: ArenaError) -> None:
        """Show a refusal of the service where it belongs."""
        field = str(error.extra.get("field", "")).split(".")[0] if isinstance(error, Invalid) else ""
        self.add_error(field if field in self.fields else None, error.message)

    def _post_clean(self) -> None:
        """Nothing is written into the row here: the service does that."""

    def is_valid(self) -> bool:
        """Never, if it was only to be looked at: so nothing is saved."""
        return super().is_valid() and not self.is_preview


def hours_since(moment: Any) -> str:
    """How long ago something was, such as ``3 h`` or ``2 d``."""
    hours = (timezone.now() - moment).total_seconds() / 3600
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} d"
