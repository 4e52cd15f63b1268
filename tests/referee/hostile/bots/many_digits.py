"""Sends an integer longer than a careless reader can turn into a number, in a field nobody reads."""

from honest import play, reply, say

play(lambda request: say(reply(request, note="?").replace('"?"', "7" * 4000)))
