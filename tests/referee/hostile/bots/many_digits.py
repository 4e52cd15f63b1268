"""Sends an integer too long for a careless parser, in a field that nobody reads."""

from honest import play, reply, say

play(lambda request: say(reply(request, note="?").replace('"?"', "7" * 4000)))
