"""Admin pages that show every column except hidden ones and allow no editing."""

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
"""Maximum rows of a list that are counted and paged; search reaches the others."""
SEALED = "sealed"
"""Replaces a sealed value."""
CLOSED = "closed"
"""State of a board set whose results are public."""
PLACEHOLDER = re.compile(r"{(\w+)}")
FILTER_SUFFIXES = ("", "exact", "isnull")


class BoundedPaginator(AnyPaginator):
    """A paginator that counts at most ``MAX_COUNTED_ROWS``, so that the cost of a list does not depend on
    its size.
    """

    @cached_property
    def count(self) -> int:
        """The number of rows, or ``MAX_COUNTED_ROWS`` if there are more."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MAX_COUNTED_ROWS].count()


class RowField(NamedTuple):
    """A column on the page of a row."""

    name: str
    text: str
    url: str = ""


class ReadOnlyAdmin(ModelAdmin):
    """The list of a model and a page for each row. Queries select the displayed columns only, never whole
    rows.
    """

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
        """Return the rows that staff may see. The caller selects the columns."""
        rows: QuerySet[Any] = self.model._default_manager.order_by()
        if self.page.seal and not self.sealed:
            rows = rows.filter(**{self.page.seal: CLOSED})
        return rows

    def readable_column(self, name: str) -> F | Case:
        """Return an expression for a column that is NULL while it is sealed."""
        if name in self.sealed:
            return Case(When(**{self.page.seal: CLOSED}, then=F(name)))
        return F(name)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        columns = {alias: self.readable_column(name) for alias, name in self.list_columns.items()}
        rows: QuerySet[Any] = self.visible_rows().only("pk").annotate(**columns).order_by("-pk")
        return rows

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return [_column(self, alias, name) for alias, name in self.list_columns.items()]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        return self.page.search.split()

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        return list(self.filters)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow the filters of the page and references to other rows: a filter reveals as much as a
        column.
        """
        name, _, suffix = lookup.partition("__")
        return (name in self.filters and suffix in FILTER_SUFFIXES) or lookup in self.references

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.admin_site.has_permission(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        name, view = f"{self.opts.app_label}_{self.opts.model_name}", self.admin_site.admin_view
        return [
            path("", view(self.changelist_view), name=f"{name}_changelist"),
            path("<path:object_id>/change/", view(self.change_view), name=f"{name}_change"),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Render the list; only GET is allowed. NUL is refused, as PostgreSQL cannot search for it."""
        if request.method not in ("GET", "HEAD"):
            raise PermissionDenied
        if any("\0" in value for value in request.GET.values()):
            raise BadRequest
        return super().changelist_view(request, extra_context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Render the columns of a row, its related lists and actions; POST runs an action."""
        # PostgreSQL cannot search for NUL; no key contains it.
        row = self.row(unquote(object_id).replace("\0", "?"))
        if request.method not in ("GET", "HEAD"):
            return self.run_action(request, row)
        label = row["row_label"] if self.label else row["pk"]
        context = {
            **self.admin_site.each_context(request),
            "title": f"{self.opts.verbose_name} {label}",
            "opts": self.opts,
            "lines": [self.row_field(name, row) for name in self.columns],
            "links": [
                PLACEHOLDER.sub(lambda match: str(row[f"at_{match[1]}"]), url)
                for url in self.page.links.split()
            ],
            "related": self.related(row),
            "possible": [action for action in self.page.actions if action.is_possible(row)],
        }
        return TemplateResponse(request, "admin/row.html", context)

    @property
    def label(self) -> str:
        """The column that names a row; empty if only the primary key does."""
        return self.page.label or ("public_id" if "public_id" in self.columns else "")

    def row(self, key: str) -> dict[str, Any]:
        """Return the columns of one row by name, with its key and the columns of other rows that its page
        displays.

        Raises:
            Http404: the key does not exist, or its boards are open.
        """
        read: dict[str, Any] = {f"own_{name}": self.readable_column(name) for name in self.columns}
        read |= {f"at_{name}": F(name) for name in PLACEHOLDER.findall(self.page.links)}
        read |= {"row_label": F(self.label)} if self.label else {}
        read |= {"seal": F(self.page.seal)} if self.page.seal else {}
        for name, model in self.references.items():
            if (other := admin_of(model)) is not None and other.label:
                read[f"of_{name}"] = F(f"{name}__{other.label}")
        try:
            values = self.visible_rows().filter(pk=key).annotate(**read).values("pk", *read).first()
        except (ValueError, ValidationError):
            values = None
        if values is None:
            raise Http404(f"There is no {self.opts.verbose_name} {key!r}.")
        return {name.removeprefix("own_"): value for name, value in values.items()}

    def row_field(self, name: str, row: Mapping[str, Any]) -> RowField:
        """Return a column of a row as text, with a link to the row that it references."""
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
        """Return the lists of rows that reference this one, as (title, URL)."""
        links = [
            (f"{page.opts.verbose_name_plural} ({name})", list_url(page.model, **{name: row["pk"]}))
            for page in map(admin_of, apps.get_models())
            if page is not None
            for name, model in page.references.items()
            if model is self.model
        ]
        if "public_id" in row:
            trail = apps.get_model("accounts.AuditEvent")
            links.append(("audit trail", list_url(trail, q=row["public_id"])))
        return links

    def run_action(self, request: HttpRequest, row: Mapping[str, Any]) -> HttpResponse:
        """Run the action named in the request and redirect to the row.

        Raise ``PermissionDenied`` if the page has no action with this name.
        """
        named = request.POST.get("do", "")
        action = next((action for action in self.page.actions if action.name == named), None)
        if action is None or not isinstance(request.user, User):
            raise PermissionDenied
        try:
            target = self.visible_rows().defer(*self.hidden).get(pk=row["pk"])
            action.run(target, request.user, request.POST.get("reason", ""))
        except ArenaError as error:
            messages.error(request, f"Nothing was changed: {error.message}")
        else:
            messages.success(request, f"{action.label}: done.")
        return HttpResponseRedirect(row_url(self.model, row["pk"]))


def admin_of(model: Any) -> ReadOnlyAdmin | None:
    """Return the registered admin of a model, or None."""
    page = admin.site._registry.get(model)
    return page if isinstance(page, ReadOnlyAdmin) else None


def row_url(model: type[Model], key: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[quote(key)])


def list_url(model: type[Model], **query: Any) -> str:
    page = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{page}?{urlencode(query)}" if query else page


def _column(page: ReadOnlyAdmin, alias: str, name: str) -> Callable[[Any], object]:
    """Return a column of a list; it is sortable unless it is sealed."""

    @admin.display(
        description=name.replace("__", " ").replace("_", " "), ordering=None if name in page.sealed else name
    )
    def column(row: Any) -> object:
        return getattr(row, alias)

    column.__name__ = name.replace("__", "_")
    return column


def pages_register(pages: Mapping[str, AdminPage]) -> None:
    """Register admin pages by model label."""
    for label, page in pages.items():
        admin.site.register(apps.get_model(label), ReadOnlyAdmin, page=page)
