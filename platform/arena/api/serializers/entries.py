"""Entries and invitations."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from arena.api.answers.entries import EnteredVersion, version_named
from arena.api.base.serializers import Body, PublicId, RowOut, columns_of
from arena.api.base.shapes import serializer_of
from arena.api.serializers.declared import DeclaredBody
from arena.competition.admission import SEED
from arena.competition.impartiality import has_interest
from arena.competition.models import Entry, Invitation
from arena.competition.permissions import entry_verbs_now
from arena.competition.selectors import may_organise


class EntryIn(Body):
    """A ready version to enter, or two that play as a pair, the first named in the lower seat.

    The second one may be somebody else's: the entry is then ``pending`` until that owner confirms.
    """

    version = serializers.CharField(max_length=16)
    partner_version = serializers.CharField(max_length=16, required=False, allow_null=True)
    accepts_partners = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Where partners are mixed: you agree that it partners everybody in turn.",
    )
    seed = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=SEED.least,
        max_value=SEED.most,
        help_text="Set by the organiser only.",
    )


class EntryChange(DeclaredBody):
    """What the organiser sets of an entry until the lock."""

    declared = {SEED.name: SEED}


class EntryOut(RowOut[Entry]):
    """An entry. ``verbs`` are what the asker may do with it now."""

    id = PublicId()
    tournament = serializers.CharField(source="tournament.public_id", read_only=True)
    player = serializers.CharField(source="player.handle", read_only=True)
    version = serializer_of(EnteredVersion)(read_only=True)
    partner_version = serializer_of(EnteredVersion)(read_only=True, allow_null=True)
    partner = serializers.SerializerMethodField(
        help_text="Handle of the player whose version plays the higher seat, if that is another one."
    )
    left_stage = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="The stage in which it left."
    )
    left_round = serializers.IntegerField(
        read_only=True, allow_null=True, help_text="The last round it was drawn into; 0: none."
    )
    verbs = serializers.SerializerMethodField()

    class Meta:
        model = Entry
        fields = (
            "id",
            "tournament",
            "player",
            "partner",
            "version",
            "partner_version",
            "accepts_partners",
            "seed",
            "status",
            "status_reason",
            "status_at",
            "left_stage",
            "left_round",
            "is_organisers_own",
            "created_at",
            "verbs",
        )

    PLAIN = columns_of(Entry, Meta.fields)
    """Columns shown as they are."""

    def get_partner(self, entry: Entry) -> str | None:
        """Whose consent a pair needs."""
        owners = entry.owners()
        return owners[1].handle if len(owners) > 1 else None

    def get_verbs(self, entry: Entry) -> list[str]:
        """What the asker may do with it now."""
        viewer = self.context["request"].user
        known: dict[int, bool] = self.__dict__.setdefault("has_entry", {})
        if entry.tournament_id not in known and may_organise(viewer, entry.tournament):
            known[entry.tournament_id] = has_interest(viewer, entry.tournament)
        return entry_verbs_now(entry, viewer, has_entry=known.get(entry.tournament_id))

    def to_representation(self, instance: Entry) -> dict[str, Any]:
        """As the fields say, without asking each; a test holds both together."""
        partner = instance.partner_version
        return {
            "id": instance.public_id,
            "tournament": instance.tournament.public_id,
            "player": instance.player.handle,
            "partner": self.get_partner(instance),
            "version": version_named(instance.version),
            "partner_version": None if partner is None else version_named(partner),
            **{name: getattr(instance, name) for name in self.PLAIN},
            "verbs": self.get_verbs(instance),
        }


class InvitationIn(Body):
    """A player to invite."""

    player = serializers.CharField(max_length=150, help_text="The player's handle.")


class InvitationOut(RowOut[Invitation]):
    """An invitation."""

    player = serializers.CharField(source="player.handle", read_only=True)

    class Meta:
        model = Invitation
        fields = ("player", "created_at")
