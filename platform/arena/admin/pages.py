"""Configuration of the admin pages of the core's models, by model label. Features have their own modules
``admin``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from arena.accounts.browser_sessions import sessions_end
from arena.accounts.links import link_withdraw
from arena.accounts.models import User
from arena.roster.models import BotVersion
from arena.roster.suspension import version_suspend_by_staff


@dataclasses.dataclass(frozen=True)
class RowAction:
    """A repair of one row that no other page offers."""

    name: str
    label: str
    effect: str
    run: Callable[[Any, User, str], object]
    """Called with the row (hidden columns deferred), the acting account and the reason."""
    is_possible: Callable[[Mapping[str, Any]], bool]
    """Returns whether the columns of a row allow the action."""
    takes_reason: bool = False


@dataclasses.dataclass(frozen=True)
class AdminPage:
    """How a model is listed, searched and displayed. Column names are lookups, separated by blanks."""

    columns: str
    """Columns of the list."""
    search: str = ""
    filters: str = ""
    """Plain columns with few distinct values."""
    label: str = ""
    """Column that names a row; empty: its public id, or its primary key."""
    hidden: str = ""
    """Columns that are never read."""
    seal: str = ""
    """Lookup of the state of the board set that seals the row; empty: never sealed."""
    sealed: str = ""
    """Columns that are not read while that set is open; empty: the whole row is hidden."""
    links: str = ""
    """Paths on the site, with lookups in braces."""
    actions: tuple[RowAction, ...] = ()


END_SESSIONS = RowAction(
    "end_sessions",
    "End all sessions",
    "All browsers are signed out of the account. Tokens stay valid.",
    lambda user, actor, reason: sessions_end(user, actor=actor),
    lambda row: bool(row["is_active"]),
)
WITHDRAW_LINK = RowAction(
    "withdraw",
    "Withdraw",
    "The link stops working. This cannot be undone.",
    lambda link, actor, reason: link_withdraw(link, actor),
    lambda row: row["used_at"] is None,
)
SUSPEND_VERSION = RowAction(
    "suspend",
    "Suspend",
    "The version cannot enter tournaments; entries in locked tournaments play on. The owner gets a notice "
    "with the reason.",
    lambda version, actor, reason: version_suspend_by_staff(version, reason, actor),
    lambda row: row["state"] == BotVersion.State.READY,
    takes_reason=True,
)

FIXTURE_SEAL = "fixture__board_set__state"
TABLE_SEAL = f"table__{FIXTURE_SEAL}"
BOARD_SET_COLUMNS = "board_set__public_id board_set__round__stage__tournament__name"
SCORE_COLUMNS = "fixture__public_id entry__public_id"
TOURNAMENT_COLUMNS = "tournament__public_id tournament__name"

PAGES: dict[str, AdminPage] = {
    "common.Blob": AdminPage("sha256 kind size pack created_at", "sha256__exact", "kind"),
    "common.Pack": AdminPage("sha256 kind size members state state_at", "sha256", "kind state"),
    "common.PackProgress": AdminPage("delay_hours closed_seq"),
    "common.LostBlob": AdminPage("blob problem found_at", "blob__sha256__exact", "problem"),
    "common.ScrubProgress": AdminPage("last_sha256 completed_at"),
    "common.BlobHold": AdminPage("expires_at"),
    "common.CompletedBackup": AdminPage("snapshot completed_at"),
    "common.SweepProgress": AdminPage("last_folder completed_at"),
    "common.Maintenance": AdminPage("since message"),
    "common.Compatibility": AdminPage("oldest_release migrated_by migrated_at"),
    "accounts.User": AdminPage(
        "username public_id email is_organiser is_staff is_active date_joined",
        "username public_id email",
        "is_organiser is_staff is_active",
        label="username",
        hidden="password",
        actions=(END_SESSIONS,),
    ),
    "accounts.ApiToken": AdminPage(
        "public_id user__username name scopes created_at expires_at last_used_at revoked_at",
        "public_id user__username name",
        hidden="token_hash",
    ),
    "accounts.OneTimeLink": AdminPage(
        "created_at kind user__username note created_by__username expires_at used_at",
        "public_id user__username note",
        "kind",
        hidden="token_hash",
        actions=(WITHDRAW_LINK,),
    ),
    "accounts.Passkey": AdminPage(
        "public_id user__username name created_at last_used_at",
        "public_id user__username",
        hidden="credential_id public_key",
    ),
    "accounts.ProviderIdentity": AdminPage(
        "public_id user__username issuer subject created_at last_used_at",
        "public_id user__username subject",
        hidden="name",
    ),
    "accounts.BrowserSession": AdminPage(
        "last_seen_at user__username device network created_at",
        "public_id user__username",
        hidden="session_key",
    ),
    "accounts.Notice": AdminPage(
        "created_at user__username kind note read_at", "public_id user__username note", "kind"
    ),
    "accounts.AuditEvent": AdminPage(
        "created_at actor__username action kind object_id after", "object_id actor__username"
    ),
    "accounts.Event": AdminPage(
        "created_at kind tournament object_kind object_id user__username", "tournament object_id"
    ),
    "accounts.PendingEvent": AdminPage("created_at kind tournament object_kind object_id user__username"),
    "accounts.IdempotencyKey": AdminPage(
        "created_at user__username key status", "user__username key", hidden="body headers fingerprint"
    ),
    "accounts.FormDraft": AdminPage(
        "saved_at owner__username kind version", "owner__username", "kind", hidden="data"
    ),
    "roster.Player": AdminPage(
        "handle user__username", "handle user__username", label="handle", links="/players/{handle}"
    ),
    "roster.Bot": AdminPage(
        "name public_id owner__handle game visibility active_version__number created_at",
        "name public_id owner__handle",
        "visibility",
        label="name",
        links="/bots/{public_id}",
    ),
    "roster.BotVersion": AdminPage(
        "bot__name number public_id bot__owner__handle state suspended_at suspended_note created_at",
        "public_id bundle_sha256 bot__name",
        "state",
        links="/versions/{public_id} /api/v1/versions/{public_id}",
        actions=(SUSPEND_VERSION,),
    ),
    "roster.CheckRun": AdminPage(
        "version__bot__name version__public_id attempt state worker waiting_for note created_at",
        "version__public_id",
        "state",
        hidden="trial_seed",
        links="/versions/{version__public_id}",
    ),
    "competition.Series": AdminPage(
        "name public_id organiser__username frequency start_time state next_at",
        "name public_id organiser__username",
        "state frequency",
        label="name",
        links="/cups/{public_id} /api/v1/series/{public_id}",
    ),
    "competition.Subscription": AdminPage(
        "series__name bot__name partner_bot__name created_at", "series__public_id bot__name bot__public_id"
    ),
    "competition.Tournament": AdminPage(
        "name public_id kind preset state state_at organiser__username stalled_at created_at",
        "public_id name organiser__username",
        "state kind visibility",
        label="name",
        hidden="secret",
        links="/tournaments/{public_id} /api/v1/tournaments/{public_id}",
    ),
    "competition.Stage": AdminPage(
        "tournament__name number format state qualify", TOURNAMENT_COLUMNS, "state"
    ),
    "competition.Round": AdminPage(
        "stage__tournament__name stage__number number public_id state opened_at closed_at",
        "public_id stage__tournament__public_id",
        "state",
    ),
    "competition.SigningKey": AdminPage(
        "name number valid_from valid_until",
        "name",
        label="name",
        hidden="private",
    ),
    "competition.Label": AdminPage(
        "tournament__name subject text hash", f"{TOURNAMENT_COLUMNS} text hash", hidden="salt"
    ),
    "competition.Statement": AdminPage(
        "tournament__name number kind published_at digest key__name", f"{TOURNAMENT_COLUMNS} digest", "kind"
    ),
    "competition.Commitment": AdminPage(
        "number digest posted_at taken_at tournament__name revealed_at note",
        "number digest tournament__public_id",
        hidden="secret",
    ),
    "competition.Entry": AdminPage(
        "version__bot__name tournament__name player__handle seed status status_note created_at",
        "public_id tournament__public_id player__handle version__bot__name",
        "status",
        links="/tournaments/{tournament__public_id}/entries"
        " /organise/tournaments/{tournament__public_id}/entries"
        " /api/v1/tournaments/{tournament__public_id}/entries/{public_id}",
    ),
    "competition.StageEntry": AdminPage(
        "stage__tournament__name stage__number position entry__public_id origin",
        "entry__public_id stage__tournament__public_id",
    ),
    "competition.Invitation": AdminPage(
        "tournament__name player__handle created_at",
        f"{TOURNAMENT_COLUMNS} player__handle",
        links="/organise/tournaments/{tournament__public_id}/entries",
    ),
    "competition.ProblemReport": AdminPage(
        "entry__tournament__name entry__public_id reporter__username created_at closed_at",
        "entry__tournament__public_id reporter__username",
        links="/tournaments/{entry__tournament__public_id}/reports",
    ),
    "matches.BoardSet": AdminPage(
        "public_id round__stage__tournament__name kind boards state closed_at", "public_id", "state"
    ),
    "matches.Fixture": AdminPage(
        "public_id tournament__name number state note same_owner",
        "public_id tournament__public_id",
        seal="board_set__state",
        sealed="state note scores_stale done_at",
        links="/fixtures/{public_id} /api/v1/fixtures/{public_id}",
    ),
    "matches.FixtureEntry": AdminPage("fixture__public_id position side entry__public_id", SCORE_COLUMNS),
    "matches.Adjudication": AdminPage(
        "fixture__public_id number kind entries note actor__username created_at",
        "public_id fixture__public_id fixture__tournament__public_id",
        links="/organise/fixtures/{fixture__public_id}",
    ),
    "matches.RuntimeSet": AdminPage("names"),
    "matches.Table": AdminPage(
        "public_id tournament__name fixture__public_id rotation state attempt worker waiting_for note",
        "public_id fixture__public_id tournament__public_id worker",
        "state",
        hidden="fence",
        seal=FIXTURE_SEAL,
        sealed="state_at started_at finished_at published_at progress_at decisions killed_bundles"
        " record_sha256 timings_sha256 view_sha256 compact_results",
        links="/tables/{public_id} /organise/tables/{public_id} /api/v1/tables/{public_id}",
    ),
    "matches.LostLease": AdminPage(
        "table__public_id worker kernel until", "table__public_id worker kernel", hidden="fence"
    ),
    "matches.PendingReport": AdminPage("tournament__public_id", hidden="cpu_ms"),
    "matches.TableSeat": AdminPage(
        "table__public_id seat entry__public_id version__public_id verdict forfeited decisions cpu_ms",
        "table__public_id version__public_id",
        "verdict forfeited",
        seal=TABLE_SEAL,
        links="/versions/{version__public_id}",
    ),
    "matches.FaultGroup": AdminPage(
        "version__bot__name version__public_id verdict phase count fingerprint first_seen_at last_seen_at",
        "fingerprint version__public_id version__bot__name",
        "verdict phase",
        links="/versions/{version__public_id}/faults/{fingerprint}",
    ),
    "matches.RecordRepair": AdminPage(
        "table__public_id state attempts failure asked_at", "table__public_id", "state failure"
    ),
    "matches.Worker": AdminPage(
        "name kernel heartbeat_at sandbox_level capacity cause runtimes detail", "name", "cause"
    ),
    "matches.RuntimeArtifact": AdminPage("runtime sha256 published_at", "runtime sha256"),
    "matches.TickState": AdminPage("ticked_at queue_id"),
    "standings.FixtureScore": AdminPage(
        "fixture__public_id entry__public_id numerator denominator", SCORE_COLUMNS, seal=FIXTURE_SEAL
    ),
    "standings.BoardFigures": AdminPage(
        "board_set__public_id board fixtures swing spread",
        "tournament__public_id board_set__public_id",
        seal="board_set__state",
        links="/boards/{board_set__public_id}/{board}",
    ),
    "standings.StandingRow": AdminPage(
        "stage__tournament__name stage__number rank entry__public_id values decided_by",
        "stage__tournament__public_id entry__public_id",
        links="/tournaments/{stage__tournament__public_id}/standings",
    ),
    "standings.PastStandings": AdminPage("round__public_id key", "round__public_id", hidden="rows"),
    "standings.BoardSetLuck": AdminPage(f"{BOARD_SET_COLUMNS} fixtures stale_mark", BOARD_SET_COLUMNS),
    "standings.TournamentLuck": AdminPage("tournament__name has_factor values", TOURNAMENT_COLUMNS),
}
