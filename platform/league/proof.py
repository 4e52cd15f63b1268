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
    code: str = ""
    """Key of ``CLAIMS``."""
    basis: str = ""
    """Key of ``BASES``."""
    kind: str = ""
    """Kind of the statement that ``by`` names; otherwise empty."""
    tables: int = 0
    """Tables without a record, for ``lost_records``."""


CLAIMS = {
    "deals": "deals, boards and lots",
    "plays": "plays, results, board scores, seats",
    "forfeits": "forfeits",
    "pairings": "fields, pairings, byes, standings",
    "ends": "that no round or stage end is missing",
    "secret": "the secret, before anybody entered",
    "settings": "settings, and the plan of the stages",
    "entries": "entries: players, bots, versions, seeds",
    "rulings": "rulings, withdrawals, voids, reruns, early ends, budget",
    "answers": "answers of the bots, and their faults",
    "names": "names, ids, times and reasons",
    "lost_records": "results of {tables} {noun} without a record",
    "bundles": "that the bundles named gave these answers",
    "unused": "that nobody used the deals beforehand",
    "persons": "who the players are",
}
"""Claims by code."""
BASES = {
    "derived": "derived from the secret and the field",
    "replayed": "replayed by the rules from the records",
    "fault_policy": "derived from the faults in the records and the fault policy",
    "recomputed": "drawn and computed again",
    "formats": "asked of the formats",
    "commitment": "the published commitment",
    "digest": "the published digest of the statement {kind!r}",
    "signed": "the signed statement {kind!r}",
    "signed_later": "the signed statement {kind!r}, which was made later",
    "unchecked": "the statement {kind!r}, unchecked: give --key or --commitment",
    "none": "no statement binds it",
    "machines": "only the machines that played it could show it",
    "operator": "the operator holds the secret from the first day",
    "accounts": "accounts of the site",
}
"""Bases of claims by code."""
_PROVEN_CLAIMS = (
    ("deals", "derived"),
    ("plays", "replayed"),
    ("forfeits", "fault_policy"),
    ("pairings", "recomputed"),
    ("ends", "formats"),
)
_BOUND_CLAIMS = (
    ("settings", OPENED),
    ("entries", LOCKED),
    ("rulings", "over"),
    ("answers", "over"),
    ("names", "over"),
)
_TRUSTED_CLAIMS = (("bundles", "machines"), ("unused", "operator"), ("persons", "accounts"))


class _Binding(NamedTuple):
    how: str
    basis: str
    kind: str = ""


def claims(
    document: Mapping[str, Any],
    commitments: Collection[str] = (),
    *,
    is_signed: bool = False,
    unverified: int = 0,
) -> list[Claim]:
    result = [_claim(code, _Binding(PROVEN, basis)) for code, basis in _PROVEN_CLAIMS]
    is_promised = document["tournament"]["commitment"] in commitments
    result.append(
        _claim("secret", _Binding(BOUND_BY, "commitment"))
        if is_promised
        else _claim("secret", _binding(document, OPENED, commitments, is_signed))
    )
    result += [_claim(code, _binding(document, when, commitments, is_signed)) for code, when in _BOUND_CLAIMS]
    if unverified:
        result.append(_claim("lost_records", _binding(document, "over", commitments, is_signed), unverified))
    return result + [_claim(code, _Binding(TRUSTED, basis)) for code, basis in _TRUSTED_CLAIMS]


def _claim(code: str, binding: _Binding, tables: int = 0) -> Claim:
    text = CLAIMS[code].format(tables=tables, noun="table" if tables == 1 else "tables")
    by = BASES[binding.basis].format(kind=binding.kind)
    return Claim(text, binding.how, by, code, binding.basis, binding.kind, tables)


def _binding(
    document: Mapping[str, Any], when: str, commitments: Collection[str], is_signed: bool
) -> _Binding:
    """Return how and by what a claim is bound that was to be published at this point."""
    kinds = [statement["kind"] for statement in document["statements"]]
    digests = [statement["digest"] for statement in document["statements"]]
    index = STAGES.index(when)
    after = [kind for kind in kinds if _stage_index(kind) >= index]
    if not after:
        return _Binding(TRUSTED, "none")
    noted = [kind for kind, digest in zip(kinds, digests, strict=True) if digest in commitments]
    if any(_stage_index(kind) >= index for kind in noted):
        return _Binding(BOUND_BY, "digest", noted[-1])
    if is_signed:
        is_late = _stage_index(after[0]) != index
        return _Binding(BOUND_BY, "signed_later" if is_late else "signed", after[0])
    return _Binding(TRUSTED, "unchecked", after[0])


def _stage_index(kind: str) -> int:
    return STAGES.index("over" if kind in ENDINGS else kind)
