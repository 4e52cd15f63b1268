"""Calls about ladders: where they stand, why who meets whom, and versions put on and taken off."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import (
    Ladder,
    LadderRound,
    LadderSeason,
    LadderSeasonWhole,
    Placement,
    PlacementIn,
)
from bots.kit.client.transport import Transport


class LadderCalls(Transport):
    """Ladders, which anybody may read."""

    def ladders(self, *, game: str | None = None, preset: str | None = None) -> Iterator[Ladder]:
        """The ladders there are."""
        return self.rows(Ladder, "ladders", game=game, preset=preset)

    def ladder(self, ladder_id: str) -> Ladder:
        """A ladder, with the season that runs."""
        return self.one(Ladder, f"ladders/{ladder_id}")

    def ladder_seasons(self, ladder_id: str) -> Iterator[LadderSeason]:
        """The seasons of a ladder, newest first."""
        return self.rows(LadderSeason, f"ladders/{ladder_id}/seasons")

    def ladder_season(self, ladder_id: str, season_id: str) -> LadderSeasonWhole:
        """A season with its final table, which is empty until it is archived."""
        return self.one(LadderSeasonWhole, f"ladders/{ladder_id}/seasons/{season_id}")

    def ladder_rounds(self, ladder_id: str, *, season: str | None = None) -> Iterator[LadderRound]:
        """The rounds of a ladder with the reasons of their pairings, newest first."""
        return self.rows(LadderRound, f"ladders/{ladder_id}/rounds", season=season)

    def placements(
        self, ladder_id: str, *, placed: bool | None = None, player: str | None = None
    ) -> Iterator[Placement]:
        """Who is or was on a ladder, newest first."""
        return self.rows(Placement, f"ladders/{ladder_id}/placements", placed=placed, player=player)

    def placement_create(self, ladder_id: str, fields: PlacementIn) -> Placement:
        """Put a version on a ladder."""
        return self.act(Placement, f"ladders/{ladder_id}/placements", fields)

    def placement_end(self, ladder_id: str, placement_id: str) -> None:
        """Take a version off a ladder."""
        self.delete(f"ladders/{ladder_id}/placements/{placement_id}")
