"""Admin page of imports."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "imports.ImportedEvent": AdminPage(
            "name state imported_by imported_at",
            "name public_id",
            "state",
            hidden="summary keys findings",
            links="/imports/{public_id}",
        ),
        "imports.ImportedRound": AdminPage("event stage number", "event__name", hidden="fixtures"),
    }
)
