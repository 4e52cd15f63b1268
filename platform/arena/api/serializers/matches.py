"""Rounds, fixtures and tables, as open as their seal allows."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.base.serializers import Body, Choice, Items, PublicId, RowOut
from arena.competition.models import Round
from arena.competition.selectors import may_organise
from arena.matches.models import Adjudication, BoardResult, Table, TableSeat
from arena.matches.selectors import is_sealed_for


class RoundOut(RowOut[Round]):
    """A round; its boards are sealed until it is closed."""

    id = PublicId()
    stage = serializers.IntegerField(source="stage.number", read_only=True)
    board_set = serializers.CharField(source="board_set.public_id", read_only=True)
    boards = serializers.IntegerField(source="board_set.boards", read_only=True)

    class Meta:
        model = Round
        fields = ("id", "stage", "number", "state", "board_set", "boards", "opened_at", "closed_at")


class AdjudicationIn(Body):
    """What is to count of a fixture."""

    kind = Choice(
        Adjudication.Kind.choices,
        help_text="forfeit: by the entries named; draw: every board 0; void: for nobody; lift: as played.",
    )
    entries = Items(
        child=serializers.CharField(max_length=16),
        required=False,
        default=list,
        max_length=8,
        help_text="Ids of the entries that forfeit; for forfeit alone.",
    )
    reason = serializers.CharField(max_length=300, help_text="For all to read.")


class Because(Body):
    """Why; it must be said."""

    reason = serializers.CharField(max_length=300, help_text="For all to read.")


CONDUCT = ("verdict", "forfeited", "decisions", "cpu_ms", "wall_ms", "peak_bytes")
"""What tells how a bot behaved, and by that of the deals."""
TIMES = ("started_at", "finished_at")
"""What tells the same by how long a table took: one that is forfeited ends sooner."""


class SeatOut(RowOut[TableSeat]):
    """A seat; how its bot behaved is null while sealed."""

    entry = serializers.CharField(source="entry.public_id", read_only=True)
    player = serializers.CharField(source="entry.player.handle", read_only=True)
    bot = serializers.CharField(source="version.bot.name", read_only=True)
    version = serializers.CharField(source="version.public_id", read_only=True)
    verdict = serializers.CharField(read_only=True, allow_null=True, allow_blank=True)
    forfeited = serializers.BooleanField(read_only=True, allow_null=True)
    decisions = serializers.IntegerField(read_only=True, allow_null=True)
    cpu_ms = serializers.IntegerField(read_only=True, allow_null=True)
    wall_ms = serializers.IntegerField(read_only=True, allow_null=True)
    peak_bytes = serializers.IntegerField(read_only=True, allow_null=True)

    class Meta:
        model = TableSeat
        fields = ("seat", "entry", "player", "bot", "version", *CONDUCT)


class ResultOut(RowOut[BoardResult]):
    """What one seat won on one board as played."""

    class Meta:
        model = BoardResult
        fields = ("board", "seat", "stones", "verdict")


class TableRow(RowOut[Table]):
    """A table in a list. The seats' conduct is null while sealed, and so is when it began and ended."""

    id = PublicId()
    fixture = serializers.CharField(source="fixture.public_id", read_only=True)
    tournament = serializers.CharField(source="tournament.public_id", read_only=True)
    stage = serializers.IntegerField(source="fixture.board_set.round.stage.number", read_only=True)
    round = serializers.IntegerField(source="fixture.board_set.round.number", read_only=True)
    board_set = serializers.CharField(source="fixture.board_set.public_id", read_only=True)
    is_sealed = serializers.SerializerMethodField()
    reason = serializers.CharField(
        source="coded_reason",
        read_only=True,
        allow_null=True,
        help_text="Why it waits ('runtime_unavailable: ...', 'boards_in_play: ...'), for all; why the last "
        "attempt failed, for organiser and staff. Null if there is nothing to say to the reader.",
    )
    seats = SeatOut(many=True, read_only=True)

    class Meta:
        model = Table
        fields = (
            "id",
            "rotation",
            "first_board",
            "board_count",
            "state",
            "boards_done",
            "fixture",
            "tournament",
            "stage",
            "round",
            "board_set",
            "is_sealed",
            "attempt",
            "reruns",
            "reason",
            "started_at",
            "finished_at",
            "seats",
        )

    def get_is_sealed(self, table: Table) -> bool:
        """Whether results stay closed to the asker for now."""
        return is_sealed_for(table.fixture.board_set, self.context["request"].user)

    def to_representation(self, instance: Table) -> dict[str, Any]:
        """The table as the asker may see it."""
        data = super().to_representation(instance)
        is_lacking = instance.state == Table.State.WAITING and bool(instance.waiting_for)
        if not is_lacking and not may_organise(self.context["request"].user, instance.tournament):
            data["reason"] = None
        data["reason"] = data["reason"] or None
        if data["is_sealed"]:
            data.update(dict.fromkeys(TIMES))
            for seat in data["seats"]:
                seat.update(dict.fromkeys(CONDUCT))
        return data


class TableOut(TableRow):
    """A table. ``results``, the record's hash, the seats' conduct and the times are null while sealed."""

    record_sha256 = serializers.CharField(read_only=True, allow_null=True, allow_blank=True)
    runtime_artifacts = serializers.DictField(
        child=serializers.CharField(),
        read_only=True,
        help_text="SHA-256 of its artefact by the name of each runtime that was played on and takes one.",
    )
    results = ResultOut(many=True, read_only=True, allow_null=True)

    class Meta:
        model = Table
        fields = (
            *TableRow.Meta.fields,
            "record_sha256",
            "sandbox_level",
            "engine_version",
            "revision",
            "runtime_artifacts",
            "results",
        )

    def to_representation(self, instance: Table) -> dict[str, Any]:
        """The table as the asker may see it."""
        data = super().to_representation(instance)
        if data["is_sealed"]:
            data.update(record_sha256=None, results=None)
        return data
