"""Tries to leave files behind: in the root, the runtime, its own bundle, the devices."""

import os

from attempts import attempt_all
from honest import play

TRIES = {
    "open('/x', 'w')": "EROFS",
    "open('/usr/x', 'w')": "EROFS",
    "open('/usr/bin/sh', 'r+')": ("EROFS", "EACCES", "ETXTBSY"),
    "open('/usr/lib/rensho/launcher.py', 'a')": ("EROFS", "EACCES"),
    "open('/bot/x', 'w')": "EROFS",
    "open('/bot/honest.py', 'a')": ("EROFS", "EACCES"),
    "open('/dev/x', 'w')": "EROFS",
    "open('/dev/shm/x', 'w')": "ENOENT",
    "open('/etc/x', 'w')": "ENOENT",
    "os.mkdir('/x')": "EROFS",
    "os.mkdir('/bot/__pycache__')": "EROFS",
    "os.unlink('/bot/honest.py')": "EROFS",
    "os.rename('/bot/honest.py', '/bot/other.py')": "EROFS",
    "os.unlink('/usr/bin/sh')": "EROFS",
    "os.unlink('/lib')": "EROFS",
    "os.chmod('/bot', 0o777)": "EROFS",
    "os.chmod('/bot/honest.py', 0o777)": "EROFS",
    "os.chmod('/usr/lib/rensho/launcher.py', 0o777)": "EROFS",
    "os.chmod('/dev/null', 0o600)": ("EPERM", "EROFS"),
    "os.truncate('/usr/bin/sh', 0)": ("EROFS", "EACCES"),
    "os.symlink('/tmp', '/bot/link')": "EROFS",
}
attempt_all(TRIES, {"os": os})
play()
