"""The product's settings, in a home of their own and without what only costs time in tests."""

from __future__ import annotations

import os
import tempfile

# Before the settings are read: tests never touch the real database, key or uploads.
os.environ["APPRAISE_HOME"] = tempfile.mkdtemp(prefix="appraise-tests-")
os.environ["SECRET_KEY"] = "tests-only-" + "x" * 40

from appraise.settings import *  # noqa: F403 — that is what Django's settings are for

if DATABASES["default"]["ENGINE"] == "appraise.sqlite":  # noqa: F405
    # Of Django's own backend pytest-django knows by itself that its test database lives in memory.
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # noqa: F405
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Static files straight from their folders: nothing to collect, nothing to hash.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
LOGGING = {"version": 1, "disable_existing_loggers": False}
