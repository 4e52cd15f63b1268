from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from arena.api.views.games import GameListView
from arena.common.request_ids import is_request_id
from tests.arena.api.conftest import caller
from tests.arena.api.problems import check
from tests.factories import a_bot, a_token, a_version, aya, chie, odo

pytestmark = pytest.mark.django_db


def test_nobody_is_asked_to_sign_in() -> None:
    response = caller().get("/api/v1/me")
    check(response, 401, "not_signed_in")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("Bearer rensho_wrong", "invalid_token"),
        ("Bearer", "invalid_authorization"),
        ("Token rensho_wrong", "invalid_authorization"),
        ("Bearer \xff\xfe", "invalid_token"),
    ],
)
def test_a_bad_token_is_never_taken_for_nobody(header: str, code: str) -> None:
    response = APIClient().get("/api/v1/games", HTTP_AUTHORIZATION=header)
    check(response, 401, code)
    assert response["WWW-Authenticate"] == "Bearer"


def test_a_missing_scope_is_named() -> None:
    body = check(caller(aya(), "read").post("/api/v1/bots", {}), 403, "scope_missing")
    assert (body["needed_scope"], body["scopes"]) == ("bots", ["read"])
    body = check(caller(aya(), "bots").get("/api/v1/bots"), 403, "scope_missing")
    assert body["needed_scope"] == "read"


def test_what_is_the_same_for_all_needs_no_scope() -> None:
    assert caller(aya(), "bots").get("/api/v1/limits").status_code == 200


@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize(
    "path", ["", "nothing", "bots/", "bots/x/y/z", "bots/%00", "bots/A-B", "fixtures/" + "a" * 17]
)
def test_an_address_that_does_not_exist_is_a_problem_too(method: str, path: str) -> None:
    check(getattr(caller(), method)(f"/api/v1/{path}"), 404, "unknown_endpoint")


def test_a_wrong_method_names_the_right_ones() -> None:
    response = caller(aya()).delete("/api/v1/bots")
    body = check(response, 405, "method_not_allowed")
    assert set(body["allowed"]) == {"GET", "POST", "HEAD"}
    assert "GET" in response["Allow"]


def test_every_wrong_field_is_listed() -> None:
    body = check(caller(odo()).post("/api/v1/tournaments", {"min_entries": "many"}), 400, "invalid")
    assert {(e["field"], e["code"]) for e in body["errors"]} == {
        ("name", "required"),
        ("preset", "required"),
        ("min_entries", "invalid"),
    }


def test_nested_fields_are_dotted() -> None:
    wrong = {
        "name": "x",
        "preset": "kakeya4",
        "clock": {"increment": 3},
        "stages": [{"formt": "round_robin"}],
    }
    body = check(caller(odo()).post("/api/v1/tournaments", wrong), 400, "invalid")
    assert {e["field"] for e in body["errors"]} == {"clock.increment", "stages.0.formt"}
    assert {e["code"] for e in body["errors"]} == {"unknown_field"}


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    body = check(
        caller(aya()).post("/api/v1/bots", {"name": "k", "game": "kakeya", "color": 1}), 400, "invalid"
    )
    assert body["errors"][0]["field"] == "color"
    assert "visibility" in body["detail"]


def test_a_field_a_service_refuses_looks_the_same() -> None:
    wrong = {"name": "x", "preset": "kakeya5"}
    body = check(caller(odo()).post("/api/v1/tournaments", wrong), 400, "unknown_preset")
    assert body["errors"][0]["field"] == "preset"
    assert "kakeya4" in body["detail"]


@pytest.mark.parametrize("body", ["[]", "null", "3", '"x"'])
def test_a_body_that_is_no_object_is_invalid(body: str) -> None:
    response = caller(aya()).post("/api/v1/bots", body, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["code"] == "invalid"


def test_another_content_type_is_refused() -> None:
    response = caller(aya()).post("/api/v1/bots", "<x/>", content_type="application/xml")
    assert check(response, 415, "unsupported_media_type")["allowed"] == ["application/json"]


def test_a_verb_needs_no_body_at_all() -> None:
    path = f"/api/v1/versions/{a_version(a_bot(aya())).public_id}/activate"
    assert caller(aya()).generic("POST", path, "", content_type="").status_code == 200
    form = "application/x-www-form-urlencoded"
    assert caller(aya()).generic("POST", path, "", content_type=form).status_code == 200


def test_a_fault_of_ours_tells_no_detail(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the password is 1234")

    monkeypatch.setattr(GameListView, "get", broken)
    client = APIClient(raise_request_exception=False)
    body = check(client.get("/api/v1/games"), 500, "internal_error")
    assert "1234" not in str(body)
    assert is_request_id(body["request_id"])


def test_a_session_needs_its_csrf_token() -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(aya())
    assert client.get("/api/v1/me").status_code == 200
    check(client.post("/api/v1/bots", {"name": "k", "game": "kakeya"}), 403, "permission_denied")


def test_a_session_has_every_scope_of_its_role() -> None:
    client = APIClient()
    client.force_login(chie())
    assert client.get("/api/v1/me").json()["scopes"] == ["read", "bots", "tokens", "bots:connect"]
    assert client.post("/api/v1/bots", {"name": "k", "game": "kakeya"}).status_code == 201


def test_no_answer_repeats_the_token() -> None:
    plain = a_token(aya())
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {plain}x")
    assert plain not in client.get("/api/v1/me").content.decode()


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
def test_a_change_takes_no_precondition(header: str) -> None:
    bot = a_bot(aya(), "kita")
    client, path = caller(aya()), f"/api/v1/bots/{bot.public_id}"
    etag = client.get(path)["ETag"]
    for value in ('"nope"', etag, "*"):
        answer = client.patch(path, {"name": "minami"}, headers={header: value})
        body = check(answer, 400, "precondition_unsupported")
        assert body["errors"][0]["field"] == header
        check(
            client.post("/api/v1/bots", {"name": "x"}, headers={header: value}),
            400,
            "precondition_unsupported",
        )
    bot.refresh_from_db()
    assert bot.name == "kita"


def test_who_is_no_organiser_is_told_so_before_anything_of_scopes() -> None:
    body = {"name": "Cup", "preset": "kakeya4"}
    check(caller(aya(), "bots").post("/api/v1/tournaments", body), 403, "organiser_role_required")
    refused = check(caller(odo(), "bots").post("/api/v1/tournaments", body), 403, "scope_missing")
    assert refused["needed_scope"] == "organise"
    wanted = {"name": "x", "scopes": ["organise"]}
    check(caller(aya()).post("/api/v1/tokens", wanted), 403, "organiser_role_required")
    check(caller(odo(), "tokens").post("/api/v1/tokens", wanted), 403, "scope_not_granted")


def test_options_says_which_methods_there_are_and_nothing_else() -> None:
    answer = caller().options("/api/v1/bots")
    assert (answer.status_code, answer.content) == (204, b"")
    assert {"GET", "POST"} <= set(answer["Allow"].split(", "))


def test_a_type_that_is_not_to_be_had_is_refused_with_what_is() -> None:
    body = check(caller().get("/api/v1/bots", headers={"Accept": "text/html"}), 406, "not_acceptable")
    assert body["allowed"] == ["application/json"]
    assert "application/json" in body["detail"]


@pytest.mark.parametrize("value", [5, 5.5])
def test_a_number_is_no_text(value: float) -> None:
    body = check(caller(aya()).post("/api/v1/bots", {"name": value, "game": "kakeya"}), 400, "invalid")
    assert body["errors"][0]["field"] == "name"
    body = check(
        caller(odo()).post("/api/v1/challenges", {"versions": [value, "x"], "preset": "x"}), 400, "invalid"
    )
    assert body["errors"][0]["field"] == "versions"


SERIES = {"name": "Cup", "template": {"preset": "kakeya4"}, "frequency": "weekly", "start_time": "20:00"}


TURNED = "Cup \u202egnirpS"


def test_texts_of_several_lines_keep_their_lines_and_nothing_else_unseen() -> None:
    client = caller(odo())
    lines = "春の　大会\r\n\tBring a bot \N{MAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}"
    made = client.post(
        "/api/v1/tournaments", {"name": "春の　大会", "preset": "kakeya4", "description": lines}
    )
    assert (made.status_code, made.json()["description"]) == (201, lines)
    path = f"/api/v1/tournaments/{made.json()['id']}"
    refused = check(client.patch(path, {"description": TURNED}), 400, "invalid")
    assert refused["errors"][0]["field"] == "description"
    refused = check(client.post(f"{path}/cancel", {"reason": TURNED}), 400, "invalid")
    assert refused["errors"][0]["field"] == "reason"
    template = {"preset": "kakeya4", "description": TURNED}
    refused = check(
        client.post("/api/v1/series", {**SERIES, "weekday": "tuesday", "template": template}), 400, "invalid"
    )
    assert refused["errors"][0]["field"] == "template.description"


def test_who_wants_another_representation_than_there_is_gets_a_problem() -> None:
    path = f"/api/v1/bots/{a_bot(aya()).public_id}"
    etag = caller().get(path)["ETag"]
    check(caller().get(path, headers={"If-Match": '"nope"'}), 412, "precondition_failed")
    assert caller().get(path, headers={"If-Match": etag}).status_code == 200


@pytest.mark.parametrize("size", ["0", "201", "-1", "many", "1.5", "९", "", "0000000019", "9" * 3000])
def test_a_page_size_out_of_bounds_is_refused(size: str) -> None:
    body = check(caller().get("/api/v1/bots", {"page_size": size}), 400, "invalid")
    assert body["errors"][0]["field"] == "page_size"
