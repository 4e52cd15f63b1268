"""Admin pages of rating lists."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

LINES = "list__public_id version__bot__name version__public_id"

pages_register(
    {
        "ratings.RatingList": AdminPage(
            "public_id kind preset board_kind seats season sets rated computed_at",
            "public_id preset season ladder_season",
            "kind",
            links="/ratings/{public_id}",
        ),
        "ratings.RatedSet": AdminPage(
            "list__public_id board_set__public_id fixtures stale_mark",
            "list__public_id board_set__public_id",
            hidden="scores",
        ),
        "ratings.ExcludedPair": AdminPage(
            "list__public_id first__public_id second__public_id reason actor__username created_at lifted_at",
            "public_id list__public_id",
        ),
        "ratings.RatingProgress": AdminPage("closed_seq"),
        "ratings.Rating": AdminPage(f"{LINES} partner rank estimate low high boards", LINES),
        "ratings.RatingChange": AdminPage(
            f"created_at cause {LINES} partner rank estimate low high boards", LINES
        ),
    }
)
