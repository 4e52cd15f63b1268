"""Tries to trace, read and write other processes, and to take descriptors from them."""

import os

from attempts import attempt_all, call
from honest import play

TRIES = {
    "call('ptrace', 16, 1, 0, 0)": "EPERM",
    "call('ptrace', 0x4206, 1, 0, 0)": "EPERM",
    "call('process_vm_readv', 1, None, 0, None, 0, 0)": "EPERM",
    "call('process_vm_writev', 1, None, 0, None, 0, 0)": "EPERM",
    "call('process_madvise', 3, None, 0, 4, 0)": "EPERM",
    "call('pidfd_open', 1, 0)": "EPERM",
    "call('pidfd_getfd', 3, 0, 0)": "EPERM",
    "call('pidfd_send_signal', 3, 9, None, 0)": "EPERM",
    "call('kcmp', 1, 2, 0, 0, 0)": "EPERM",
    "call('move_pages', 1, 0, None, None, None, 0)": "EPERM",
    "open('/proc/1/mem', 'rb')": "ENOENT",
    "os.open('/proc/2/fd/0', os.O_RDONLY)": "ENOENT",
}
attempt_all(TRIES, {"os": os, "call": call})
play()
