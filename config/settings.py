"""Settings, from the environment; README.md lists the variables.

Embedded default: SQLite and the offline model under GATEHOUSE_HOME. Production: DATABASE_URL.
"""

import logging
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

from config.api_docs import DESCRIPTION, ENUM_NAMES, TAGS
from config.console import UNFOLD  # noqa: F401  (a setting: the operator's pages)
from config.env import (
    env_bool,
    env_int,
    env_list,
    env_money,
    env_origins,
    env_redis_url,
    env_seconds,
    env_text,
    generated_secret,
)
from config.knowledge import *  # noqa: F403  (settings: files that people upload)
from config.logs import LOGGING  # noqa: F401  (a setting)
from config.search import *  # noqa: F403  (settings: how things are found)

BASE_DIR = Path(__file__).resolve().parent.parent
HOME = Path(env_text("GATEHOUSE_HOME", str(BASE_DIR / "var"))).resolve()

# --- The process ---

DEBUG = env_bool("GATEHOUSE_DEBUG", default=False)
SECRET_KEY = env_text("GATEHOUSE_SECRET_KEY") or generated_secret(HOME / "secret_key")
HOST = env_text("HOST", "127.0.0.1")
PORT = env_int("PORT", 8000)
ALLOWED_HOSTS = env_list("GATEHOUSE_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env_list("GATEHOUSE_TRUSTED_ORIGINS")
# Never dialled on an agent's behalf, whatever an operator opened.
OWN_ORIGINS = [f"{HOST}:{PORT}", *env_origins("GATEHOUSE_OWN_ORIGINS")]
TEST_NOW = env_text("GATEHOUSE_TEST_NOW") or None  # fixes the datetime tool's clock, for tests
# What `serve` runs: each a process whose main this function is.
PROCESSES = {
    "web": "config.base.processes.web.main",
    "worker": "jobs.processes.worker.main",
    "pulse": "jobs.processes.pulse.main",
    "watchdog": "jobs.processes.watchdog.main",
}
STOP_GRACE_SECONDS = env_int("GATEHOUSE_STOP_GRACE_SECONDS", 30)  # then what is left is killed

# --- Apps, lowest last: who may import whom is checked with import-linter ---

GATEHOUSE_APPS = ["agents", "skills", "documents", "tools", "jobs", "config.base"]
INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_standardized_errors",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "django_q",
    *GATEHOUSE_APPS,
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.base.static.StaticFiles",
    "config.base.middleware.ContentSecurityPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.base.middleware.UserPreferences",
    "config.base.middleware.RateLimit",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.base.middleware.ErrorPages",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.base.context.frame",
            ],
            "builtins": ["config.base.templatetags.icons"],
        },
    }
]

# --- Data ---

_SQLITE: dict[str, Any] = {
    "ENGINE": "config.base.sqlite",
    "NAME": HOME / "gatehouse.sqlite3",
    "OPTIONS": {
        # IMMEDIATE: a transaction that will write never fails half-way on "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # synchronous NORMAL survives kill -9, not a power cut. A commit that finds so many pages in
        # the log moves them and waits for the disk: with SQLite's 1,000, one turn in five did.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA recursive_triggers=ON; "
            "PRAGMA wal_autocheckpoint=8000;"
        ),
    },
}


def _database(url: str) -> dict[str, Any]:
    if not url:
        return _SQLITE
    parsed: dict[str, Any] = dict(dj_database_url.parse(url))
    if parsed["ENGINE"] != "django.db.backends.postgresql":
        raise ImproperlyConfigured(
            "DATABASE_URL must name PostgreSQL (postgres://…); leave it out for SQLite"
        )
    parsed["OPTIONS"] = {
        **parsed.get("OPTIONS", {}),
        "pool": {"min_size": 1, "max_size": env_int("GATEHOUSE_DB_POOL", 20, minimum=2)},
    }
    parsed["CONN_MAX_AGE"] = 0  # the pool keeps connections; a thread gives its own back
    return parsed


DATABASE_URL = env_text("DATABASE_URL")
DATABASES = {"default": _database(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MEDIA_ROOT = HOME / "media"
# Private: no server but ours gives anything out of it. With several machines: one that all reach.
KNOWLEDGE_DIR = Path(env_text("GATEHOUSE_KNOWLEDGE_DIR", str(HOME / "knowledge"))).resolve()

# --- People ---

AUTH_USER_MODEL = "base.User"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "chat:home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
# Per person and per token; 0: no limit. Generous while somebody tries the product out.
REQUESTS_PER_MINUTE = env_int("GATEHOUSE_REQUESTS_PER_MINUTE", 60_000 if DEBUG else 1_200)
TOKEN_REQUESTS_PER_MINUTE = env_int("GATEHOUSE_TOKEN_REQUESTS_PER_MINUTE", 60_000 if DEBUG else 600)
# In a quarter of an hour, for one account from one address; see config/base/limits.py.
SIGN_IN_ATTEMPTS = env_int("GATEHOUSE_SIGN_IN_ATTEMPTS", 10)
LINK_READS_PER_MINUTE = env_int("GATEHOUSE_LINK_READS_PER_MINUTE", 60)  # from one address
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
# Behind TLS set GATEHOUSE_HTTPS=1; the embedded default speaks plain HTTP on loopback.
HTTPS = env_bool("GATEHOUSE_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- What a browser may do ---

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
# unfold ships Alpine, which compiles its expressions with `new Function`, and inline styles.
ADMIN_CSP = {
    **SECURE_CSP,
    "script-src": [CSP.SELF, CSP.NONCE, CSP.UNSAFE_EVAL],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
    "img-src": [CSP.SELF, "data:"],
}
# The Swagger page sets styles from script.
API_DOCS_CSP = {
    **SECURE_CSP,
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
    "img-src": [CSP.SELF, "data:"],
}

# --- The frame: label, URL name, icon, who counts the badge ---

NAVIGATION = [
    (_("Chat"), "chat:home", "chat", "agents.selectors.count_unread_conversations"),
    (_("Actions"), "actions:inbox", "inbox", "tools.selectors.count_waiting_drafts"),
    (_("Documents"), "documents:list", "document", ""),
    (_("Memories"), "memories:list", "memory", ""),
    (_("Knowledge"), "knowledge:list", "book", ""),
    (_("Skills"), "skills:page", "skill", ""),
    (_("Profile"), "profile", "user", ""),
]

# --- Languages and files ---

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # no collectstatic step: one command starts the product
WHITENOISE_AUTOREFRESH = DEBUG

# --- The API ---

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "config.base.rest.authentication.TokenAuthentication",
        "config.base.rest.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "config.base.rest.permissions.HasScope",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.base.rest.parsers.BoundedJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["config.base.rest.throttling.Rates"],
    "DEFAULT_PAGINATION_CLASS": "config.base.rest.pagination.Pages",
    "DEFAULT_SCHEMA_CLASS": "config.base.rest.schema.Schema",
    "DEFAULT_FILTER_BACKENDS": [],
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "URL_FORMAT_OVERRIDE": None,  # the Accept header alone says what a client wants
}
DRF_STANDARDIZED_ERRORS = {
    "EXCEPTION_HANDLER_CLASS": "config.base.rest.errors.ExceptionHandler",
    # Also with DEBUG on: a client must meet the same format everywhere.
    "ENABLE_IN_DEBUG_FOR_UNHANDLED_EXCEPTIONS": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Gatehouse API",
    "DESCRIPTION": DESCRIPTION,
    "TAGS": TAGS,
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.base.rest.schema.anything_may_be_null",
    ],
}

# --- The gate ---

# All run, the worst answer wins, every reason is kept. As with MIDDLEWARE, a lower app's list is
# filled by higher ones.
TOOL_GATES = [
    "tools.gates.EnabledGate",
    "skills.gate.GrantGate",
    "tools.gates.QuotaGate",
    "agents.gates.ConsentGate",
    "tools.gates.TaintGate",
    "tools.gates.UnattendedGate",
    "tools.gates.ApprovalGate",
]
# What one person's agents and own calls may use per run and per day (UTC); 0: no limit. A row of
# `UserBudget` says otherwise for one person.
BUDGETS = {
    "calls_per_run": env_int("GATEHOUSE_CALLS_PER_RUN", 200),
    "calls_per_day": env_int("GATEHOUSE_CALLS_PER_DAY", 20_000),
    "tokens_per_run": env_int("GATEHOUSE_TOKENS_PER_RUN", 1_000_000),
    "tokens_per_day": env_int("GATEHOUSE_TOKENS_PER_DAY", 10_000_000),
    "usd_per_run": env_money("GATEHOUSE_USD_PER_RUN", "5"),
    "usd_per_day": env_money("GATEHOUSE_USD_PER_DAY", "50"),
}
AGENT_DIRECTORY = "agents.directory.Directory"  # answers what tools must ask upwards
AUDIT_RECORDER = "skills.recorder.EventRecorder"
CONSOLE_HISTORY = "skills.console.history.history_page"  # what was done to a row, in the console
CONSOLE_POLICY = "skills.console.policy.policy_page"  # what a person may do, in the console
DRAFT_LIFETIME_SECONDS = env_int("GATEHOUSE_DRAFT_MINUTES", 30, minimum=1) * 60
# So long a conversation may ask a service again that its person let it ask once.
CONSENT_HOURS = env_int("GATEHOUSE_CONSENT_HOURS", 24, minimum=1)
# So long nobody has to go on with a workflow before it expires.
WORKFLOW_HOURS = env_int("GATEHOUSE_WORKFLOW_HOURS", 72, minimum=1)
# A conversation's own memories are archived when it rests so long; the archive is kept so long.
SESSION_MEMORY_HOURS = env_int("GATEHOUSE_SESSION_MEMORY_HOURS", 24, minimum=1)
MEMORY_ARCHIVE_DAYS = env_int("GATEHOUSE_MEMORY_ARCHIVE_DAYS", 365, minimum=1)
# After the deadline of an act outside, its process has this long to write down how it ended.
CALL_SETTLE_SECONDS = env_int("GATEHOUSE_CALL_SETTLE_SECONDS", 20)
CALL_CONTENT_DAYS = env_int("GATEHOUSE_CALL_CONTENT_DAYS", 30, minimum=1)
UNATTENDED_DRAFT_LIFETIME_SECONDS = 7 * 24 * 3600
AUDIT_DAYS = env_int("GATEHOUSE_AUDIT_DAYS", 0)  # 0: events are kept for ever
AUDIT_KEY = env_text("GATEHOUSE_AUDIT_KEY") or generated_secret(HOME / "audit_key")
# What seals secrets, newest first; the older ones still open (docs/adr/0012).
SECRETS_KEY_FILE = "secrets_key"
SECRETS_KEYS = env_list("GATEHOUSE_SECRETS_KEY") or [generated_secret(HOME / SECRETS_KEY_FILE)]

# --- Jobs: the table jobs_job is the truth, django-q2 carries wake-ups (docs/adr/0011) ---

REDIS_URL = env_redis_url("GATEHOUSE_REDIS_URL")  # empty: wake-ups go through the database
JOB_WORKERS = env_int("GATEHOUSE_JOB_WORKERS", 2, minimum=1)
JOB_LEASE_SECONDS = env_seconds("GATEHOUSE_JOB_LEASE_SECONDS", 120, minimum=1)
JOB_RENEW_SECONDS = JOB_LEASE_SECONDS / 3
JOB_RETRY_SECONDS = env_seconds("GATEHOUSE_JOB_RETRY_SECONDS", 300)  # after the first failure
JOB_TICK_SECONDS = 20  # how long one wake-up goes on claiming
# What /readyz asks beside database and migrations, by name: each answers "ok…", or what is wrong.
READINESS_CHECKS = {
    "jobs": "jobs.health.check_queue",
    "secrets": "tools.secrets.lost.check_secrets",
}
JOB_HARD_LIMIT_SECONDS = 900  # the most that a kind of jobs may allow its handler
JOB_DAYS = env_int("GATEHOUSE_JOB_DAYS", 30, minimum=1)  # how long finished ones are kept
# A wake-up claims for so long, begins what it has claimed within a third of the lease, and its last
# handler may take as long as any; then a minute's grace.
JOB_WAKE_UP_SECONDS = JOB_TICK_SECONDS + int(JOB_LEASE_SECONDS / 3) + JOB_HARD_LIMIT_SECONDS + 60
Q_CLUSTER = {
    "name": "gatehouse",
    "workers": JOB_WORKERS,
    "timeout": JOB_WAKE_UP_SECONDS,
    "retry": JOB_WAKE_UP_SECONDS + 60,
    "bulk": 1,
    "queue_limit": 1,  # what waits in a worker's own queue is out of everybody's sight
    "save_limit": -1,  # with 250, each result locks and counts all of them
    "ack_failures": True,
    "max_attempts": 1,
    "catch_up": False,
    "poll": 0.2,
    "recycle": 500,
    "max_rss": 600_000,  # kB: a worker that has grown so large is replaced
    "guard_cycle": 0.5,
    "broker_class": "jobs.q2.RedisBroker" if REDIS_URL else "jobs.q2.OrmBroker",
    "orm": "default",
    **({"redis": REDIS_URL} if REDIS_URL else {}),
}

# --- Runs and models ---

# Started with the web process by config/asgi.py, stopped with it.
BACKGROUND_HOSTS = [
    "config.base.sqlite.machine.MachineHost",  # before any that would write
    "agents.host.RunHost",
    "skills.sealer.SealerHost",
    "skills.alerts.host.AlertHost",
    "documents.rendering.warm_up.WarmUpHost",
]
RUN_HOST_THREADS = env_int("GATEHOUSE_RUN_THREADS", 8, minimum=1)
RUN_READ_THREADS = env_int("GATEHOUSE_RUN_READ_THREADS", 8, minimum=1)  # for all runs together
RUN_LEASE_SECONDS = env_int("GATEHOUSE_RUN_LEASE_SECONDS", 30, minimum=2)
RUN_RENEW_SECONDS = RUN_LEASE_SECONDS / 3
RUN_SWEEP_SECONDS = env_int("GATEHOUSE_RUN_SWEEP_SECONDS", 5, minimum=1)
RUN_WAIT_SECONDS = 120  # how long a plain POST waits before it answers 202
# What a model without a profile is sent at most; older parts of a conversation give way.
CONTEXT_TOKENS = env_int("GATEHOUSE_CONTEXT_TOKENS", 32_000, minimum=2_000)
MODEL = env_text("GATEHOUSE_MODEL")
MODEL_BASE_URL = env_text("GATEHOUSE_MODEL_BASE_URL")
MODEL_API_KEY = env_text("GATEHOUSE_MODEL_API_KEY")

logging.captureWarnings(True)
