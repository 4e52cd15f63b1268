"""Admin pages of the daily deal."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "daily.DailyDeal": AdminPage(
            "day preset posted_at closed_at",
            "preset",
            hidden="secret seed_id body board seats",
            links="/daily/{day}",
        ),
        "daily.DailyAttempt": AdminPage(
            "deal__day owner__username state started_at ended_at",
            "owner__username",
            "state",
            hidden="person stones points",
        ),
        "daily.WeekPlace": AdminPage("week owner__username points days", "owner__username"),
    }
)
