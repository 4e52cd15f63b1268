"""Pages of an account: signing in and up, tokens, passkeys, its data."""
