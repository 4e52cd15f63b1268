"""Date formats of pages whose templates do not name one, the same as on the site."""
