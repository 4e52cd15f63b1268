"""Rounds, fixtures and tables, as open as their seal allows."""

from __future__ import annotations

from typing import Annotated, Any

from rest_framework import serializers

from arena.api.answers.entries import EntryName, entry_named
from arena.api.base.serializers import Body, Choice, Items, PublicId, RowOut
from arena.api.base.shapes import serializer_of
from arena.competition.models import Round
from arena.competition.selectors import may_organise
from arena.matches.fixture_selectors import ENDED
from arena.matches.models import Adjudication, BoardResult, Fixture, Table, TableSeat
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


class SideOut(EntryName):
    """One entry of a fixture; a single one has a bye, or sits the round out."""

    position: Annotated[int, "From 0, in the order of the pairing."]
    side: Annotated[int, "From 0. The position, unless several entries make up a side, as in a movement."]


class TableBrief(RowOut[Table]):
    """A table's progress: all that shows while the boards are sealed."""

    id = PublicId()

    class Meta:
        model = Table
        fields = ("id", "rotation", "first_board", "board_count", "state", "boards_done")


class ScoreOut(serializers.Serializer[Any]):
    """A board score: the mean of an entry's results over the rotation, in stones, forfeits applied."""

    board = serializers.IntegerField()
    entry = serializers.CharField(source="entry.public_id")
    value = serializers.CharField(help_text="An exact fraction: n or n/d.")


class AdjudicationOut(RowOut[Adjudication]):
    """A ruling on what counts of a fixture; the last one holds."""

    id = PublicId()
    entries = serializers.ListField(child=serializers.CharField(), help_text="Those that forfeit.")
    by = serializers.CharField(
        source="actor.username",
        default=None,
        allow_null=True,
        read_only=True,
        help_text="Null: the system, as when an entry leaves.",
    )

    class Meta:
        model = Adjudication
        fields = ("id", "number", "kind", "entries", "reason", "by", "at")


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


class FixtureOut(RowOut[Fixture]):
    """A fixture. While its boards are sealed an ended one is ``done``, and when it ended is null."""

    id = PublicId()
    stage = serializers.IntegerField(source="board_set.round.stage.number", read_only=True)
    round = serializers.IntegerField(source="board_set.round.number", read_only=True)
    tournament = serializers.CharField(source="tournament.public_id", read_only=True)
    board_set = serializers.CharField(source="board_set.public_id", read_only=True)
    state = serializers.CharField(read_only=True)
    is_sealed = serializers.SerializerMethodField()
    same_owner = serializers.BooleanField(
        read_only=True, help_text="Two of its entries have an owner in common."
    )
    sides = serializer_of(SideOut)(many=True, read_only=True)
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
            "same_owner",
            "sides",
            "tables",
        )

    def get_is_sealed(self, fixture: Fixture) -> bool:
        """Whether results stay closed to the asker for now."""
        return is_sealed_for(fixture.board_set, self.context["request"].user)

    def to_representation(self, instance: Fixture) -> dict[str, Any]:
        """The fixture as the asker may see it, without asking each field; a test holds both together."""
        board_set = instance.board_set
        round_ = board_set.round
        is_sealed = self.get_is_sealed(instance)
        is_hidden = is_sealed and instance.state in Fixture.DONE
        return {
            "id": instance.public_id,
            "tournament": instance.tournament.public_id,
            "stage": round_.stage.number,
            "round": round_.number,
            "number": instance.number,
            "state": ENDED if is_hidden else instance.state,
            "reason": "" if is_hidden else instance.reason,
            "done_at": None if is_sealed else instance.done_at,
            "board_set": board_set.public_id,
            "is_sealed": is_sealed,
            "same_owner": instance.same_owner,
            "sides": [
                {"position": side.position, "side": side.side, **entry_named(side.entry)}
                for side in instance.sides.all()
            ],
            "tables": [table_brief(table) for table in instance.tables.all()],
        }


def table_brief(table: Table) -> dict[str, Any]:
    """A ``TableBrief``."""
    columns = TableBrief.Meta.fields[1:]
    return {"id": table.public_id, **{name: getattr(table, name) for name in columns}}


class FixtureDetail(FixtureOut):
    """A fixture with board scores and rulings; scores are null while sealed."""

    scores = ScoreOut(many=True, read_only=True, allow_null=True)
    adjudications = AdjudicationOut(many=True, read_only=True)

    class Meta:
        model = Fixture
        fields = (*FixtureOut.Meta.fields, "scores", "adjudications")

    def to_representation(self, instance: Fixture) -> dict[str, Any]:
        """The fixture as the asker may see it."""
        data = super().to_representation(instance)
        is_sealed = data["is_sealed"]
        data["scores"] = None if is_sealed else ScoreOut(instance.scores, many=True).data
        data["adjudications"] = AdjudicationOut(instance.adjudications.all(), many=True).data
        return data


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


class TableRow(TableBrief):
    """A table in a list. The seats' conduct is null while sealed, and so is when it began and ended."""

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
            *TableBrief.Meta.fields,
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
