"""Whose request it is: the connection's address, or what a trusted proxy says of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.request import Request

from arena.common.client_address import (
    MAX_HOPS,
    client_address,
    client_network,
    forwarded_address,
    is_trusted_proxy,
    network_of,
)
from arena.settings.proxies import trusted_proxies_of

PROXIES = "127.0.0.1,::1,10.0.0.0/24 2001:db8:ffff::/48"


@pytest.fixture
def proxies(settings: Any) -> None:
    settings.TRUSTED_PROXIES = trusted_proxies_of({"RENSHO_TRUSTED_PROXIES": PROXIES})


def test_without_trusted_proxies_only_the_connection_counts() -> None:
    for peer in ("127.0.0.1", "::1", "192.0.2.7"):
        assert forwarded_address(peer, "203.0.113.5") == peer
    assert forwarded_address("", "203.0.113.5") == "unknown"


@pytest.mark.parametrize(
    ("peer", "header", "address"),
    [
        ("127.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("192.0.2.7", "203.0.113.5", "192.0.2.7"),  # no proxy of ours
        ("", "203.0.113.5", "unknown"),  # a unix socket, which is not trusted here
        ("127.0.0.1", "198.51.100.1, 203.0.113.5", "203.0.113.5"),  # the left one is the caller's own claim
        ("127.0.0.1", "203.0.113.5, 10.0.0.9, 10.0.0.8", "203.0.113.5"),
        ("127.0.0.1", "10.0.0.9,10.0.0.8", "10.0.0.9"),  # a caller among the proxies
        ("127.0.0.1", "203.0.113.5, garbage", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.5, garbage, 10.0.0.8", "10.0.0.8"),
        ("127.0.0.1", "203.0.113.5,", "127.0.0.1"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.5:4711", "203.0.113.5"),
        ("127.0.0.1", "203.0.113.5:", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.5:x", "127.0.0.1"),
        ("127.0.0.1", "[2001:DB8::7]:4711", "2001:db8::7"),
        ("127.0.0.1", '"[2001:db8::7]"', "2001:db8::7"),
        ("127.0.0.1", "[2001:db8::7", "2001:db8::7"),
        ("127.0.0.1", "[2001:db8::7]junk", "127.0.0.1"),
        ("127.0.0.1", "fe80::1%eth0", "fe80::1"),
        ("fe80::1%eth0", "203.0.113.5", "fe80::1"),
        ("::ffff:127.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("127.0.0.1", "::ffff:203.0.113.5", "203.0.113.5"),
        ("127.0.0.1", "203.0.113.5, ::ffff:10.0.0.3", "203.0.113.5"),
        ("127.0.0.1", "203.0.113.5, 2001:db8:ffff:1::3", "203.0.113.5"),
        ("127.0.0.1", "0x7f.1", "127.0.0.1"),
        ("127.0.0.1", "１９２.0.2.1", "127.0.0.1"),  # digits, but not of ASCII
        ("127.0.0.1", "9" * 100_000, "127.0.0.1"),
        ("127.0.0.1", "203.0.113.5" + ", 10.0.0.8" * (MAX_HOPS - 1), "203.0.113.5"),
        ("127.0.0.1", "203.0.113.5" + ", 10.0.0.8" * 500, "10.0.0.8"),
        ("127.0.0.1", "," * 100_000, "127.0.0.1"),
    ],
)
def test_the_rightmost_address_that_is_no_proxy_counts(
    proxies: None, peer: str, header: str, address: str
) -> None:
    assert forwarded_address(peer, header) == address


def test_a_unix_socket_is_trusted_where_it_is_named(settings: Any) -> None:
    settings.TRUSTED_PROXIES = ("unix",)
    assert is_trusted_proxy("")
    assert not is_trusted_proxy("127.0.0.1")
    assert forwarded_address("", "203.0.113.5") == "203.0.113.5"
    assert forwarded_address("", "") == "unknown"


def test_requests_of_django_and_of_the_api_are_read_alike(proxies: None) -> None:
    plain = RequestFactory().get("/", REMOTE_ADDR="10.0.0.3", HTTP_X_FORWARDED_FOR="2001:db8:1:2:3::4")
    assert client_address(plain) == client_address(Request(plain)) == "2001:db8:1:2:3::4"
    assert client_network(plain) == "2001:db8:1:2::"


@given(st.text(max_size=200), st.text(max_size=80))
def test_no_header_raises(header: str, peer: str) -> None:
    from django.test import override_settings

    with override_settings(TRUSTED_PROXIES=("127.0.0.1/32", "unix")):
        for connection in ("127.0.0.1", "", peer):
            assert len(network_of(forwarded_address(connection, header))) <= 45


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("", "unknown"),
        ("testclient", "unknown"),
    ],
)
def test_one_visitor_is_one_address_or_a_network_of_ipv6(address: str, network: str) -> None:
    assert network_of(address) == network
