"""Points links at files of the host and of the runtime, and follows them."""

import os

from attempts import attempt_all
from honest import play

TRIES = {
    "os.symlink('/etc/passwd', '/tmp/link') or open('/tmp/link')": "ENOENT",
    "os.symlink('/proc/1/root', '/tmp/root') or os.listdir('/tmp/root')": "ENOENT",
    "os.symlink('../../../../etc', '/tmp/up') or os.listdir('/tmp/up')": "ENOENT",
    "os.link('/usr/bin/sh', '/tmp/sh')": "EXDEV",
    "os.link('/bot/honest.py', '/tmp/honest.py')": "EXDEV",
    "os.rename('/bot/honest.py', '/tmp/honest.py')": ("EROFS", "EXDEV"),
    "os.symlink('/bot', '/tmp/bot') or open('/tmp/bot/x', 'w')": "EROFS",
}
attempt_all(TRIES, {"os": os})
play()
