"""Looks for files of the host: accounts, homes, logs, disks, memory."""

import os

from attempts import attempt_all
from honest import play

TRIES = {
    "sorted(os.listdir('/'))": "['bin', 'bot', 'dev', 'lib', 'lib64', 'tmp', 'usr']",
    "open('/etc/passwd')": "ENOENT",
    "open('/etc/shadow')": "ENOENT",
    "open('/etc/hostname')": "ENOENT",
    "os.listdir('/root')": "ENOENT",
    "os.listdir('/home')": "ENOENT",
    "os.listdir('/var')": "ENOENT",
    "os.listdir('/sys')": "ENOENT",
    "os.listdir('/run')": "ENOENT",
    "os.listdir('/opt')": "ENOENT",
    "os.listdir('/mnt')": "ENOENT",
    "open('/dev/kmsg')": "ENOENT",
    "open('/dev/mem')": "ENOENT",
    "open('/dev/sda')": "ENOENT",
    "open('/dev/vda')": "ENOENT",
    "open('/dev/kvm')": "ENOENT",
    "open('/dev/fuse')": "ENOENT",
    "os.listdir('/bot/..') == os.listdir('/')": "True",
    "os.listdir('/..') == os.listdir('/')": "True",
    "open('/usr/../../etc/passwd')": "ENOENT",
    "sorted(os.listdir('/usr'))": ("['bin', 'lib', 'lib64']", "['bin', 'lib']"),
}
attempt_all(TRIES, {"os": os})
play()
