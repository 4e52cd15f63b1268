"""Admin pages of webhooks."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "webhooks.Webhook": AdminPage(
            "public_id name user__username url state failures missed delivered_at",
            "name public_id url user__username",
            "state",
            hidden="secret old_secret",
        ),
        "webhooks.Delivery": AdminPage(
            "created_at kind webhook__public_id state attempts last_status last_error duration_ms next_at",
            "public_id webhook__public_id",
            "state",
        ),
        "webhooks.Cursor": AdminPage("name event"),
    }
)
