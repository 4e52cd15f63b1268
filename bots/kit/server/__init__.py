"""Commands that talk to a server: from login to pull."""
