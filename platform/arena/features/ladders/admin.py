"""Admin pages of ladders."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "ladders.Ladder": AdminPage(
            "public_id preset board_kind seats boards cpu_s_per_day state",
            "public_id preset",
            "state",
            links="/ladders/{public_id}",
        ),
        "ladders.LadderSeason": AdminPage(
            "ladder__public_id name begins_at ends_at state archived_at",
            "public_id name ladder__preset",
            "state",
        ),
        "ladders.Placement": AdminPage(
            "ladder__public_id version__bot__name version__public_id placed_at left_at left_reason",
            "public_id version__public_id bot__name ladder__preset",
        ),
        "ladders.LadderRound": AdminPage(
            "ladder__public_id number kind state tournament__public_id drawn_at ended_at",
            "public_id tournament__public_id ladder__preset",
            "state kind",
        ),
    }
)
