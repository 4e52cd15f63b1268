"""One thin view an end point, by resource: fetch, one service, answer."""
