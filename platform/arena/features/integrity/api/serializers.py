"""Reports on results that do not fit, what stands out in them, and rulings on pairs."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.base.serializers import Body, Items, PublicId, RowOut
from arena.competition.models import Entry
from arena.features.integrity.models import Finding, PairRuling, Report
from arena.features.integrity.selectors import Named
from arena.features.ratings.models import LeftOutPair
from arena.roster.models import BotVersion


class ReportRow(RowOut[Report]):
    """A report on a list of ratings or on an event: what it follows from, and how much stands out."""

    list = serializers.CharField(source="list.public_id", read_only=True, allow_null=True, default=None)
    tournament = serializers.CharField(
        source="tournament.public_id", read_only=True, allow_null=True, default=None
    )
    name = serializers.CharField(source="__str__", read_only=True, help_text="Of the list or the event.")

    class Meta:
        model = Report
        fields = (
            "list",
            "tournament",
            "name",
            "revision",
            "made_at",
            "sets",
            "fixtures",
            "pairs",
            "tables",
            "tables_missing",
            "flagged",
        )

    def to_representation(self, instance: Report) -> dict[str, Any]:
        """The row with the name of what it is about."""
        return {**super().to_representation(instance), "name": str(instance.list or instance.tournament)}


class FlaggedOut(serializers.Serializer[Any]):
    """Somebody in a report: a version in that of a list, an entry in that of an event."""

    id = serializers.CharField(help_text="Of the version or of the entry.")
    player = serializers.CharField()
    bot = serializers.CharField(help_text="Name and version; of a pair both.")


def flagged(who: Entry | BotVersion | None) -> dict[str, str] | None:
    """A ``FlaggedOut`` of somebody that came with player and bots; None of nobody in particular."""
    if who is None:
        return None
    if isinstance(who, BotVersion):
        return {"id": who.public_id, "player": who.bot.owner.handle, "bot": str(who)}
    bots = " + ".join(str(version) for version in who.versions())
    return {"id": who.public_id, "player": who.player.handle, "bot": bots}


class OddBoardOut(serializers.Serializer[Any]):
    """A board to look at."""

    board_set = serializers.CharField()
    fixture = serializers.CharField()
    board = serializers.IntegerField()
    stones = serializers.FloatField(
        allow_null=True, help_text="Beyond what strengths say; null of forfeits and waits."
    )


class FindingOut(RowOut[Finding]):
    """What stands out."""

    entry = FlaggedOut(allow_null=True, help_text="Who gained, or did it; null: several.")
    other = FlaggedOut(allow_null=True, help_text="The other; null: nobody in particular.")
    odd_boards = OddBoardOut(many=True, read_only=True, help_text="To look at, the largest first.")
    ruler = serializers.CharField(
        allow_null=True, help_text="Of rulings: username of the account that ruled; null otherwise."
    )
    fixtures = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="Of rulings: ids of the fixtures ruled on."
    )

    class Meta:
        model = Finding
        fields = (
            "number",
            "subject",
            "kind",
            "entry",
            "other",
            "is_with_strangers",
            "residual",
            "error",
            "seen",
            "meetings",
            "expected",
            "boards",
            "p",
            "q",
            "odd_boards",
            "ruler",
            "link",
            "fixtures",
        )

    def to_representation(self, instance: Any) -> dict[str, Any]:
        """The finding and who it is about."""
        named: Named = instance
        finding = named.finding
        plain = {name: getattr(finding, name) for name in self.Meta.fields}
        ruler = finding.ruler.username if finding.ruler is not None else None
        return {**plain, "entry": flagged(named.entry), "other": flagged(named.other), "ruler": ruler}


class PairRulingOut(serializers.Serializer[Any]):
    """A ruling on a pair: their fixtures are void in an event, or left out of a list, until it is lifted."""

    id = PublicId()
    pair = FlaggedOut(many=True)
    fixtures = serializers.IntegerField(help_text="How many it covers.")
    reason = serializers.CharField()
    by = serializers.CharField(source="actor.username")
    at = serializers.DateTimeField()
    lifted_at = serializers.DateTimeField(allow_null=True)
    lifted_by = serializers.CharField(source="lifted_by.username", allow_null=True, default=None)
    lift_reason = serializers.CharField(allow_blank=True)

    def to_representation(self, instance: PairRuling | LeftOutPair) -> dict[str, Any]:
        """The ruling with both names."""
        by = instance.lifted_by
        return {
            "id": instance.public_id,
            "pair": [flagged(instance.first), flagged(instance.second)],
            "fixtures": instance.fixtures,  # type: ignore[union-attr]
            "reason": instance.reason,
            "by": instance.actor.username,
            "at": instance.at,
            "lifted_at": instance.lifted_at,
            "lifted_by": by.username if by is not None else None,
            "lift_reason": instance.lift_reason,
        }


class ReportDetail(ReportRow):
    """A report with all that stands out, and the rulings on pairs of the same list or event."""

    findings = FindingOut(many=True, read_only=True, source="shown")
    rulings = PairRulingOut(many=True, read_only=True, source="ruled", help_text="The latest first.")

    class Meta:
        model = Report
        fields = (*ReportRow.Meta.fields, "findings", "rulings")


class VersionPairIn(Body):
    """Two versions whose fixtures a list is to leave out."""

    versions = Items(child=serializers.CharField(max_length=16), max_length=2, min_length=2)
    reason = serializers.CharField(max_length=300, help_text="For all to read.")


class EntryPairIn(Body):
    """Two entries whose fixtures are to be void."""

    entries = Items(child=serializers.CharField(max_length=16), max_length=2, min_length=2)
    reason = serializers.CharField(max_length=300, help_text="For all to read.")
