"""The pages of the admin: every column but the hidden ones, nothing to be edited, for staff."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.utils import display_for_value, quote, unquote
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db.models import Case, F, Model, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.http import urlencode

from arena.accounts.models import User
from arena.admin.pages import AdminPage
from arena.common.errors import ArenaError

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    AnyPaginator = Paginator[Any]
else:
    # Generic for the type checker only.
    ModelAdmin = admin.ModelAdmin
    AnyPaginator = Paginator

MAX_COUNTED_ROWS = 10_000
"""Rows of a list that are counted and can be paged through; search finds the others."""
SEALED = "sealed"
"""Shown instead of a column that is not read while its boards are played."""
CLOSED = "closed"
"""The state of a board set whose results are known."""
PLACEHOLDER = re.compile(r"{(\w+)}")
FILTER_SUFFIXES = ("", "exact", "isnull")


class BoundedPaginator(AnyPaginator):
    """Counts no further than ``MAX_COUNTED_ROWS``, so that a list costs the same at any size."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, or ``MAX_COUNTED_ROWS`` if there are more."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MAX_COUNTED_ROWS].count()


class RowField(NamedTuple):
    """A column on the page of a row."""

    name: str
    text: str
    url: str = ""


class ReadOnlyAdmin(ModelAdmin):
    """A list and a page for each row. Only the columns they show are selected, never whole rows."""

    list_per_page = 50
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = BoundedPaginator
    ordering = ("-pk",)
    actions = None
    page: AdminPage

    def __init__(self, model: type[Model], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        self.hidden = self.page.hidden.split()
        self.sealed = self.page.sealed.split()
        self.list_columns = {f"shown_{number}": name for number, name in enumerate(self.page.columns.split())}
        self.filters = self.page.filters.split()
        fields = [field for field in model._meta.concrete_fields if field.name not in self.hidden]
        self.columns = {field.name: field for field in fields}
        self.references = {field.name: field.related_model for field in fields if field.is_relation}

    def visible_rows(self) -> QuerySet[Any]:
        """The rows that staff may see; which columns are read is for the caller to say."""
        rows: QuerySet[Any] = self.model._default_manager.order_by()
        if self.page.seal and not self.sealed:
            rows = rows.filter(**{self.page.seal: CLOSED})
        return rows

    def readable_column(self, name: str) -> F | Case:
        """The value of a column, as far as it may be read."""
        if name in self.sealed:
            return Case(When(**{self.page.seal: CLOSED}, then=F(name)))
        return F(name)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """The rows of the list, each with its key and what the list shows."""
        shown = {alias: self.readable_column(name) for alias, name in self.list_columns.items()}
        rows: QuerySet[Any] = self.visible_rows().only("pk").annotate(**shown).order_by("-pk")
        return rows

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """The declared columns."""
        return [_column(self, alias, name) for alias, name in self.list_columns.items()]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        """The declared ones."""
        return self.page.search.split()

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """The declared ones."""
        return list(self.filters)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """The filters of the page, and one row of another model: filtering tells as much as seeing."""
        name, _, suffix = lookup.partition("__")
        return (name in self.filters and suffix in FILTER_SUFFIXES) or lookup in self.references

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever the site lets in."""
        return self.admin_site.has_permission(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As ``has_view_permission``."""
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: rows come from services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: rows are changed by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: history is kept."""
        return False

    def get_urls(self) -> list[URLPattern]:
        """The list and the page of a row, none to add, delete or edit."""
        name, view = f"{self.opts.app_label}_{self.opts.model_name}", self.admin_site.admin_view
        return [
            path("", view(self.changelist_view), name=f"{name}_changelist"),
            path("<path:object_id>/change/", view(self.change_view), name=f"{name}_change"),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list; nothing can be sent to it. PostgreSQL cannot look for NUL."""
        if request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        if any("\0" in value for value in request.GET.values()):
            raise BadRequest
        return super().changelist_view(request, extra_context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """The columns of a row, what links to it, and its actions; an action if one is sent."""
        # PostgreSQL cannot look for NUL; no key has it.
        row = self.row(unquote(object_id).replace("\0", "?"))
        if request.method not in ("GET", "HEAD"):
            return self.run_action(request, row)
        label = row["label"] if self.label else row["pk"]
        context = {
            **self.admin_site.each_context(request),
            "title": f"{self.opts.verbose_name} {label}",
            "opts": self.opts,
            "lines": [self.row_field(name, row) for name in self.columns],
            "links": [
                PLACEHOLDER.sub(lambda found: str(row[f"at_{found[1]}"]), url)
                for url in self.page.links.split()
            ],
            "related": self.related(row),
            "possible": [action for action in self.page.actions if action.is_possible(row)],
        }
        return TemplateResponse(request, "admin/row.html", context)

    @property
    def label(self) -> str:
        """The column that names a row; empty if only its key does."""
        return self.page.label or ("public_id" if "public_id" in self.columns else "")

    def row(self, key: str) -> dict[str, Any]:
        """The columns of one row by name, those of other rows that its page shows, and its key.

        Raises:
            Http404: there is none of this key, or its boards are open.
        """
        read: dict[str, Any] = {f"own_{name}": self.readable_column(name) for name in self.columns}
        read |= {f"at_{name}": F(name) for name in PLACEHOLDER.findall(self.page.links)}
        read |= {"label": F(self.label)} if self.label else {}
        read |= {"seal": F(self.page.seal)} if self.page.seal else {}
        for name, model in self.references.items():
            if (other := admin_of(model)) is not None and other.label:
                read[f"of_{name}"] = F(f"{name}__{other.label}")
        try:
            found = self.visible_rows().filter(pk=key).annotate(**read).values("pk", *read).first()
        except (ValueError, ValidationError):
            found = None
        if found is None:
            raise Http404(f"There is no {self.opts.verbose_name} {key!r}.")
        return {name.removeprefix("own_"): value for name, value in found.items()}

    def row_field(self, name: str, row: Mapping[str, Any]) -> RowField:
        """A column of a row as text, with a link to the row it refers to."""
        value = row[name]
        if name in self.sealed and row["seal"] != CLOSED:
            return RowField(name, SEALED)
        if isinstance(value, bytes | memoryview):
            return RowField(name, bytes(value).hex())
        if isinstance(value, dict | list):
            return RowField(name, json.dumps(value, ensure_ascii=False, indent=1, default=str))
        other = admin_of(self.references.get(name))
        if other is None or value is None:
            return RowField(name, display_for_value(value, self.get_empty_value_display()))
        label = row.get(f"of_{name}", value)
        return RowField(name, f"{other.opts.verbose_name} {label}", row_url(other.model, value))

    def related(self, row: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The lists of rows that refer to this one, as (title, address)."""
        found = [
            (f"{page.opts.verbose_name_plural} ({name})", list_url(page.model, **{name: row["pk"]}))
            for page in map(admin_of, apps.get_models())
            if page is not None
            for name, model in page.references.items()
            if model is self.model
        ]
        if "public_id" in row:
            trail = apps.get_model("accounts.AuditEvent")
            found.append(("audit trail", list_url(trail, q=row["public_id"])))
        return found

    def run_action(self, request: HttpRequest, row: Mapping[str, Any]) -> HttpResponse:
        """Carry out the action that is named, and go back to the row.

        Raises:
            PermissionDenied: the page has none of this name.
        """
        named = request.POST.get("do", "")
        action = next((action for action in self.page.actions if action.name == named), None)
        if action is None or not isinstance(request.user, User):
            raise PermissionDenied
        try:
            target = self.visible_rows().defer(*self.hidden).get(pk=row["pk"])
            action.run(target, request.user, request.POST.get("reason", ""))
        except ArenaError as error:
            messages.error(request, f"Nothing was done: {error.message}")
        else:
            messages.success(request, f"{action.label}: done.")
        return HttpResponseRedirect(row_url(self.model, row["pk"]))


def admin_of(model: Any) -> ReadOnlyAdmin | None:
    """The page of a model; None if it has none."""
    page = admin.site._registry.get(model)
    return page if isinstance(page, ReadOnlyAdmin) else None


def row_url(model: type[Model], key: Any) -> str:
    """Address of the page of a row."""
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[quote(key)])


def list_url(model: type[Model], **query: Any) -> str:
    """Address of a list, narrowed down."""
    page = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{page}?{urlencode(query)}" if query else page


def _column(page: ReadOnlyAdmin, alias: str, name: str) -> Callable[[Any], object]:
    """A column of a list, which can be sorted by unless it is sealed."""

    @admin.display(
        description=name.replace("__", " ").replace("_", " "), ordering=None if name in page.sealed else name
    )
    def column(row: Any) -> object:
        return getattr(row, alias)

    column.__name__ = name.replace("__", "_")
    return column


def pages_register(pages: Mapping[str, AdminPage]) -> None:
    """Give models their pages, by label."""
    for label, page in pages.items():
        admin.site.register(apps.get_model(label), ReadOnlyAdmin, page=page)
