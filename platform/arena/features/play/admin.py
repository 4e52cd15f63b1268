"""Admin pages of casual tables."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "play.CasualTable": AdminPage(
            "public_id owner__username state preset length cpu_ms failures last_action_at",
            "public_id owner__username",
            "state",
            hidden="secret actions pending guest quota_key share_token seed_id bundles",
        ),
        "play.PlayService": AdminPage("name seen_at capacity tables detail", "name"),
    }
)
