"""Actions on rows in the admin: each is confirmed on a page of its own and calls one service."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode

from arena.common.errors import ArenaError

if TYPE_CHECKING:
    ModelPage = admin.ModelAdmin[Any]
else:
    ModelPage = object

MOST_AT_ONCE = 100
"""Rows one confirmation may be for."""


class ConfirmForm(forms.Form):
    """The form of an action that needs no more than a confirmation."""

    def __init__(self, rows: Sequence[Any], data: Any = None) -> None:
        self.rows = rows
        super().__init__(data)


class ReasonForm(ConfirmForm):
    """A reason, for the audit trail and for those concerned."""

    reason = forms.CharField(
        max_length=300,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text="Entrants will read it.",
    )


class OptionalReasonForm(ReasonForm):
    """A reason that may be left out."""

    reason = forms.CharField(
        max_length=300,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text="May be left empty. Entrants will read it.",
    )


class Shown(str):
    """What an action gives that is shown once to who asked for it."""

    __slots__ = ()


@dataclasses.dataclass(frozen=True)
class AdminAction:
    """An action that rows of a page offer."""

    key: str
    """As in the address."""
    label: str
    description: str
    """What it changes, in one or two sentences."""
    act: Callable[[Any, Any, Mapping[str, Any]], object]
    """Called with the row, the account that acts and what the form asked for."""
    is_allowed: Callable[[Any, Any], bool]
    """Whether the row is in a state for it and the account may do it."""
    form: type[ConfirmForm] = ConfirmForm
    is_irreversible: bool = False
    """It cannot be undone."""
    for_many: bool = True
    """Whether it can be done to several rows of a list at once."""


class ActionPage(ModelPage):
    """A page of the admin whose rows offer actions."""

    admin_actions: ClassVar[tuple[AdminAction, ...]] = ()
    action_related: ClassVar[tuple[str, ...]] = ()
    """What ``select_related`` needs so that actions need no further queries."""
    change_form_template = "admin_actions/change_form.html"

    class Media:
        """Style sheets of the page, as files: the site allows nothing inline."""

        css: ClassVar[dict[str, list[str]]] = {"all": ["admin_actions/admin_actions.css"]}

    def actions_now(self, request: HttpRequest, row: Any) -> list[AdminAction]:
        """The actions this row allows just now."""
        return [action for action in self.admin_actions if action.is_allowed(row, request.user)]

    def get_urls(self) -> list[URLPattern]:
        """The pages of the admin, and one to confirm actions on."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_do"
        own = path("do/<slug:key>/", self.admin_site.admin_view(self.do_view), name=name)
        return [own, *super().get_urls()]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """An entry of the list's menu for each action; it leads to the page that asks for confirmation."""
        if not self.has_view_permission(request):
            return {}
        return {
            action.key: (_leads_to(action.key), action.key, action.label)
            for action in self.admin_actions
            if action.for_many
        }

    def action_url(self, key: str, pks: Sequence[object]) -> str:
        """Where an action is confirmed for these rows."""
        page = reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_do", args=[key])
        return f"{page}?{urlencode({'ids': ','.join(str(pk) for pk in pks)})}"

    def links_of(self, request: HttpRequest, obj: Any) -> list[tuple[str, str]]:
        """What belongs to a row, as (label, address)."""
        return []

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """The page of a row, with what can be done to it and what belongs to it."""
        row = context.get("original")
        if row is not None:
            context["admin_actions"] = [
                {"action": action, "url": self.action_url(action.key, [row.pk])}
                for action in self.actions_now(request, row)
            ]
            context["links"] = self.links_of(request, row)
        return super().render_change_form(request, context, *args, **kwargs)

    def do_view(self, request: HttpRequest, key: str) -> HttpResponse:
        """Ask for confirmation (GET), or do it and go back (POST)."""
        action = next((action for action in self.admin_actions if action.key == key), None)
        if action is None or not self.has_view_permission(request):
            raise Http404("There is no such action.")
        rows = self._rows(request)
        form = action.form(rows, request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            self._do(request, action, rows, form.cleaned_data)
            return HttpResponseRedirect(self._back(rows))
        context = {
            **self.admin_site.each_context(request),
            "title": action.label,
            "action": action,
            "opts": self.opts,
            "rows": [
                (row, action.is_allowed(row, request.user), self._allowed(request, row)) for row in rows
            ],
            "form": form,
            "back": self._back(rows),
            "media": self.media,
        }
        return TemplateResponse(request, "admin_actions/confirm.html", context)

    def _rows(self, request: HttpRequest) -> list[Any]:
        """The rows named in the address, of those this account sees."""
        pks = [part for part in request.GET.get("ids", "").split(",") if part.isdigit()][:MOST_AT_ONCE]
        rows = self.get_queryset(request).filter(pk__in=pks)
        if self.action_related:
            rows = rows.select_related(*self.action_related)
        found = list(rows.order_by("pk"))
        if not found:
            raise Http404("None of these rows is there for you.")
        return found

    def _do(
        self, request: HttpRequest, action: AdminAction, rows: Sequence[Any], asked: Mapping[str, Any]
    ) -> None:
        done = 0
        for row in rows:
            name = str(row)
            try:
                came_of_it = action.act(row, request.user, asked)
                done += 1
                if isinstance(came_of_it, Shown):
                    self.message_user(request, came_of_it, messages.SUCCESS)
            except ArenaError as error:
                allowed = self._allowed(request, self.get_queryset(request).filter(pk=row.pk).first())
                self.message_user(request, f"{name}: {error.message}{allowed}", messages.ERROR)
        if done:
            what = str(rows[0]) if len(rows) == 1 else f"{done} of {len(rows)}"
            self.message_user(request, f"{action.label}: done for {what}.", messages.SUCCESS)

    def _allowed(self, request: HttpRequest, row: Any) -> str:
        """What could be done to a row just now, as a sentence with a blank before it."""
        if row is None:
            return ""
        names = ", ".join(action.label for action in self.actions_now(request, row))
        return f" Possible now: {names}." if names else " Nothing can be done to it now."

    def _back(self, rows: Sequence[Any]) -> str:
        page = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        if len(rows) == 1 and type(rows[0])._default_manager.filter(pk=rows[0].pk).exists():
            return reverse(f"{page}_change", args=[rows[0].pk])
        return reverse(f"{page}_changelist")


def _leads_to(key: str) -> Callable[[ActionPage, HttpRequest, Any], HttpResponse | None]:
    """An action of a list that only leads to the confirmation."""

    def lead(page: ActionPage, request: HttpRequest, rows: Any) -> HttpResponse | None:
        pks = list(rows.values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
        if len(pks) > MOST_AT_ONCE:
            page.message_user(request, f"At most {MOST_AT_ONCE} rows at once; choose fewer.", messages.ERROR)
            return None
        return HttpResponseRedirect(page.action_url(key, pks))

    return lead
