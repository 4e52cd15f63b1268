"""Admin pages of experiments."""

from arena.admin.pages import AdminPage
from arena.admin.read_only import pages_register

pages_register(
    {
        "experiments.Experiment": AdminPage(
            "public_id owner__username candidate__public_id baseline__public_id state end_code created_at",
            "public_id owner__username candidate__bot__name baseline__bot__name",
            "state",
            links="/experiments/{public_id}",
        ),
        "experiments.Opponent": AdminPage(
            "experiment__public_id number version__public_id", "experiment__public_id version__public_id"
        ),
        "experiments.Batch": AdminPage(
            "experiment__public_id number tournament__public_id boards state counted note",
            "experiment__public_id tournament__public_id",
            "state",
        ),
    }
)
