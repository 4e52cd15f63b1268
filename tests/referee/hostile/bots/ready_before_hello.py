"""Says that it is ready, and answers a request, before it has been told anything."""

from honest import READY, play, say

say(READY)
say('{"id":"0000000000000000","action":"DEFER"}')
play()
