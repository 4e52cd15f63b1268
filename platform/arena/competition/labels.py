"""Names in statements: salted hashes, created when a name is first bound, deletable on request."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from arena.competition.models import Entry, Label, Tournament
from arena.roster.models import Bot, Player
from league.statements import label, label_hash

TOURNAMENT_SUBJECT = "tournament"
SALT_BYTES = 16

Labels = Mapping[str, Label]


def player_subject(player: int) -> str:
    return f"player/{player}"


def bot_subject(bot: int) -> str:
    return f"bot/{bot}"


def labels_of(tournament: Tournament) -> dict[str, Label]:
    return {row.subject: row for row in Label.objects.filter(tournament=tournament)}


def label_data(labels: Labels, subject: str, name: str) -> dict[str, Any]:
    """Return a label for exports; without hash and salt if it is not bound yet."""
    row = labels.get(subject)
    if row is None:
        return {"hash": None, "salt": None, "text": name}
    if not row.salt:
        return {"hash": row.hash, "salt": None, "text": None}
    return label(row.salt, row.text)


@transaction.atomic
def labels_bind(tournament: Tournament, *, with_entries: bool = True) -> None:
    """Create salts for names that have none; renamings do not change a label. Three queries."""
    names = {TOURNAMENT_SUBJECT: tournament.name}
    if with_entries:
        for entry in entries_with_names(tournament):
            for version in entry.versions():
                names[bot_subject(version.bot_id)] = version.bot.name
            for player in entry.owners():
                names[player_subject(player.pk)] = player.handle
    known = set(Label.objects.filter(tournament=tournament).values_list("subject", flat=True))
    new_labels = []
    for subject, name in names.items():
        if subject not in known:
            salt = secrets.token_hex(SALT_BYTES)
            new_labels.append(
                Label(
                    tournament=tournament, subject=subject, hash=label_hash(salt, name), salt=salt, text=name
                )
            )
    Label.objects.bulk_create(new_labels, batch_size=500)


def entries_with_names(tournament: Tournament) -> list[Entry]:
    rows = tournament.entries.select_related("player", "version__bot__owner", "partner_version__bot__owner")
    return list(rows.order_by("id"))


@transaction.atomic
def labels_forget(player: Player) -> int:
    """Delete names and salts of a player and its bots in all events. Return the number of labels.

    Published statements remain valid: they contain hashes.
    """
    subjects = [player_subject(player.pk)]
    subjects += [bot_subject(bot) for bot in Bot.objects.filter(owner=player).values_list("pk", flat=True)]
    return Label.objects.filter(subject__in=subjects).update(salt="", text="")
