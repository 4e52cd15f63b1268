"""Admin pages of casual tables."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "play.CasualTable": AdminPage(
            "public_id owner__username state preset length cpu_ms failures acted_at",
            "public_id owner__username",
            "state",
            hidden="secret actions pending guest payer shared_as deals_id bundles",
        ),
        "play.PlayService": AdminPage("name seen_at capacity tables detail", "name"),
    }
)
