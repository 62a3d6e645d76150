"""Settings from the environment; an invalid value stops the process.

| variable | default | meaning |
|---|---|---|
| `APPRAISE_HOME` | `var/` beside `manage.py`; installed: `~/.local/share/appraise` | database, key, uploads |
| `DEBUG` | false | Django's debug pages; never on a public machine |
| `SECRET_KEY` | generated, mode 0600 | signs sessions and decides which side a candidate is shown on |
| `ALLOWED_HOSTS` | loopback | host names of this site |
| `CSRF_TRUSTED_ORIGINS` | none | further origins, with `https://`, that may send forms |
| `DATABASE_URL` | SQLite in `APPRAISE_HOME` | `postgres://user:password@host:port/name` |
| `DATABASE_POOL` | 8 | maximum PostgreSQL connections per process |
| `HTTPS` | false | true behind TLS: secure cookies, HSTS, redirects |
| `LOG_LEVEL` | INFO | level of the log |
| `LOG_FORMAT` | plain | `json`: one object a line, without personal data (`appraise/operations/logs.py`) |
| `LOG_REQUESTS` | false | one line for each request: method, route, status, milliseconds |
| `METRICS` | false | figures for a monitor at `/metrics` (`appraise/operations/telemetry.py`) |
| `METRICS_ALLOW` | this machine | addresses or networks that may read them |
| `METRICS_TOKEN` | none | a bearer token that may read them from any address |
| `SIGN_IN_LIMIT`, `…_ADDRESS`, `…_ACCOUNT` | 10, 50, 100 | failed sign-ins by both, by address, by name |
| `SIGN_IN_WINDOW_MINUTES` | 15 | the time in which they are counted |
| `TRUSTED_PROXIES` | none | proxies whose `X-Forwarded-For` is trusted |
| `RETURN_LINK_DAYS` | 90 | days for which a return link is valid |
| `MAX_UPLOAD_MB` | 256 | maximum size of an upload |
| `WEB_THREADS` | 4 | threads of each web process; `start --threads` sets it |
"""

from __future__ import annotations

import os
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from appraise.lib import environment

PACKAGE = Path(__file__).resolve().parent
# Templates, static files, fixtures: a checkout keeps them beside the packages, a wheel inside this one.
INSTALLED = (PACKAGE / "files").is_dir()
BASE_DIR = PACKAGE / "files" if INSTALLED else PACKAGE.parent
HOME = environment.ensure_private_folder(
    environment.find_home(Path.home() if INSTALLED else None, BASE_DIR / "var")
)

DEBUG = environment.read_boolean("DEBUG", default=False)
SECRET_KEY = environment.load_secret_key(HOME)
ALLOWED_HOSTS = environment.read_list("ALLOWED_HOSTS", default=("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = environment.read_list("CSRF_TRUSTED_ORIGINS", default=())

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_tasks",
    "django_tasks_db",
    "evaluation",
    "metrics",
    "appraise.operations",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "appraise.middleware.content_security_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "appraise.middleware.renew_session",
    "django.middleware.locale.LocaleMiddleware",
    "appraise.middleware.PageLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "appraise.middleware.limit_body",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "appraise.middleware.ErrorPages",  # innermost, so that the others see its responses
]

ROOT_URLCONF = "appraise.urls"
WSGI_APPLICATION = "appraise.wsgi.application"

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
            ],
        },
    }
]

DATABASES = {
    "default": environment.configure_database(
        HOME, pool_size=environment.read_integer("DATABASE_POOL", 8, 1, 100)
    )
}
AUTH_USER_MODEL = "evaluation.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Background jobs are stored in the same database, so that no other service is needed.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default"]}}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
# Failed log-ins within the window: by name and address together, by address, by name.
SIGN_IN_WINDOW_MINUTES = environment.read_integer("SIGN_IN_WINDOW_MINUTES", 15, 1, 1440)
SIGN_IN_LIMIT = environment.read_integer("SIGN_IN_LIMIT", 10, 1, 1000)
SIGN_IN_LIMIT_ADDRESS = environment.read_integer("SIGN_IN_LIMIT_ADDRESS", 50, 1, 100_000)
SIGN_IN_LIMIT_ACCOUNT = environment.read_integer("SIGN_IN_LIMIT_ACCOUNT", 100, 1, 100_000)
TRUSTED_PROXIES = environment.read_networks("TRUSTED_PROXIES", default=())
RETURN_LINK_DAYS = environment.read_integer("RETURN_LINK_DAYS", 90, 1, 3650)
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("de", _("German")),
    ("cs", _("Czech")),
    ("es", _("Spanish")),
    ("fr", _("French")),
    ("zh-hans", _("Simplified Chinese")),
    ("ja", _("Japanese")),
    ("ar", _("Arabic")),
]
# Only the pages of annotators are translated; other pages are in English (appraise.middleware.PageLanguage).
ANNOTATOR_LANGUAGES = ("cs", "es", "fr", "zh-hans", "ja", "ar")
# No speaker has read the translation; its pages say so.
UNCHECKED_LANGUAGES = ANNOTATOR_LANGUAGES
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "appraise.formats"
# Chosen in the footer; the default is the preference of the browser.
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = HOME / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Names carry a content hash, so that browsers can cache a file forever and never use an old one.
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "appraise.operations.storage.HashedStorage"
    },
}
MEDIA_ROOT = HOME / "uploads"

# Long, because without JavaScript an answer sent after the session has ended is lost. A visit renews the
# session at most once a day (appraise.middleware.renew_session), so most requests write nothing.
SESSION_COOKIE_AGE = 60 * 60 * 24 * 7 * 6
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"

HTTPS = environment.read_boolean("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Probes and monitors on this machine use plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# The size of an upload is checked before it is parsed; other forms are small.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# Without JavaScript an annotation page is one form, with four fields for each question of a sentence.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 40_000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 * 1024 * 1024
APPRAISE_MAX_UPLOAD = environment.read_integer("MAX_UPLOAD_MB", 256, 1, 4096) * 1024 * 1024

# Parts of the annotation page that are equal for everybody: one cache per process. Results of reports that a
# worker computes: in files, for the pages of all processes.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 3000},
    },
    "reports": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": HOME / "cache" / "reports",
        "TIMEOUT": 24 * 60 * 60,
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

METRICS = environment.read_boolean("METRICS", default=False)
METRICS_ALLOW = environment.read_networks("METRICS_ALLOW", default=("127.0.0.0/8", "::1"))
METRICS_TOKEN = environment.read_token("METRICS_TOKEN")
METRICS_FOLDER = HOME / "run" / "metrics"
if METRICS:  # prometheus_client reads this name when it is imported
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(environment.ensure_folder(METRICS_FOLDER))
LOG_REQUESTS = environment.read_boolean("LOG_REQUESTS", default=False)
if METRICS or LOG_REQUESTS:
    MIDDLEWARE.insert(0, "appraise.operations.telemetry.Telemetry")

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
LOG_LEVEL = environment.read_choice("LOG_LEVEL", "info", LOG_LEVELS).upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "appraise.operations.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            # On the handler, because a record of a logger with a level of its own passes the root's level.
            "level": LOG_LEVEL,
            "formatter": environment.read_choice("LOG_FORMAT", "plain", ("plain", "json")),
        }
    },
    "root": {
        "handlers": ["console"],
        "level": LOG_LEVEL,
    },
    # Without this Django logs requests with their paths to its own handler.
    "loggers": {"django": {"handlers": [], "propagate": True}},
}
