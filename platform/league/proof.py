"""Claims of a verified export: which are proven, which are bound by a publication, and which are trusted.

Source: docs/fair-deals.md#what-is-proven-bound-and-taken-on-trust.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from league.statements import ENDINGS, LOCKED, OPENED

PROVEN, BOUND_BY, TRUSTED = "proven", "bound", "trusted"
"""It follows from the export; a published digest or a signature fixes it; nothing here shows it."""
STAGES = (OPENED, LOCKED, "over")
"""Points of publication, in order."""


class Claim(NamedTuple):
    what: str
    how: str
    """``proven``, ``bound`` or ``trusted``."""
    by: str
    """Basis of the claim, or why there is none, as text."""


_PROVEN_CLAIMS = (
    ("deals, boards and lots", "derived from the secret and the field"),
    ("plays, results, board scores, seats", "replayed by the rules from the records"),
    ("forfeits", "derived from the faults in the records and the fault policy"),
    ("fields, pairings, byes, standings", "drawn and computed again"),
    ("that no round or stage end is missing", "asked of the formats"),
)
SECRET = "the secret, before anybody entered"
_BOUND_CLAIMS = (
    ("settings, and the plan of the stages", OPENED),
    ("entries: players, bots, versions, seeds", LOCKED),
    ("rulings, withdrawals, voids, reruns, early ends, budget", "over"),
    ("answers of the bots, and their faults", "over"),
    ("names, ids, times and reasons", "over"),
)
_TRUSTED_CLAIMS = (
    ("that the bundles named gave these answers", "only the machines that played it could show it"),
    ("that nobody used the deals beforehand", "the operator holds the secret from the first day"),
    ("who the players are", "accounts of the site"),
)


def claims(
    document: Mapping[str, Any],
    commitments: Collection[str] = (),
    *,
    is_signed: bool = False,
    unverified: int = 0,
) -> list[Claim]:
    result = [Claim(statement, PROVEN, by) for statement, by in _PROVEN_CLAIMS]
    is_promised = document["tournament"]["commitment"] in commitments
    result.append(
        Claim(SECRET, BOUND_BY, "the published commitment")
        if is_promised
        else Claim(SECRET, *_binding(document, OPENED, commitments, is_signed))
    )
    result += [
        Claim(statement, *_binding(document, when, commitments, is_signed))
        for statement, when in _BOUND_CLAIMS
    ]
    if unverified:
        statement = f"results of {unverified} {'table' if unverified == 1 else 'tables'} without a record"
        result.append(Claim(statement, *_binding(document, "over", commitments, is_signed)))
    return result + [Claim(statement, TRUSTED, by) for statement, by in _TRUSTED_CLAIMS]


def _binding(
    document: Mapping[str, Any], when: str, commitments: Collection[str], is_signed: bool
) -> tuple[str, str]:
    """Return how and by what a claim is bound that was to be published at this point."""
    kinds = [statement["kind"] for statement in document["statements"]]
    digests = [statement["digest"] for statement in document["statements"]]
    index = STAGES.index(when)
    after = [kind for kind in kinds if _stage_index(kind) >= index]
    if not after:
        return TRUSTED, "no statement binds it"
    noted = [kind for kind, digest in zip(kinds, digests, strict=True) if digest in commitments]
    if any(_stage_index(kind) >= index for kind in noted):
        return BOUND_BY, f"the published digest of the statement {noted[-1]!r}"
    if is_signed:
        late = "" if _stage_index(after[0]) == index else ", which was made later"
        return BOUND_BY, f"the signed statement {after[0]!r}{late}"
    return TRUSTED, f"the statement {after[0]!r}, unchecked: give --key or --commitment"


def _stage_index(kind: str) -> int:
    return STAGES.index("over" if kind in ENDINGS else kind)
