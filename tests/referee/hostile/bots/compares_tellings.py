"""Stores everything it is sent and searches it for boards, seeds, tables or opponents."""

import json
import re
import sys

from attempts import tell
from honest import READY, reply, say

heard = []
for line in sys.stdin:
    heard.append(line)
    message = json.loads(line)
    if message["type"] == "hello":
        say(READY)
    elif message["type"] == "request":
        say(reply(message))
    else:
        break
text = "".join(heard)
names = {name for line in heard for name in re.findall(r'"(\w+)":', line)}
tell(
    "telling names",
    sorted(names & {"board", "number", "seed", "deck", "key", "table", "bundle", "version", "bot"}),
)
tell("hex words of 32 digits or more", f"{len(re.findall('[0-9a-f]{32}', text))}")
ids = re.findall('"id":"([0-9a-f]+)', text)
tell("ids given twice", f"{len(ids) - len(set(ids))}")
