"""Says that it is ready, and answers a request, before it was sent anything."""

from honest import READY, play, say

say(READY)
say('{"id":"0000000000000000","action":"DEFER"}')
play()
