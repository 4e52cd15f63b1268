"""Choice of house bots in organisers' forms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms

from arena.roster.models import Bot
from arena.roster.selectors import house_bots_ready

KIND_TEXTS = {
    "random": "plays random legal cards",
    "greedy": "plays simply",
    "rules": "plays by rules of thumb",
    "pimc": "searches; needs much more CPU time",
    "ismcts": "searches; needs much more CPU time",
    "search": "searches; needs much more CPU time",
}
SEPARATOR = ","
"""Between the names in a saved draft, which has one text for each field."""


class HouseBotsWidget(forms.CheckboxSelectMultiple):
    """Checkboxes that also accept names joined by commas, as drafts store them."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        values = super().value_from_datadict(data, files, name) or []
        return [part for value in values for part in value.split(SEPARATOR) if part]


def house_bots_field(label: str, hint: str, *, required: bool = False) -> forms.MultipleChoiceField:
    """Return a choice of house bots, to be filled with ``house_bot_choices``."""
    return forms.MultipleChoiceField(
        label=label,
        help_text=hint,
        required=required,
        widget=HouseBotsWidget,
        error_messages={"invalid_choice": "%(value)s is not a house bot that can play now. Choose others."},
    )


def house_bot_choices(bots: Collection[Bot]) -> list[tuple[str, str]]:
    choices = []
    for bot in bots:
        text = KIND_TEXTS.get(bot.name.removeprefix(f"{bot.game}_"), "")
        choices.append((bot.name, f"{bot.name}: {text}" if text else bot.name))
    return choices


def house_choices_for(game: str, chosen: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return the choices for a game, with the chosen names even if they are not ready. One query."""
    choices = house_bot_choices(house_bots_ready(game))
    known = {name for name, _ in choices}
    return choices + [(name, f"{name}: not ready now") for name in chosen if name not in known]
