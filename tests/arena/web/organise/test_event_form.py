"""An event made and changed by form: one form from an idea to an open registration, nothing typed lost."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from arena.competition import event_options
from arena.competition.choices import OptionOffered
from arena.competition.drafts import fields_of
from arena.competition.models import Tournament
from arena.competition.services import tournament_update
from arena.competition.tournament_fields import DEFAULTS
from arena.web.organise.options import option_field
from tests import factories
from tests.arena.competition.house_bots import house
from tests.arena.web.conftest import in_state
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in, form_at

pytestmark = pytest.mark.django_db


def send(client: Client, fields: dict[str, Any], do: str, address: str = "/organise/new") -> Any:
    return client.post(address, {**fields, "do": do})


def only_event() -> Tournament:
    return Tournament.objects.get()


def test_a_name_is_all_that_is_needed_to_open_registration(odo: Client) -> None:
    answer = send(odo, form_at(odo, name="Winter cup"), "open")
    event = only_event()
    where = f"/organise/tournaments/{event.public_id}/open"
    assert answer["Location"] == where
    assert (event.name, event.state, event.organiser.username) == ("Winter cup", "draft", "odo")
    assert not event.commitment, "nothing is published before it is confirmed"
    page = page_of(odo.get(where))
    assert f'href="/organise/tournaments/{event.public_id}"' in page, "the way back to the form"
    assert odo.post(where, controls_in(page, "confirm"))["Location"] == event.page
    event.refresh_from_db()
    assert event.state == "open"
    assert event.commitment


def test_the_form_left_alone_is_the_draft_that_the_api_would_make(odo: Client) -> None:
    send(odo, form_at(odo, name="By form"), "save")
    made = factories.a_tournament(organiser=factories.odo(), name="By form", preset="kakeya4", stages=None)
    by_form = Tournament.objects.exclude(pk=made.pk).get()
    expected = fields_of(by_form)
    for name in ("visibility", "scoring", "tie_breaks", "fault_policy", "clock", "quarantine_hours"):
        assert expected[name] == fields_of(made)[name], name
    assert expected["stages"] == [
        {"format": "round_robin", "options": {}, "qualify": None, "boards_per_round": None}
    ]


def test_every_field_of_a_draft_is_in_the_form_and_comes_back(odo: Client) -> None:
    factories.rin(), factories.sota(), house()
    fields = form_at(
        odo,
        name="Everything",
        preset="kakeya4",
        board_kind="deal",
        boards_per_round="12",
        description="About it.",
        visibility="private",
        entry_policy="invited",
        entries_per_player="2",
        min_entries="4",
        max_entries="12",
        closes_at="2030-01-02T10:00",
        starts_at="2030-01-02T11:30",
        quarantine_hours="5",
        review_hours="48",
        scoring="board_score",
        board_plan="until_separated",
        max_passes="3",
        budget_cpu_s="900",
        fault_policy="strict",
        co_organisers="rin, sota",
        house_bots="kakeya_greedy",
        rule_stones="7",
        rule_debt="no",
        clock_increment_cpu_ms="30",
        tie_1="wins",
        tie_2="buchholz",
        tie_3="",
        tie_4="",
        tie_5="",
    )
    assert send(odo, fields, "save").status_code == 302
    event = only_event()
    stored = fields_of(event)
    assert set(stored) == set(DEFAULTS)
    assert stored["ruleset"]["stones"] == 7
    assert stored["ruleset"]["debt"] is False
    assert stored["clock"]["increment_cpu_ms"] == 30
    assert stored["tie_breaks"] == ["wins", "buchholz", "lot"]
    assert stored["co_organisers"] == ["rin", "sota"]
    assert stored["closes_at"] == datetime(2030, 1, 2, 10, tzinfo=UTC)
    changed = {name for name in DEFAULTS if stored[name] != DEFAULTS[name]}
    assert changed == set(DEFAULTS) - {"board_kind", "course"}
    again = form_at(odo, f"/organise/tournaments/{event.public_id}")
    for name, value in fields.items():
        if name not in ("once", "seen", "plan_entries", "draft", "draft_version"):
            assert again[name] == value, name
    revision = event.revision
    odo.post(f"/organise/tournaments/{event.public_id}", {**again, "do": "save"}, follow=True)
    event.refresh_from_db()
    assert (fields_of(event), event.revision) == (stored, revision)


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"preset": "whist"}, "preset"),
        ({"boards_per_round": "0"}, "boards_per_round"),
        ({"boards_per_round": "many"}, "boards_per_round"),
        ({"min_entries": "9", "max_entries": "4"}, "max_entries"),
        ({"closes_at": "soon"}, "closes_at"),
        ({"closes_at": "2030-02-29T10:00"}, "closes_at"),
        ({"closes_at": "0001-01-01T00:00:00+14:00"}, "closes_at"),
        ({"closes_at": "9999-12-31T23:59:59-14:00"}, "closes_at"),
        ({"starts_at": "2030-01-02"}, "starts_at"),
        ({"closes_at": "2030-01-02T10:00", "starts_at": "2030-01-01T10:00"}, "starts_at"),
        ({"rule_stones": "lots"}, "rule_stones"),
        ({"rule_schedule": "free"}, "rule_schedule"),
        ({"clock_increment_cpu_ms": "-1"}, "clock_increment_cpu_ms"),
        ({"clock_increment_cpu_ms": "5000", "board_kind": "game"}, "rule"),
        ({"tie_1": "wins", "tie_2": "wins"}, "tie_1"),
        ({"board_plan": "until_separated", "max_passes": "1"}, "max_passes"),
        ({"stage-1-option_cycles": "7"}, "stage-1-option_cycles"),
        ({"stage-1-format": "chess"}, "stage-1-format"),
        ({"stage-1-boards_per_round": "0"}, "stage-1-boards_per_round"),
        ({"visibility": "secret"}, "visibility"),
    ],
)
def test_a_mistake_stands_at_its_field_and_nothing_typed_is_lost(
    odo: Client, fields: dict[str, str], place: str
) -> None:
    sent = form_at(odo, **{"name": "Kept", "description": "kept too", **fields})
    answer = send(odo, sent, "open")
    assert answer.status_code == 400
    page = page_of(answer)
    assert f'id="id_{place}_error"' in page or place == "rule"
    kept = controls_in(page)
    choices = ("preset", "visibility", "stage-1-format")
    for name, value in sent.items():
        if name in choices and name in fields:
            continue
        if fields.get("stage-1-format") and name == "stage-1-option_cycles":
            continue  # An option of the format that was there before.
        assert kept[name] == value, name
    assert not Tournament.objects.exists()


def test_registration_that_would_be_over_makes_no_event(odo: Client) -> None:
    fields = form_at(odo, name="Late", closes_at="2020-01-01T10:00")
    answer = send(odo, fields, "open")
    assert answer.status_code == 400
    assert 'id="id_closes_at_error"' in page_of(answer)
    assert not Tournament.objects.exists()
    assert send(odo, {**fields, "closes_at": ""}, "open").status_code == 302, "the same form, corrected"


def test_stages_are_added_moved_and_removed_without_script(odo: Client) -> None:
    fields = form_at(odo, name="Two stages")
    fields["stage-1-format"] = "swiss"
    fields = controls_in(page_of(send(odo, fields, "show:1")))
    assert fields["stage-1-option_owners_apart"] == "yes"
    fields["stage-1-option_rounds"] = "5"
    fields = controls_in(page_of(send(odo, fields, "stage-add")))
    assert fields["stages"] == "2"
    fields |= {"stage-2-format": "single_elimination", "stage-2-qualify": "4"}
    fields = controls_in(page_of(send(odo, fields, "show:2")))
    fields["stage-2-option_third_place"] = "yes"
    up = controls_in(page_of(send(odo, fields, "stage-up:2")))
    assert (up["stage-1-format"], up["stage-2-format"]) == ("single_elimination", "swiss")
    assert (up["stage-1-option_third_place"], up["stage-2-option_rounds"]) == ("yes", "5")
    down = controls_in(page_of(send(odo, up, "stage-down:1")))
    down["stage-2-qualify"] = "4"
    three = controls_in(page_of(send(odo, down, "stage-add")))
    two = controls_in(page_of(send(odo, three, "stage-remove:3")))
    assert send(odo, {**two, "min_entries": "8"}, "save").status_code == 302
    plain = [(s.format, s.options, s.qualify) for s in only_event().stages.order_by("number")]
    assert plain == [("swiss", {"rounds": 5}, None), ("single_elimination", {"third_place": True}, 4)]


def test_a_stage_that_cannot_be_played_says_so_at_the_stage(odo: Client) -> None:
    fields = form_at(odo, name="Unfit", **{"stage-1-format": "round_robin"})
    answer = send(odo, {**fields, "preset": "kakkuri"}, "save")
    assert answer.status_code == 400
    assert 'id="stage-1_error"' in page_of(answer)


def test_another_game_brings_its_own_rules_and_a_format_that_fits(odo: Client) -> None:
    fields = form_at(odo, name="Kakkuri", rule_stones="9")
    shown = controls_in(page_of(send(odo, {**fields, "preset": "kakkuri"}, "show")))
    assert shown["rule_stones"] == "20"
    assert "rule_lead_protocol" not in shown
    assert shown["stage-1-format"] == "heats"
    assert send(odo, shown, "save").status_code == 302
    assert only_event().preset == "kakkuri"


def test_every_format_shows_its_own_description_and_options(odo: Client) -> None:
    fields = form_at(odo)
    page = page_of(send(odo, {**fields, "stage-1-format": "groups"}, "show:1"))
    assert {"stage-1-option_groups", "stage-1-option_size", "stage-1-option_cycles"} <= set(controls_in(page))


def test_an_option_makes_its_control_by_its_description_alone() -> None:
    number = option_field(OptionOffered("turns", "integer", 3, "turns of it (2 to 9)", 2, 9))
    assert number.label == "Turns"
    assert number.clean("9") == 9
    with pytest.raises(Exception, match="9"):
        number.clean("10")
    assert option_field(OptionOffered("odd", "boolean", True, "odd ones")).initial is True


def test_a_stale_form_says_so_once_and_keeps_what_was_typed(odo: Client) -> None:
    event = factories.a_tournament(organiser=factories.odo(), description="first")
    address = f"/organise/tournaments/{event.public_id}"
    fields = form_at(odo, address, description="mine")
    tournament_update(event, factories.odo(), description="theirs")
    answer = send(odo, fields, "save", address)
    assert answer.status_code == 400
    kept = controls_in(page_of(answer))
    assert kept["description"] == "mine"
    event.refresh_from_db()
    assert event.description == "theirs"
    assert send(odo, kept, "save", address).status_code == 302
    event.refresh_from_db()
    assert event.description == "mine"


def test_the_form_of_a_draft_that_was_opened_meanwhile_says_what_can_still_be_sent(odo: Client) -> None:
    event = factories.a_tournament(organiser=factories.odo(), name="Two windows")
    address = f"/organise/tournaments/{event.public_id}"
    fields = form_at(odo, address, name="Renamed", max_entries="20", rule_stones="9", tie_1="wins")
    fields |= {"stage-1-boards_per_round": "7", "clock_start_wall_ms": "4000"}
    assert send(odo, form_at(odo, address), "open", address).status_code == 302
    assert odo.post(f"{address}/open", {"seen": "draft"}).status_code == 302
    odo.post("/organise/plan", {**fields, "event": event.public_id})
    for do in ("plan", "stage-add", "open", "save"):
        answer = send(odo, fields, do, address)
        assert answer.status_code == 400
    page = page_of(answer)
    left = re.findall(r"<dt>[^<]+</dt><dd>([^<]*)</dd>", page)
    assert {"Renamed", "9", "4000", f"Wins: {event_options.TIE_BREAKS['wins']}"} <= set(left)
    assert any(text.endswith(": 7") for text in left)
    kept = controls_in(page)
    live = page_of(odo.post("/organise/plan", kept))
    assert 'id="plan"' in live
    assert (kept["max_entries"], "name" in kept) == ("20", False)
    assert send(odo, kept, "save", address).status_code == 302
    event.refresh_from_db()
    assert (event.max_entries, event.name) == (20, "Two windows")


def test_after_the_draft_only_what_may_be_changed_is_offered(odo: Client) -> None:
    event = in_state("open")
    address = f"/organise/tournaments/{event.public_id}"
    odo.force_login(event.organiser)
    fields = form_at(odo, address, description="Bring tea.")
    assert "preset" not in fields
    assert send(odo, {**fields, "name": "Renamed", "preset": "kakkuri"}, "save", address).status_code == 302
    before = event.name
    event.refresh_from_db()
    assert (event.description, event.name, event.preset) == ("Bring tea.", before, "kakeya4")
    refused = send(odo, form_at(odo, address, max_entries="2"), "save", address)
    assert refused.status_code == 400
    assert 'id="id_max_entries_error"' in page_of(refused)


def test_a_copy_and_a_template_fill_the_form(odo: Client) -> None:
    event = factories.a_tournament(
        organiser=factories.rin(), name="Original", boards_per_round=11, visibility="public"
    )
    assert odo.get(f"/organise/new?copy={event.public_id}").status_code == 404, "somebody's draft"
    Tournament.objects.update(organiser=factories.odo())
    fields = form_at(odo, f"/organise/new?copy={event.public_id}")
    assert (fields["name"], fields["boards_per_round"]) == ("Original (copy)", "11")
    fields = form_at(odo, "/organise/new?template=groups-final", name="From a plan")
    assert send(odo, fields, "save").status_code == 302
    made = Tournament.objects.get(name="From a plan")
    assert [stage.format for stage in made.stages.order_by("number")] == ["groups", "single_elimination"]
    assert odo.get("/organise/new?template=nothing").status_code == 200


def test_a_plan_of_mistakes_is_their_words_and_places_alone(odo: Client) -> None:
    fields = form_at(odo, boards_per_round="0", **{"stage-1-boards_per_round": "0"})
    answer = odo.post("/organise/plan", fields)
    assert answer["HX-Retarget"] == "#plan-error"
    page = page_of(answer)
    assert 'id="plan"' not in page
    for place in ("id_boards_per_round", "id_stage-1-boards_per_round"):
        assert f'id="{place}_error"' in page
    assert 'id="id_name_error"' not in page, "a name is not missed before the form is sent"
    unfit = {**form_at(odo, **{"stage-1-format": "round_robin"}), "preset": "kakkuri"}
    assert 'id="stage-1_error"' in page_of(odo.post("/organise/plan", unfit))
