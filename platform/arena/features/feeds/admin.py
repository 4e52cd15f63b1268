"""Admin page of calendar addresses."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register({"feeds.CalendarLink": AdminPage("user created_at", "user__username", hidden="secret_sha256")})
