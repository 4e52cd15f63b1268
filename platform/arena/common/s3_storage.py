"""Blobs in a bucket with the S3 protocol. Imported only if the settings name one: boto3 is an extra.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html,
https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import hashlib
import itertools
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, NoCredentialsError
from django.core.files import File
from django.core.files.base import ContentFile
from django.utils import timezone
from storages.backends.s3 import S3Storage

from arena.common.blob_storages import BlobStorage, BlobsUnavailable

if TYPE_CHECKING:
    from types_boto3_s3.client import S3Client
    from types_boto3_s3.type_defs import ObjectIdentifierTypeDef

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 20
ATTEMPTS = 3
"""Attempts of each request after time-outs, 5xx and SlowDown, a few seconds apart at most."""
TRANSFERS = 8
"""Maximum files that one call reads or writes at once."""
PAGE = 1000
"""Names per request of a listing."""
MAX_LISTED = 100_000
"""Maximum names of one listing."""
FRESH_S = 900
"""Maximum age in seconds of an existing object that is not written again; the sweep deletes after an hour."""
MISSING_CODES = frozenset({"NoSuchKey"})
KEY_CODES = frozenset(
    {
        "InvalidAccessKeyId",
        "SignatureDoesNotMatch",
        "AccessDenied",
        "InvalidToken",
        "ExpiredToken",
        "TokenRefreshRequired",
        "AccountProblem",
        "403",
        "401",
    }
)
REGION_CODES = frozenset(
    {"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "301"}
)
NOT_FOUND, PRECONDITION_FAILED, CONFLICT, NOT_IMPLEMENTED = 404, 412, 409, 501
RANGE_NOT_SATISFIABLE = 416


class S3BlobStorage(BlobStorage, S3Storage):
    """The S3 storage of django-storages with one request per read, conditional writes, and BlobsUnavailable
    for everything but a missing object.

    Threads share one client; a forked process makes its own, because connections cannot be shared.
    """

    is_remote = True
    bucket_name: str
    location: str
    _client: S3Client

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._client_lock = threading.Lock()
        self._client_pid = 0
        self._has_conditions = True

    @property
    def place(self) -> str:  # type: ignore[override]
        address = f"s3://{self.bucket_name}/{self.location}"
        return f"{address} at {self.endpoint_url}" if self.endpoint_url else address

    @property
    def client(self) -> S3Client:
        if self._client_pid != os.getpid():
            with self._client_lock:
                if self._client_pid != os.getpid():
                    self._client = self._new_client()
                    self._client_pid = os.getpid()
        return self._client

    def _new_client(self) -> S3Client:
        config = Config(
            connect_timeout=CONNECT_TIMEOUT_S,
            read_timeout=READ_TIMEOUT_S,
            retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
            max_pool_connections=TRANSFERS + 4,
            s3={"addressing_style": self.addressing_style},
            # Content-MD5 protects writes, the hash protects reads; not every server has the newer checksums.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        session = boto3.session.Session(self.access_key, self.secret_key, region_name=self.region_name)
        return session.client("s3", endpoint_url=self.endpoint_url, config=config)

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        """Return the object, read in one request."""
        if mode != "rb":
            raise ValueError(f"blobs are opened to be read as bytes, not in mode {mode!r}")
        return ContentFile(self._read(name), name)

    def read_range(self, name: str, offset: int, length: int) -> bytes:
        try:
            return self._read(name, Range=f"bytes={offset}-{offset + length - 1}")[:length]
        except _Refused:
            return b""  # the object is shorter

    def _read(self, name: str, **options: Any) -> bytes:
        with _explained(name):
            answer = self.client.get_object(Bucket=self.bucket_name, Key=self._key(name), **options)
            return answer["Body"].read()

    def read_all(self, names: Iterable[str]) -> dict[str, bytes]:
        """Read several objects at once."""

        def read(name: str) -> tuple[str, bytes] | None:
            with contextlib.suppress(FileNotFoundError):
                return name, self._read(name)
            return None

        with ThreadPoolExecutor(TRANSFERS, "s3-read") as pool:
            return dict(filter(None, pool.map(read, names)))

    def _save(self, name: str, content: File[Any]) -> str:
        self.save_all({name: content})
        return name

    def save_all(self, files: Mapping[str, File[Any]]) -> None:
        self._in_parallel(self._put, files)

    def add_all(self, files: Mapping[str, File[Any]]) -> None:
        """Save files whose names do not exist yet; an existing one is written again if it is not recent."""
        self._in_parallel(self._add, files)

    def _in_parallel(self, write: Callable[[str, bytes], object], files: Mapping[str, File[Any]]) -> None:
        contents = {name: _bytes_of(file) for name, file in files.items()}
        if len(contents) <= 1:
            for name, data in contents.items():
                write(name, data)
            return
        with ThreadPoolExecutor(min(TRANSFERS, len(contents)), "s3-write") as pool:
            for _ in pool.map(lambda item: write(*item), contents.items()):
                pass

    def _add(self, name: str, data: bytes) -> None:
        if self._has_conditions:
            try:
                return self._put(name, data, IfNoneMatch="*")
            except _Refused as refused:
                if refused.status == NOT_IMPLEMENTED:
                    self._has_conditions = False
                elif refused.status == PRECONDITION_FAILED and self._is_fresh(name):
                    return None
        return self._put(name, data)

    def _is_fresh(self, name: str) -> bool:
        try:
            age = timezone.now() - self.get_modified_time(name)
        except FileNotFoundError:
            return False
        return age < datetime.timedelta(seconds=FRESH_S)

    def _put(self, name: str, data: bytes, **conditions: Any) -> None:
        """Store an object. Raises _Refused if a condition is given and refused."""
        with _explained(name, has_conditions=bool(conditions)):
            self.client.put_object(
                Bucket=self.bucket_name,
                Key=self._key(name),
                Body=data,
                ContentMD5=base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode(),
                ContentType="application/octet-stream",
                **conditions,
            )

    def exists(self, name: str) -> bool:
        try:
            self._head(name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        return int(self._head(name)["ContentLength"])

    def get_modified_time(self, name: str) -> datetime.datetime:
        modified_at: datetime.datetime = self._head(name)["LastModified"]
        return modified_at

    def _head(self, name: str) -> Mapping[str, Any]:
        try:
            return self.client.head_object(Bucket=self.bucket_name, Key=self._key(name))
        except ClientError as error:
            if _status(error) == NOT_FOUND:
                # A HEAD has no body to distinguish a missing bucket.
                with _explained(name, is_bucket=True):
                    self.client.head_bucket(Bucket=self.bucket_name)
                raise FileNotFoundError(name) from None
            raise _unavailable(error) from error
        except (BotoCoreError, HTTPClientError) as error:
            raise _unavailable(error) from error

    def delete(self, name: str) -> None:
        with _explained(name), contextlib.suppress(FileNotFoundError):
            self.client.delete_object(Bucket=self.bucket_name, Key=self._key(name))

    def delete_all(self, names: Iterable[str]) -> None:
        """Delete objects, 1,000 per request."""
        objects: list[ObjectIdentifierTypeDef] = [{"Key": self._key(name)} for name in names]
        for start in range(0, len(objects), PAGE):
            with _explained(""):
                answer = self.client.delete_objects(
                    Bucket=self.bucket_name, Delete={"Objects": objects[start : start + PAGE], "Quiet": True}
                )
            for error in answer.get("Errors", ()):
                raise BlobsUnavailable(f"its server did not delete an object ({error.get('Code', '')})")

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return folders and files, 1,000 per request, at most ``MAX_LISTED``."""
        prefix = self._key(path.strip("/") + "/") if path.strip("/") else self._key("")
        folders: list[str] = []
        files: list[str] = []
        for page in self._pages(Delimiter="/", Prefix=prefix):
            folders += [each["Prefix"][len(prefix) : -1] for each in page.get("CommonPrefixes", ())]
            files += [
                each["Key"][len(prefix) :] for each in page.get("Contents", ()) if each["Key"] != prefix
            ]
            if len(folders) + len(files) >= MAX_LISTED:
                log.warning(
                    "%s/%s has more than %d entries; only these were listed", self.place, path, MAX_LISTED
                )
                break
        return folders, files

    def names(self) -> Iterator[str]:
        """Yield the names of all objects, 1,000 per request."""
        prefix = self._key("")
        for page in self._pages(Prefix=prefix):
            yield from (each["Key"][len(prefix) :] for each in page.get("Contents", ()))

    def is_empty(self) -> bool:
        with _explained(""):
            answer = self.client.list_objects_v2(Bucket=self.bucket_name, Prefix=self._key(""), MaxKeys=1)
        return not answer.get("Contents")

    def _pages(self, **options: Any) -> Iterator[Any]:
        pages = iter(
            self.client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket_name, PaginationConfig={"PageSize": PAGE}, **options
            )
        )
        for _ in itertools.count():
            with _explained(""):
                page = next(pages, None)
            if page is None:
                return
            yield page

    def _key(self, name: str) -> str:
        return f"{self.location}/{name}" if self.location else name

    def url(self, name: str | None, *args: Any, **options: Any) -> str:
        raise NotImplementedError("blobs have no public addresses")


class _Refused(Exception):
    """A conditional write, or a range beyond the end, was refused."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@contextlib.contextmanager
def _explained(name: str, *, has_conditions: bool = False, is_bucket: bool = False) -> Iterator[None]:
    """Raise FileNotFoundError for a missing object, and BlobsUnavailable for other errors of the client."""
    try:
        yield
    except ClientError as error:
        if not is_bucket and error.response["Error"].get("Code") in MISSING_CODES:
            raise FileNotFoundError(name) from None
        if _status(error) == RANGE_NOT_SATISFIABLE:
            raise _Refused(_status(error)) from None
        if has_conditions and _status(error) in (PRECONDITION_FAILED, CONFLICT, NOT_IMPLEMENTED):
            raise _Refused(_status(error)) from None
        raise _unavailable(error, is_bucket=is_bucket) from error
    except (BotoCoreError, HTTPClientError) as error:
        raise _unavailable(error) from error


def _status(error: ClientError) -> int:
    return int(error.response["ResponseMetadata"].get("HTTPStatusCode", 0))


def _unavailable(error: Exception, *, is_bucket: bool = False) -> BlobsUnavailable:
    """Return the error with a reason that has no address and no key."""
    if isinstance(error, NoCredentialsError):
        return BlobsUnavailable("there is no key", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    if not isinstance(error, ClientError):
        return BlobsUnavailable(
            f"its server does not answer ({type(error).__name__})",
            "Check that the server runs and that endpoint in RENSHO_BLOBS is its address.",
        )
    code = str(error.response["Error"].get("Code", ""))[:60] or str(_status(error))
    if code == "NoSuchBucket" or (is_bucket and _status(error) == NOT_FOUND):
        return BlobsUnavailable("the bucket does not exist", "Create it, or correct RENSHO_BLOBS.")
    if code in KEY_CODES:
        return BlobsUnavailable(
            f"the key was refused ({code})",
            "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the key needs GetObject, PutObject, "
            "DeleteObject and ListBucket of the bucket.",
        )
    if code == "RequestTimeTooSkewed":
        return BlobsUnavailable("the clocks differ (RequestTimeTooSkewed)", "Synchronise the clock with NTP.")
    if code in REGION_CODES:
        return BlobsUnavailable(f"the region is wrong ({code})", "Correct region in RENSHO_BLOBS.")
    return BlobsUnavailable(f"its server answered {code}", "Read the log of that server.")


def _bytes_of(file: File[Any]) -> bytes:
    file.seek(0)
    return bytes(file.read())
