"""Tries to become root in new namespaces: namespaces, mounts, device files, another root."""

import os

from attempts import attempt_all, call
from honest import play

TRIES = {
    "call('unshare', 0x10000000)": "EPERM",
    "call('unshare', 0x20000)": "EPERM",
    "call('clone', 0x10000000 | 17, 0, 0, 0, 0)": "EPERM",
    "call('clone', 0x20000000 | 17, 0, 0, 0, 0)": "EPERM",
    "call('clone3', None, 0)": "ENOSYS",
    "call('setns', 0, 0)": "EPERM",
    "call('mount', b'none', b'/tmp', b'tmpfs', 0, None)": "EPERM",
    "call('mount', b'/bot', b'/tmp', None, 4096, None)": "EPERM",
    "call('mount', b'none', b'/bot', None, 32 | 4096, None)": "EPERM",
    "call('umount2', b'/tmp', 2)": "EPERM",
    "call('pivot_root', b'/tmp', b'/tmp')": "EPERM",
    "call('fsopen', b'tmpfs', 0)": "EPERM",
    "call('fsmount', 3, 0, 0)": "EPERM",
    "call('open_tree', -100, b'/', 1)": "EPERM",
    "call('move_mount', 3, b'', -100, b'/tmp', 4)": "EPERM",
    "call('mount_setattr', -100, b'/', 0, None, 0)": "EPERM",
    "os.chroot('/tmp')": "EPERM",
    "os.mknod('/tmp/null', 0o20666, 0x103)": "EPERM",
    "os.mknod('/tmp/disk', 0o60666, 0x800)": "EPERM",
    # A pipe of its own scratch disk is as good as a file.
    "os.mkfifo('/tmp/fifo')": "None",
}
attempt_all(TRIES, {"os": os, "call": call})
play()
