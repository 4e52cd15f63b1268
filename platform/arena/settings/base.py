"""Settings of an installation, all from the environment. The defaults run on a laptop.

RENSHO_DATA      data folder: database, blobs, broker, secret key (default ``var`` next to manage.py)
DATABASE_URL     postgres://... ; default: SQLite in the data folder
REDIS_URL        redis://... ; default: the supervisor starts a server in the data folder
RENSHO_QUEUE_SERVER  program of a Valkey or Redis server to start instead of the bundled one
RENSHO_HOSTS, RENSHO_ORIGINS  host names served, and origins of forms (arena.settings.hosts)
RENSHO_CORS_ORIGINS  origins whose pages may send tokens to the API, comma separated (default: none)
RENSHO_DEBUG     1 for tracebacks in the browser
RENSHO_HTTPS     1 behind a proxy that serves HTTPS
RENSHO_LOG_LEVEL DEBUG, INFO (default), WARNING, ERROR or CRITICAL
RENSHO_LOG_FORMAT  text (default) or json (arena.settings.logs)
RENSHO_LIVENESS  file that changes while a main loop runs, for health checks (arena.common.liveness)
RENSHO_SENTRY_DSN, OTEL_EXPORTER_OTLP_ENDPOINT  reports of errors, and traces (arena.settings.reporting)
SECRET_KEY       default: generated once and stored in the data folder
SECRET_KEY_FALLBACKS  earlier keys that are still accepted, comma separated (default: none)
..._FILE         path of a file that has the secret of this name (arena.settings.secret_files)
BOT_...          resources of a bot's process (arena.settings.limits)
RENSHO_SIGN_UP, RENSHO_ADDRESS, RENSHO_EMAIL_..., RENSHO_CONTACT  who may sign up, URL of the site, mail
                 server, contact of the operator (arena.settings.people)
RENSHO_OIDC_...  OpenID Connect provider for sign-in (arena.settings.oidc)
RENSHO_RATE_...  request rates per address or account (arena.settings.rates)
RENSHO_METRICS   who besides staff may read /metrics: public, networks, token:... (arena.settings.metrics)
RENSHO_SERVER_...  limits on connections, time and size of requests (arena.settings.server)
RENSHO_WEB_PROCESSES  processes that serve the site and share its port (default 1)
RENSHO_TRUSTED_PROXIES  reverse proxies whose X-Forwarded-For counts, comma separated (arena.settings.proxies)
DATABASE_POOL    maximum connections of a web process (arena.settings.database)
RENSHO_STREAMS...  maximum concurrent event streams (arena.settings.streams)
RENSHO_KEEP_...  days that logs, times, events and tables of guests are kept (arena.settings.retention)
RENSHO_ANALYSIS_...  limits of notes and solved positions (arena.settings.analysis)
RENSHO_PLAY_...  limits of play by persons against bots (arena.settings.play)
RENSHO_LADDER... which ladders exist, and their limits (arena.settings.ladders)
WORKER_RUNTIMES  runtimes that a worker offers, comma separated (default: all available on its machine)
WORKER_FREE_MIB  free MiB that a worker needs to claim tables (default 64)
SANDBOX_CGROUP   control groups of bots: auto (default), off, or a path (referee.sandbox.group_sites)

arena.settings.names lists all variables; doctor, up and serve warn of unknown ones.
"""

import contextlib
import gc
import logging
import os
from pathlib import Path

from arena.settings.analysis import analysis_limits_of
from arena.settings.broker import broker_url_of, celery_url_of, configured_broker_url
from arena.settings.database import database_of, pool_size_of
from arena.settings.groups import control_groups_check
from arena.settings.hosts import CORS_ORIGINS, hosts_of, origins_of
from arena.settings.ladders import ladder_settings_of
from arena.settings.limits import bot_limits_of, free_bytes_of
from arena.settings.logs import PrintableRecord, log_formatter_of, log_level_of
from arena.settings.metrics import metrics_access_of
from arena.settings.oidc import oidc_settings_of
from arena.settings.openapi import SPECTACULAR_SETTINGS as SPECTACULAR_SETTINGS
from arena.settings.people import contact_of, mail_of, sign_up_of, site_address_of
from arena.settings.play import play_limits_of
from arena.settings.private import FILE_MODE, data_folder_of, prepare_data_folder
from arena.settings.proxies import trusted_proxies_of
from arena.settings.rates import rates_of
from arena.settings.reporting import sentry_dsn_of, traces_endpoint_of
from arena.settings.retention import retention_of
from arena.settings.secret import (
    configured_secret_key,
    load_or_create_secret_key,
    secret_key_fallbacks_of,
)
from arena.settings.server import server_limits_of, web_processes_of
from arena.settings.storage import blob_cache_bytes_of, blob_storage_of
from arena.settings.streams import stream_limits_of
from arena.settings.switches import switch_of

# Set before numpy is loaded. While bots use all cores, its threads only wait for each other: a fit of 1,000
# bots takes twice the CPU time with them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Objects loaded at startup stay. Collecting garbage among them takes a quarter of the startup time: the
# collector is off until arena.common.apps has loaded everything.
gc.disable()

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = prepare_data_folder(data_folder_of(os.environ, REPOSITORY / "var"))

DEBUG = switch_of(os.environ, "RENSHO_DEBUG")
SECRET_KEY = configured_secret_key(os.environ) or load_or_create_secret_key(DATA)
SECRET_KEY_FALLBACKS = secret_key_fallbacks_of(os.environ)
"""Earlier keys: accepted for values that exist, never used for new ones."""
ALLOWED_HOSTS = hosts_of(os.environ)
CSRF_TRUSTED_ORIGINS = origins_of(os.environ)

SITE_ADDRESS = site_address_of(os.environ)
"""Such as https://rensho.example.org; empty: the host of each request."""
SIGN_UP = sign_up_of(os.environ, ALLOWED_HOSTS)
"""``open``, ``invitation`` or ``closed``."""
CONTACT = contact_of(os.environ)
"""Contact of the operator: the URL of a page, or ``mailto:...``; empty: not configured."""
OIDC = oidc_settings_of(os.environ)
"""The OpenID Connect provider for sign-in, or None."""
_mail = mail_of(os.environ)
EMAIL_FROM = _mail["EMAIL_FROM"]
"""Sender of mails; empty: mail is disabled."""
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
    "arena.features.embeds",
    "arena.features.analysis",
    "arena.features.daily",
    "arena.features.feeds",
    "arena.features.imports",
    "arena.features.courses",
    "arena.features.mail",
    "arena.features.remote",
    "arena.operations",
    "arena.server",
    "arena.api",
    "arena.web",
]

MIDDLEWARE = [
    "arena.common.request_ids.request_id_middleware",
    "arena.web.base.forwarded.ForwardedProtoMiddleware",
    "arena.web.base.cookieless.CookielessMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "arena.common.request_limits.request_limits",
    "arena.api.base.public_cors.PublicCorsMiddleware",
    "arena.server.static_files.StaticFiles",
    "arena.web.base.conditional_gzip.ConditionalGzipMiddleware",
    "csp.middleware.CSPMiddleware",
    "arena.web.base.language.language_middleware",
    "arena.web.base.maintenance.MaintenanceMiddleware",
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
"""Origins such as https://stats.example.org. Their pages use tokens; cookies are never accepted from them."""
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
    "X-Request-ID",
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
"""Maximum PostgreSQL connections of one web process."""

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [{"NAME": "arena.accounts.passwords.OwnNameValidator"}]
LOGIN_URL = "web:sign-in"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ja", "日本語")]
"""Languages of the pages, each by its own name, as displayed in the footer."""
LANGUAGE_COOKIE_NAME = "rensho-language"
LOCALE_PATHS = [Path(__file__).resolve().parents[1] / "web" / "locale"]
"""Searched before the translations of Django's applications."""
FORMAT_MODULE_PATH = "arena.admin.formats"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [("viewer", Path(__file__).resolve().parents[2] / "viewer" / "static")]
"""In addition to the applications' own: files of the replay, which the kit embeds too."""
STATIC_ROOT = DATA / "static"
with contextlib.suppress(OSError):  # collectstatic fills it; without it WhiteNoise complains at each start
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
FILE_UPLOAD_PERMISSIONS = FILE_MODE
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA / "media"},
    },
    "blobs": blob_storage_of(os.environ, DATA),
    "staticfiles": {"BACKEND": "arena.server.static_files.HashedStorage"},
}
BLOB_CACHE_BYTES = blob_cache_bytes_of(os.environ)
"""Maximum size of the copies of blobs that this machine keeps; 0 if they are local files."""
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
SENTRY_DSN = sentry_dsn_of(os.environ)
TRACES_ENDPOINT = traces_endpoint_of(os.environ)
"""Base URL of the OTLP receiver of traces; empty: no traces."""
METRICS_ACCESS = metrics_access_of(os.environ)
SERVER_LIMITS = server_limits_of(os.environ)
WEB_PROCESSES = web_processes_of(os.environ)
"""Web processes of one ``manage.py serve``."""
TRUSTED_PROXIES = trusted_proxies_of(os.environ)
"""Networks, and ``unix``. Only ``arena.common.client_address`` uses the headers of these proxies."""
CSRF_FAILURE_VIEW = "arena.web.base.access.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if switch_of(os.environ, "RENSHO_HTTPS"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS = 31536000

# An upload is read whole: 32 MiB of bundle and some slack for the form around it.
BUNDLE_UPLOAD_BYTES_MAX = 32 << 20
DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20
FILE_UPLOAD_MAX_MEMORY_SIZE = 4 << 20

API_RATES = rates_of(os.environ)
STREAMS = stream_limits_of(os.environ)
RETENTION = retention_of(os.environ)
PLAY = play_limits_of(os.environ)
ANALYSIS = analysis_limits_of(os.environ)
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
    # No parameter selects the content type: ``format`` is an unknown parameter.
    "URL_FORMAT_OVERRIDE": None,
    # It would derive wrong metadata from serializers; the schema describes endpoints.
    "DEFAULT_METADATA_CLASS": None,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

REDIS_URL = broker_url_of(DATA)
BROKER_IS_MANAGED = not configured_broker_url()
CACHES = {
    "default": {
        "BACKEND": "arena.settings.cache.SharedCache",
        "LOCATION": [REDIS_URL],
        "KEY_PREFIX": "rensho-cache",
        "TIMEOUT": 300,
        # Maximum time that a request waits for its counters.
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
# Nothing sends commands to workers. Their command channel is read without a time limit, so a broker
# that is killed could leave a worker waiting for ever.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker whose disk is full answers every write with an error: the worker retries instead of exiting.
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
TABLE_HEARTBEAT_INTERVAL_S = 5
TABLE_ATTEMPTS_MAX = 3
TABLE_MESSAGE_TTL_S = 60
"""Seconds that a message in the queue stays valid; then the tick sends another one."""
TABLE_BACKOFF_S: tuple[tuple[float, float], ...] = ((2.0, 5.0), (15.0, 30.0), (60.0, 120.0), (180.0, 300.0))
"""Minimum and maximum seconds that a table or check waits after its first, second, ... platform fault."""
TABLE_REPORT_RETRY_S = 180
"""Maximum seconds that a worker retries to submit a report while database or storage refuse it."""
TABLE_CLAIM_RETRY_S = 30
"""Maximum seconds that a worker retries to claim a table while the database does not answer."""
WORKER_FREE_BYTES_MIN = free_bytes_of(os.environ)
"""Minimum free space on every file system that a worker writes to; below it, the worker claims no tables."""
TABLE_WAITING_HOURS_MAX = 24
CHECK_DEADLINE_S = 600
CHECK_COOLDOWN_S = 3600
"""Seconds that a version rests after its check failed three times by platform faults."""
control_groups_check(os.environ)
BOT_LIMITS = bot_limits_of(os.environ)
"""``referee.contract.Limits`` of every table and check."""
WORKER_RUNTIMES = tuple(filter(None, map(str.strip, os.environ.get("WORKER_RUNTIMES", "").split(","))))
"""Runtimes that a worker offers; empty: all available on its machine."""

logging.setLogRecordFactory(PrintableRecord)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": log_formatter_of(os.environ)}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "filters": {"flood": {"()": "arena.settings.logs.FloodFilter"}},
    "loggers": {
        # It logs every connection; arena.common.database logs failures.
        "psycopg.pool": {"level": "ERROR"},
        # Invalid requests: few and short messages without tracebacks.
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

SUSPENSION_WINDOW_TABLES = 50
"""Number of latest tables by which a version's conduct is judged."""
SUSPENSION_TABLES_MIN = 10
"""Minimum tables to suspend a version; tables before its last reinstatement do not count."""
SUSPENSION_PERCENT = 20
"""Percentage of forfeited tables above which a version is suspended."""
REINSTATEMENT_INTERVAL_S = 24 * 3600
"""Minimum seconds between two checks that an owner requests to end a suspension."""
COMMITMENTS_FREE_MIN = 200
"""Number of published commitments that are free for challenges, ladders and experiments."""
CHALLENGES_PER_DAY = 20
"""Challenges of an account within 24 hours, without those that failed by platform faults."""
CHALLENGE_WORKER_S_PER_DAY = 4 * 3600
"""Worker-seconds that an account's challenges may use within 24 hours."""
LADDERS = ladder_settings_of(os.environ)
EXPERIMENTS_PER_DAY = 10
"""Experiments of an account within 24 hours, without those that ended by platform faults."""
EXPERIMENTS_CONCURRENT_MAX = 2
"""Experiments of an account that are played concurrently; further ones are queued."""
EXPERIMENT_CPU_S_MAX = 4 * 3600
EXPERIMENT_CPU_S_DEFAULT = 3600
EXPERIMENT_CPU_S_PER_DAY = 8 * 3600
"""CPU-seconds that an account's experiments may use within 24 hours."""
EXPERIMENT_DAYS_MAX = 7
"""Maximum days that an experiment may be queued, and that it may be played."""
