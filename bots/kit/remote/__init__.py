"""``rensho connect``: bots that run on this machine and play at tables of a server."""
