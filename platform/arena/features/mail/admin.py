"""Admin pages of e-mail notices."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "mail.MailAddress": AdminPage(
            "user__username language confirmed_at refused_at refusal", "user__username", hidden="address"
        ),
        "mail.NoticeChoice": AdminPage("user__username kind created_at", "user__username", "kind"),
        "mail.OutgoingMail": AdminPage(
            "created_at kind user__username state attempts cause reply next_at ended_at",
            "public_id user__username",
            "state kind",
            hidden="address",
        ),
        "mail.ResetRequest": AdminPage("created_at language", hidden="name"),
        "mail.MailServer": AdminPage("name failures failing_since cause detail next_at succeeded_at"),
    }
)
