"""Endpoints: faults of your bots."""

from __future__ import annotations

from collections.abc import Iterable

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.answers.faults import (
    FaultGroupDetail,
    FaultGroupOut,
    fault_group_detail_out,
    fault_group_out,
    file_name_of,
)
from arena.api.base.caching import conditional_response, etag_of, file_response
from arena.api.base.paging import MAX_RESPONSE_BYTES
from arena.api.base.parts import count_fitting
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, AnyContentType
from arena.jobs.fault_files import fault_file_of
from arena.matches.models import FaultGroup
from arena.matches.orders import process_limits
from arena.matches.selectors import bot_faults, fault_group_get, version_faults
from arena.roster.selectors import bot_get, version_get


def _limited_response(groups: Iterable[FaultGroup], request: Request) -> Response:
    """Return the first groups that fit into a response; the most frequent come first, and samples may be
    long.
    """
    written = [fault_group_out(group, request) for group in groups]
    return Response(written[: count_fitting(written, MAX_RESPONSE_BYTES)])


class BotFaultListView(AccountView):
    @extend_schema(responses=schema_of(list[FaultGroupOut]))
    def get(self, request: Request, bot: str) -> Response:
        """List the faults of a bot's latest version.

        For the owner and staff.
        """
        groups = bot_faults(bot_get(bot, request.user), request.user)
        return _limited_response(groups, request)


class VersionFaultListView(AccountView):
    @extend_schema(responses=schema_of(list[FaultGroupOut]))
    def get(self, request: Request, version: str) -> Response:
        """List the faults of a version.

        Faults of its check and at unsealed tables, grouped by similarity, most frequent first.
        For the owner and staff; at most 200 groups and 900,000 bytes.
        """
        groups = version_faults(version_get(version, request.user), request.user)
        return _limited_response(groups, request)


class FaultGroupView(AccountView):
    @extend_schema(responses=schema_of(FaultGroupDetail))
    def get(self, request: Request, version: str, fingerprint: str) -> Response:
        """Get a group of faults.

        Includes the times of the decisions before the sample. For the owner and staff.
        """
        group = fault_group_get(version_get(version, request.user), fingerprint, request.user)
        return self.respond(fault_group_detail_out, group)


class FaultFileView(AccountView):
    content_negotiation_class = AnyContentType

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    def get(self, request: Request, version: str, fingerprint: str) -> HttpResponseBase:
        """Get a fault as a file for ``rensho reproduce``.

        Format rensho-fault/1. For the owner and staff.
        """
        group = fault_group_get(version_get(version, request.user), fingerprint, request.user)
        where = (group.table_id, group.check_run_id, group.seat, group.sample["decision"])
        return conditional_response(
            request,
            etag_of(version, fingerprint, *where, process_limits()),
            lambda: file_response(request, fault_file_of(group), "application/json", file_name_of(group)),
        )
