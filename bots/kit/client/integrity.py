"""Calls about results that do not fit, and about rulings on pairs."""

from __future__ import annotations

from collections.abc import Iterator

from bots.kit.client.shapes import PairRuling, ReportDetail, ReportRow
from bots.kit.client.transport import Transport


class IntegrityCalls(Transport):
    """Reports for organisers and staff; rulings on pairs of a list are public."""

    def integrity(self, *, flagged: bool | None = None) -> Iterator[ReportRow]:
        """Reports one may read, the latest first."""
        return self.rows(ReportRow, "integrity", flagged=flagged)

    def integrity_of_list(self, list_id: str) -> ReportDetail:
        """What stands out in a list of ratings."""
        return self.one(ReportDetail, f"integrity/lists/{list_id}")

    def integrity_of_event(self, tournament_id: str) -> ReportDetail:
        """What stands out in an event."""
        return self.one(ReportDetail, f"integrity/tournaments/{tournament_id}")

    def left_out_pairs(self, list_id: str) -> Iterator[PairRuling]:
        """The pairs left out of a list of ratings, the latest ruling first; lifted ones too."""
        return self.rows(PairRuling, f"rating-lists/{list_id}/rulings")

    def pair_void(
        self, tournament_id: str, entries: list[str], reason: str, *, dry_run: bool | None = None
    ) -> PairRuling:
        """Rule that the fixtures of two entries are void."""
        body = {"entries": entries, "reason": reason}
        return self.act(PairRuling, f"integrity/tournaments/{tournament_id}/rulings", body, dry_run=dry_run)

    def pair_leave_out(
        self, list_id: str, versions: list[str], reason: str, *, dry_run: bool | None = None
    ) -> PairRuling:
        """Leave the fixtures of two versions out of a list of ratings."""
        body = {"versions": versions, "reason": reason}
        return self.act(PairRuling, f"integrity/lists/{list_id}/rulings", body, dry_run=dry_run)

    def pair_lift_in_event(
        self, tournament_id: str, ruling_id: str, reason: str, *, dry_run: bool | None = None
    ) -> PairRuling:
        """Lift a ruling on a pair of an event."""
        path = f"integrity/tournaments/{tournament_id}/rulings/{ruling_id}/lift"
        return self.act(PairRuling, path, {"reason": reason}, dry_run=dry_run)

    def pair_lift_in_list(
        self, list_id: str, ruling_id: str, reason: str, *, dry_run: bool | None = None
    ) -> PairRuling:
        """Lift a ruling on a pair of a list of ratings."""
        path = f"integrity/lists/{list_id}/rulings/{ruling_id}/lift"
        return self.act(PairRuling, path, {"reason": reason}, dry_run=dry_run)
