"""Admin pages of integrity."""

from arena.admin.pages import TABLE_SEAL, TOURNAMENT_COLUMNS, AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "integrity.TableDelays": AdminPage(
            "table__public_id is_missing delays", "table__public_id", seal=TABLE_SEAL
        ),
        "integrity.BoardSetConduct": AdminPage(
            "board_set__public_id tables tables_missing stale_mark",
            "board_set__public_id",
            hidden="scores conduct",
        ),
        "integrity.Report": AdminPage(
            "list__public_id tournament__name finding_count pairs sets computed_at stale_mark",
            f"list__public_id {TOURNAMENT_COLUMNS}",
        ),
        "integrity.Finding": AdminPage(
            "report number subject kind entry other residual q", "entry other", "subject kind"
        ),
        "integrity.IntegrityProgress": AdminPage("closed_seq busy_until"),
        "integrity.PairRuling": AdminPage(
            "tournament__name first__public_id second__public_id reason actor__username created_at lifted_at",
            f"public_id {TOURNAMENT_COLUMNS}",
        ),
    }
)
