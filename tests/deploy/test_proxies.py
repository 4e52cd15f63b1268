"""The configurations of nginx and Caddy, as these programs read them."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from arena.server.requests import UPLOAD_FORM_BYTES
from tests.deploy.readers import DEPLOY, SITE, complaint, unpacked

NGINX = DEPLOY / "proxies" / "nginx.conf"
CADDY = DEPLOY / "proxies" / "Caddyfile"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-subj", f"/CN={SITE}", "-keyout", str(folder / "privkey.pem")]
    subprocess.run(
        [*command, "-out", str(folder / "fullchain.pem")], check=True, capture_output=True, timeout=60
    )
    return folder


def nginx_complaint(text: str, certificate: Path, folder: Path) -> str:
    """What ``nginx -t`` prints of a site, whose certificates and ports are replaced by a test's own."""
    text = text.replace(f"/etc/letsencrypt/live/{SITE}", str(certificate))
    sockets = itertools.count()
    text = re.sub(r"listen \S*\d+", lambda _: f"listen unix:{folder}/{next(sockets)}", text)
    temporary = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    file = folder / "nginx.conf"
    file.write_text(
        f"pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off; {temporary}\n{text} }}"
    )
    return complaint([unpacked("sbin/nginx"), "-t", "-c", str(file), "-p", str(folder)])


def caddy_complaint(text: str, folder: Path) -> str:
    file = folder / "Caddyfile"
    file.write_text(text)
    command = [unpacked("bin/caddy"), "validate", "--config", str(file), "--adapter", "caddyfile"]
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    return complaint(command, {"RENSHO_HOST": SITE, **home})


def test_nginx_accepts_its_file(certificate, tmp_path):
    assert nginx_complaint(NGINX.read_text(), certificate, tmp_path) == ""


def test_nginx_notices_a_planted_error(certificate, tmp_path):
    broken = NGINX.read_text().replace("proxy_http_version", "proxy_http_verion")
    assert "proxy_http_verion" in nginx_complaint(broken, certificate, tmp_path)


def test_caddy_accepts_its_file(tmp_path):
    assert caddy_complaint(CADDY.read_text(), tmp_path) == ""


def test_caddy_notices_a_planted_error(tmp_path):
    broken = CADDY.read_text().replace("header_up", "header_upp")
    assert "header_upp" in caddy_complaint(broken, tmp_path)


def test_both_accept_the_largest_upload_and_know_the_port_of_the_site():
    nginx, caddy = NGINX.read_text(), CADDY.read_text()
    for text, pattern in ((nginx, r"client_max_body_size (\d+)m;"), (caddy, r"max_size (\d+)MiB")):
        (mib,) = re.findall(pattern, text)
        assert int(mib) << 20 >= settings.BUNDLE_UPLOAD_BYTES_MAX + UPLOAD_FORM_BYTES
        assert "127.0.0.1:8000" in text
        assert "X-Request-ID" in text
    assert "X-Forwarded-For $proxy_add_x_forwarded_for" in nginx
