"""Pages of an account: sign-in, sign-up, tokens, passkeys, export and deletion."""
