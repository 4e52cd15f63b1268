"""Rounds, standings, crosstables, displays, and what proves that the deals were fair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from arena.api.base.parts import Part
from arena.api.base.serializers import PublicId, RowOut
from arena.api.serializers.entries import EntryName, entry_name, named_entry
from arena.competition.models import Round, Statement
from arena.competition.selectors import NamedEntry
from arena.standings.models import StandingRow


class RoundOut(RowOut[Round]):
    """A round; its boards are sealed until it is closed."""

    id = PublicId()
    stage = serializers.IntegerField(source="stage.number", read_only=True)
    board_set = serializers.CharField(source="board_set.public_id", read_only=True)
    boards = serializers.IntegerField(source="board_set.boards", read_only=True)

    class Meta:
        model = Round
        fields = ("id", "stage", "number", "state", "board_set", "boards", "opened_at", "closed_at")


class StandingOut(EntryName):
    """One line of the standings."""

    rank = serializers.IntegerField()
    version = serializers.CharField(source="entry.version.public_id", help_text="The first of ``versions``.")
    status = serializers.CharField(source="entry.status", help_text="entered, or left: it plays no more.")
    values = serializers.DictField(
        help_text="Everything that can order the table; fractions as n/d text. In groups also ``group`` and "
        "``place``."
    )
    decided_by = serializers.CharField(help_text="The first value that told it from the row above.")

    def to_representation(self, instance: StandingRow) -> dict[str, Any]:
        """As the fields say, without asking each; a test holds both together."""
        entry = named_entry(instance.entry)
        return standing_row(entry, instance.rank, instance.values, instance.decided_by)


def standing_row(entry: NamedEntry, rank: int, values: Mapping[str, Any], decided_by: str) -> dict[str, Any]:
    """A ``StandingOut``."""
    return {
        **entry_name(entry),
        "rank": rank,
        "version": entry.versions[0].id,
        "status": entry.status,
        "values": values,
        "decided_by": decided_by,
    }


class StageStandingsOut(Part):
    """The standings of one stage after its closed rounds."""

    stage = serializers.IntegerField()
    state = serializers.CharField()
    rows = StandingOut(many=True)


class CellOut(serializers.Serializer[Any]):
    """How one entry did against another, from the side of the row; closed rounds only."""

    entry = serializers.CharField(help_text="The opponent.")
    mean = serializers.FloatField(help_text="Board score a board, in stones.")
    boards = serializers.IntegerField()
    low = serializers.FloatField(
        allow_null=True, help_text="Lower end of the 95 % interval; null with a single board."
    )
    high = serializers.FloatField(allow_null=True)
    mark = serializers.CharField(
        allow_blank=True, help_text="** if the interval of 99 % leaves out 0, * if that of 95 % does."
    )
    match_points = serializers.IntegerField()


class CrossRowOut(EntryName):
    """One entry against all it met."""

    against = CellOut(many=True)


class CrosstableOut(Part):
    """Everybody against everybody in one stage, in the order of the standings."""

    stage = serializers.IntegerField()
    rows = CrossRowOut(many=True)


class SlotOut(serializers.Serializer[Any]):
    """One place of a bracket, a group or a round."""

    round = serializers.IntegerField(allow_null=True)
    fixture = serializers.IntegerField(allow_null=True, help_text="Its number within the round.")
    entries = serializers.ListField(child=serializers.CharField(allow_null=True))
    winner = serializers.CharField(allow_null=True, help_text="From closed rounds only.")
    note = serializers.CharField(allow_blank=True)


class ColumnOut(serializers.Serializer[Any]):
    """What stands in one column."""

    title = serializers.CharField()
    slots = SlotOut(many=True)


class SectionOut(serializers.Serializer[Any]):
    """One part of it, such as a group or the bracket of the losers."""

    title = serializers.CharField(allow_blank=True)
    columns = ColumnOut(many=True)


class DisplayOut(Part):
    """How a stage looks on paper; entries by id, with their names beside it."""

    stage = serializers.IntegerField()
    format = serializers.CharField()
    kind = serializers.ChoiceField(["table", "groups", "bracket", "heats", "movement"])
    sections = SectionOut(many=True)
    names = serializers.DictField(child=EntryName(), help_text="Who they are, by id of the entry.")


class SeedsOut(serializers.Serializer[Any]):
    """The seeds of one closed board set."""

    stage = serializers.IntegerField()
    round = serializers.IntegerField()
    board_set = serializers.CharField()
    seeds = serializers.DictField(
        child=serializers.CharField(), allow_null=True, help_text="Null while sealed."
    )


class FieldDigestOut(serializers.Serializer[Any]):
    """The digest of a stage's field."""

    stage = serializers.IntegerField()
    field_digest = serializers.CharField(allow_blank=True, help_text="Empty until entry closes.")
    entries = serializers.ListField(
        child=serializers.CharField(),
        help_text="Who plays the stage, once that is fixed: their bundles are in the statement `locked`.",
    )


class StatementOut(serializers.Serializer[Any]):
    """What the event has bound itself to, signed."""

    kind = serializers.ChoiceField(Statement.Kind.values)
    at = serializers.DateTimeField()
    digest = serializers.CharField(help_text="SHA-256 of the body in its canonical form.")
    key = serializers.CharField(help_text="Id of the key that signed it, as in /.well-known/rensho-key.")
    signature = serializers.CharField(help_text="Ed25519, 128 hex digits.")
    body = serializers.CharField(help_text="Where the body is, in its canonical form.")


class FairnessOut(Part):
    """What lets anybody check that the deals were fixed before play."""

    tournament = serializers.CharField()
    commitment = serializers.CharField(
        allow_blank=True, help_text="SHA-256 of the secret; empty before registration."
    )
    commitment_number = serializers.IntegerField(
        allow_null=True,
        help_text="In the queue of commitments; null of an event, which takes none.",
    )
    secret = serializers.CharField(allow_null=True, help_text="Hex; null until final or cancelled.")
    revealed_at = serializers.DateTimeField(allow_null=True)
    statements = StatementOut(many=True, help_text="In the order in which they were made.")
    field_digests = FieldDigestOut(many=True)
    board_sets = SeedsOut(many=True)
