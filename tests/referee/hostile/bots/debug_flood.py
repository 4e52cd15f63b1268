"""Sends three kilobytes of remarks with each answer, including escape codes."""

from honest import play, reply, say

play(lambda request: say(reply(request, debug="\x1b[2J" + "thinking " * 330)))
