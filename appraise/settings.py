"""Settings: one file, driven by the environment, strict.

| variable | default | meaning |
|---|---|---|
| `APPRAISE_HOME` | `var/` beside `manage.py`; installed: `~/.local/share/appraise` | database, key, uploads |
| `DEBUG` | false | Django's debug pages; never on a public machine |
| `SECRET_KEY` | generated, mode 0600 | signs sessions and decides which side a candidate is shown on |
| `ALLOWED_HOSTS` | loopback | the names that this site answers to |
| `CSRF_TRUSTED_ORIGINS` | none | further addresses, with `https://`, from which forms may be sent |
| `DATABASE_URL` | SQLite in `APPRAISE_HOME` | `postgres://user:password@host:port/name` |
| `DATABASE_POOL` | 8 | most connections of one process to PostgreSQL |
| `HTTPS` | false | true behind TLS: secure cookies, HSTS, redirects |
| `LOG_LEVEL` | INFO | how much the log says |
| `LOG_FORMAT` | plain | `json`: one object a line, without personal data (`appraise/logs.py`) |
| `LOG_REQUESTS` | false | one line for each request: method, route, status, milliseconds |
| `METRICS` | false | figures for a monitor at `/metrics` (`appraise/operations/telemetry.py`) |
| `METRICS_ALLOW` | this machine | addresses or networks that may read them |
| `METRICS_TOKEN` | none | whoever sends this may read them from anywhere |
| `SIGN_IN_LIMIT`, `…_ADDRESS`, `…_ACCOUNT` | 10, 50, 100 | failed log-ins by both, by address, by name |
| `SIGN_IN_WINDOW_MINUTES` | 15 | within which they are counted |
| `REPLICATION_DATA` | `replication/` at home | data sets that researchers may replicate papers on |
| `TRUSTED_PROXIES` | none | proxies whose `X-Forwarded-For` is believed |
| `MAX_UPLOAD_MB` | 256 | the most that one upload may hold |
"""

from __future__ import annotations

import os
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from appraise import environment

PACKAGE = Path(__file__).resolve().parent
# Templates, static files, fixtures: a checkout keeps them beside the packages, a wheel inside this one.
INSTALLED = (PACKAGE / "files").is_dir()
BASE_DIR = PACKAGE / "files" if INSTALLED else PACKAGE.parent
HOME = environment.made(environment.home(Path.home() if INSTALLED else None, BASE_DIR / "var"))

DEBUG = environment.boolean("DEBUG", default=False)
SECRET_KEY = environment.secret_key(HOME)
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", default=("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = environment.words("CSRF_TRUSTED_ORIGINS", default=())

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
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "appraise.middleware.content_security_policy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "appraise.errors.ErrorPages",  # innermost, so that the others see what is finally sent
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

DATABASES = {"default": environment.database(HOME, pool_size=environment.integer("DATABASE_POOL", 8, 1, 100))}
AUTH_USER_MODEL = "evaluation.User"
AUTHENTICATION_BACKENDS = ["appraise.authentication.Backend"]
SESSION_ENGINE = "appraise.sessions"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Background jobs live in the same database as everything else: nothing more to install or to lose.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default"]}}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
# Chosen at the foot of a page; until then the browser's preference counts.
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
        else "appraise.storage.HashedStorage"
    },
}
MEDIA_ROOT = HOME / "uploads"

# An annotator's day is long, and an expired log-in in the middle of it costs trust.
SESSION_COOKIE_AGE = 60 * 60 * 24 * 14
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "appraise.views.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"

HTTPS = environment.boolean("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 60 * 60 * 24 * 365 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Probes and monitors on this machine speak plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Uploads: the cap is checked before a file is parsed; forms stay small.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1 * 1024 * 1024
APPRAISE_MAX_UPLOAD = environment.integer("MAX_UPLOAD_MB", 256, 1, 4096) * 1024 * 1024

MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

METRICS = environment.boolean("METRICS", default=False)
METRICS_ALLOW = environment.networks("METRICS_ALLOW", default=("127.0.0.0/8", "::1"))
METRICS_TOKEN = environment.token("METRICS_TOKEN")
REPLICATION_DATA = os.environ.get("REPLICATION_DATA", "")
LOG_REQUESTS = environment.boolean("LOG_REQUESTS", default=False)
if METRICS or LOG_REQUESTS:
    MIDDLEWARE.insert(0, "appraise.operations.telemetry.Telemetry")

LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "appraise.logs.JsonFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": environment.one_of("LOG_FORMAT", "plain", ("plain", "json")),
        }
    },
    "root": {"handlers": ["console"], "level": environment.one_of("LOG_LEVEL", "info", LOG_LEVELS).upper()},
    # Django would also print requests with their paths to a handler of its own.
    "loggers": {"django": {"handlers": [], "propagate": True}},
}
