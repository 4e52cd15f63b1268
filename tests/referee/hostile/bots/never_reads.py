"""Says that it is ready, and reads no request."""

import time

from honest import READY, say

input()
say(READY)
time.sleep(3600)
