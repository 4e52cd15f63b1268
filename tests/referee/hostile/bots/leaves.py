"""Has had enough."""

import sys

from honest import play

play(lambda request: sys.exit(0))
