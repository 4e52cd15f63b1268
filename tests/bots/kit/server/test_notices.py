"""Notices and webhooks from the kit, on the platform itself."""

import json

import pytest

from arena.accounts.models import Notice
from arena.webhooks.models import Webhook
from tests import factories

pytestmark = pytest.mark.full


class TestNotices:
    @pytest.fixture
    def invited(self, aya):
        factories.an_invitation(factories.an_open_tournament(name="Cup", entry_policy="invited"), aya)
        return Notice.objects.get(user=aya)

    def test_new_ones_until_they_are_read(self, run, invited):
        status, out, err = run("notices")
        assert (status, err) == (0, "")
        assert "Cup" in out
        assert "/tournaments/" in out
        run("notices", "--read")
        assert run("notices")[1].startswith("No new notice")
        assert "Cup" in run("notices", "--all")[1]
        assert json.loads(run("notices", "--all", "--json")[1])[0]["read_at"]

    def test_nobody_is_logged_in(self, run):
        status, _, err = run("notices")
        assert status == 2
        assert "rensho login" in err


class TestWebhooks:
    @pytest.fixture
    def webhook(self, run, aya):
        status, out, err = run("webhooks", "new", "https://93.184.216.34/hook", "--kind", "round.*")
        assert (status, err) == (0, "")
        assert "Secret, shown this once: whsec_" in out
        return Webhook.objects.get()

    def test_made_listed_changed_removed(self, run, webhook):
        assert "round.*" in run("webhooks", "list")[1]
        out = run("webhooks", "change", webhook.public_id, "--kind", "fixture.done")[1]
        assert out == f"{webhook.public_id}: active, fixture.done to https://93.184.216.34/hook\n"
        assert ": paused, " in run("webhooks", "pause", webhook.public_id)[1]
        assert ": active, " in run("webhooks", "resume", webhook.public_id)[1]
        assert run("webhooks", "remove", webhook.public_id)[1] == f"{webhook.public_id}: removed\n"
        assert run("webhooks", "list")[1] == "No webhook.\n"

    def test_a_new_secret(self, run, webhook):
        first = json.loads(run("webhooks", "rotate", webhook.public_id, "--json")[1])["secret"]
        assert first != json.loads(run("webhooks", "rotate", webhook.public_id, "--json")[1])["secret"]

    def test_what_was_sent(self, run, webhook):
        assert run("webhooks", "deliveries", webhook.public_id)[1] == "Nothing was sent.\n"
        assert "waiting" in run("webhooks", "ping", webhook.public_id)[1]
        (sent,) = json.loads(run("webhooks", "deliveries", webhook.public_id, "--json")[1])
        assert sent["id"] in run("webhooks", "deliveries", webhook.public_id, "--state", "waiting")[1]
        status, _, err = run("webhooks", "redeliver", webhook.public_id, sent["id"])
        assert status in (0, 2)  # one that waits may be refused; what is refused has one line
        assert err.count("\n") == (1 if status else 0)

    def test_an_address_that_is_not_public(self, run, aya):
        status, _, err = run("webhooks", "new", "http://127.0.0.1/x")
        assert (status, err.count("\n")) == (2, 1)
        assert "url" in err

    def test_nothing_to_change(self, run):
        assert "say what to change" in run("webhooks", "change", "w")[2]
