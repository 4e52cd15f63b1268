"""GET parameters of lists: search text, game, preset and order, declared once for reading, form and links."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from arena.common.errors import Invalid, mark_translated
from arena.common.game_titles import game_name, preset_title
from arena.competition.games import family_keys, game_keys, preset_keys, presets_of, presets_of_family

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

MAX_QUERY_CHARACTERS = 60
"""Maximum characters of a search; further ones are ignored."""


class Option(NamedTuple):
    value: str
    title: str
    is_chosen: bool


class Parameter(NamedTuple):
    """A parameter with a fixed set of values. An empty value stands for all, or for the first order."""

    label: _StrPromise
    values: Callable[[], Sequence[str]]
    title: Callable[[str], str]
    everything: _StrPromise | str
    """Title of the empty value; empty if the first value is the default."""


class Order(NamedTuple):
    name: str
    title: _StrPromise


STRENGTH = Order("strength", pgettext_lazy("order of a list", "strength"))
ACTIVITY = Order("activity", pgettext_lazy("order of a list", "latest activity"))
NAME = Order("name", pgettext_lazy("order of a list", "name"))
SIZE = Order("entries", pgettext_lazy("order of a list", "number of entries"))
ORDERS = {order.name: order for order in (STRENGTH, ACTIVITY, NAME, SIZE)}

GAME = Parameter(gettext_lazy("Game"), game_keys, game_name, gettext_lazy("all games"))
FAMILY = Parameter(gettext_lazy("Game"), family_keys, game_name, gettext_lazy("all games"))
PRESET = Parameter(gettext_lazy("Rules"), preset_keys, preset_title, gettext_lazy("all rules"))


@dataclasses.dataclass(frozen=True)
class ListFields:
    """Parameters of one list."""

    orders: tuple[Order, ...] = ()
    """The first is the default."""
    search: _StrPromise | str = ""
    """Label of the search field ``q``; empty without one."""
    by_family: bool = False
    """Whether ``game`` names a family of presets; otherwise the game that bots are written for."""

    def presets(self, game: str) -> list[str]:
        return presets_of_family(game) if self.by_family else presets_of(game)

    def parameters(self) -> Mapping[str, Parameter]:
        known = {"game": FAMILY if self.by_family else GAME, "preset": PRESET}
        if self.orders:
            names = [order.name for order in self.orders]
            known["sort"] = Parameter(
                gettext_lazy("Order"), lambda: names, lambda name: str(ORDERS[name].title), ""
            )
        return known


LISTS: Mapping[str, ListFields] = {
    "bots": ListFields((STRENGTH, ACTIVITY, NAME), gettext_lazy("Bot or player name")),
    "players": ListFields((STRENGTH, ACTIVITY, NAME), gettext_lazy("Player name")),
    "tournaments": ListFields((ACTIVITY, SIZE, NAME), gettext_lazy("Tournament name"), by_family=True),
    "cups": ListFields((ACTIVITY, NAME), gettext_lazy("Cup name"), by_family=True),
    "rankings": ListFields(by_family=True),
}
"""The lists with parameters."""


class Choice(NamedTuple):
    """A select element."""

    name: str
    label: str
    options: list[Option]


@dataclasses.dataclass(frozen=True)
class ListRequest:
    """Parameters of a request, valid."""

    fields: ListFields
    query: str = ""
    game: str = ""
    preset: str = ""
    sort: str = ""

    @property
    def is_filtered(self) -> bool:
        return bool(self.query or self.game or self.preset)

    @property
    def chosen(self) -> dict[str, str]:
        """Parameters that differ from the default."""
        values = {"q": self.query, "game": self.game, "preset": self.preset, "sort": self.sort}
        if self.fields.orders and self.sort == self.fields.orders[0].name:
            values["sort"] = ""
        return {name: value for name, value in values.items() if value}

    def address(self, **changed: str) -> str:
        """Return the query string of this list with other values, such as ``?game=kakeya&sort=name``."""
        values = {**self.chosen, **changed}
        return f"?{urlencode({name: value for name, value in values.items() if value})}"

    @property
    def page_address(self) -> str:
        """Query string of a page of this list, without the number."""
        return f"{self.address()}&page=" if self.chosen else "?page="

    @property
    def choices(self) -> list[Choice]:
        return [self._choice(name, parameter) for name, parameter in self.fields.parameters().items()]

    def _choice(self, name: str, parameter: Parameter) -> Choice:
        now = getattr(self, name)
        values = parameter.values()
        if name == "preset" and self.game:
            values = self.fields.presets(self.game)
        options = [Option(value, parameter.title(value), value == now) for value in values]
        if parameter.everything:
            options.insert(0, Option("", str(parameter.everything), not now))
        return Choice(name, str(parameter.label), options)


def list_request(request: HttpRequest, name: str) -> ListRequest:
    """Return the parameters of a request for a list of ``LISTS``.

    Raises:
        Invalid: a value is unknown, or the preset is not of the game. ``field`` names the parameter.
    """
    fields = LISTS[name]
    values = {}
    for parameter_name, parameter in fields.parameters().items():
        value = request.GET.get(parameter_name, "")
        if value and value not in parameter.values():
            raise _invalid(parameter_name, parameter.values())
        values[parameter_name] = value
    game, preset = values["game"], values["preset"]
    if game and preset and preset not in fields.presets(game):
        raise _invalid("preset", fields.presets(game))
    if fields.orders:
        values["sort"] = values["sort"] or fields.orders[0].name
    query = request.GET.get("q", "")[:MAX_QUERY_CHARACTERS].strip() if fields.search else ""
    return ListRequest(fields, query, **values)


def _invalid(name: str, values: Sequence[str]) -> Invalid:
    message = _("The parameter %(name)s must be one of: %(values)s.")
    texts = {"name": name, "values": ", ".join(values)}
    return mark_translated(Invalid(message % texts, "invalid", field=name))
