"""Makes sparse files, longer in total than the disk, and then fills the holes."""

import os

from attempts import attempt_all
from honest import play

TRIES = {
    "[os.truncate(open(f'/tmp/{n}', 'wb').name, 8 << 20) for n in range(100)] and None": "None",
    "os.truncate('/tmp/0', (8 << 20) + 1)": "EFBIG",
    "os.pwrite(os.open('/tmp/0', os.O_RDWR), b'x', 8 << 20)": "EFBIG",
    "[os.pwrite(os.open('/tmp/1', os.O_RDWR), bytes(1 << 20), n << 20) for n in range(8)] and None": "None",
    "os.pwrite(os.open('/tmp/2', os.O_RDWR), b'x', 0)": "ENOSPC",
    "sum(os.stat(f'/tmp/{n}').st_blocks for n in range(100)) * 512 <= 8 << 20": "True",
}
attempt_all(TRIES, {"os": os})
play()
