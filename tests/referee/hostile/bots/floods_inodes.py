"""Makes as many files, folders and links as it can."""

import os

from attempts import attempt_all
from honest import play

TRIES = {
    "[os.mkdir(f'/tmp/d{n}') for n in range(300)]": "ENOSPC",
    "len(os.listdir('/tmp')) < 256": "True",
    "[os.rmdir(f'/tmp/{name}') for name in os.listdir('/tmp')] and os.listdir('/tmp')": "[]",
    "os.close(os.open('/tmp/one', os.O_CREAT))": "None",
    "[os.link('/tmp/one', f'/tmp/l{n}') for n in range(300)]": "ENOSPC",
    "[os.unlink(f'/tmp/{name}') for name in os.listdir('/tmp')] and os.listdir('/tmp')": "[]",
    "[os.symlink('x' * 4000, f'/tmp/s{n}') for n in range(300)]": "ENOSPC",
}
attempt_all(TRIES, {"os": os})
play()
