"""OpenID Connect: requests to the configured provider, and verified identities of persons."""
