"""Puts a byte order mark before its answer."""

from honest import play, reply, say

play(lambda request: say("\ufeff" + reply(request)))
