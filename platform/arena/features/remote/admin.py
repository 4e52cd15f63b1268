"""Admin pages of remote bots."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "remote.RemoteBot": AdminPage(
            "name owner__handle game created_at paused_at", "name owner__handle", "game"
        ),
        "remote.RemoteVersion": AdminPage(
            "bot__name number label alive_at ladder", "bot__name", hidden="accepts"
        ),
        "remote.RemoteTable": AdminPage(
            "public_id preset state is_rated created_at",
            "public_id",
            "state is_rated preset",
            hidden="secret seed_id bundles actions ruleset seats record_sha256 view_sha256 result field",
            links="/remote/tables/{public_id}",
        ),
        "remote.RemoteSeat": AdminPage(
            "table__public_id version__bot__name person__handle seat is_active verdict",
            "table__public_id",
            hidden="hello events request answer answers log",
        ),
        "remote.RemoteInvitation": AdminPage(
            "inviting__bot__name person__handle invited__bot__name preset state", "preset", "state"
        ),
    }
)
