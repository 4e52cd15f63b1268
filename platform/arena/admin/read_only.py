"""What every admin page shares: rows are looked at, services change them, organisers see their own alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import BooleanField, Case, Count, IntegerField, Model, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from arena.admin.actions import ActionPage
from arena.admin.site import is_organiser, is_staff
from arena.common.models import Blob, BlobScrub, Compatibility, LostBlob

if TYPE_CHECKING:
    ModelPage = admin.ModelAdmin[Any]
    AnyPaginator = Paginator[Any]
else:
    # Generic for the type checker only.
    ModelPage = admin.ModelAdmin
    AnyPaginator = Paginator

SEALED = "sealed"
"""Shown instead of what would tell of deals that are still being played."""


MOST_COUNTED = 10_000
"""Rows of a list that are counted and can be paged through; beyond that filters help more."""


class BoundedPaginator(AnyPaginator):
    """Counts no further than ``MOST_COUNTED``, so that a list costs the same at any size."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, or ``MOST_COUNTED`` if there are more."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[:MOST_COUNTED].count()


def rows_of(rows: QuerySet[Any]) -> Coalesce:
    """How many rows a subquery finds, counted for the rows shown alone. ``rows`` must not be ordered."""
    counted = rows.annotate(group=Value(1)).values("group").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


class ReadOnlyPage(ActionPage, ModelPage):
    """Every column but the hidden ones, none of it to be edited; no adding, no deleting.

    Staff see all rows. Organisers see the page only if ``owner_path`` is given, and of it only the rows
    whose owner they are, without what is sealed.
    """

    hidden: ClassVar[tuple[str, ...]] = ()
    """Columns no page ever shows and no filter ever looks at."""
    owner_path: ClassVar[str] = ""
    """Lookup from a row to the account of the organiser whose it is; empty: for staff alone."""
    seal_path: ClassVar[str] = ""
    """Lookup from a row to the state of its board set; empty: nothing of it is ever sealed."""
    sealed: ClassVar[tuple[str, ...]] = ()
    """Columns an organiser does not see while the board set is open."""
    is_sealed_whole: ClassVar[bool] = False
    """Organisers do not see the row at all while the board set is open."""
    staff_columns: ClassVar[tuple[str, ...]] = ()
    """Columns of lists and pages that only staff see."""
    staff_filters: ClassVar[tuple[Any, ...]] = ()
    """Filters that only staff get."""
    linked_by: ClassVar[tuple[str, ...]] = ()
    """Lookups by which other pages link to this list."""
    computed: ClassVar[tuple[str, ...]] = ()
    """Computed columns of the page of a row, before its own."""
    related: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    """Lists that belong to a row: (what they are called, page of the admin, lookup)."""
    api_path: ClassVar[str] = ""
    """Address of a row below /api/v1, with the row as ``{0}``; empty: it has none."""
    list_per_page = 50
    show_full_result_count = False
    paginator = BoundedPaginator

    def counted(self) -> Mapping[str, Any]:
        """What is counted for each row of a list, by name."""
        return {}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """All rows for staff, one's own for an organiser; each knows who looks and what is sealed."""
        rows: QuerySet[Any] = super().get_queryset(request).annotate(**self.counted())
        staff = is_staff(request)
        if not staff:
            rows = rows.filter(**{self.owner_path: request.user}) if self.owner_path else rows.none()
        if self.seal_path and not staff:
            if self.is_sealed_whole:
                rows = rows.filter(**{self.seal_path: "closed"})
            is_open = Case(
                When(**{self.seal_path: "closed"}, then=Value(False)),
                default=Value(True),
                output_field=BooleanField(),
            )
            rows = rows.annotate(is_sealed_here=is_open)
        else:
            rows = rows.annotate(is_sealed_here=Value(False, output_field=BooleanField()))
        visible: QuerySet[Any] = rows.annotate(viewer_is_staff=Value(staff, output_field=BooleanField()))
        return visible

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """The computed columns, then those of the model, without what this viewer may not see."""
        left_out = set(self.hidden)
        if not is_staff(request):
            left_out.update(self.staff_columns)
        if obj is not None and getattr(obj, "is_sealed_here", False):
            left_out.update(self.sealed)
        own = [f.name for f in self.model._meta.concrete_fields if f.name not in left_out]
        return [*(name for name in self.computed if name not in left_out), *own]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[str]:
        """All of them."""
        return self.get_fields(request, obj)

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Without the columns of staff for others."""
        columns = super().get_list_display(request)
        return [name for name in columns if is_staff(request) or name not in self.staff_columns]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Without the filters of staff for others."""
        filters = super().get_list_filter(request)
        return [*filters, *self.staff_filters] if is_staff(request) else list(filters)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Nothing hidden; for organisers only what the page offers: filtering tells as much as seeing."""
        if lookup.split("__")[0] in self.hidden:
            return False
        if lookup in self.linked_by:
            return True
        if is_staff(request):
            return super().lookup_allowed(lookup, value, request)
        names = set()
        for entry in self.get_list_filter(request):
            name = entry[0] if isinstance(entry, tuple) else getattr(entry, "parameter_name", entry)
            names.add(str(name))
        if self.date_hierarchy:
            names.add(self.date_hierarchy)
        return any(lookup == name or lookup.startswith(f"{name}__") for name in names)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Whether the page is on the list of pages."""
        return self.has_view_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Staff everything, organisers what has an owner; which rows is for ``get_queryset``."""
        return is_staff(request) or (is_organiser(request) and bool(self.owner_path))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: rows come from services."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: rows move by services."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never: the past stays."""
        return False

    def links_of(self, request: HttpRequest, obj: Any) -> list[tuple[str, str]]:
        """What belongs to a row, as (label, address), for the head of its page."""
        links = [(label, rows_url(page, lookup, obj.pk)) for label, page, lookup in self.related]
        return [*links, ("API", f"/api/v1/{self.api_path.format(obj)}")] if self.api_path else links


def rows_url(page: str, lookup: str, value: object) -> str:
    """Address of a list of the admin, narrowed down by a lookup; ``page`` such as ``matches_table``."""
    return f"{reverse(f'admin:{page}_changelist')}?{urlencode({lookup: str(value)})}"


def row_link(row: Any, target: Model | None, label: object = None, *, public: str = "") -> SafeString | str:
    """A link from a row to the page of another, or to a public page where the viewer has no other.

    ``row`` is one of a ``ReadOnlyPage`` list: it knows whether staff looks.
    """
    if target is None:
        return "–"
    text = str(target) if label is None else str(label)
    name = f"{target._meta.app_label}_{target._meta.model_name}"
    page = admin.site._registry.get(type(target))
    if getattr(row, "viewer_is_staff", False) or (isinstance(page, ReadOnlyPage) and page.owner_path):
        return format_html('<a href="{}">{}</a>', reverse(f"admin:{name}_change", args=[target.pk]), text)
    return format_html('<a href="{}">{}</a>', public, text) if public else text


def link_column(
    path: str, description: str, *, ordering: str | None = None, label: Callable[[Any], object] = str
) -> Callable[[Any, Any], SafeString | str]:
    """A column that links each row to the one found along ``path``, such as ``version.bot``."""
    target_of = attrgetter(path)

    @admin.display(description=description, ordering=ordering)
    def column(page: ReadOnlyPage, row: Any) -> SafeString | str:
        target = target_of(row)
        return row_link(row, target, None if target is None else label(target))

    return column


def joined(parts: Iterable[SafeString | str]) -> SafeString:
    """Some links, one after the other."""
    return format_html_join(" + ", "{}", ((part,) for part in parts))


@admin.register(Blob)
class BlobAdmin(ReadOnlyPage):
    """Stored bytes by hash."""

    list_display = ("sha256", "kind", "size", "created_at")
    list_filter = ("kind",)
    search_fields = ("sha256",)
    date_hierarchy = "created_at"


@admin.register(LostBlob)
class LostBlobAdmin(ReadOnlyPage):
    """Blobs whose bytes are missing or damaged."""

    list_display = ("blob", "problem", "found_at")
    list_filter = ("problem",)


@admin.register(BlobScrub)
class BlobScrubAdmin(ReadOnlyPage):
    """How far the reading of all blobs has come."""

    list_display = ("after", "passed_at")


@admin.register(Compatibility)
class CompatibilityAdmin(ReadOnlyPage):
    """Which releases may use the database."""

    list_display = ("oldest_release", "migrated_by", "migrated_at")
