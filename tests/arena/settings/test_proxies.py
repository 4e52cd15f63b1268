"""The proxies of an installation: what may be named, and what is refused at the start."""

from __future__ import annotations

import pytest

from arena.settings.proxies import trusted_proxies_of


def given(text: str) -> tuple[str, ...]:
    return trusted_proxies_of({"RENSHO_TRUSTED_PROXIES": text})


def test_none_is_trusted_unless_named() -> None:
    assert trusted_proxies_of({}) == given("") == given(" , ") == ()


def test_addresses_networks_and_the_unix_socket_may_be_named() -> None:
    assert given("127.0.0.1, ::1,10.0.0.0/24 unix") == ("127.0.0.1/32", "::1/128", "10.0.0.0/24", "unix")


@pytest.mark.parametrize("word", ["localhost", "10.0.0.1/24", "*", "10.0.0", "0.0.0.0/0", "::/0", "x" * 9000])
def test_what_is_no_network_of_proxies_is_refused_in_one_sentence(word: str) -> None:
    with pytest.raises(SystemExit, match="RENSHO_TRUSTED_PROXIES") as refusal:
        given(f"127.0.0.1,{word}")
    assert len(str(refusal.value)) <= 500
