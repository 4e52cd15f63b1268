"""What is on the site that the browser visits; ``main`` makes it and writes what addresses are made of.

``facts.json`` of the folder has public ids by name, ``people.json`` the sessions of the cast.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from django.core.management import call_command
from django.test import Client

from arena.competition.commitments import commitments_fill
from arena.competition.models import Entry, Tournament
from arena.competition.services import tournament_open
from arena.features.analysis.models import Problem
from arena.features.analysis.problems.attempts import attempt_make
from arena.features.courses.invitations import accounts_invite
from arena.features.courses.ranking import rankings_due
from arena.features.imports.services import import_now
from arena.features.integrity.models import Finding, Report
from arena.features.integrity.services import reports_make
from arena.features.play.person import Person
from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.selectors import list_set_scores
from arena.features.ratings.services import ratings_make
from arena.matches.models import BoardSet, FaultGroup, Fixture, Table
from arena.roster.models import BotVersion
from arena.standings.export import tournament_export
from arena.standings.luck import luck_compute_due
from arena.web.base.access import SIGNED_IN_AT_KEY
from tests import chance, factories, power
from tests.arena.features.analysis.problems import a_problem
from tests.arena.features.courses.rooms import a_course, an_event_of
from tests.arena.play import play_out, started
from tests.browser import daily_deals, events, experiments, remote_bots
from tests.browser import tables_of_persons as tables


def facts_of(key: str, tournament: Tournament, set_state: str = "") -> dict[str, str]:
    """The public ids of an event and of its first round, set, fixture and table, under a key.

    ``set_state``: of its first round whose board set is in this state.
    """
    found = {key: tournament.public_id}
    fixtures = Fixture.objects.filter(tournament=tournament, tables__isnull=False)
    if set_state:
        fixtures = fixtures.filter(board_set__state=set_state)
    fixture = fixtures.select_related("board_set__round__stage").order_by("pk").first()
    if fixture is None:
        return found
    table = fixture.tables.order_by("pk").first()
    assert table is not None
    played = fixture.board_set.round
    found[f"{key}_set"] = fixture.board_set.public_id
    found[f"{key}_fixture"] = fixture.public_id
    found[f"{key}_table"] = table.public_id
    found[f"{key}_round"] = f"{played.stage.number}/{played.number}"
    return found


def populate() -> dict[str, str]:
    """Make all of it, with the same deals and ids in every run; the facts."""
    power.skip_syncs()
    chance.install()
    chance.start("the site that the browser visits")
    commitments_fill()
    facts: dict[str, str] = {}
    for kind in events.kinds():
        facts |= facts_of(kind.key, events.of_kind(kind))
    facts |= facts_of("kakeya4_game", events.games("kakeya4", hand_cap=8))
    facts |= facts_of("kakkuri_game", events.games("kakkuri", seats=2))
    for make in events.EVENTS:
        facts |= facts_of(make.__name__, make())
    facts["registration_entry"] = first_entry(facts["registration"])
    running = Tournament.objects.get(public_id=facts["running"])
    facts |= facts_of("sealed", running, BoardSet.State.OPEN)
    facts["ladder"] = events.ladder().public_id
    cup = events.cup()
    events.edition(cup, Tournament.objects.get(public_id=facts["rated"]))
    facts |= {"cup": cup.public_id, "paused_cup": events.paused_cup().public_id}
    for name, bot in events.bots().items():
        facts[f"bot_{name}"] = bot.public_id
        newest = bot.versions.order_by("-number").first()
        facts |= {f"bot_{name}_version": newest.public_id} if newest else {}
    played = BotVersion.objects.filter(bot__owner__user=factories.aya(), seats__isnull=False).order_by("pk")
    version = played.select_related("bot").first()
    group = FaultGroup.objects.filter(version__bot__owner__user=factories.aya()).order_by("pk").first()
    assert version is not None
    assert group is not None
    facts |= {
        "play": tables.under_way(factories.aya()),
        "casual_table_finished": tables.over(factories.ben()),
    }
    facts["experiment"] = experiments.decided().public_id
    facts["experiment_running"] = experiments.going_on().public_id
    facts["play_shared"] = tables.shared(factories.ben(), facts["casual_table_finished"])
    facts["daily_day"] = daily_deals.ended_and_today()
    facts |= remote_bots.remote_bots()
    facts |= {"bot": version.bot.public_id, "version": version.public_id}
    facts["problem"] = a_problem(Table.objects.get(public_id=facts["kakeya4_table"]))
    problem = Problem.objects.get(public_id=facts["problem"])
    attempt_make(problem, Person(factories.ben(), "", ""), problem.best)
    facts |= {"faults_version": group.version.public_id, "fault": group.fingerprint}
    return facts


def first_entry(tournament: str) -> str:
    return Entry.objects.filter(tournament__public_id=tournament).order_by("pk")[0].public_id


def rating_facts() -> dict[str, str]:
    """The list with the most rated, and the first two of its lines."""
    largest = RatingList.objects.order_by("-rated", "pk")[0]
    rows = list(Rating.objects.filter(list=largest, rank__isnull=False).order_by("rank")[:2])
    return {
        "ratings": largest.public_id,
        "rated_a": rows[0].version.public_id,
        "rated_b": rows[1].version.public_id,
    }


def integrity(facts: dict[str, str]) -> dict[str, str]:
    """Pairs to be ruled on, of a list and of a running event, in whose report something stands out."""
    rating_list = RatingList.objects.filter(preset="kakeya4").order_by("pk")[0]
    of_list = list_set_scores(rating_list)[0]
    names = [of_list.names[place] for place in of_list.members[0].reshape(-1)]
    closed = Fixture.objects.filter(
        tournament__public_id=facts["running"], board_set__state="closed", sides__position=1
    )
    fixture = closed.order_by("pk")[0]
    entries = list(fixture.sides.order_by("position").values_list("entry__public_id", flat=True))
    report = Report.objects.get(tournament=fixture.tournament)
    boards = [
        {"board_set": fixture.board_set.public_id, "fixture": fixture.public_id, "board": 1, "stones": 4.5}
    ]
    found = {"entry": entries[0], "other": entries[1], "meetings": 1, "p": 0.0001, "q": 0.012}
    Finding.objects.create(
        report=report,
        number=1,
        subject="results",
        kind="duel",
        residual=1.5,
        error=0.2,
        boards=16,
        unusual_boards=boards,
        **found,
    )
    Finding.objects.create(
        report=report,
        number=2,
        subject="delays",
        kind="frequent",
        observed=7,
        expected=0.5,
        boards=12,
        unusual_boards=[{**boards[0], "stones": None}],
        **{**found, "other": "", "meetings": 7},
    )
    Report.objects.filter(pk=report.pk).update(finding_count=2, pairs=190)
    return {
        "list": rating_list.public_id,
        "list_pair": f"{names[0].rstrip('+')}/{names[-1].rstrip('+')}",
        "pair": "/".join(entries[:2]),
    }


def imported(tournament: str) -> str:
    """An event of this site, imported as if it was of another one."""
    data = tournament_export(Tournament.objects.get(public_id=tournament), None)
    return import_now(data, origin="https://rensho.example").public_id


def course() -> str:
    """A course of Odo's that Aya and others take, with a tournament that was played."""
    taken = a_course(factories.odo(), factories.aya(), factories.ben(), name="Card games 101")
    taken.description = "Bots that play cards, in the autumn term."
    taken.save()
    played = an_event_of(taken, factories.odo(), name="First exercise")
    tournament_open(played, factories.odo())
    for author in (factories.aya(), factories.ben()):
        factories.an_entry(played, author)
    play_out(started(played))
    tournament_open(an_event_of(taken, factories.odo(), name="Second exercise"), factories.odo())
    rankings_due()
    accounts_invite(taken, [factories.chie()], factories.odo())
    return taken.public_id


def sessions() -> dict[str, str]:
    """The session of everybody of the cast, by name."""
    found = {}
    for name in ("aya", "ben", "chie", "odo", "rin", "sota"):
        client = Client()
        client.force_login(getattr(factories, name)())
        session = client.session
        session[SIGNED_IN_AT_KEY] = time.time()
        session.save()
        found[name] = client.cookies["sessionid"].value
    return found


def main(folder: str) -> None:
    """Make a database and fill it."""
    call_command("migrate", verbosity=0)
    facts = populate()
    call_command("views_make", verbosity=0)
    luck_compute_due(60.0)
    ratings_make(60.0)
    facts |= rating_facts()
    reports_make(60.0, rest_s=0)
    facts |= integrity(facts)
    facts["course"] = course()
    facts["imported"] = imported(facts["groups"])
    for name, values in (("facts", facts), ("people", sessions())):
        (Path(folder) / f"{name}.json").write_text(json.dumps(values, indent=1))
