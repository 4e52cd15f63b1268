"""Admin pages of analyses."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "analysis.TableAnalysis": AdminPage(
            "table__public_id state failures failure solver cpu_ms state_at",
            "table__public_id",
            "state solver",
            links="/tables/{table__public_id}",
        ),
        "analysis.SeatAnalysis": AdminPage(
            "analysis__table__public_id seat version__public_id decisions costly stones",
            "analysis__table__public_id version__public_id",
        ),
        "analysis.CostlyPlay": AdminPage(
            "analysis__table__public_id position seat version__public_id action kind cost",
            "analysis__table__public_id version__public_id tournament__public_id",
            "kind",
        ),
        "analysis.CasualAnalysis": AdminPage(
            "table__public_id remote_table__public_id state failures failure cpu_ms requested_at state_at",
            "table__public_id remote_table__public_id",
            "state",
        ),
        "analysis.Problem": AdminPage(
            "public_id preset trick state failures reason bots bots_found visitors visitors_found cpu_ms",
            "public_id analysis__table__public_id",
            "state preset",
            links="/problems/{public_id}",
        ),
        "analysis.ProblemDecision": AdminPage(
            "problem__public_id version__public_id card is_best", "problem__public_id version__public_id"
        ),
        "analysis.ProblemAttempt": AdminPage(
            "problem__public_id user card is_best created_at", "problem__public_id", hidden="guest"
        ),
        "analysis.SolvedPosition": AdminPage(
            "key state requested_at failures cpu_ms", "key", "state", hidden="requested_by"
        ),
    }
)
