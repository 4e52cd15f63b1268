"""Admin pages of courses."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "competition.Course": AdminPage(
            "name public_id created_by archived_at", "name public_id", links="/courses/{public_id}"
        ),
        "competition.CourseMember": AdminPage(
            "course user is_owner joined_at", "user__username course__name"
        ),
        "courses.CourseInvitation": AdminPage(
            "course user uses max_uses expires_at revoked_at", "course__name public_id", hidden="token_hash"
        ),
        "courses.CourseAccount": AdminPage("user course created_at", "user__username course__name"),
        "courses.CourseResults": AdminPage("course stale_mark", "course__name"),
        "courses.CourseRanking": AdminPage("course preset seats boards computed_at", "course__name"),
        "courses.RankedLine": AdminPage("ranking version position rank estimate", "version__bot__name"),
        "courses.CheckedList": AdminPage("course created_by created_at", "public_id", hidden="rows"),
    }
)
