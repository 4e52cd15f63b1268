"""Fixtures, tables and boards, as open as their seal allows."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.serializers.base import PublicId
from arena.api.serializers.competition import EntryName
from arena.competition.selectors import may_organise
from arena.matches.models import BoardResult, Fixture, Table, TableSeat
from arena.matches.selectors import is_sealed_for
from arena.matches.workers import UNAVAILABLE

DONE = "done"
"""What an ended fixture says while its board set is sealed: how it ended would tell of the deals."""


class SideOut(EntryName):
    """One side of a fixture; a single one has a bye, or sits the round out."""

    position = serializers.IntegerField(help_text="From 0, in the order of the pairing.")


class TableBrief(serializers.ModelSerializer[Table]):
    """A table's progress: all that shows while the boards are sealed."""

    id = PublicId()

    class Meta:
        model = Table
        fields = ("id", "rotation", "first_board", "board_count", "state", "boards_done")
        read_only_fields = fields


class ScoreOut(serializers.Serializer[Any]):
    """A board score: the mean of an entry's results over the rotation, in stones, forfeits applied."""

    board = serializers.IntegerField()
    entry = serializers.CharField(source="entry.public_id")
    value = serializers.CharField(help_text="An exact fraction: n or n/d.")


class FixtureOut(serializers.ModelSerializer[Fixture]):
    """A fixture. While its boards are sealed an ended one is ``done``."""

    id = PublicId()
    stage = serializers.IntegerField(source="board_set.round.stage.number", read_only=True)
    round = serializers.IntegerField(source="board_set.round.number", read_only=True)
    tournament = serializers.CharField(source="board_set.round.stage.tournament.public_id", read_only=True)
    board_set = serializers.CharField(source="board_set.public_id", read_only=True)
    state = serializers.CharField(read_only=True)
    is_sealed = serializers.SerializerMethodField()
    sides = SideOut(many=True, read_only=True)
    tables = TableBrief(many=True, read_only=True)

    class Meta:
        model = Fixture
        fields = (
            "id",
            "tournament",
            "stage",
            "round",
            "number",
            "state",
            "reason",
            "done_at",
            "board_set",
            "is_sealed",
            "sides",
            "tables",
        )
        read_only_fields = fields

    def get_is_sealed(self, fixture: Fixture) -> bool:
        """Whether results stay closed to the asker for now."""
        return is_sealed_for(fixture.board_set, self.context["request"].user)

    def to_representation(self, instance: Fixture) -> dict[str, Any]:
        """The fixture as the asker may see it."""
        shown = super().to_representation(instance)
        if shown["is_sealed"] and instance.state in Fixture.DONE:
            shown.update(state=DONE, reason="")
        return shown


class FixtureDetail(FixtureOut):
    """A fixture with its board scores; they are null while sealed."""

    scores = ScoreOut(many=True, read_only=True, allow_null=True)

    class Meta:
        model = Fixture
        fields = (*FixtureOut.Meta.fields, "scores")
        read_only_fields = fields

    def to_representation(self, instance: Fixture) -> dict[str, Any]:
        """The fixture as the asker may see it."""
        shown = super().to_representation(instance)
        if shown["is_sealed"]:
            shown["scores"] = None
        return shown


class SeatOut(serializers.ModelSerializer[TableSeat]):
    """A seat; how its bot behaved is null while sealed."""

    entry = serializers.CharField(source="entry.public_id", read_only=True)
    player = serializers.CharField(source="entry.player.handle", read_only=True)
    bot = serializers.CharField(source="version.bot.name", read_only=True)
    version = serializers.CharField(source="version.public_id", read_only=True)
    verdict = serializers.CharField(read_only=True, allow_null=True)
    forfeited = serializers.BooleanField(read_only=True, allow_null=True)
    decisions = serializers.IntegerField(read_only=True, allow_null=True)
    cpu_ms = serializers.IntegerField(read_only=True, allow_null=True)
    wall_ms = serializers.IntegerField(read_only=True, allow_null=True)
    peak_bytes = serializers.IntegerField(read_only=True, allow_null=True)

    CONDUCT = ("verdict", "forfeited", "decisions", "cpu_ms", "wall_ms", "peak_bytes")

    class Meta:
        model = TableSeat
        fields = (
            "seat",
            "entry",
            "player",
            "bot",
            "version",
            "verdict",
            "forfeited",
            "decisions",
            "cpu_ms",
            "wall_ms",
            "peak_bytes",
        )
        read_only_fields = fields


class ResultOut(serializers.ModelSerializer[BoardResult]):
    """What one seat won on one board as played."""

    class Meta:
        model = BoardResult
        fields = ("board", "seat", "stones", "verdict")
        read_only_fields = fields


class TableOut(TableBrief):
    """A table. ``results``, the record's hash and the seats' conduct are null while sealed."""

    fixture = serializers.CharField(source="fixture.public_id", read_only=True)
    tournament = serializers.CharField(
        source="fixture.board_set.round.stage.tournament.public_id", read_only=True
    )
    board_set = serializers.CharField(source="fixture.board_set.public_id", read_only=True)
    is_sealed = serializers.SerializerMethodField()
    reason = serializers.CharField(
        read_only=True,
        allow_null=True,
        help_text="Why it waits ('runtime_unavailable: ...'), for all; why the last attempt failed, for "
        "organiser and staff.",
    )
    record_sha256 = serializers.CharField(read_only=True, allow_null=True)
    seats = SeatOut(many=True, read_only=True)
    results = ResultOut(many=True, read_only=True, allow_null=True)

    class Meta:
        model = Table
        fields = (
            *TableBrief.Meta.fields,
            "fixture",
            "tournament",
            "board_set",
            "is_sealed",
            "attempt",
            "reason",
            "started_at",
            "finished_at",
            "record_sha256",
            "sandbox_level",
            "engine_version",
            "seats",
            "results",
        )
        read_only_fields = fields

    def get_is_sealed(self, table: Table) -> bool:
        """Whether results stay closed to the asker for now."""
        return is_sealed_for(table.fixture.board_set, self.context["request"].user)

    def to_representation(self, instance: Table) -> dict[str, Any]:
        """The table as the asker may see it."""
        shown = super().to_representation(instance)
        tournament = instance.fixture.board_set.round.stage.tournament
        is_lacking = instance.state == Table.State.WAITING and instance.reason.startswith(UNAVAILABLE)
        if not is_lacking and not may_organise(self.context["request"].user, tournament):
            shown["reason"] = None
        if shown["is_sealed"]:
            shown.update(record_sha256=None, results=None)
            for seat in shown["seats"]:
                seat.update(dict.fromkeys(SeatOut.CONDUCT))
        return shown


class PlayedOut(serializers.ModelSerializer[BoardResult]):
    """One seat's result on a board, with the table it was played at."""

    table = serializers.CharField(source="table.public_id", read_only=True)
    fixture = serializers.CharField(source="table.fixture.public_id", read_only=True)
    rotation = serializers.IntegerField(source="table.rotation", read_only=True)

    class Meta:
        model = BoardResult
        fields = ("table", "fixture", "rotation", "seat", "stones", "verdict")
        read_only_fields = fields


class BoardOut(serializers.Serializer[Any]):
    """A board and how it went everywhere."""

    board_set = serializers.CharField()
    number = serializers.IntegerField()
    kind = serializers.CharField()
    seed = serializers.CharField(allow_null=True, help_text="Null while the set is open.")
    results = PlayedOut(many=True)
