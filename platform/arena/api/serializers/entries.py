"""Request bodies: entries and invitations."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import RequestBody
from arena.api.serializers.declared import DeclaredBody
from arena.competition.entries.admission import SEED


class EntryIn(RequestBody):
    """A ready version to enter, or two that play as a pair, the first in the lower seat.

    The second may belong to another player: the entry is then ``pending`` until that owner confirms.
    """

    version = serializers.CharField(max_length=16)
    partner_version = serializers.CharField(max_length=16, required=False, allow_null=True)
    accepts_partners = serializers.BooleanField(
        required=False,
        default=False,
        help_text="With changing partners: you agree that your version partners all others in turn.",
    )
    seed = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=SEED.least,
        max_value=SEED.most,
        help_text="Only the organiser may set it.",
    )


class EntryChange(DeclaredBody):
    """What the organiser sets on an entry before the lock."""

    declared = {SEED.name: SEED}


class InvitationIn(RequestBody):
    """A player to invite."""

    player = serializers.CharField(max_length=150, help_text="The player's handle.")
