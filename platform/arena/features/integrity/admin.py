"""Admin pages of integrity."""

from arena.admin.pages import TABLE_SEAL, TOURNAMENT, Page
from arena.admin.read_only import pages_register

pages_register(
    {
        "integrity.TableWaits": Page(
            "table__public_id is_missing waits", "table__public_id", seal=TABLE_SEAL
        ),
        "integrity.ReadSet": Page(
            "board_set__public_id tables tables_missing due", "board_set__public_id", hidden="scores conduct"
        ),
        "integrity.Report": Page(
            "list__public_id tournament__name flagged pairs sets made_at due", f"list__public_id {TOURNAMENT}"
        ),
        "integrity.Finding": Page(
            "report number subject kind entry other residual q", "entry other", "subject kind"
        ),
        "integrity.SetsSeen": Page("closed_seq busy_until"),
        "integrity.PairRuling": Page(
            "tournament__name first__public_id second__public_id reason actor__username at lifted_at",
            f"public_id {TOURNAMENT}",
        ),
    }
)
