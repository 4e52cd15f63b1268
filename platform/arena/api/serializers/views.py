"""Views of tables and notes on them, as far as the schema tells their shape (docs/views.md has all of it)."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class ViewBoardOut(serializers.Serializer[Any]):
    """A board of a table, deal by deal."""

    board = serializers.IntegerField()
    kind = serializers.CharField()
    result = serializers.DictField(child=serializers.IntegerField(), help_text="Won or lost, by seat.")
    deals = serializers.ListField(
        child=serializers.DictField(), help_text="Hands, plays and results: docs/views.md."
    )


class ViewOut(serializers.Serializer[Any]):
    """A table as something to look at: ``rensho-view/1``."""

    format = serializers.CharField()
    record_sha256 = serializers.CharField(help_text="Of the record it was made from.")
    game = serializers.CharField()
    preset = serializers.CharField()
    options = serializers.DictField(help_text="The options that differ from the preset's.")
    seats = serializers.IntegerField(help_text="How many.")
    sides = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), help_text="Who plays with whom."
    )
    numbers = serializers.ListField(
        child=serializers.IntegerField(), help_text="All boards of the table, of which boards may hold one."
    )
    boards = ViewBoardOut(many=True)
    forfeited = serializers.ListField(
        child=serializers.IntegerField(), help_text="Seats whose conduct forfeited the table."
    )


class NotesOut(serializers.Serializer[Any]):
    """A solver's notes on a table: ``rensho-notes/1``."""

    format = serializers.CharField()
    record_sha256 = serializers.CharField()
    solver = serializers.CharField(help_text="Name and version of the method.")
    boards = serializers.DictField(
        child=serializers.DictField(), help_text="By board, then by step: docs/views.md."
    )
