"""Where webhooks may point: not into the operator's own network, however it is spelled."""

from __future__ import annotations

import pytest

from arena.features.webhooks.addresses import AddressRefused, parse_target, resolve_target


def code_of(url: str) -> str:
    """Why this URL is refused; "" if it is not."""
    try:
        parse_target(url)
    except AddressRefused as refused:
        return refused.code
    return ""


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://receiver.example/hook?key=1", ""),
        ("https://receiver.example:8443/", ""),
        ("https://93.184.216.34/", ""),
        ("https://[2606:2800:220:1:248:1893:25c8:1946]/", ""),
        ("http://receiver.example/", "scheme_refused"),
        ("ftp://receiver.example/", "url_invalid"),
        ("https:///hook", "url_invalid"),
        ("receiver.example/hook", "url_invalid"),
        ("https://user:secret@receiver.example/", "url_invalid"),
        ("https://receiver.example/#part", "url_invalid"),
        ("https://receiver.example/\r\nX: y", "url_invalid"),
        ("https://receiver.example/ x", "url_invalid"),
        ("https://réceiver.example/", "url_invalid"),
        ("https://receiver.example/" + "x" * 500, "url_invalid"),
        ("https://receiver.example:99999/", "url_invalid"),
        ("https://receiver.example:22/", "port_refused"),
        ("https://receiver.example:6379/", "port_refused"),
        ("https://127.0.0.1/", "address_refused"),
        ("https://10.0.0.1/", "address_refused"),
        ("https://[::1]/", "address_refused"),
        ("https://[::ffff:10.0.0.1]/", "address_refused"),
        ("https://169.254.169.254/latest/meta-data", "address_refused"),
    ],
)
def test_urls(url: str, code: str) -> None:
    assert code_of(url) == code


PRIVATE = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "0.1.2.3",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "169.254.1.1",
    "100.64.0.1",
    "100.127.255.254",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_must_not_lead_to_a_private_address(address: str) -> None:
    target = parse_target("https://receiver.example/")
    with pytest.raises(AddressRefused) as refused:
        resolve_target(target, 5, lambda host, port: [address])
    assert refused.value.code == "address_refused"
    # Whoever asks learns nothing about names inside the operator's network.
    assert address not in refused.value.message


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:4700::1111", "64:ff9b::93.184.216.34"])
def test_public_addresses_are_reached(address: str) -> None:
    assert (
        len(resolve_target(parse_target("https://receiver.example/"), 5, lambda host, port: [address])) == 1
    )


def test_one_private_address_refuses_the_whole_name() -> None:
    target = parse_target("https://receiver.example/")
    with pytest.raises(AddressRefused):
        resolve_target(target, 5, lambda host, port: ["93.184.216.34", "10.0.0.1"])


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.0.0.1", "localhost", "ip6-localhost"])
def test_other_spellings_of_loopback_are_seen_through(host: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        resolve_target(parse_target(f"https://{host}/"), 10)
    assert refused.value.code in ("address_refused", "name_unknown")


def test_a_name_without_address_and_one_that_takes_too_long() -> None:
    target = parse_target("https://receiver.example/")

    def unknown(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(AddressRefused, match="name_unknown"):
        resolve_target(target, 5, unknown)
    import threading

    hang = threading.Event()

    def slow(host: str, port: int) -> list[str]:
        hang.wait(20)
        return []

    with pytest.raises(AddressRefused, match="name_timeout"):
        resolve_target(target, 0.01, slow)
    hang.set()


def test_an_operator_may_allow_private_addresses_but_no_metadata_service(settings: object) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True  # type: ignore[attr-defined]
    assert code_of("http://127.0.0.1:9000/hook") == ""
    assert code_of("http://10.0.0.7:8000/hook") == ""
    assert code_of("http://100.64.0.1/") == ""
    for never in (
        "169.254.169.254",
        "169.254.7.7",
        "100.100.100.200",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
    ):
        assert code_of(f"http://{never}/") == "address_refused", never
    for never in ("[::]", "[fe80::1]", "[ff02::1]", "[fd00:ec2::254]", "[::ffff:169.254.169.254]"):
        assert code_of(f"http://{never}/") == "address_refused", never


def test_an_operator_may_name_hosts_ports_and_allow_http(settings: object) -> None:
    settings.WEBHOOK_ALLOWED_HOSTS = ["hooks.internal"]  # type: ignore[attr-defined]
    inside = parse_target("http://hooks.internal:9000/")
    assert [str(found) for found in resolve_target(inside, 5, lambda host, port: ["10.0.0.1"])] == [
        "10.0.0.1"
    ]
    assert code_of("http://other.internal:9000/") == "scheme_refused"
    settings.WEBHOOK_ALLOW_HTTP = "1"  # type: ignore[attr-defined]
    assert code_of("http://receiver.example/") == ""
    settings.WEBHOOK_PORTS = "443,9443"  # type: ignore[attr-defined]
    assert code_of("https://receiver.example:9443/") == ""
    assert code_of("https://receiver.example:8443/") == "port_refused"
