"""Names as statements hold them: salted hashes, drawn when they are first bound, forgotten on demand."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from arena.competition.models import Entry, Label, Tournament
from arena.roster.models import Bot, Player
from league.statements import label, label_hash

EVENT_SUBJECT = "event"
SALT_BYTES = 16

Labels = Mapping[str, Label]
"""By subject."""


def player_subject(player: int) -> str:
    """What the label of the player of this key is kept by."""
    return f"player/{player}"


def bot_subject(bot: int) -> str:
    """What the label of the bot of this key is kept by."""
    return f"bot/{bot}"


def labels_of(tournament: Tournament) -> dict[str, Label]:
    """All labels of an event by subject. One query."""
    return {row.subject: row for row in Label.objects.filter(tournament=tournament)}


def label_data(labels: Labels, subject: str, name: str) -> dict[str, Any]:
    """A label as exports show it; one that nothing has bound yet has neither hash nor salt."""
    row = labels.get(subject)
    if row is None:
        return {"hash": None, "salt": None, "text": name}
    if not row.salt:
        return {"hash": row.hash, "salt": None, "text": None}
    return label(row.salt, row.text)


@transaction.atomic
def labels_bind(tournament: Tournament, *, with_entries: bool = True) -> None:
    """Draw the salts of all names that have none yet; later changes of a name change no label.

    ``with_entries``: also of players and bots of every entry. Three queries.
    """
    names = {EVENT_SUBJECT: tournament.name}
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
    """Every entry there was, in the order they were made, with players and bots. One query."""
    rows = tournament.entries.select_related("player", "version__bot__owner", "partner_version__bot__owner")
    return list(rows.order_by("id"))


@transaction.atomic
def labels_forget(player: Player) -> int:
    """Delete names and salts of a player and of all its bots from every event; how many labels.

    What the events have published stays true: it holds the hashes. Nobody can tell any more which name a
    hash stood for. Names of labels that are not bound yet come from player and bot themselves.
    """
    subjects = [player_subject(player.pk)]
    subjects += [bot_subject(bot) for bot in Bot.objects.filter(owner=player).values_list("pk", flat=True)]
    return Label.objects.filter(subject__in=subjects).update(salt="", text="")
