"""Claims of a verified import, and their evidence, in the reader's language."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

CLAIMS = {
    "deals": _("deals, boards and lots"),
    "plays": _("plays, results, board scores, seats"),
    "forfeits": _("forfeits"),
    "pairings": _("fields, pairings, byes, standings"),
    "ends": _("that no round or stage end is missing"),
    "secret": _("the secret, from before the first entry"),
    "settings": _("settings, and the plan of the stages"),
    "entries": _("entries: players, bots, versions, seeds"),
    "rulings": _("rulings, withdrawals, voids, reruns, early ends, budget"),
    "answers": _("answers of the bots, and their faults"),
    "names": _("names, ids, times and reasons"),
    "bundles": _("that the bundles named gave these answers"),
    "unused": _("that the deals were not used beforehand"),
    "persons": _("the people behind the players"),
}
"""Texts of ``league.proof.CLAIMS``."""
BASES = {
    "derived": _("derived from the secret and the field"),
    "replayed": _("replayed by the rules from the records"),
    "fault_policy": _("derived from the faults in the records and the fault policy"),
    "recomputed": _("drawn and computed again"),
    "formats": _("computed by the formats"),
    "commitment": _("the published commitment"),
    "digest": _("the published digest of the statement “%(kind)s”"),
    "signed": _("the signed statement “%(kind)s”"),
    "signed_later": _("the signed statement “%(kind)s”, which was made later"),
    "unchecked": _("the statement “%(kind)s”, unchecked: no key or commitment was given"),
    "none": _("no statement binds it"),
    "machines": _("only the machines that played it could show it"),
    "operator": _("the operator holds the secret from the first day"),
    "accounts": _("accounts of the site"),
}
"""Texts of ``league.proof.BASES``."""
HOW = {
    "proven": _("proven"),
    "bound": _("bound"),
    "trusted": _("trusted"),
}
LOST_RECORDS = "lost_records"


class ClaimLine(NamedTuple):
    claim: str
    how: str
    by: str
    is_english: bool
    """Early imports have no codes."""


def claim_line(
    claim: str, how: str, by: str, code: str = "", basis: str = "", kind: str = "", tables: int = 0
) -> ClaimLine:
    """Return a claim (``league.proof.Claim``) for a page."""
    if code == LOST_RECORDS:
        text = ngettext(
            "results of %(count)d table without a record",
            "results of %(count)d tables without a record",
            tables,
        ) % {"count": tables}
    else:
        text = str(CLAIMS.get(code, claim))
    is_english = basis not in BASES
    evidence = by if is_english else str(BASES[basis]) % {"kind": kind}
    return ClaimLine(text, str(HOW.get(how, how)), evidence, is_english)
