"""Faults, alike ones together."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.reverse import reverse

from arena.jobs.fault_files import clock_trace_of
from arena.matches.models import FaultGroup


class FaultClockOut(serializers.Serializer[Any]):
    """What the faulted decision was allowed and what it took, in ms; the bank as it stood before."""

    bank_ms = serializers.FloatField()
    limit_cpu_ms = serializers.FloatField()
    used_cpu_ms = serializers.FloatField()
    limit_wall_ms = serializers.FloatField()
    used_wall_ms = serializers.FloatField()


class FaultOut(serializers.Serializer[Any]):
    """One fault, whole."""

    verdict = serializers.CharField()
    reason = serializers.CharField(help_text="What was wrong and what to change.")
    board = serializers.IntegerField()
    decision = serializers.IntegerField(
        help_text="The seat's decisions at this table so far, this one included; 0 while starting."
    )
    phase = serializers.CharField()
    request = serializers.CharField(allow_null=True, help_text="The exact line; null while starting.")
    answer = serializers.CharField(
        allow_null=True, help_text="The exact line, cut at 4096 characters; null if there was none."
    )
    log_tail = serializers.CharField(
        allow_blank=True, help_text="Last lines of standard error; a mark stands for what lies before them."
    )
    clock = FaultClockOut()
    fingerprint = serializers.CharField()
    action = serializers.CharField(allow_null=True, help_text="What was played instead.")


class FaultLinksOut(serializers.Serializer[Any]):
    """Where to read on; null where there is no such thing."""

    fault = serializers.URLField()
    file = serializers.URLField(help_text="For rensho reproduce.")
    page = serializers.URLField()
    check = serializers.URLField(allow_null=True, help_text="If it happened in the check's trial.")
    table = serializers.URLField(allow_null=True)
    record = serializers.URLField(allow_null=True)
    board = serializers.URLField(allow_null=True)
    log = serializers.URLField(allow_null=True)


def file_name_of(group: FaultGroup) -> str:
    """What a fault's file is called once downloaded."""
    return f"fault-{group.fingerprint}.json"


class FaultGroupOut(serializers.Serializer[Any]):
    """Faults of one version that look alike: same verdict, phase and last log line but for its numbers."""

    fingerprint = serializers.CharField()
    version = serializers.CharField(source="version.public_id")
    version_number = serializers.IntegerField(source="version.number")
    verdict = serializers.CharField()
    phase = serializers.CharField()
    count = serializers.IntegerField()
    first_seen_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    table = serializers.CharField(
        source="table.public_id",
        default="",
        help_text="Where the sample happened; empty for the check's trial table.",
    )
    tournament = serializers.CharField(
        source="table.fixture.board_set.round.stage.tournament.public_id",
        default="",
        help_text="Of that table; empty for the check's trial table.",
    )
    seat = serializers.IntegerField(help_text="The bot's seat in the sample.")
    sample = FaultOut(help_text="The latest of them.")
    reproduce = serializers.SerializerMethodField(help_text="The command, once the file is downloaded.")
    links = serializers.SerializerMethodField()

    def get_reproduce(self, group: FaultGroup) -> str:
        """What to type."""
        return f"rensho reproduce {file_name_of(group)}"

    @extend_schema_field(FaultLinksOut)
    def get_links(self, group: FaultGroup) -> dict[str, str | None]:
        """Absolute addresses."""
        request = self.context["request"]

        def at(name: str, **kwargs: Any) -> str:
            return reverse(name, kwargs=kwargs, request=request)

        version, table = group.version.public_id, group.table
        links: dict[str, str | None] = {
            "fault": at("version-fault", version=version, fingerprint=group.fingerprint),
            "file": at("version-fault-file", version=version, fingerprint=group.fingerprint),
            "page": request.build_absolute_uri(f"{group.version.page}/faults/{group.fingerprint}"),
            "check": at("version-check", version=version) if table is None else None,
            **dict.fromkeys(("table", "record", "board", "log")),
        }
        if table is not None:
            links["table"] = at("table", table=table.public_id)
            links["record"] = at("record", table=table.public_id)
            links["log"] = f"{at('log', table=table.public_id)}?seat={group.seat}"
            number = group.sample["board"]
            if number:
                board_set = table.fixture.board_set.public_id
                links["board"] = at("board", board_set=board_set, number=number)
        return links


class MomentOut(serializers.Serializer[Any]):
    """What one decision took."""

    board = serializers.IntegerField()
    decision = serializers.IntegerField()
    cpu_ms = serializers.FloatField()
    wall_ms = serializers.FloatField()
    verdict = serializers.CharField(allow_blank=True, help_text="Of a faulted one; else empty.")


class FaultGroupDetail(FaultGroupOut):
    """A group of faults, and how long the bot took for its last decisions up to the sample."""

    clock_trace = serializers.SerializerMethodField()

    @extend_schema_field(MomentOut(many=True))
    def get_clock_trace(self, group: FaultGroup) -> list[dict[str, Any]]:
        """In order, the faulted one last."""
        return clock_trace_of(group)
