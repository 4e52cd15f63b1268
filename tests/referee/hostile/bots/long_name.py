"""Gives a name of four thousand characters, control codes among them."""

import json

from honest import play

play(ready=json.dumps({"type": "ready", "name": "\x1b[2J\u202e" + "x" * 3900}))
