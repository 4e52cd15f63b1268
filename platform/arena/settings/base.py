"""Settings of an installation, all from the environment; the defaults run on one laptop.

RENSHO_DATA      data folder: database, blobs, broker, secret key (default ``var`` beside manage.py)
DATABASE_URL     postgres://... ; default SQLite in the data folder
REDIS_URL        redis://... ; default: the supervisor starts a server of its own in the data folder
RENSHO_QUEUE_SERVER  program of a Valkey or Redis server to start instead of the bundled one
RENSHO_HOSTS, RENSHO_ORIGINS  host names served, and origins of forms (arena.settings.hosts)
RENSHO_CORS_ORIGINS  origins whose pages may call the API, comma separated (default: none)
RENSHO_DEBUG     1 for tracebacks in the browser
RENSHO_HTTPS     1 behind a proxy that speaks https
RENSHO_LOG_LEVEL DEBUG, INFO (default), WARNING, ERROR or CRITICAL
SECRET_KEY       default: made once and kept in the data folder
BOT_...          what a bot's process may use (arena.settings.limits)
RENSHO_SIGN_UP, RENSHO_ADDRESS, RENSHO_EMAIL_..., RENSHO_CONTACT  who may sign up, where the site is, how it
                 sends mail, whom to ask (arena.settings.people)
RENSHO_RATE_...  requests taken of an address or account (arena.settings.rates)
RENSHO_METRICS   who may read /metrics besides staff: public, networks, token:... (arena.settings.metrics)
RENSHO_SERVER_...  connections, time and size of requests (arena.settings.server)
RENSHO_TRUSTED_PROXIES  reverse proxies whose X-Forwarded-For counts, comma separated (arena.settings.proxies)
DATABASE_POOL    connections of a web process at most (arena.settings.database)
RENSHO_STREAMS...  streams of events at once (arena.settings.streams)
RENSHO_PLAY_...  tables of persons with bots, and what their bots may use (arena.settings.play)
RENSHO_LADDER... which ladders there are, and what they may use (arena.settings.ladders)
WORKER_RUNTIMES  runtimes a worker offers, comma separated (default: all that can run on its machine)
WORKER_FREE_MIB  MiB that must be free wherever a worker writes, or it takes no tables (default 64)
SANDBOX_CGROUP   control groups of bots: auto (default), off, or a path (referee.sandbox.cgroup_sites)

All names that are read are in arena.settings.names; doctor, up and serve tell which others are set.
"""

import contextlib
import gc
import logging
import os
from pathlib import Path

from arena.settings.broker import broker_url_of, celery_url_of, configured_broker_url
from arena.settings.database import database_of, pool_size_of
from arena.settings.groups import control_groups_check
from arena.settings.hosts import CORS_ORIGINS, hosts_of, origins_of
from arena.settings.ladders import ladder_settings_of
from arena.settings.limits import bot_limits_of, free_bytes_of
from arena.settings.logs import PrintableRecord, log_level_of
from arena.settings.metrics import metrics_access_of
from arena.settings.openapi import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS
from arena.settings.people import contact_of, mail_of, sign_up_of, site_address_of
from arena.settings.play import play_limits_of
from arena.settings.private import FILE_MODE, data_folder_of, prepare_data_folder
from arena.settings.proxies import trusted_proxies_of
from arena.settings.rates import rates_of
from arena.settings.secret import configured_secret_key, load_or_create_secret_key
from arena.settings.server import server_limits_of
from arena.settings.streams import stream_limits_of
from arena.settings.switches import switch_of

# Before anything loads numpy. Beside bots on every core its threads only wait for each other: a fit of 1,000
# bots takes twice the CPU time with them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What a process loads at its start stays. Looking through it for garbage takes a quarter of the start: the
# collector pauses until arena.common.apps has everything loaded.
gc.disable()

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = prepare_data_folder(data_folder_of(os.environ, REPOSITORY / "var"))

DEBUG = switch_of(os.environ, "RENSHO_DEBUG")
SECRET_KEY = configured_secret_key(os.environ) or load_or_create_secret_key(DATA)
ALLOWED_HOSTS = hosts_of(os.environ)
CSRF_TRUSTED_ORIGINS = origins_of(os.environ)

SITE_ADDRESS = site_address_of(os.environ)
"""Such as https://rensho.example.org; empty: what the browser asks for."""
SIGN_UP = sign_up_of(os.environ, ALLOWED_HOSTS)
"""``open``, ``invitation`` or ``closed``."""
CONTACT = contact_of(os.environ)
"""How to reach the operator: the address of a page, or ``mailto:...``; empty: nobody said."""
_mail = mail_of(os.environ)
EMAIL_FROM = _mail["EMAIL_FROM"]
"""The sender of mails; empty: none are sent."""
EMAIL_IN_BACKGROUND = True
"""Mails are made and sent after the answer; False sends them before it, for tests."""
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
EMAIL_HOST = _mail.get("EMAIL_HOST", "localhost")
EMAIL_PORT = _mail.get("EMAIL_PORT", 25)
EMAIL_HOST_USER = _mail.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = _mail.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = _mail.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = _mail.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = _mail.get("EMAIL_TIMEOUT")

INSTALLED_APPS = [
    # Before Django's admin: its frame in the site's design is found first.
    "arena.admin",
    "arena.admin.site.AdminSiteConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "django_htmx",
    "csp",
    "arena.common",
    "arena.accounts",
    "arena.roster",
    "arena.competition",
    "arena.matches",
    "arena.standings",
    "arena.features.ratings",
    "arena.features.integrity",
    "arena.features.ladders",
    "arena.features.experiments",
    "arena.features.webhooks",
    "arena.jobs",
    "arena.features.play",
    "arena.operations",
    "arena.server",
    "arena.api",
    "arena.web",
]

MIDDLEWARE = [
    "arena.web.base.forwarded.ForwardedProtoMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "arena.common.request_limits.request_limits",
    "arena.server.static_files.StaticFiles",
    "arena.web.base.conditional_gzip.ConditionalGzipMiddleware",
    "csp.middleware.CSPMiddleware",
    "arena.web.base.language.language_middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "arena.web.base.page_limits.PageLimitsMiddleware",
    "arena.web.account.sessions.SessionActivityMiddleware",
    "arena.admin.sign_in.AdminSignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "arena.web.base.unavailable.UnavailableMiddleware",
]

CORS_ALLOWED_ORIGINS = origins_of(os.environ, CORS_ORIGINS)
"""Origins such as https://stats.example.org. Their pages send tokens: cookies are never taken from them."""
CORS_URLS_REGEX = r"^/(api/|\.well-known/rensho-key\Z)"
CORS_ALLOW_HEADERS = (
    "accept",
    "authorization",
    "content-type",
    "idempotency-key",
    "if-none-match",
    "last-event-id",
)
CORS_EXPOSE_HEADERS = (
    "Content-Disposition",
    "Dry-Run",
    "ETag",
    "Idempotent-Replay",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
)
if CORS_ALLOWED_ORIGINS:
    INSTALLED_APPS.append("corsheaders")
    MIDDLEWARE.insert(0, "corsheaders.middleware.CorsMiddleware")

ROOT_URLCONF = "arena.urls"
ASGI_APPLICATION = "arena.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["arena.web.templatetags.wording"],
        },
    }
]

DATABASES = {"default": database_of(os.environ, DATA)}
DATABASE_POOL = pool_size_of(os.environ)
"""Connections of one web process at most, on PostgreSQL."""

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [{"NAME": "arena.accounts.passwords.OwnNameValidator"}]
LOGIN_URL = "web:sign-in"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ja", "日本語")]
"""Of the pages: each in its own name for itself, as the switch in the footer shows it."""
LANGUAGE_COOKIE_NAME = "rensho-language"
LOCALE_PATHS = [Path(__file__).resolve().parents[1] / "web" / "locale"]
"""Found before the texts of Django's own applications, some of which have the same words for other things."""
FORMAT_MODULE_PATH = "arena.admin.formats"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [("viewer", Path(__file__).resolve().parents[2] / "viewer" / "static")]
"""Beside the applications' own: what the replay needs, which the kit writes into one file."""
STATIC_ROOT = DATA / "static"
with contextlib.suppress(OSError):  # collectstatic fills it; without it WhiteNoise complains at each start
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_PERMISSIONS = FILE_MODE
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA / "media"},
    },
    "blobs": {
        "BACKEND": "arena.common.blobs.AtomicFileStorage",
        "OPTIONS": {"location": DATA / "blobs"},
    },
    "staticfiles": {"BACKEND": "arena.server.static_files.HashedStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_AUTOREFRESH = DEBUG

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
METRICS_ACCESS = metrics_access_of(os.environ)
SERVER_LIMITS = server_limits_of(os.environ)
"""Of ``manage.py serve``."""
TRUSTED_PROXIES = trusted_proxies_of(os.environ)
"""Networks, and ``unix``; ``arena.common.client_address`` alone reads what they forward."""
CSRF_FAILURE_VIEW = "arena.web.base.access.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if switch_of(os.environ, "RENSHO_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31536000

# An upload is read whole: 32 MiB of bundle and some slack for the form around it.
BUNDLE_UPLOAD_BYTES = 32 << 20
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 << 20

API_RATES = rates_of(os.environ)
"""Requests by name of the rate: ``{"anonymous": "600/min", ...}``."""
STREAMS = stream_limits_of(os.environ)
"""Streams of events at once in one web process: ``StreamLimits``."""
PLAY = play_limits_of(os.environ)
"""Tables of persons with bots: ``PlayLimits``."""
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "arena.api.base.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["arena.api.base.auth.ScopedReadOnly"],
    "DEFAULT_PAGINATION_CLASS": "arena.api.base.paging.CursorPages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "arena.api.base.schema.ApiSchema",
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.NamespaceVersioning",
    "DEFAULT_VERSION": "v1",
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.ScopedRateThrottle"],
    "DEFAULT_THROTTLE_RATES": API_RATES,
    "EXCEPTION_HANDLER": "arena.api.base.problems.problem_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "PAGE_SIZE": 50,
    # No parameter chooses the type of an answer: ``format`` is as unknown as any other.
    "URL_FORMAT_OVERRIDE": None,
    # What it would derive from serializers is not what an address takes; the schema says that.
    "DEFAULT_METADATA_CLASS": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

REDIS_URL = broker_url_of(DATA)
BROKER_IS_OURS = not configured_broker_url()
CACHES = {
    "default": {
        "BACKEND": "arena.settings.cache.SharedCache",
        "LOCATION": [REDIS_URL],
        "KEY_PREFIX": "rensho-cache",
        "TIMEOUT": 300,
        # A request waits no longer for its counters than this.
        "OPTIONS": {"socket_timeout": 1.0, "socket_connect_timeout": 0.5},
    },
}
CELERY_BROKER_URL = celery_url_of(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
# Safe only together with the attempt cap of tables and checks: without it a poisonous message loops for ever.
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_ACKS_ON_FAILURE_OR_TIMEOUT = True
CELERY_TASK_SOFT_TIME_LIMIT = 540
CELERY_TASK_TIME_LIMIT = 600
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
# Celery would close the database connection around each task; arena.jobs.worker closes old and broken ones.
CELERY_DB_REUSE_MAX = CELERY_WORKER_MAX_TASKS_PER_CHILD
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30
CELERY_WORKER_ENABLE_SOFT_SHUTDOWN_ON_IDLE = True
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Nothing here sends workers commands. What they would wait for them on is read without a time limit: a broker
# that is killed could leave a worker waiting there for ever.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker whose disk is full answers every write with an error: the worker waits for it, it does not end.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 2,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.5,
}
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Longer than the time limit and the wait inside a worker; leases in the database recover sooner.
    "visibility_timeout": 900,
    "unacked_restore_interval": 10,
    "unacked_restore_throttle": 1,
    "socket_timeout": 10,
    "socket_connect_timeout": 3,
    "health_check_interval": 15,
    "retry_on_timeout": True,
    # A publisher that finds no broker gives up within a second: the caller waits, the tick sends it later.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
    "global_keyprefix": "rensho:",
}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "housekeeping"
CELERY_TASK_ROUTES = {
    "arena.jobs.tasks.table_play": {"queue": "tables"},
    "arena.jobs.tasks.version_check": {"queue": "checks"},
}
CELERY_BEAT_SCHEDULE = {
    "tick": {"task": "arena.jobs.tasks.tick", "schedule": 10.0, "options": {"expires": 10}},
    "blobs": {"task": "arena.jobs.tasks.blobs_clean", "schedule": 3600.0, "options": {"expires": 600}},
}

TABLE_LEASE_S = 30
TABLE_HEARTBEAT_S = 5
TABLE_ATTEMPTS = 3
TABLE_MESSAGE_S = 60
"""Life of a nudge in the queue; after it the tick sends the next one."""
TABLE_BACKOFF_S: tuple[tuple[float, float], ...] = ((2.0, 5.0), (15.0, 30.0), (60.0, 120.0), (180.0, 300.0))
"""Least and most seconds a table or check waits after its first, second, ... failure by a fault of ours. A
worker that proves itself repaired ends the waiting of what faults of machines sent back."""
TABLE_REPORT_S = 180
"""How long a worker tries to hand in the report of a played table while database or storage do not take
it."""
TABLE_CLAIM_S = 30
"""How long it tries to claim a table while the database does not answer; then the tick offers it again."""
WORKER_FREE_BYTES = free_bytes_of(os.environ)
"""Less free space in any place a worker writes to, and it takes no tables."""
TABLE_WAITING_HOURS = 24
CHECK_DEADLINE_S = 600
CHECK_REST_S = 3600
"""How long a version rests whose check failed three times by faults of ours."""
control_groups_check(os.environ)
BOT_LIMITS = bot_limits_of(os.environ)
"""``referee.contract.Limits``, of every table and check."""
WORKER_RUNTIMES = tuple(filter(None, map(str.strip, os.environ.get("WORKER_RUNTIMES", "").split(","))))
"""Runtimes a worker offers; empty: all that can run on its machine."""

logging.setLogRecordFactory(PrintableRecord)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "filters": {"flood": {"()": "arena.settings.logs.FloodFilter"}},
    "loggers": {
        # It tells of every connection it hands out; failures are logged by arena.common.database.
        "psycopg.pool": {"level": "ERROR"},
        # What strangers get wrong: their own lines in the log are few, short and without tracebacks.
        **{
            name: {"filters": ["flood"]}
            for name in (
                "django.request",
                "django.security.csrf",
                "django.security.DisallowedHost",
                "django.security.RequestDataTooBig",
                "django.security.SuspiciousOperation",
                "django.security.TooManyFieldsSent",
                "django.security.TooManyFilesSent",
                "uvicorn.error",
            )
        },
    },
    "root": {"handlers": ["stderr"], "level": log_level_of(os.environ)},
}

SUSPENSION_TABLES = 50
"""A version is judged by so many of its last tables,"""
SUSPENSION_TABLES_AT_LEAST = 10
"""and by no fewer; tables from before it was reinstated do not count."""
SUSPENSION_PERCENT = 20
"""It is suspended when it forfeited more than this share of them."""
REINSTATEMENT_REST_S = 24 * 3600
"""From one check that its owner asks for to end a suspension to the next."""
COMMITMENTS_AHEAD = 200
"""Commitments posted and free at any time, for challenges, ladders and experiments to take."""
CHALLENGES_PER_DAY = 20
"""Challenges of an account within 24 hours; what faults of ours spoilt does not count."""
CHALLENGE_WORKER_S_PER_DAY = 4 * 3600
"""Seconds that the challenges of an account may hold workers within 24 hours."""
LADDERS = ladder_settings_of(os.environ)
"""Which ladders there are, and what they may use."""
EXPERIMENTS_PER_DAY = 10
"""Experiments of an account within 24 hours; those that faults of ours ended do not count."""
EXPERIMENTS_AT_ONCE = 2
"""So many of one account are played at once; further ones are queued."""
EXPERIMENT_CPU_S = 4 * 3600
"""CPU-seconds of all bots that one experiment may be given,"""
EXPERIMENT_CPU_S_USUAL = 3600
"""what it is given unless it asks for others,"""
EXPERIMENT_CPU_S_PER_DAY = 8 * 3600
"""and what all experiments of an account may use within 24 hours."""
EXPERIMENT_DAYS = 7
"""How long an experiment may be queued, and how long it may be played."""
