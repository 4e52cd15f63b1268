"""A new account in a real browser, with a passkey of a virtual device: made, used, refused once removed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.groups import SECOND
from tests.browser.site import Site
from tests.browser.visits import sound

pytestmark = [SECOND, pytest.mark.full]

NAME, PASSWORD = "mina-of-the-browser", "many-cranes-fly-9"
DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(site: Site, browser: Browser) -> Iterator[Page]:
    """A page at the site's name, as passkeys are for names; its device confirms whatever it is asked."""
    context = browser.new_context(base_url=site.origin.replace("127.0.0.1", "localhost"))
    with sound(context.new_page()) as page:
        device = context.new_cdp_session(page)
        device.send("WebAuthn.enable")
        device.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
        yield page
        context.close()


def test_a_stranger_signs_up_and_comes_back_with_a_passkey(page: Page) -> None:
    page.goto("/sign-up")
    page.fill("#id_username", NAME)
    page.fill("#id_password", "short")
    page.click("text=Create the account")
    page.wait_for_selector("#id_password_error")
    assert page.input_value("#id_username") == NAME
    page.fill("#id_password", PASSWORD)
    page.click("text=Show the password")
    assert page.get_attribute("#id_password", "type") == "text"
    page.click("text=Create the account")
    page.wait_for_url("**/me/bots/new")

    page.goto("/me/passkeys")
    page.fill("#id_name", "this device")
    page.click("text=Create a passkey")
    page.wait_for_selector("text=can now be used to sign in")

    page.click("text=Sign out")
    page.goto("/sign-in?next=/me/tokens")
    page.click("text=Sign in with a passkey")
    page.wait_for_selector("h1:text('Tokens')")
    page.fill("#id_name", "ci")
    page.click("text=Create a token")
    assert page.inner_text("#made-text").startswith("rensho_")
    assert page.inner_text("#login-line").startswith("rensho login http://localhost:")

    page.goto("/me/passkeys")
    page.click("summary:text('Change')")
    page.click("button:text('Remove')")
    page.wait_for_selector("text=can no longer be used")
    page.click("text=Sign out")
    page.goto("/sign-in")
    page.click("text=Sign in with a passkey")
    page.wait_for_selector("text=belongs to no account here")
