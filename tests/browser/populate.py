"""``python -m tests.browser.populate FOLDER``: fills the database of RENSHO_DATA and writes what is in it.

``facts.json`` in it has what addresses are made of, ``people.json`` the sessions of the cast.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def facts_of(key: str, tournament: object) -> dict[str, str]:
    """The public ids of an event and of its first round, set, fixture and table, under a key.

    Of an event that is being played also an open set and a fixture of it.
    """
    from arena.matches.models import Fixture

    public_id = tournament.public_id  # type: ignore[attr-defined]
    found = {key: public_id}
    fixtures = Fixture.objects.filter(tournament__public_id=public_id, tables__isnull=False)
    fixture = fixtures.select_related("board_set__round__stage").order_by("pk").first()
    if fixture is None:
        return found
    table = fixture.tables.order_by("pk").first()
    assert table is not None
    round_ = fixture.board_set.round
    found[f"{key}_set"] = fixture.board_set.public_id
    found[f"{key}_fixture"] = fixture.public_id
    found[f"{key}_table"] = table.public_id
    found[f"{key}_round"] = f"{round_.stage.number}/{round_.number}"
    if table.record_sha256:
        found[f"{key}_record"] = table.record_sha256
    last = fixtures.order_by("pk").last()
    if last is not None and last.board_set.is_sealed:
        found |= {f"{key}_open_set": last.board_set.public_id, f"{key}_open_fixture": last.public_id}
    return found


def populate() -> tuple[dict[str, str], dict[str, str]]:
    """Make all of it; the facts, and the session of each person by name."""
    from django.test import Client

    from arena.matches.models import FaultGroup
    from arena.roster.models import BotVersion
    from tests import chance, factories
    from tests.browser import events

    chance.start("the site that the browser visits")
    facts: dict[str, str] = {}
    for kind in events.kinds():
        facts |= facts_of(kind.key, events.of_kind(kind))
    facts |= facts_of("kakeya4_game", events.games("kakeya4", hand_cap=8))
    facts |= facts_of("kakkuri_game", events.games("kakkuri", seats=2))
    for make in events.EVENTS:
        facts |= facts_of(make.__name__, make())
    facts |= {"cup": events.cup().public_id, "paused_cup": events.paused_cup().public_id}
    facts |= {f"bot_{name}": bot.public_id for name, bot in events.bots().items()}
    played = BotVersion.objects.filter(bot__owner__user=factories.aya(), seats__isnull=False).order_by("pk")
    version = played.select_related("bot").first()
    assert version is not None
    facts |= {"bot": version.bot.public_id, "version": version.public_id}
    group = FaultGroup.objects.filter(version__bot__owner__user=factories.aya()).order_by("pk").first()
    assert group is not None
    facts |= {"faults_version": group.version.public_id, "fault": group.fingerprint}
    people = {}
    for name in ("aya", "ben", "chie", "odo", "rin", "sota"):
        client = Client()
        client.force_login(getattr(factories, name)())
        people[name] = client.cookies["sessionid"].value
    return facts, people


def main() -> int:
    """Entry point."""
    import django
    from django.core.management import call_command

    folder = Path(sys.argv[1])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.browser.settings")
    django.setup()
    call_command("migrate", verbosity=0)
    facts, people = populate()
    call_command("views_make", verbosity=0)
    for name, values in (("facts", facts), ("people", people)):
        (folder / f"{name}.json").write_text(json.dumps(values, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
