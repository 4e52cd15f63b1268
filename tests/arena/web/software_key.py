"""A device with passkeys, in software: what browser and authenticator do between the site and its owner."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers import bytes_to_base64url as text_of
from webauthn.helpers.cose import COSECRV, COSEKTY, COSEKey
from webauthn.helpers.cose import COSEAlgorithmIdentifier as Algorithm

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


class SoftwareKey:
    """One passkey. Every part of its answers can be given another value, to try what the site refuses."""

    def __init__(self, origin: str = "http://localhost", domain: str = "localhost") -> None:
        self.origin, self.domain = origin, domain
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.id = secrets.token_bytes(16)
        self.count = 0
        self.flags = PRESENT | VERIFIED
        self.handle = b""

    def made(self, options: dict[str, Any]) -> str:
        """The answer to the options for a new passkey."""
        self.handle = base64url_to_bytes(options["user"]["id"])
        numbers = self.private.public_key().public_numbers()
        public = cbor2.dumps(
            {
                COSEKey.KTY: COSEKTY.EC2,
                COSEKey.ALG: Algorithm.ECDSA_SHA_256,
                COSEKey.CRV: COSECRV.P256,
                COSEKey.X: numbers.x.to_bytes(32, "big"),
                COSEKey.Y: numbers.y.to_bytes(32, "big"),
            }
        )
        credential = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + public
        data = self._data(self.flags | HAS_KEY) + credential
        attested = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options["challenge"])
        return self._answer({"clientDataJSON": text_of(client), "attestationObject": text_of(attested)})

    def opened(self, options: dict[str, Any]) -> str:
        """The answer to the options for signing in."""
        self.count += 1
        data, client = self._data(self.flags), self._client("webauthn.get", options["challenge"])
        signature = self.private.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            {
                "clientDataJSON": text_of(client),
                "authenticatorData": text_of(data),
                "signature": text_of(signature),
                "userHandle": text_of(self.handle),
            }
        )

    def _data(self, flags: int) -> bytes:
        return hashlib.sha256(self.domain.encode()).digest() + bytes([flags]) + self.count.to_bytes(4, "big")

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, response: dict[str, str]) -> str:
        own = text_of(self.id)
        return json.dumps({"id": own, "rawId": own, "type": "public-key", "response": response})
