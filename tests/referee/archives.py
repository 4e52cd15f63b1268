"""Archives for tests, honest and otherwise."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

MANIFEST = b'name = "mine"\nruntime = "python/1"\nentry_point = "main.py"\n'
FILES = {"rensho.toml": MANIFEST, "main.py": b"print('hello')\n", "lib/strategy.py": b"x = 1\n"}


def zipped(files, *, compression=zipfile.ZIP_DEFLATED, modes=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.compress_type = compression
            info.external_attr = (modes or {}).get(name, 0o100600) << 16
            archive.writestr(info, data)
    return out.getvalue()


def tarred(files, *, format=tarfile.PAX_FORMAT, links=None):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mtime = 1_600_000_000
            info.uid = 1000
            archive.addfile(info, io.BytesIO(data))
        for name, (kind, target) in (links or {}).items():
            info = tarfile.TarInfo(name)
            info.type = kind
            info.linkname = target
            archive.addfile(info)
    return out.getvalue()


def gzipped(data):
    return gzip.compress(data, mtime=0)
