"""Commitments of the published queue."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import RowOut
from arena.competition.models import Commitment


class CommitmentOut(RowOut[Commitment]):
    """A secret bound under a number before anybody knew what would take it."""

    state = serializers.ChoiceField(choices=Commitment.State.choices, read_only=True)
    key = serializers.CharField(source="key.name", read_only=True, help_text="Of the site, that signed it.")
    posted_ahead = serializers.BooleanField(
        read_only=True,
        allow_null=True,
        help_text="false: the queue was empty, and it was posted for what took it; null while it is free.",
    )
    tournament = serializers.CharField(
        source="taker", read_only=True, allow_null=True, help_text="What took it, if you may see that."
    )
    secret = serializers.SerializerMethodField(help_text="Hex; null until it is revealed.")

    class Meta:
        model = Commitment
        fields = (
            "number",
            "state",
            "digest",
            "posted_at",
            "key",
            "signature",
            "taken_at",
            "posted_ahead",
            "tournament",
            "revealed_at",
            "secret",
            "reason",
        )

    def get_secret(self, row: Commitment) -> str | None:
        """The secret once it is revealed."""
        return bytes(row.secret).hex() if row.revealed_at is not None else None
