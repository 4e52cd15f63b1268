"""API views of imports. They are read-only: staff import with a page or a command."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.caching import OCTET_STREAM, conditional_response, file_response
from arena.api.base.shapes import schema_of
from arena.api.base.views import AnyContentType, ApiView, ListView
from arena.features.imports.api.answers import ImportDetail, import_detail, import_row
from arena.features.imports.models import ImportedEvent
from arena.features.imports.selectors import import_archive, import_verified, imports_visible_to


class Imports(ListView):
    """Imported tournaments, newest first."""

    is_same_for_everyone = True
    write = staticmethod(import_row)
    page_ordering = "-id"

    def rows(self) -> QuerySet[ImportedEvent]:
        """Tournaments of other sites, verified here from their exports."""
        return imports_visible_to(None)


class OneImport(ApiView):
    is_same_for_everyone = True

    @extend_schema(responses=schema_of(ImportDetail))
    def get(self, request: Request, imported: str) -> Response:
        """Show an imported tournament.

        With its standings, and the claims that its export proves.
        """
        return self.respond(import_detail, import_verified(imported))


class ImportExport(ApiView):
    is_same_for_everyone = True
    content_negotiation_class = AnyContentType
    read_rate = "exports"

    @extend_schema(responses={(200, "application/zip", OCTET_STREAM): OpenApiTypes.BINARY})
    def get(self, request: Request, imported: str) -> HttpResponseBase:
        """Download the archive of an imported tournament.

        The bytes as received, which ``rensho verify`` verifies again.
        """
        event = import_verified(imported)
        return conditional_response(
            request,
            f'"{event.sha256}"',
            lambda: file_response(
                request, import_archive(event), "application/zip", f"import-{event.public_id}.zip"
            ),
        )
